"""Timeouts in a pipeline: late calls, deadlines, threads, and whose cancellation it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from resilience4cata import Resilience, TimeoutExceededError, bulkhead, fallback, retry, timeout
from resilience4cata.policies.machines.timeout import current_deadline
from resilience4cata.testing import ManualClock, ManualScheduler

from .scripted import S, World
from .twins import Fault


class TestTimeout:
    def test_a_late_call_is_not_repeated(self) -> None:
        world = World(asynchronous=False)
        world.takes = S
        with pytest.raises(TimeoutExceededError) as caught:
            world.call(retry(), timeout("500ms"), script=["late"])
        assert (True, 0.5, 1) == (caught.value.completed, caught.value.limit, world.executions)

    def test_unless_that_is_listed(self) -> None:
        world = World(asynchronous=False)
        world.takes = S
        with pytest.raises(TimeoutExceededError):
            world.call(retry(retry_on=TimeoutExceededError), timeout("500ms"), script=["late"])
        assert 3 == world.executions

    def test_current_deadline(self, world: World) -> None:
        seen: list[float | None] = []
        world.call(retry(max_duration="9s"), timeout("2s"), script=[lambda: seen.append(current_deadline())])
        assert ([2.0], None) == (seen, current_deadline())

    def test_offload(self) -> None:
        """The caller gets its error on time; the thread keeps its slot until it ends."""
        from threading import Event

        world = World(asynchronous=False)
        go, done = Event(), Event()

        def slow() -> None:
            go.wait(10)
            done.set()

        pipeline = world.resilience.pipeline("payments", timeout("1s", offload=True), bulkhead(max_concurrent=1))
        with pytest.raises(TimeoutExceededError) as caught:
            pipeline.call(slow)
        assert (False, 0) == (caught.value.completed, world.resilience.bulkhead("payments").snapshot().free)
        go.set()
        assert done.wait(10)
        assert 7 == world.resilience.pipeline("other", timeout("1s", offload=True)).call(lambda: 7)

    @pytest.mark.parametrize(("left", "limits"), [("300ms", [0.3, 0.0]), ("9s", [5.0, 4.0])])
    @pytest.mark.parametrize("around", [timeout, lambda left: retry(max_duration=left)], ids=["timeout", "retry"])
    def test_offload_until_the_nearest_deadline(
        self, around: Callable[[str], Any], left: str, limits: list[float]
    ) -> None:
        """The caller of two functions in a row waits for no longer than the call around them has time."""
        from threading import Event

        world = World(asynchronous=False)
        inner = world.resilience.pipeline("inner", timeout("5s", offload=True))
        go = Event()
        caught: list[tuple[float, bool]] = []

        def call() -> None:
            for _ in range(2):
                with pytest.raises(TimeoutExceededError) as error:
                    inner.call(go.wait, 10)
                caught.append((error.value.limit, error.value.completed))

        world.resilience.pipeline("outer", around(left)).call(call)
        go.set()
        assert [(limit, False) for limit in limits] == caught


class Asynchronous:
    """Async timeouts: the test moves the clock."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.scheduler = ManualScheduler(self.clock, auto_advance=False)
        self.resilience = Resilience.builder().only("no.module").clock(self.clock).scheduler(self.scheduler).build()

    async def settle(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)


class TestAsyncTimeout:
    def test_the_body_is_cancelled(self) -> None:
        world, seen = Asynchronous(), []

        async def body() -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                seen.append("cancelled")
                raise

        async def main() -> int:
            pipeline = world.resilience.pipeline("payments", timeout("500ms"), bulkhead(max_concurrent=1))
            task = asyncio.create_task(pipeline.acall(body))
            await world.settle()
            world.clock.advance("500ms")
            with pytest.raises(TimeoutExceededError):
                await task
            return task.cancelling()

        assert (0, ["cancelled"]) == (asyncio.run(main()), seen)
        assert 1 == world.resilience.bulkhead("payments").snapshot().free

    def test_a_swallowed_cancellation(self) -> None:
        world = Asynchronous()

        async def body() -> str:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return "swallowed"
            return ""

        async def main() -> None:
            task = asyncio.create_task(world.resilience.pipeline("p", timeout("1s")).acall(body))
            await world.settle()
            world.clock.advance("1s")
            with pytest.raises(TimeoutExceededError):
                await task

        asyncio.run(main())

    def test_an_outer_cancellation_wins(self) -> None:
        world = Asynchronous()

        async def main() -> int:
            pipeline = world.resilience.pipeline("p", retry(), timeout("1s"), fallback(lambda context: "no"))
            task = asyncio.create_task(pipeline.acall(asyncio.Event().wait))
            await world.settle()
            task.cancel()
            world.clock.advance("1s")
            with pytest.raises(asyncio.CancelledError):
                await task
            return task.cancelling()

        assert 1 == asyncio.run(main())

    def test_cancelled_during_a_back_off(self) -> None:
        world, executions = Asynchronous(), []

        async def body() -> None:
            executions.append(1)
            raise Fault

        async def main() -> None:
            task = asyncio.create_task(world.resilience.pipeline("p", retry(delay="1h", max_delay="1h")).acall(body))
            await world.settle()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(main())
        assert [1] == executions
