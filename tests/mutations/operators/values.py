"""Faults in numbers, members and the names of attributes; pairs that do not fit each other; time budgets."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ..mutant import ALL, LINT_AND_BUILD, ONLY_LINT, Edit, Faulty, Place
from ..sources import Shop, Source, Use
from .fallbacks import misspelt
from .sharing import differing_users, tuning_keys

# No policy accepts these: a count is at least 1, a rate at most 100.
_OUT_OF_RANGE = {
    "max_attempts": "0",
    "max_concurrent": "0",
    "permits": "0",
    "window_size": "0",
    "minimum_calls": "0",
    "failure_rate_threshold": "150",
    "initial_limit": "0",
    "min_limit": "0",
    "max_limit": "0",
    "max_hedged": "0",
    "multiplier": "0.5",
}


class Written(NamedTuple):
    """One written keyword of a policy."""

    use: Use
    keyword: ast.keyword

    @property
    def name(self) -> str:
        return str(self.keyword.arg)

    def fault(self, code: str, new: str, reports: frozenset[str] = ALL) -> Faulty:
        """The value written as `new`."""
        source, value = self.use.source, self.keyword.value
        start = source.start(value)
        edit = Edit(start, source.end(value), new)
        return Faulty(f"{self.use.title} {self.name}", source, [edit], [Place(code, source, start, reports)])


def written(shop: Shop) -> Iterator[Written]:
    """Every keyword of every policy."""
    return (Written(use, keyword) for use in shop.uses for keyword in use.call.keywords)


def out_of_range(shop: Shop) -> Iterator[Faulty]:
    """A number beyond its bounds."""
    for w in written(shop):
        if w.name in _OUT_OF_RANGE:
            fault = w.fault("R4C-VA-001", _OUT_OF_RANGE[w.name])
            fault.places.extend(differing_users(shop, w.use))
            yield fault


def true_for_a_number(shop: Shop) -> Iterator[Faulty]:
    """`True` is a whole number to Python, and to nobody else."""
    for w in written(shop):
        if w.name in _OUT_OF_RANGE:
            yield w.fault("R4C-VA-001", "True")


def text_for_a_number(shop: Shop) -> Iterator[Faulty]:
    """A number in quotes. mypy says so itself."""
    for w in written(shop):
        if w.name in _OUT_OF_RANGE and isinstance(w.keyword.value, ast.Constant):
            yield w.fault("R4C-VA-003", f'"{w.use.source.code(w.keyword.value)}"', LINT_AND_BUILD)


def misspelt_attribute(shop: Shop) -> Iterator[Faulty]:
    """An attribute's name lacks a letter. mypy says so itself, and at run time it is a TypeError."""
    for w in written(shop):
        start = w.use.source.start(w.keyword)
        edit = Edit(start, start + len(w.name), misspelt(w.name))
        places = [Place("R4C-VA-002", w.use.source, start, ONLY_LINT)]
        # Their defaults, which count instead, are others than the shared values.
        if w.name in {"permits", "max_wait"}:
            places += differing_users(shop, w.use, ONLY_LINT)
        if w.name == "name":
            places += tuning_keys(shop, w.use, ONLY_LINT)
        yield Faulty(f"{w.use.title} {w.name}", w.use.source, [edit], places)


def text_for_a_member(shop: Shop) -> Iterator[Faulty]:
    """A text that is near to a member of the enumeration. mypy says itself that text is none."""
    for w in written(shop):
        value = w.keyword.value
        if isinstance(value, ast.Attribute) and value.attr.isupper():
            yield w.fault("R4C-VA-006", f'"{misspelt(value.attr)}"', LINT_AND_BUILD)


def _at(source: Source, anchor: str, old: str, new: str, code: str, place: str) -> Faulty:
    """Behind `anchor`, `new` for `old`; the finding is expected where `place` begins in `old`, or in what is there."""
    start = source.find(old, after=anchor)
    offset = source.find(place, after=anchor)
    return Faulty(f"{anchor} {new}", source, [Edit(start, start + len(old), new)], [Place(code, source, offset)])


def pair_out_of_order(shop: Shop) -> Iterator[Faulty]:
    """Two written values that contradict each other."""
    base, search = shop["shop/http/base.py"], shop["shop/catalogue/search.py"]
    products = shop["shop/storage/products.py"]
    yield _at(base, "window_type=", "10", "21", "R4C-VA-004", "10")
    yield _at(base, "window_type=", "window_size=20", "window_size=9", "R4C-VA-004", "10,\n        failure")
    yield _at(products, "max_attempts=6", '"200ms"', '"2s"', "R4C-VA-004", '"200ms"')
    yield _at(products, "max_attempts=6", '"1s"', '"100ms"', "R4C-VA-004", '"200ms"')
    yield _at(search, "Algorithm.VEGAS", "=10", "=41", "R4C-VA-004", "40")
    yield _at(search, "Algorithm.VEGAS", "=10", "=1", "R4C-VA-004", "min_limit")
    yield _at(search, "Algorithm.VEGAS", "min_limit=2", "min_limit=11", "R4C-VA-004", "min_limit")


def without_effect(shop: Shop) -> Iterator[Faulty]:
    """A written value that another one of the same call makes useless."""
    stock = shop["shop/catalogue/stock.py"]
    fixed = stock.find("backoff=Backoff.FIXED,")
    edit = Edit(fixed, fixed, "multiplier=3,\n        ")
    yield Faulty("multiplier of a fixed delay", stock, [edit], [Place("R4C-VA-005", stock, fixed)])
    source = shop["shop/users/preferences.py"]
    at = source.find("retry(max_attempts=1") + len("retry(max_attempts=1")
    edit = Edit(at, at, ', delay="50ms"')
    yield Faulty("delay of one attempt", source, [edit], [Place("R4C-VA-005", source, at)])


