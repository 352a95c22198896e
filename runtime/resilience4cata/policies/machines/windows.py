"""The sliding windows of a circuit breaker.

Each window is the object of one closed period: a call that began under an older one reports to nobody. Quick successes
are only counted, without a lock; failures and slow calls are noted under the breaker's lock, with their place in the
sequence of calls (COUNT) or in the second of their end (TIME). So nothing depends on the size of a window, and the
numbers are exact whatever threads do: a success that is counted late belongs a little later in the sequence.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

from ...clock import NEVER, SECOND
from ..circuit_breaker import WindowType
from .counters import Counter

BUCKET: Final = SECOND
"""Nanoseconds of a bucket of TIME windows. Buckets begin at whole seconds of the monotonic clock."""


class Figures(NamedTuple):
    """Recorded calls, and how many of them failed and were slow (a call may be both)."""

    calls: int = 0
    failed: int = 0
    slow: int = 0

    def plus(self, other: Figures) -> Figures:
        return Figures(self.calls + other.calls, self.failed + other.failed, self.slow + other.slow)


NO_FIGURES: Final = Figures()


class _Mark(NamedTuple):
    """A call that failed or was slow: its number in the sequence."""

    number: int
    failed: bool
    slow: bool


class _Noted:
    """What was noted in one COUNT window: the calls that are still within it, and how many there ever were."""

    __slots__ = ("all_failed", "all_slow", "calls", "failed", "marks", "slow")

    def __init__(self) -> None:
        self.marks: deque[_Mark] = deque()
        self.failed = self.slow = 0
        self.calls = self.all_failed = self.all_slow = 0

    def add(self, quick: int, failed: bool, slow: bool) -> None:
        """Note a call that comes after `quick` quick successes."""
        self.calls += 1
        self.all_failed += failed
        self.all_slow += slow
        self.failed += failed
        self.slow += slow
        self.marks.append(_Mark(quick + self.calls, failed, slow))

    def drop(self, last: int) -> None:
        """Let go of the calls up to the number `last`, which the window has passed."""
        while self.marks and self.marks[0].number <= last:
            mark = self.marks.popleft()
            self.failed -= mark.failed
            self.slow -= mark.slow


class CountWindow(Counter):
    """The last `size` calls; it counts quick successes itself. `turn_at` is for time windows; here it never comes."""

    __slots__ = ("_noted", "_size")
    turn_at: Final = NEVER

    def __init__(self, size: int, now: int) -> None:
        super().__init__()
        self._size = size
        # Made with the first call that is noted: most windows see none.
        self._noted: _Noted | None = None

    def note(self, failed: bool, slow: bool, now: int) -> None:
        """Record a call under the lock."""
        if not failed and not slow:
            self.tick()
            return
        if self._noted is None:
            self._noted = _Noted()
        self._noted.add(self.value, failed, slow)

    def figures(self, now: int) -> Figures:
        """What the window holds; under the lock."""
        noted = self._noted
        if noted is None:
            return Figures(min(self.value, self._size))
        total = self.value + noted.calls
        noted.drop(total - self._size)
        return Figures(min(total, self._size), noted.failed, noted.slow)

    def totals(self) -> Figures:
        """All that was ever recorded here."""
        noted = self._noted
        if noted is None:
            return Figures(self.value)
        return Figures(self.value + noted.calls, noted.all_failed, noted.all_slow)


class _Bucket:
    """One second: how many quick successes came before it, and the calls that were noted in it."""

    __slots__ = ("failed", "noted", "quick_before", "second", "slow")

    def __init__(self, second: int, quick_before: int) -> None:
        self.second = second
        self.quick_before = quick_before
        self.noted = self.failed = self.slow = 0


class TimeWindow(Counter):
    """The calls of the last `size` seconds, the running one included; a second expires as a whole. It counts quick
    successes itself.

    From `turn_at` on, the next call has to be recorded by `note`: a new second begins, and what expires may change the
    rates. Until then a quick success may be counted without a lock, since it only lowers them.
    """

    __slots__ = ("_buckets", "_failed", "_noted", "_size", "_slow", "_totals", "turn_at")

    def __init__(self, size: int, now: int) -> None:
        super().__init__()
        self._size = size
        self._buckets: deque[_Bucket] = deque()
        self._noted = self._failed = self._slow = 0
        self._totals = NO_FIGURES
        self._turn(now)

    def note(self, failed: bool, slow: bool, now: int) -> None:
        """Record a call that ended `now`, under the lock."""
        if now >= self.turn_at:
            self._turn(now)
        if not failed and not slow:
            self.tick()
            return
        bucket = self._buckets[-1]
        bucket.noted += 1
        bucket.failed += failed
        bucket.slow += slow
        self._noted += 1
        self._failed += failed
        self._slow += slow
        self._totals = self._totals.plus(Figures(1, int(failed), int(slow)))

    def figures(self, now: int) -> Figures:
        """What the window holds `now`; under the lock. Nothing changes: a turn has to be judged when it is made."""
        oldest = now // BUCKET - self._size
        noted, failed, slow = self._noted, self._failed, self._slow
        for bucket in self._buckets:
            if bucket.second > oldest:
                return Figures(noted + self.value - bucket.quick_before, failed, slow)
            noted -= bucket.noted
            failed -= bucket.failed
            slow -= bucket.slow
        return NO_FIGURES

    def totals(self) -> Figures:
        """All that was ever recorded here."""
        return self._totals.plus(Figures(self.value))

    def _turn(self, now: int) -> None:
        second = now // BUCKET
        self._buckets.append(_Bucket(second, self.value))
        self.turn_at = (second + 1) * BUCKET
        while self._buckets[0].second <= second - self._size:
            bucket = self._buckets.popleft()
            self._noted -= bucket.noted
            self._failed -= bucket.failed
            self._slow -= bucket.slow


Window = CountWindow | TimeWindow


def new_window(kind: WindowType, size: int, now: int) -> Window:
    """An empty window."""
    return TimeWindow(size, now) if kind is WindowType.TIME else CountWindow(size, now)
