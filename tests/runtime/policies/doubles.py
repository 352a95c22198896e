"""Time that stands still, waits that move it, and events that are kept: for tests of the state machines."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from resilience4cata.clock import TaskSignal, ThreadSignal, bounded
from resilience4cata.durations import nanoseconds
from resilience4cata.events import Channel, Event, Listeners

MS = 1_000_000
S = 1_000 * MS


class ManualClock:
    """Shows what it was told."""

    def __init__(self, now: int = 1000 * S) -> None:
        self.now = now

    def monotonic_ns(self) -> int:
        return self.now

    def wall_ns(self) -> int:
        return self.now

    def advance(self, duration: str) -> None:
        self.now += nanoseconds(duration)


class ManualScheduler:
    """Waits advance the clock themselves and are recorded; those for a signal that is set take no time.

    With `advancing` off, asynchronous waits end only when `pass_time` is called.
    """

    def __init__(self, clock: ManualClock, *, advancing: bool = True) -> None:
        self.clock = clock
        self.advancing = advancing
        self.waits: list[int] = []
        self._sleepers: list[tuple[int, asyncio.Future[None]]] = []

    def wait(self, nanoseconds: int, *, deadline: int | None = None, signal: ThreadSignal | None = None) -> None:
        span = bounded(nanoseconds, self.clock.now, deadline)
        self.waits.append(span)
        if signal is None or not signal.is_set:
            self.clock.now += span

    async def wait_async(
        self, nanoseconds: int, *, deadline: int | None = None, signal: TaskSignal | None = None
    ) -> None:
        span = bounded(nanoseconds, self.clock.now, deadline)
        self.waits.append(span)
        if self.advancing:
            await asyncio.sleep(0)
            if signal is None or not signal.is_set:
                self.clock.now += span
            return
        future = asyncio.get_running_loop().create_future() if signal is None else signal.future
        sleeper = self.clock.now + span, future
        self._sleepers.append(sleeper)
        try:
            await future
        finally:
            self._sleepers.remove(sleeper)

    async def pass_time(self, duration: str) -> None:
        """Advance the clock, wake those whose time is over, and let all tasks run until they wait again."""
        self.clock.advance(duration)
        for end, future in list(self._sleepers):
            if end <= self.clock.now and not future.done():
                future.set_result(None)
        await settle()


async def settle() -> None:
    """Let every task run until it waits for something."""
    for _ in range(10):
        await asyncio.sleep(0)


class RecordedEvents:
    """Every event of one channel, in order."""

    def __init__(self, instance_id: str = "payments", policy: str = "any", *, per_call: bool = False) -> None:
        self.listeners = Listeners(per_call=per_call)
        self.seen: list[Event] = []
        self.listeners.add(Event, self.seen.append)
        self.channel: Channel = self.listeners.channel(instance_id, policy)

    def types(self) -> list[str]:
        return [type(event).__name__ for event in self.seen]


@contextmanager
def busy_switching() -> Iterator[None]:
    """Let threads interrupt one another after each microsecond."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def in_threads(number: int, work: Callable[[int], object]) -> None:
    """Run `work` in so many threads at the same moment; whatever fails there fails here."""
    barrier = threading.Barrier(number)
    failures: list[BaseException] = []

    def run(index: int) -> None:
        barrier.wait()
        try:
            work(index)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(number)]
    with busy_switching():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]
