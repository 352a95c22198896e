"""What tests of guarded code need: time that stands still, waits that move it, and events that are kept.

clock = ManualClock()
scheduler = ManualScheduler(clock)
resilience = Resilience.builder().clock(clock).scheduler(scheduler).build()
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol, TypeVar

from .clock import SECOND, TaskSignal, ThreadSignal, bounded
from .durations import nanoseconds as in_nanoseconds
from .events import Event

if TYPE_CHECKING:
    from asyncio import Future

E = TypeVar("E", bound=Event)


class ManualClock:
    """Shows what it was told; `advance` takes a duration string or a timedelta."""

    def __init__(self, now: int = 1_000 * SECOND) -> None:
        self.now = now
        self._followers: list[Callable[[], None]] = []

    def monotonic_ns(self) -> int:
        return self.now

    def wall_ns(self) -> int:
        return self.now

    def advance(self, duration: str | timedelta) -> None:
        """Let time pass, and end the waits and timeouts that are over then."""
        self.advance_ns(in_nanoseconds(duration))

    def advance_ns(self, nanoseconds: int) -> None:
        """The same in nanoseconds."""
        self.now += nanoseconds
        for follower in tuple(self._followers):
            follower()

    def follow(self, follower: Callable[[], None]) -> None:
        """Call `follower` whenever time has passed."""
        self._followers.append(follower)


class _Alarm:
    """What is to be called at a moment, until it is stopped."""

    def __init__(self, moment: int, fire: Callable[[], None]) -> None:
        self.moment = moment
        self.is_over = False
        self._fire = fire

    def stop(self) -> None:
        self.is_over = True

    def ring(self) -> None:
        """Fire, in the event loop's next turn if one is running."""
        from asyncio import get_running_loop

        try:
            get_running_loop().call_soon(self._now)
        except RuntimeError:
            self._now()

    def _now(self) -> None:
        if not self.is_over:
            self.is_over = True
            self._fire()


class ManualScheduler:
    """Waits advance the clock themselves and are recorded in `waits`, in nanoseconds; nothing sleeps.

    With `auto_advance=False` asynchronous waits end when the test advances the clock. Timeouts follow the clock either
    way. To be used from one thread, or one event loop.
    """

    def __init__(self, clock: ManualClock, *, auto_advance: bool = True) -> None:
        self.clock = clock
        self.auto_advance = auto_advance
        self.waits: list[int] = []
        self._sleepers: list[tuple[int, Future[None]]] = []
        self._alarms: list[_Alarm] = []
        clock.follow(self._passed)

    def wait(self, nanoseconds: int, *, deadline: int | None = None, signal: ThreadSignal | None = None) -> None:
        span = bounded(nanoseconds, self.clock.now, deadline)
        self.waits.append(span)
        if signal is None or not signal.is_set:
            self.clock.advance_ns(span)

    async def wait_async(
        self, nanoseconds: int, *, deadline: int | None = None, signal: TaskSignal | None = None
    ) -> None:
        from asyncio import get_running_loop, sleep

        span = bounded(nanoseconds, self.clock.now, deadline)
        self.waits.append(span)
        if self.auto_advance:
            await sleep(0)
            if signal is None or not signal.is_set:
                self.clock.advance_ns(span)
                # A timeout that is over now ends this wait, as it would in real time.
                await sleep(0)
            return
        future = get_running_loop().create_future() if signal is None else signal.future
        sleeper = self.clock.now + span, future
        self._sleepers.append(sleeper)
        try:
            await future
        finally:
            self._sleepers.remove(sleeper)

    def alarm(self, nanoseconds: int, fire: Callable[[], None]) -> Callable[[], None]:
        """Call `fire` when the clock has moved so far; what it returns takes the alarm back.

        As with timers of event loops, no running task sees it before it suspends.
        """
        alarm = _Alarm(self.clock.now + nanoseconds, fire)
        self._alarms.append(alarm)
        return alarm.stop

    def _passed(self) -> None:
        due = [alarm for alarm in self._alarms if alarm.moment <= self.clock.now or alarm.is_over]
        for alarm in sorted(due, key=lambda alarm: alarm.moment):
            self._alarms.remove(alarm)
            alarm.ring()
        for moment, future in tuple(self._sleepers):
            if moment <= self.clock.now and not future.done():
                future.set_result(None)


class _Listening(Protocol):
    def listen(self, kind: type[Event], callback: Callable[[Event], object], /) -> object: ...


class RecordedEvents:
    """Every event of a `Resilience`, in order."""

    def __init__(self, resilience: _Listening | None = None) -> None:
        self.seen: list[Event] = []
        if resilience is not None:
            resilience.listen(Event, self.seen.append)

    def __call__(self, event: Event) -> None:
        self.seen.append(event)

    def of(self, kind: type[E]) -> list[E]:
        """The events of one kind."""
        return [event for event in self.seen if isinstance(event, kind)]

    def types(self) -> list[type[Event]]:
        """The kinds of all events, in order."""
        return [type(event) for event in self.seen]

    def clear(self) -> None:
        """Forget them."""
        self.seen.clear()