def runaway_retry(shop: Shop) -> Iterator[Faulty]:
    """So many attempts, or none of the wait that should grow.

    A class may bound the attempts of its methods. That of the repository has a base in another module, whose own
    policies mypy does not show.
    """
    orders, legacy = shop["shop/storage/orders.py"], shop["shop/legacy.py"]
    endless = _at(orders, "@retrying(max_attempts=8", "8", "1000", "R4C-VA-007", "8")
    yield endless._replace(places=[place._replace(reports=LINT_AND_BUILD) for place in endless.places])
    yield _at(legacy, "@retry(max_attempts=3", "3", "1000", "R4C-VA-007", "3")
    at = orders.find("backoff=Backoff.EXPONENTIAL")
    edit = Edit(at, at, 'delay="0", ')
    # The multiplier that stands there loses its effect as well.
    places = [Place("R4C-VA-007", orders, at), Place("R4C-VA-005", orders, orders.find("multiplier"))]
    yield Faulty("no delay that could grow", orders, [edit], places)


def budget_too_small(shop: Shop) -> Iterator[Faulty]:
    """`max_duration` is over before the first attempt or the second one can end.

    Of a class with a base in another module, mypy does not show what that says.
    """
    for path, anchor, length, code, reports in (
        ("shop/users/client.py", "@retry(max_attempts=2", "3s", "R4C-TB-001", ALL),
        ("shop/users/client.py", "@retry(max_attempts=2", "7s", "R4C-TB-002", ALL),
        ("shop/payments/gateway.py", "@retry(max_attempts=2", "900ms", "R4C-TB-001", LINT_AND_BUILD),
        ("shop/payments/gateway.py", "@retry(max_attempts=2", "1500ms", "R4C-TB-002", LINT_AND_BUILD),
        ("shop/catalogue/stock.py", "        max_attempts=2", "2s", "R4C-TB-001", LINT_AND_BUILD),
        ("shop/catalogue/stock.py", "        max_attempts=2", "3s", "R4C-TB-002", LINT_AND_BUILD),
    ):
        source = shop[path]
        at = source.find(anchor) + len(anchor)
        edit = Edit(at, at, f', max_duration="{length}"')
        # It is said at the later of the two, which is the timeout.
        place = source.find("timeout(", after=anchor)
        yield Faulty(f"{length} in {path}", source, [edit], [Place(code, source, place, reports)])
    yield from _budget_of_a_function(shop["shop/legacy.py"])


def _budget_of_a_function(source: Source) -> Iterator[Faulty]:
    """What stands on a function is all that there is, so mypy knows it as well."""
    retry, timeout = "@retry(max_attempts=3", '@timeout("1m")'
    at = source.find(retry) + len(retry)
    place = Place("R4C-TB-001", source, source.find("delay", after=retry))
    yield Faulty("delay in shop/legacy.py", source, [Edit(at, at, ', max_duration="1s"')], [place])
    at = source.find(timeout) + len(timeout)
    place = Place("R4C-TB-001", source, at, into=1)
    edit = Edit(at, at, '\n@retry(max_attempts=2, max_duration="1m")')
    # What it calls is retried already.
    nested = Place("R4C-NE-001", source, at, ONLY_LINT, into=1)
    yield Faulty("timeout in shop/legacy.py", source, [edit], [place, nested])


def slow_beyond_the_timeout(shop: Shop) -> Iterator[Faulty]:
    """A call counts as slow after its timeout, so none ever does."""
    source = shop["shop/catalogue/stock.py"]
    at = source.find("ignore_on=ServiceRefused", after='circuit_breaker(config="slow-external"')
    for length in ("10s", "1m"):
        edit = Edit(at, at, f'slow_call_duration="{length}", ')
        # The timeout stands in a file, of which the plugin knows no values.
        yield Faulty(f"recount {length}", source, [edit], [Place("R4C-TB-003", source, at, LINT_AND_BUILD)])


def unbounded_probe(shop: Shop) -> Iterator[Faulty]:
    """Probes may take for ever: neither the breaker nor a timeout ends them."""
    for path, anchor, reports in (
        ("shop/catalogue/prices.py", "window_type=WindowType.TIME", ALL),
        ("shop/http/base.py", "window_type=WindowType.COUNT", ALL),
        # It uses a template, of which the plugin knows the name alone.
        ("shop/users/preferences.py", "record_on=ServiceUnavailable", LINT_AND_BUILD),
    ):
        source = shop[path]
        at = source.find(anchor)
        edit = Edit(at, at, 'half_open_max_wait="0", ')
        yield Faulty(path, source, [edit], [Place("R4C-TB-006", source, at, reports)])


def queue_beyond_the_budget(shop: Shop) -> Iterator[Faulty]:
    """Waiting for a place may take longer than the whole operation."""
    source = shop["shop/notifications/mailer.py"]
    retry, bulkhead = (source.find(f'{name}(config="bulk-mail"') for name in ("retrying", "bulkhead"))
    for budget, wait in (("9s", "10s"), ("30s", "30s")):
        edits, at = [], 0
        for start, new in ((retry, f'max_duration="{budget}"'), (bulkhead, f'max_wait="{wait}"')):
            at = source.content.index(")", start)
            edits.append(Edit(at, at, f", {new}"))
        yield Faulty(f"flush {wait}", source, edits, [Place("R4C-TB-007", source, at)])


OPERATORS = (
    out_of_range,
    true_for_a_number,
    text_for_a_number,
    misspelt_attribute,
    text_for_a_member,
    pair_out_of_order,
    without_effect,
    runaway_retry,
    budget_too_small,
    slow_beyond_the_timeout,
    unbounded_probe,
    queue_beyond_the_budget,
)
