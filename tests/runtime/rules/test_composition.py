"""Composed policies that disagree: values compare by meaning, and what is unknown never disagrees."""

from __future__ import annotations

import pytest

from resilience4cata.diagnostics import FRONT_ENDS, Context
from resilience4cata.facts import (
    UNKNOWN,
    Applied,
    At,
    Composed,
    Declaration,
    Definition,
    Element,
    Interval,
    Items,
    Kind,
    Project,
    Slot,
    Value,
)
from resilience4cata.rules import check
from tests.runtime.rules.build import declaration, ref

LINT = Context(FRONT_ENDS["lint"])


def composed(name: str, *members: Declaration | Composed, line: int = 1, variable: str | None = None) -> Composed:
    at = At("policies.py", line, 1)
    return Composed(Slot((name,), at), members, at, variable or f"policies.{name}")


def element(*policies: Composed | Declaration) -> Element:
    decorators = tuple(Applied(policy, At("app.py", line, 2)) for line, policy in enumerate(policies, 1))
    definition = Definition("app.call", "call", "app", Kind.FUNCTION, At("app.py", 9, 5), decorators=decorators)
    return Element(definition, NoScope())


class NoScope:
    """A module in which nothing is known."""

    id = "app"
    is_class = False
    ancestors = None

    def lookup(self, name: str) -> None:
        return None

    def names(self) -> tuple[str, ...]:
        return ()

    def public_methods(self) -> tuple[Definition, ...]:
        return ()

    def subclasses(self) -> tuple[NoScope, ...]:
        return ()


def lines(*views: object) -> list[str]:
    return [f"{f.rule.code} {f.fault.at.line} {f.diagnostic().message}" for f in check(views, LINT)]


def timeout(value: Value) -> Declaration:
    return declaration("timeout", {"value": value})


def test_two_values_for_one_attribute_are_reported_at_the_later_decorator() -> None:
    slow = composed("slow", timeout("5s"))
    assert [
        (
            "R4C-CMP-004 2 composed policies disagree on timeout value: "
            '"2s" from resilience_policy("quick") but "5s" from resilience_policy("slow")'
        )
    ] == lines(element(composed("quick", timeout("2s")), slow))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("60s", "1m"),
        ("0", "0s"),
        (Interval(2_000_000_000), "2s"),
        ("2s", UNKNOWN),
    ],
)
def test_values_that_may_mean_the_same_do_not_disagree(one: Value, other: Value) -> None:
    assert [] == lines(element(composed("one", timeout(one)), composed("other", timeout(other))))


def test_exception_lists_compare_as_sets() -> None:
    listed = Items((ref(OSError), ref(KeyError)))
    turned = Items((ref(KeyError), ref(OSError)))
    one, other = (composed(n, declaration("retry", {"retry_on": v})) for n, v in (("one", listed), ("other", turned)))
    single = composed("single", declaration("retry", {"retry_on": ref(OSError)}))
    assert [] == lines(element(one, other))
    assert ["R4C-CMP-004 2"] == [line[:13] for line in lines(element(one, single))]


def test_an_attribute_written_on_the_element_settles_the_matter() -> None:
    both = composed("quick", timeout("2s")), composed("slow", timeout("5s"))
    assert [] == lines(element(*both, timeout("3s")))


def test_a_nested_policy_is_named_as_the_source_and_a_direct_member_beats_it() -> None:
    nested = composed("outer", composed("inner", timeout("5s")))
    tuned = composed("tuned", nested, timeout("2s"))
    quick = composed("quick", timeout("2s"))
    assert [
        (
            "R4C-CMP-004 2 composed policies disagree on timeout value: "
            '"2s" from resilience_policy("quick") but "5s" from resilience_policy("inner")'
        )
    ] == lines(element(quick, nested))
    assert [] == lines(element(quick, tuned))


def test_true_and_one_are_not_the_same_value() -> None:
    one = composed("one", declaration("retry", {"enabled": True}))
    other = composed("other", declaration("retry", {"enabled": False}))
    assert ["R4C-CMP-004 2"] == [line[:13] for line in lines(element(one, other))]


def test_names_and_templates_are_no_settings() -> None:
    one = composed("one", declaration("retry", {"config": "a", "name": "x"}))
    other = composed("other", declaration("retry", {"config": "b", "name": "y"}))
    assert [] == lines(element(one, other))


@pytest.mark.parametrize(
    ("name", "variable", "suggestion"),
    [
        ("external-call", "policies.external_call", None),
        ("external", "policies.external_call", None),
        ("external-call", "policies._external_call", None),
        ("External Call", "policies.external_call", None),
        ("external-call", "policies.externalCall", None),
        ("external-call", "policies.EXTERNAL_CALL", None),
        ("http-call", "policies.HTTPCall", None),
        ("externl-call", "policies.externalCall", "external-call"),
        ("externl-call", "policies.external_call", "external-call"),
        ("payments", "policies.external_call", "external-call"),
    ],
)
def test_a_name_and_its_variable_have_something_in_common(name: str, variable: str, suggestion: str | None) -> None:
    found = [f for f in check([composed(name, variable=variable)], LINT) if f.rule.code == "R4C-CMP-005"]
    assert [suggestion] * bool(suggestion) == [f.fault.suggestions[0] for f in found]


def test_one_name_for_two_different_bundles_is_reported_at_the_later_one() -> None:
    first, same = composed("call", timeout("2s")), composed("call", timeout("2000ms"), line=5)
    other = composed("call", timeout("3s"), line=9, variable="other.call")
    assert [] == lines(Project(composed=(first, same)))
    assert ["R4C-CMP-007 9 another composed policy has the name 'call' and other members"] == lines(
        Project(composed=(other, same, first))
    )


def test_what_functions_make_for_themselves_shares_no_name() -> None:
    one = composed("call", timeout("2s"), variable="tests.test_one.<locals>.call")
    other = composed("call", timeout("1s"), line=5, variable="tests.test_other.<locals>.call")
    assert [] == lines(Project(composed=(one, other)))


def test_a_variable_bound_in_two_branches_is_one_composed_policy() -> None:
    slow, fast = composed("call", timeout("2s")), composed("call", timeout("1s"), line=5)
    assert [] == lines(Project(composed=(slow, fast)))


def test_the_order_of_members_makes_no_difference() -> None:
    retry = declaration("retry", {"max_attempts": 3})
    one, other = composed("call", retry, timeout("2s")), composed("call", timeout("2s"), retry, line=5)
    assert [] == lines(Project(composed=(one, other)))


def test_a_policy_twice_is_reported_at_the_second() -> None:
    assert ["R4C-CMP-003 2 timeout is written twice"] == lines(element(timeout("2s"), timeout("3s")))
