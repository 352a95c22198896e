"""Faults in how policies are applied: with what, above what, and in calls whose result goes nowhere."""

from __future__ import annotations

from ast import Yield, walk
from collections.abc import Iterator

from ..mutant import ONLY_LINT, Edit, Faulty, Place
from ..sources import Function, Shop, Source
from .durations import durations

_IMPORT = "import resilience4cata\n"
_STATEFUL = ("bulkhead(max_concurrent=3)", "circuit_breaker()", "rate_limiter(permits=3)", "adaptive_limit()")


def policy_above_registration(shop: Shop) -> Iterator[Faulty]:
    """A decorator that registers the function stands below its only policy."""
    for use in shop.uses:
        function = use.function
        if function is not None and len(function.decorator_list) == 1:
            source = use.source
            start = source.start(function)
            edits = [
                Edit(source.imports_at, source.imports_at, "import atexit\n"),
                Edit(start, start, f"@atexit.register\n{' ' * function.col_offset}"),
            ]
            yield Faulty(use.title, source, edits, [Place("R4C-LOC-008", source, use.place, ONLY_LINT)])


def clock_as_argument(shop: Shop) -> Iterator[Faulty]:
    """A timeout is worked out from the time at which its module is made."""
    for duration in durations(shop):
        use, source = duration.use, duration.use.source
        if duration.attribute == "timeout" and use.owner is not None:
            edits = [
                Edit(source.imports_at, source.imports_at, "import datetime\nimport time\n"),
                Edit(
                    source.start(duration.literal),
                    source.end(duration.literal),
                    # The same at each start, so that what else is checked at run time stays as it is.
                    "datetime.timedelta(seconds=0.3 + 0 * time.monotonic())",
                ),
            ]
            yield Faulty(use.title, source, edits, [Place("R4C-LOC-010", source, use.place, ONLY_LINT)])


def self_as_argument(shop: Shop) -> Iterator[Faulty]:
    """A duration is taken from `self`, which a decorator does not have. At run time it is a NameError."""
    for duration in durations(shop):
        use, source = duration.use, duration.use.source
        if use.function is not None and use.within is not None:
            start = source.start(duration.literal)
            edit = Edit(start, source.end(duration.literal), "self.limit")
            title = f"{use.title} {duration.attribute}"
            yield Faulty(title, source, [edit], [Place("R4C-LOC-010", source, use.place, ONLY_LINT)])


def state_for_each_call(shop: Shop) -> Iterator[Faulty]:
    """A function of the module is guarded anew by each call of another one, with a policy that has a state."""
    for source, function in _plain_functions(shop):
        for policy in _STATEFUL:
            new = (
                "\n\ndef guarded_call(*arguments, **named):\n"
                f"    return resilience4cata.{policy}({function.name})(*arguments, **named)\n"
            )
            yield _appended(source, f"{function.name} {policy}", new, "R4C-LOC-009")


def guarded_function_discarded(shop: Shop) -> Iterator[Faulty]:
    """A policy is applied to a function of the module, and nothing is done with what comes back."""
    for source, function in _plain_functions(shop):
        yield _appended(source, function.name, f'\n\nresilience4cata.timeout("1s")({function.name})\n', "R4C-LOC-015")


def _plain_functions(shop: Shop) -> Iterator[tuple[Source, Function]]:
    """Every function of a module without decorators; a generator has a fault of its own under a policy."""
    for source in shop.modules:
        for owner, within in source.owners:
            yields = any(isinstance(node, Yield) for node in walk(owner))
            if isinstance(owner, Function) and within is None and not owner.decorator_list and not yields:
                yield source, owner


def _appended(source: Source, title: str, new: str, code: str) -> Faulty:
    """A module with more at its end; the finding is where that names the library."""
    end = len(source.content)
    try:
        first = source.imports_at
    except StopIteration:
        first = end
    place = Place(code, source, end, ONLY_LINT, new.index("resilience4cata"))
    return Faulty(f"{source.path} {title}", source, [Edit(first, first, _IMPORT), Edit(end, end, new)], [place])


OPERATORS = (
    policy_above_registration,
    clock_as_argument,
    self_as_argument,
    state_for_each_call,
    guarded_function_discarded,
)
