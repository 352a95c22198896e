"""Spans of time as rules compare and show them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..config.defaults import nanoseconds
from ..config.profiles import Settled
from ..durations import format_duration
from ..facts import UNKNOWN, Member

TIMEOUT: Final = ("timeout", "value")
MAX_DURATION: Final = ("retry", "max_duration")
DELAY: Final = ("retry", "delay")
MAX_ATTEMPTS: Final = ("retry", "max_attempts")

_SECOND: Final = 10**9
# Longer sums than those of so many waits say nothing new.
_MOST_WAITS: Final = 1_000


def in_words(nanoseconds: int) -> str:
    """A span as people say it: `6.3s` where whole numbers would need `6300ms`."""
    whole, rest = divmod(nanoseconds, _SECOND)
    if not whole or not rest:
        return format_duration(nanoseconds)
    return f"{whole}.{rest:09d}".rstrip("0") + "s"


def attempts(settled: Settled) -> int | None:
    """How many attempts are made at most."""
    found = settled.get(*MAX_ATTEMPTS)
    value = found.value if found is not None else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def first_wait(settled: Settled) -> int | None:
    """The first wait that somebody wrote, before jitter."""
    delay, cap = settled.span(*DELAY), settled.span("retry", "max_delay")
    return min(delay, cap) if delay is not None and cap is not None else delay


def least_waits(settled: Settled, count: int | None = None) -> Iterator[int]:
    """The waits between all attempts, or the first `count` of them, as they are at least: jitter considered, as far as
    somebody wrote them."""
    wait, cap = first_wait(settled) or 0, settled.span("retry", "max_delay")
    jitter = settled.values["retry", "jitter"].value
    if count is None:
        count = (attempts(settled) or 1) - 1
    for longest in _waits(settled, wait, cap, count):
        yield (
            longest
            if jitter == Member("Jitter", "NONE")
            else longest // 2
            if jitter == Member("Jitter", "EQUAL")
            else 0
        )


def most_waits(settled: Settled) -> int | None:
    """What the waits between all attempts take together at most, defaults included; None if that is not known."""
    most, names = attempts(settled), ("delay", "max_delay")
    delay, cap = (nanoseconds(found.value) if (found := settled.get("retry", name)) else None for name in names)
    known = not any(settled.values["retry", name].value is UNKNOWN for name in ("backoff", "multiplier"))
    if most is None or delay is None or cap is None or not known:
        return None
    return sum(_waits(settled, min(delay, cap), cap, most - 1))


def _waits(settled: Settled, wait: int, cap: int | None, count: int) -> Iterator[int]:
    """The longest that the first `count` waits may be."""
    backoff, multiplier = (settled.values["retry", name].value for name in ("backoff", "multiplier"))
    is_growing = backoff == Member("Backoff", "EXPONENTIAL")
    for _ in range(min(count, _MOST_WAITS)):
        yield wait
        if is_growing and isinstance(multiplier, int | float):
            wait = int(wait * multiplier)
            wait = min(wait, cap) if cap is not None else wait
