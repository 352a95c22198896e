"""Spans of time as rules compare and show them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..config.profiles import Settled, valid_span
from ..durations import MAX_NANOSECONDS, format_duration
from ..facts import UNKNOWN, Member

TIMEOUT: Final = ("timeout", "value")
MAX_DURATION: Final = ("retry", "max_duration")
DELAY: Final = ("retry", "delay")
MAX_ATTEMPTS: Final = ("retry", "max_attempts")

_SECOND: Final = 10**9
_DAY: Final = 24 * 3600
# Longer sums than those of so many waits say nothing new.
_MOST_WAITS: Final = 1_000


def in_words(nanoseconds: int) -> str:
    """A span as people say it: `6.3s` where whole numbers would need `6300ms`; whole days beyond all durations."""
    whole, rest = divmod(nanoseconds, _SECOND)
    if nanoseconds > MAX_NANOSECONDS:
        return f"{whole // _DAY}d"
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
    parts = {Member("Jitter", "NONE"): 1, Member("Jitter", "EQUAL"): 2}
    certain = next((part for member, part in parts.items() if member == jitter), None)
    for longest in _waits(settled, wait, cap, count):
        yield longest // certain if certain else 0


def most_waits(settled: Settled) -> int | None:
    """What the waits between all attempts take together at most, defaults included; None if that is not known."""
    most, names = attempts(settled), ("delay", "max_delay")
    delay, cap = (valid_span(found.value) if (found := settled.get("retry", name)) else None for name in names)
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
        # What is no multiplier (R4C-VA-001), or takes every wait to the longest one, needs no exact answer.
        if is_growing and isinstance(multiplier, int | float) and 1 <= multiplier <= MAX_NANOSECONDS:
            wait = min(int(wait * multiplier), MAX_NANOSECONDS if cap is None else cap)
