"""The cycles of a rate limiter, and the permits that calls reserve in later ones.

Cycles follow one another from the instance's first use. The quick way takes a permit of the running cycle without a
lock:

    if now >= limiter.end: limiter.turn(now)    # or `end_in_seconds`, where `now` is in seconds
    for _ in limiter.permits: break
    else: ...                                   # ask `reserve`

A permit that is not used is lost at the end of its cycle. Around a boundary up to twice the permits may pass: the last
of one cycle and the first of the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from operator import length_hint
from threading import RLock
from typing import NamedTuple

from ...clock import LONG_AGO, SECOND
from ...events import NO_EVENTS, SILENT, Channel, Events, RateLimitDelayed, RateLimitExceeded
from .counters import Counter, permits


class RateLimiterSettings(NamedTuple):
    """Resolved attributes of a rate limiter; spans in nanoseconds. A `max_wait` of 0 refuses at once."""

    permits: int
    period: int
    max_wait: int


class RateLimiterSnapshot(NamedTuple):
    """A rate limiter at one moment: permits of the running cycle, permits reserved in later ones, calls refused."""

    available: int
    reserved: int
    refused: int


class Reservation:
    """A permit: of the running cycle, or of the one that begins at `start`. Given back at most once."""

    __slots__ = ("given_back", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.given_back = False


class Reserved(NamedTuple):
    """The answer to a call that asks for a permit: none if it is refused. `wait` is the time until the permit counts,
    or until there would have been one."""

    reservation: Reservation | None
    wait: int
    events: Events


class RateLimiterMachine:
    """One rate limiter, shared by all threads and event loops."""

    __slots__ = (
        "__weakref__",
        "_booked",
        "_channel",
        "_given",
        "_open",
        "_returned",
        "_start",
        "_tail",
        "end",
        "end_in_seconds",
        "lock",
        "permits",
        "refused",
        "settings",
    )

    def __init__(self, settings: RateLimiterSettings, channel: Channel = SILENT) -> None:
        self.settings = settings
        self.refused = Counter()
        self._channel = channel
        self.lock = RLock()
        # Before the first use every moment is past the end, so that the first call begins the first cycle.
        self._end_at(LONG_AGO)
        self._start: int | None = None
        self.permits: Iterator[None] = permits(0)
        self._returned = 0
        # Permits reserved in later cycles, by the moment they were given for, and by that at which the cycle begins in
        # which this lies. They differ once the period has changed.
        self._given: dict[int, int] = {}
        self._booked: dict[int, int] = {}
        # Beginnings of cycles before `_tail` in which there may be room; all others before it are full.
        self._open: list[int] = []
        self._tail = self.end

    def turn(self, now: int) -> None:
        """Begin the cycle that runs `now`, unless it has begun."""
        with self.lock:
            self._turn_locked(now)

    def reserve(self, now: int, longest: int) -> Reserved:
        """A permit at once or within `longest` nanoseconds, the first that is free. A refusal consumes nothing."""
        with self.lock:
            self._turn_locked(now)
            start = now if self._take_locked() else self._first_free_locked()
            wait = start - now
            if wait <= longest:
                if wait:
                    _add(self._given, start, 1)
                    _add(self._booked, start, 1)
                return Reserved(Reservation(start), wait, self._delayed_locked(wait, now))
        self.refused.tick()
        if not self._channel.wants(RateLimitExceeded):
            return Reserved(None, wait, NO_EVENTS)
        return Reserved(None, wait, (RateLimitExceeded(*self._channel.stamp(now), wait),))

    def give_back(self, reservation: Reservation, now: int) -> None:
        """Take back a permit that was not used. One whose cycle is over is lost anyway."""
        with self.lock:
            if reservation.given_back:
                return
            reservation.given_back = True
            self._turn_locked(now)
            start = reservation.start
            if start >= self.end:
                cycle = self._cycle_of_locked(start)
                _add(self._given, start, -1)
                _add(self._booked, cycle, -1)
                heappush(self._open, cycle)
            elif self._start is not None and start >= self._start:
                self._returned += 1

    def reconfigure(self, settings: RateLimiterSettings, now: int) -> None:
        """Go on with other settings from the next cycle on. Reservations stay, at the moments they were given for."""
        with self.lock:
            if self._start is not None:
                self._turn_locked(now)
            self.settings = settings
            self._rebook_locked()

    def reset(self, now: int) -> None:
        """Begin anew with a cycle that starts `now`. Permits that calls wait for are still theirs."""
        with self.lock:
            self.refused = Counter()
            if self._start is None:
                return
            self._start, self._returned = now, 0
            end = now + self.settings.period
            promised = [moment for moment in self._given if moment < end]
            taken = sum(self._given.pop(moment) for moment in promised)
            self.permits = permits(max(0, self.settings.permits - taken))
            self._end_at(end)
            self._rebook_locked()

    def snapshot(self, now: int) -> RateLimiterSnapshot:
        """The figures `now`."""
        with self.lock:
            if self._start is None:
                return RateLimiterSnapshot(self.settings.permits, 0, self.refused.value)
            self._turn_locked(now)
            available = length_hint(self.permits) + self._returned
            return RateLimiterSnapshot(available, sum(self._booked.values()), self.refused.value)

    def _rebook_locked(self) -> None:
        """Find the later cycles anew in which reserved permits lie."""
        self._booked = {}
        for start, number in self._given.items():
            _add(self._booked, self._cycle_of_locked(start), number)
        self._open = []
        self._tail = self.end

    def _turn_locked(self, now: int) -> None:
        if now < self.end:
            return
        start = now if self._start is None else self._cycle_of_locked(now)
        end = start + self.settings.period
        self._start = start
        self._returned = 0
        self.permits = permits(max(0, self.settings.permits - self._booked.get(start, 0)))
        for reserved in (self._given, self._booked):
            for begun in [moment for moment in reserved if moment < end]:
                del reserved[begun]
        # Last: who sees the new end sees the new permits.
        self._end_at(end)

    def _end_at(self, moment: int) -> None:
        self.end = moment
        self.end_in_seconds = moment / SECOND

    def _cycle_of_locked(self, moment: int) -> int:
        """When the cycle begins that `moment` lies in: the end of the running one, or later."""
        period = self.settings.period
        return self.end + (moment - self.end) // period * period

    def _take_locked(self) -> bool:
        for _ in self.permits:
            return True
        if not self._returned:
            return False
        self._returned -= 1
        return True

    def _first_free_locked(self) -> int:
        """When the first cycle with a free permit begins."""
        permits = self.settings.permits
        while self._open:
            start = self._open[0]
            if start >= self.end and self._booked.get(start, 0) < permits:
                return start
            heappop(self._open)
        start = max(self.end, self._tail)
        while self._booked.get(start, 0) >= permits:
            start += self.settings.period
        self._tail = start
        return start

    def _delayed_locked(self, wait: int, now: int) -> Events:
        if not wait or not self._channel.wants(RateLimitDelayed):
            return NO_EVENTS
        return (RateLimitDelayed(*self._channel.stamp(now), wait),)


def _add(numbers: dict[int, int], key: int, number: int) -> None:
    """Add to one of the numbers; those that become 0 are left out."""
    left = numbers.get(key, 0) + number
    if left:
        numbers[key] = left
    else:
        del numbers[key]
