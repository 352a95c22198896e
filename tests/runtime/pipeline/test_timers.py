"""Timeouts of asynchronous calls: one timer for an instance and event loop, and whose cancellation it is."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from resilience4cata import Resilience, TimeoutExceededError, timeout
from resilience4cata.clock import reading
from resilience4cata.pipeline.timers import Timers
from resilience4cata.policies.machines.timeout import current_deadline
from resilience4cata.testing import ManualClock, ManualScheduler

MS = 1_000_000


class World:
    """A `Resilience` that is active, in which time stands still, and how many alarms were set."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.scheduler = ManualScheduler(self.clock)
        self.alarms = 0
        self._alarm = self.scheduler.alarm
        self.scheduler.alarm = self._counted  # type: ignore[method-assign]

    def _counted(self, nanoseconds: int, fire: Any) -> Any:
        self.alarms += 1
        return self._alarm(nanoseconds, fire)


@pytest.fixture
def world() -> Iterator[World]:
    found = World()
    builder = Resilience.builder().only("no.module").clock(found.clock).scheduler(found.scheduler)
    with builder.build().activate():
        yield found


def waiting() -> Any:
    """A guarded function that waits for an event, and says how often its task was cancelled when it goes on."""

    @timeout("100ms")
    async def wait(event: asyncio.Event) -> str:
        await event.wait()
        return "done"

    return wait


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_one_timer_for_all_calls(world: World) -> None:
    wait = waiting()

    async def main() -> list[str]:
        event = asyncio.Event()
        tasks: list[asyncio.Task[str]] = [asyncio.create_task(wait(event)) for _ in range(20)]
        await settled()
        event.set()
        return await asyncio.gather(*tasks)

    assert ["done"] * 20 == asyncio.run(main())
    assert 1 == world.alarms


def test_each_ends_at_its_own_deadline(world: World) -> None:
    wait = waiting()

    async def main() -> list[list[bool]]:
        event = asyncio.Event()
        ends: list[list[bool]] = []
        tasks: list[asyncio.Task[str]] = []
        for _ in range(3):
            tasks.append(asyncio.create_task(wait(event)))
            await settled()
            world.clock.advance_ns(10 * MS)
        for _ in range(3):
            world.clock.advance_ns((70 if not ends else 10) * MS)
            await settled()
            ends.append([task.done() for task in tasks])
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert [TimeoutExceededError] * 3 == [type(error) for error in found]
        return ends

    assert [[True, False, False], [True, True, False], [True, True, True]] == asyncio.run(main())


def test_outer_cancellation_wins(world: World) -> None:
    """Both come at once: the task stays cancelled, and is cancelled once."""
    wait = waiting()

    async def main() -> tuple[bool, int]:
        task = asyncio.create_task(wait(asyncio.Event()))
        await settled()
        world.clock.advance_ns(100 * MS)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled(), task.cancelling()

    assert (True, 1) == asyncio.run(main())


def test_task_that_was_cancelled_before(world: World) -> None:
    """A task that goes on although it was cancelled has its timeouts all the same, and its count stays."""
    wait = waiting()

    async def clean_up() -> tuple[type[BaseException], int]:
        task = asyncio.current_task()
        assert task is not None
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            with pytest.raises(TimeoutExceededError) as caught:
                await wait(asyncio.Event())
        return caught.type, task.cancelling()

    async def main() -> tuple[type[BaseException], int]:
        task = asyncio.create_task(clean_up())
        await settled()
        task.cancel()
        await settled()
        world.clock.advance_ns(100 * MS)
        return await task

    assert (TimeoutExceededError, 1) == asyncio.run(main())


def test_task_goes_on_after_a_timeout(world: World) -> None:
    wait = waiting()

    async def main() -> int:
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().call_soon(world.clock.advance_ns, 100 * MS)
        with pytest.raises(TimeoutExceededError):
            await wait(asyncio.Event())
        await settled()
        return task.cancelling()

    assert 0 == asyncio.run(main())


def test_loops_one_after_another(world: World) -> None:
    """Each event loop has a timer of its own; one that was closed with a timer set leaves nothing behind."""
    wait = waiting()

    async def main() -> str:
        event = asyncio.Event()
        event.set()
        result: str = await wait(event)
        return result

    assert ["done"] * 3 == [asyncio.run(main()) for _ in range(3)]
    assert 3 == world.alarms


def test_a_loop_that_moved_to_another_thread(world: World) -> None:
    """The task of a loop that once ran in this thread, and runs in another one now, is not taken for the caller's."""
    wait = waiting()
    moving = asyncio.new_event_loop()
    runs, is_over = threading.Event(), threading.Event()
    cancellations = []

    async def elsewhere() -> None:
        task = asyncio.current_task()
        assert task is not None
        runs.set()
        is_over.wait()
        cancellations.append(task.cancelling())

    async def here() -> None:
        asyncio.get_running_loop().call_soon(world.clock.advance_ns, 100 * MS)
        with pytest.raises(TimeoutExceededError):
            await wait(asyncio.Event())

    moving.run_until_complete(here())
    thread = threading.Thread(target=moving.run_until_complete, args=[elsewhere()])
    thread.start()
    runs.wait()
    try:
        asyncio.run(here())
    finally:
        is_over.set()
        thread.join()
        moving.close()
    assert [0] == cancellations


class Taciturn(asyncio.SelectorEventLoop):
    """An event loop that does not tell where it runs, as one that is written in C."""

    def __getattribute__(self, name: str) -> object:
        if name == "_thread_id" and sys._getframe(1).f_code.co_filename != asyncio.base_events.__file__:
            raise AttributeError(name)
        return super().__getattribute__(name)


def test_a_loop_that_does_not_tell_its_thread(world: World) -> None:
    wait = waiting()

    async def main() -> None:
        asyncio.get_running_loop().call_soon(world.clock.advance_ns, 100 * MS)
        with pytest.raises(TimeoutExceededError):
            await wait(asyncio.Event())

    with asyncio.Runner(loop_factory=Taciturn) as runner:
        runner.run(main())
        runner.run(main())


def test_closed_loops_are_let_go() -> None:
    clock = ManualClock()
    timers = Timers(reading(clock), ManualScheduler(clock))
    loops = [asyncio.new_event_loop() for _ in range(3)]
    for loop in loops:
        timers.watch_of(loop)
        loop.close()
    last = asyncio.new_event_loop()
    watch = timers.watch_of(last)
    last.close()
    assert [last] == list(timers._watches)
    assert watch is timers.watch


def test_never_finished(world: World) -> None:
    """A coroutine that is closed in another context leaves nothing set there, and raises nothing."""
    wait = waiting()

    async def main() -> float | None:
        task = asyncio.create_task(wait(asyncio.Event()))
        await settled()
        coroutine = task.get_coro()
        assert coroutine is not None
        coroutine.close()
        left = current_deadline()
        task.cancel()
        await asyncio.wait([task])
        return left

    assert asyncio.run(main()) is None
