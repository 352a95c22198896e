"""Time: what the clock shows, and how the library waits.

Everything that looks at time or waits is given a `Clock` and a `Scheduler`, so that tests replace both. Moments and
spans are whole nanoseconds; moments are those of `Clock.monotonic_ns`, whose zero means nothing.
"""

from __future__ import annotations

import time
from _thread import TIMEOUT_MAX, allocate_lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future
    from collections.abc import Callable

# A wait above what the platform takes would raise OverflowError; it is made of several.
_LONGEST_WAIT: Final = min(TIMEOUT_MAX, 4_000_000.0)

SECOND: Final = 1_000_000_000

NEVER: Final = 2**63
"""A moment that does not come."""

LONG_AGO: Final = -NEVER
"""A moment that is over, whatever the clock shows: one may well begin below zero."""


class Clock(Protocol):
    """Shows the time."""

    def monotonic_ns(self) -> int:
        """Nanoseconds that never go back; only differences mean anything."""

    def wall_ns(self) -> int:
        """Nanoseconds since 1970-01-01 UTC, for people to read; may jump."""


class Signal(Protocol):
    """Wakes one waiter once, from any thread."""

    def set(self) -> bool:
        """Wake the waiter, or let its wait end at once if it has not begun. False if nobody can be woken any more."""


class ThreadSignal:
    """A signal for a thread that waits."""

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._lock.acquire()

    def set(self) -> bool:
        self._lock.release()
        return True

    def wait(self, seconds: float) -> bool:
        """Block the thread until the signal is set or `seconds` have passed; whether it was set."""
        if not self._lock.acquire(timeout=seconds):
            return False
        self._lock.release()
        return True

    @property
    def is_set(self) -> bool:
        return not self._lock.locked()


class TaskSignal:
    """A signal for a task that waits; to be made in the running event loop of that task."""

    __slots__ = ("future", "loop")

    def __init__(self) -> None:
        from asyncio import get_running_loop

        self.loop: AbstractEventLoop = get_running_loop()
        self.future: Future[None] = self.loop.create_future()

    def set(self) -> bool:
        try:
            # Also within the loop's own thread: the waiter then goes on in its turn, as with asyncio's own locks.
            self.loop.call_soon_threadsafe(finish, self.future)
        except RuntimeError:
            # The loop was closed under its tasks.
            return False
        return True

    @property
    def is_set(self) -> bool:
        return self.future.done()


def finish(future: Future[None]) -> None:
    """Set the result of a future that nobody has finished or cancelled yet."""
    if not future.done():
        future.set_result(None)


class Scheduler(Protocol):
    """Waits, for a thread and for a task.

    Both end when `nanoseconds` have passed, when the clock shows `deadline`, or when `signal` is set, whichever comes
    first. Which of them it was, callers see from the clock and from what the signal stood for. Whatever interrupts a
    wait (a cancellation, KeyboardInterrupt) surfaces as it is.
    """

    def wait(self, nanoseconds: int, *, deadline: int | None = None, signal: ThreadSignal | None = None) -> None:
        """Block the thread."""

    async def wait_async(
        self, nanoseconds: int, *, deadline: int | None = None, signal: TaskSignal | None = None
    ) -> None:
        """Suspend the task."""


class SystemClock:
    """The clock of the operating system."""

    __slots__ = ()

    # The functions themselves: a method around them would cost as much again on each call. They stand in a class, since
    # what freezes the time of a test replaces those that it finds in modules.
    monotonic = staticmethod(time.monotonic)
    monotonic_ns = staticmethod(time.monotonic_ns)
    wall_ns = staticmethod(time.time_ns)


SYSTEM_CLOCK: Final = SystemClock()


class Reading(NamedTuple):
    """How the quick way looks at a clock: `now` shows seconds, or else nanoseconds."""

    now: Callable[[], float]
    in_seconds: bool

    def span(self, nanoseconds: int) -> float:
        """A span as the difference of two moments of `now`."""
        return nanoseconds / SECOND if self.in_seconds else nanoseconds


def reading(clock: Clock, *, exact: bool = False) -> Reading:
    """In seconds for the clock of the system: floats are read, added and compared in less time than integers of that
    size. No nanosecond is lost while it shows less than 26 days, and later no more than a few.

    In nanoseconds for any other clock, which may stand still at the very end of a span, and with `exact`.
    """
    if exact or clock.monotonic_ns is not SYSTEM_CLOCK.monotonic_ns:
        return Reading(clock.monotonic_ns, in_seconds=False)
    return Reading(SYSTEM_CLOCK.monotonic, in_seconds=True)


def in_nanoseconds(time: float) -> int:
    """A moment or a span of a `Reading`: seconds are floats, nanoseconds are integers."""
    return time if isinstance(time, int) else round(time * SECOND)


class SystemScheduler:
    """Waits in real time, by `time.sleep`, locks and asyncio."""

    __slots__ = ("_clock",)

    def __init__(self, clock: Clock = SYSTEM_CLOCK) -> None:
        self._clock = clock

    def wait(self, nanoseconds: int, *, deadline: int | None = None, signal: ThreadSignal | None = None) -> None:
        now = self._clock.monotonic_ns()
        end = now + bounded(nanoseconds, now, deadline)
        while True:
            seconds = min((end - now) / SECOND, _LONGEST_WAIT)
            if signal is None:
                # Even for no time at all: other threads get their turn.
                time.sleep(max(seconds, 0.0))
            elif signal.wait(max(seconds, 0.0)):
                return
            now = self._clock.monotonic_ns()
            if now >= end:
                return

    async def wait_async(
        self, nanoseconds: int, *, deadline: int | None = None, signal: TaskSignal | None = None
    ) -> None:
        seconds = bounded(nanoseconds, self._clock.monotonic_ns(), deadline) / SECOND
        if signal is None:
            from asyncio import sleep

            await sleep(max(seconds, 0.0))
            return
        timer: Any = signal.loop.call_later(max(seconds, 0.0), finish, signal.future)
        try:
            await signal.future
        finally:
            timer.cancel()


def bounded(nanoseconds: int, now: int, deadline: int | None) -> int:
    """How long to wait, begun `now`, so as to end at the deadline at the latest; never less than 0."""
    if deadline is not None and deadline - now < nanoseconds:
        nanoseconds = deadline - now
    return max(nanoseconds, 0)
