"""Waiting for what another call holds: bulkhead slots and rate permits, by threads and by tasks.

Each wait ends at the deadline at the latest. Whatever interrupts one, nothing stays taken.
"""

from __future__ import annotations

from ...clock import Clock, Scheduler, TaskSignal, ThreadSignal
from ...events import Channel
from .bulkhead import Entry
from .rate_limiter import RateLimiterMachine


def enter(entry: Entry, longest: int, clock: Clock, scheduler: Scheduler, deadline: int | None = None) -> bool:
    """Get a slot within `longest` nanoseconds: whether the call has one. The caller's `finally` has `entry.leave()`."""
    if entry.try_enter():
        return True
    if _time_left(longest, clock, deadline) <= 0:
        return False
    signal = ThreadSignal()
    entry.join(signal)
    scheduler.wait(longest, deadline=deadline, signal=signal)
    return entry.settle()


async def enter_async(
    entry: Entry, longest: int, clock: Clock, scheduler: Scheduler, deadline: int | None = None
) -> bool:
    """The same for a task."""
    if entry.try_enter():
        return True
    if _time_left(longest, clock, deadline) <= 0:
        return False
    signal = TaskSignal()
    entry.join(signal)
    await scheduler.wait_async(longest, deadline=deadline, signal=signal)
    return entry.settle()


def permit(
    limiter: RateLimiterMachine, clock: Clock, scheduler: Scheduler, channel: Channel, deadline: int | None = None
) -> int | None:
    """Wait for a permit: None when the call has one, else the nanoseconds after which there would have been one.

    A call that is refused does not wait, nor does one whose permit would come after the deadline.
    """
    now = clock.monotonic_ns()
    reservation, wait, events = limiter.reserve(now, _bounded(limiter, now, deadline))
    if reservation is None:
        channel.emit(events)
        return wait
    try:
        channel.emit(events)
        if wait:
            scheduler.wait(wait, deadline=deadline)
    except BaseException:
        limiter.give_back(reservation, clock.monotonic_ns())
        raise
    return None


async def permit_async(
    limiter: RateLimiterMachine, clock: Clock, scheduler: Scheduler, channel: Channel, deadline: int | None = None
) -> int | None:
    """The same for a task."""
    now = clock.monotonic_ns()
    reservation, wait, events = limiter.reserve(now, _bounded(limiter, now, deadline))
    if reservation is None:
        channel.emit(events)
        return wait
    try:
        channel.emit(events)
        if wait:
            await scheduler.wait_async(wait, deadline=deadline)
    except BaseException:
        limiter.give_back(reservation, clock.monotonic_ns())
        raise
    return None


def _time_left(longest: int, clock: Clock, deadline: int | None) -> int:
    return longest if deadline is None else min(longest, deadline - clock.monotonic_ns())


def _bounded(limiter: RateLimiterMachine, now: int, deadline: int | None) -> int:
    longest = limiter.settings.max_wait
    return longest if deadline is None else max(0, min(longest, deadline - now))
