"""What tests of guarded code need: time that stands still, waits that take none of it, and events that are kept.

    clock = ManualClock()
    scheduler = ManualScheduler(clock)
    resilience = Resilience.builder().clock(clock).scheduler(scheduler).random(Random(42)).build()

pytest has all of it as fixtures: see `resilience4cata.contrib.pytest`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from threading import Lock, get_ident
from types import UnionType
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol, TypeVar, overload

from .arguments import expect_callable, expect_methods, expect_text, refusal
from .clock import SECOND, TaskSignal, ThreadSignal, bounded
from .durations import nanoseconds as in_nanoseconds
from .events import Event, expect_kind

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

__all__ = ["ManualClock", "ManualScheduler", "RecordedEvents"]

E = TypeVar("E", bound=Event)

# Seconds of real time after which a test that waits for something is told that it does not come.
_PATIENCE: Final = 10.0
# A thread can wait for one thing alone; the other is looked at this often, in seconds of real time.
_GLANCE: Final = 0.001


class ManualClock:
    """Shows `now`, in nanoseconds, until it is advanced; from any thread."""

    def __init__(self, now: int = 1_000 * SECOND) -> None:
        _expect_moment("ManualClock()", now)
        self.now = now
        self._followers: list[Callable[[], None]] = []
        self._lock = Lock()

    def monotonic_ns(self) -> int:
        return self.now

    def wall_ns(self) -> int:
        return self.now

    def advance(self, duration: str | timedelta) -> None:
        """Let time pass, and end the waits and timeouts that are over then.

        `duration` is "30s" or a timedelta. Raises ValueError for a string that is no duration, and for a negative one.
        """
        self.advance_ns(in_nanoseconds(duration))

    def advance_ns(self, nanoseconds: int) -> None:
        """The same in nanoseconds."""
        _expect_moment("advance_ns()", nanoseconds)
        if nanoseconds < 0:
            msg = f"time does not go back: {nanoseconds} ns"
            raise ValueError(msg)
        with self._lock:
            self.now += nanoseconds
        self._tell()

    def advance_to(self, moment: int) -> None:
        """Let time pass until the clock shows `moment`; it stays where it is if that is over."""
        _expect_moment("advance_to()", moment)
        with self._lock:
            self.now = max(self.now, moment)
        self._tell()

    def follow(self, follower: Callable[[], None]) -> None:
        """Call `follower` whenever time has passed."""
        expect_callable("follow()", "a function without parameters", follower)
        self._followers.append(follower)

    def _tell(self) -> None:
        for follower in tuple(self._followers):
            follower()


class _Sleeper:
    """A wait until `moment`, of a task that sleeps until it is woken, or of what looks at the clock by itself."""

    def __init__(self, moment: int, signal: TaskSignal | None) -> None:
        self.moment = moment
        self.signal = signal


class _Alarm:
    """What is to be called at a moment, until it is stopped."""

    def __init__(self, moment: int, fire: Callable[[], None]) -> None:
        self.moment = moment
        self.is_over = False
        self._fire = fire
        self._loop = _running_loop()

    def stop(self) -> None:
        self.is_over = True

    def ring(self) -> None:
        """Fire, in the next turn of the event loop in which the alarm was set."""
        if self._loop is None:
            self._now()
            return
        # A loop that was closed under its tasks has nobody left to tell.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._now)

    def _now(self) -> None:
        if not self.is_over:
            self.is_over = True
            self._fire()


class ManualScheduler:
    """Waits of threads and tasks that take no time; `waits` has the length of each, in nanoseconds.

    A wait moves the clock to its own end; of tasks that wait at once, the one whose wait ends first goes on first.
    With `auto_advance=False` waits end when the test advances the clock: those of tasks, and those of other threads. A
    wait in the thread that made the scheduler moves the clock all the same, since nobody else would do it.

    Timeouts of tasks follow the clock either way.
    """

    def __init__(self, clock: ManualClock, *, auto_advance: bool = True) -> None:
        expect_methods("ManualScheduler()", "a ManualClock", clock, ("advance_to", "follow"))
        self.clock = clock
        self.auto_advance = auto_advance
        self.waits: list[int] = []
        self._sleepers: list[_Sleeper] = []
        self._alarms: list[_Alarm] = []
        self._thread = get_ident()
        self._lock = Lock()
        clock.follow(self._passed)

    @property
    def waiting(self) -> int:
        """How many calls wait now."""
        return len(self._sleepers)

    def until_waiting(self, calls: int = 1) -> None:
        """Block until so many calls of other threads wait.

        Raises AssertionError if they do not within some seconds of real time.
        """
        impatient = time.monotonic() + _PATIENCE
        while self.waiting < calls:
            if time.monotonic() > impatient:
                self._complain(calls)
            time.sleep(_GLANCE)

    async def until_waiting_async(self, calls: int = 1) -> None:
        """Let other tasks run until so many calls wait; AssertionError as with `until_waiting`."""
        from asyncio import sleep

        impatient = time.monotonic() + _PATIENCE
        while self.waiting < calls:
            if time.monotonic() > impatient:
                self._complain(calls)
            await sleep(0)

    def wait(self, nanoseconds: int, *, deadline: int | None = None, signal: ThreadSignal | None = None) -> None:
        moment = self._begin(nanoseconds, deadline)
        if signal is not None and signal.is_set:
            return
        if self.auto_advance or get_ident() == self._thread:
            self.clock.advance_to(moment)
        else:
            self._block(moment, signal or ThreadSignal())

    async def wait_async(
        self, nanoseconds: int, *, deadline: int | None = None, signal: TaskSignal | None = None
    ) -> None:
        from asyncio import sleep

        moment = self._begin(nanoseconds, deadline)
        if self.auto_advance:
            await self._in_turn(moment, signal)
        elif moment <= self.clock.now:
            await sleep(0)
        else:
            signal = signal or TaskSignal()
            with self._sleeping(moment, signal):
                await signal.future

    def alarm(self, nanoseconds: int, fire: Callable[[], None]) -> Callable[[], None]:
        """Call `fire` when the clock has moved so far; what it returns takes the alarm back.

        As with timers of event loops, no running task sees it before it suspends.
        """
        alarm = _Alarm(self.clock.now + nanoseconds, fire)
        with self._lock:
            self._alarms.append(alarm)
        return alarm.stop

    def _begin(self, nanoseconds: int, deadline: int | None) -> int:
        """The moment at which a wait ends that begins now."""
        now = self.clock.now
        span = bounded(nanoseconds, now, deadline)
        self.waits.append(span)
        return now + span

    def _block(self, moment: int, signal: ThreadSignal) -> None:
        impatient = time.monotonic() + _PATIENCE
        with self._sleeping(moment):
            while self.clock.now < moment and not signal.wait(_GLANCE):
                if time.monotonic() > impatient:
                    left = (moment - self.clock.now) / SECOND
                    msg = f"nobody advanced the clock by the {left:g}s for which this thread still waits"
                    raise AssertionError(msg)

    async def _in_turn(self, moment: int, signal: TaskSignal | None) -> None:
        """Move the clock to `moment`, stopping at whatever else is due before."""
        from asyncio import sleep

        with self._sleeping(moment):
            await sleep(0)
            if signal is not None:
                # Set by a task in the turn that has just passed, it is seen in the next.
                await sleep(0)
            while self.clock.now < moment and not (signal is not None and signal.is_set):
                ends = [sleeper.moment for sleeper in self._sleepers]
                if min(ends) > self.clock.now:
                    alarms = [alarm.moment for alarm in self._alarms if not alarm.is_over]
                    self.clock.advance_to(min(ends + alarms))
                # What is due now goes on before time does; a timeout ends this wait, as it would in real time.
                await sleep(0)

    @contextmanager
    def _sleeping(self, moment: int, signal: TaskSignal | None = None) -> Iterator[None]:
        sleeper = _Sleeper(moment, signal)
        self._sleepers.append(sleeper)
        try:
            yield
        finally:
            self._sleepers.remove(sleeper)

    def _passed(self) -> None:
        with self._lock:
            due = [alarm for alarm in self._alarms if alarm.moment <= self.clock.now or alarm.is_over]
            self._alarms = [alarm for alarm in self._alarms if alarm not in due]
        for alarm in sorted(due, key=lambda alarm: alarm.moment):
            alarm.ring()
        for sleeper in tuple(self._sleepers):
            if sleeper.moment <= self.clock.now and sleeper.signal is not None:
                sleeper.signal.set()

    def _complain(self, calls: int) -> NoReturn:
        waits = ", ".join(f"{wait / SECOND:g}s" for wait in self.waits) or "none"
        msg = f"waiting calls: {self.waiting}, expected: {calls}; waits so far: {waits}"
        raise AssertionError(msg)


def _expect_moment(call: str, value: object) -> None:
    if not isinstance(value, int):
        raise refusal(call, "whole nanoseconds", value)


def _running_loop() -> AbstractEventLoop | None:
    from asyncio import get_running_loop

    try:
        return get_running_loop()
    except RuntimeError:
        return None


class _Listening(Protocol):
    def listen(self, kind: type[Event], callback: Callable[[Event], object], /) -> object: ...


class RecordedEvents:
    """Every event of a `Resilience` from now on, in order; also a callback, to be given to `builder.listener`."""

    def __init__(self, resilience: _Listening | None = None) -> None:
        self.seen: list[Event] = []
        if resilience is not None:
            expect_methods("RecordedEvents()", "a Resilience", resilience, ("listen",))
            resilience.listen(Event, self)

    def __call__(self, event: Event) -> None:
        self.seen.append(event)

    def __iter__(self) -> Iterator[Event]:
        return iter(tuple(self.seen))

    def __len__(self) -> int:
        return len(self.seen)

    def __repr__(self) -> str:
        return f"RecordedEvents({', '.join(map(repr, self.seen))})"

    @overload
    def of(self, kind: type[E], *, instance: str | None = None) -> list[E]: ...
    @overload
    def of(self, kind: UnionType, *, instance: str | None = None) -> list[Event]: ...
    def of(self, kind: type[Event] | UnionType, *, instance: str | None = None) -> list[Any]:
        """The events of one kind, or of a policy's (`CircuitBreakerEvent`); of one instance or of all."""
        expect_kind("of()", kind)
        if instance is not None:
            expect_text("of()", "the name or id of an instance", instance)
        return [e for e in self.seen if isinstance(e, kind) and instance in (None, e.instance_id)]

    def one(self, kind: type[E], *, instance: str | None = None) -> E:
        """The only event of a kind. Raises AssertionError if there is none, or another one."""
        found = self.of(kind, instance=instance)
        if len(found) != 1:
            counted = Counter(type(event).__name__ for event in self.seen)
            seen = ", ".join(f"{number} {name}" for name, number in counted.items()) or "no event at all"
            where = f" of '{instance}'" if instance is not None else ""
            msg = f"expected one {kind.__name__}{where}, but there were {len(found)}; seen: {seen}"
            raise AssertionError(msg)
        return found[0]

    def types(self) -> list[type[Event]]:
        """The kinds of all events, in order."""
        return [type(event) for event in self.seen]

    def clear(self) -> None:
        """Forget them."""
        self.seen.clear()
