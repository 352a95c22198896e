"""Rules about effective settings never fail, whatever nonsense is written: other rules report it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from resilience4cata import rules
from resilience4cata.diagnostics import FRONT_ENDS, Context, Fault
from resilience4cata.facts import UNKNOWN, Interval, Items, Member, NoTypes, Ref, Value
from resilience4cata.rules import views_of
from resilience4cata.schema import POLICIES
from tests.runtime.config.making import function, project
from tests.runtime.rules.build import declaration

LAYERS = tuple(Member("Layer", name.upper()) for name in POLICIES if name != "order")
TEXTS: list[Value] = ["0", "1ns", "100ms", "1s", "2s", "5s", "1m", "106751d", "-1s", "soon", ""]
NUMBERS: list[Value] = [0, 1, 2, 3, 1000, -1, 10**30, 10**5000, 0.0, 0.5, 1.5, 2.0, 1e300, float("nan"), float("inf")]
INTERVALS: list[Value] = [Interval(0), Interval(-5), Interval(10**9), Interval(10**25)]
LISTS: list[Value] = [Items(()), Items((), closed=False), Items(LAYERS), Items(LAYERS[::-1]), Items(LAYERS[:1] * 2)]
MEMBERS: list[Value] = [
    Member(enum, name)
    for enum, name in (("Backoff", "FIXED"), ("Backoff", "EXPONENTIAL"), ("Jitter", "NONE"), ("Jitter", "EQUAL"))
]
CLASSES: list[Value] = [Ref("resilience4cata.errors.RejectedError", True), Ref("builtins.OSError", True)]
OTHERS: list[Value] = [True, False, None, UNKNOWN]
VALUES = st.sampled_from([*TEXTS, *NUMBERS, *INTERVALS, *LISTS, *MEMBERS, *CLASSES, *OTHERS])


def _declarations(name: str) -> st.SearchStrategy[tuple[str, dict[str, Value]]]:
    attributes = list(POLICIES[name].attributes)
    return st.tuples(st.just(name), st.dictionaries(st.sampled_from(attributes), VALUES, max_size=6))


@given(st.tuples(*(_declarations(name) for name in ("retry", "timeout", "circuit_breaker", "bulkhead", "order"))))
@settings(max_examples=300, deadline=None)
def test_nothing_fails(written: tuple[tuple[str, dict[str, Value]], ...]) -> None:
    """Each finding can be put into words, whatever the values are."""
    element = function("app.f", *(declaration(name, slots) for name, slots in written))
    around = project(element)
    for provides in FRONT_ENDS.values():
        context = Context(provides, NoTypes(), around)
        for view in views_of(element):
            for rule in rules.all_rules().values():
                if rule.family in {"TB", "OR", "VA", "CL"} and type(view) in rule.views and rule.needs in provides:
                    faults = [found for found in rule.check(view, context) if isinstance(found, Fault)]
                    assert all(fault.message.format_map(fault.values) for fault in faults)
