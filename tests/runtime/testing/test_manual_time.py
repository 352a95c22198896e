"""Manual time: what the clock shows, how waits end, and in which order."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from random import Random
from typing import TypeVar

import pytest

from resilience4cata import (
    BulkheadFullError,
    Jitter,
    Resilience,
    TimeoutExceededError,
    bulkhead,
    retry,
    testing,
    timeout,
)
from resilience4cata.clock import Clock, Scheduler
from resilience4cata.pipeline.runner import Pipeline
from resilience4cata.testing import ManualClock, ManualScheduler

T = TypeVar("T")
SECOND = 10**9
START = 1_000 * SECOND


class World:
    """A `Resilience` on manual time, and pipelines of it."""

    def __init__(self, *, auto_advance: bool = True, random: Random | None = None) -> None:
        self.clock = ManualClock()
        self.scheduler = ManualScheduler(self.clock, auto_advance=auto_advance)
        builder = Resilience.builder().only("nothing").clock(self.clock).scheduler(self.scheduler)
        self.resilience = builder.random(random or Random(1)).build()

    @property
    def passed(self) -> float:
        """Seconds since the beginning."""
        return (self.clock.now - START) / SECOND

    def retrying(self, name: str = "retrying", delay: str = "1s", attempts: int = 2) -> Pipeline:
        return self.resilience.pipeline(name, retry(max_attempts=attempts, delay=delay, jitter=Jitter.NONE))


def failing() -> None:
    raise ConnectionError


async def failing_later() -> None:
    raise ConnectionError


@contextmanager
def in_thread(function: Callable[[], T]) -> Iterator[Future[T]]:
    """What a function gives in another thread; at the end of the block it must have ended."""
    with ThreadPoolExecutor(1) as executor:
        yield executor.submit(function)


class TestClock:
    def test_protocols(self) -> None:
        """They stand in for the system's."""
        clock: Clock = ManualClock(5)
        scheduler: Scheduler = ManualScheduler(ManualClock())
        assert (5, 5) == (clock.monotonic_ns(), clock.wall_ns())
        assert scheduler is not None

    @pytest.mark.parametrize(
        ("duration", "expected"), [("90m", 5400), (timedelta(minutes=2), 120), ("250ms", 0.25), ("0", 0)]
    )
    def test_advance(self, duration: str | timedelta, expected: float) -> None:
        """By what is a duration anywhere else."""
        world = World()
        world.clock.advance(duration)
        assert expected == world.passed

    @pytest.mark.parametrize("duration", ["1 s ", "5", "-1s", timedelta(seconds=-1)])
    def test_no_duration(self, duration: str | timedelta) -> None:
        """Anything else is refused, and no time passes."""
        clock = ManualClock()
        with pytest.raises(ValueError, match=r"is not a duration|negative"):
            clock.advance(duration)
        assert START == clock.now

    def test_time_does_not_go_back(self) -> None:
        """Nor does a number of nanoseconds turn it back."""
        clock = ManualClock()
        with pytest.raises(ValueError, match="time does not go back: -1 ns"):
            clock.advance_ns(-1)
        clock.advance_to(START - 1)
        assert START == clock.now

    def test_threads_lose_no_time(self) -> None:
        """What threads add at once is added up."""
        clock = ManualClock(0)

        def advance() -> None:
            for _ in range(1000):
                clock.advance_ns(1)

        threads = [threading.Thread(target=advance) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 4000 == clock.now


class TestAutoAdvance:
    def test_waits_move_the_clock(self) -> None:
        """By the whole wait, which is kept."""
        world = World()
        with pytest.raises(ConnectionError):
            world.retrying(attempts=3).call(failing)
        assert ([SECOND, 2 * SECOND], 3) == (world.scheduler.waits, world.passed)

    def test_seeded_jitter_repeats(self) -> None:
        """The same seed gives the same waits."""

        def waits(seed: int) -> list[int]:
            world = World(random=Random(seed))
            with pytest.raises(ConnectionError):
                world.resilience.pipeline("p", retry(max_attempts=3, delay="1s")).call(failing)
            return world.scheduler.waits

        assert waits(42) == waits(42) != waits(43)

    def test_threads_wait_at_once(self) -> None:
        """Waits of several threads that begin together pass together, as in real time."""
        world, ready = World(), threading.Barrier(4)
        ends: list[float] = []

        def wait(seconds: int) -> None:
            deadline = START + seconds * SECOND
            ready.wait()
            world.scheduler.wait(10 * SECOND, deadline=deadline)
            ends.append(world.passed)

        with ThreadPoolExecutor(4) as executor:
            list(executor.map(wait, [1, 2, 3, 4]))
        assert 4 == world.passed

    def test_tasks_go_on_in_the_order_of_their_ends(self) -> None:
        """Whatever the order in which they began; the clock stops at each end."""
        world = World()

        async def call(name: str, delay: str) -> None:
            with pytest.raises(ConnectionError):
                await world.retrying(name, delay).acall(failing_later)
            ended.append((name, world.passed))

        async def all_of_them() -> None:
            await asyncio.gather(call("long", "5s"), call("short", "1s"), call("middle", "3s"))

        ended: list[tuple[str, float]] = []
        asyncio.run(all_of_them())
        assert [("short", 1), ("middle", 3), ("long", 5)] == ended

    def test_a_task_goes_on_before_time_does(self) -> None:
        """What it waits for next is due before the longer wait of another."""
        world = World()

        async def waits(*seconds: int) -> list[float]:
            seen = []
            for span in seconds:
                await world.scheduler.wait_async(span * SECOND)
                seen.append(world.passed)
            return seen

        async def both() -> tuple[list[float], list[float]]:
            five, ones = await asyncio.gather(waits(5), waits(1, 1, 1))
            return five, ones

        assert ([5], [1, 2, 3]) == asyncio.run(both())

    def test_a_timeout_comes_on_time(self) -> None:
        """It ends the wait at its own moment, not at the end of the wait."""
        world = World()
        slow = world.resilience.pipeline("slow", timeout("2s"))

        async def sleeping() -> None:
            await world.scheduler.wait_async(60 * SECOND)

        with pytest.raises(TimeoutExceededError):
            asyncio.run(slow.acall(sleeping))
        assert 2 == world.passed

    def test_the_wait_of_a_signal(self) -> None:
        """A call that gets a slot while others have their turn waits no longer."""
        world = World()
        narrow = world.resilience.pipeline("narrow", bulkhead(max_concurrent=1, max_wait="5s"))

        async def work() -> str:
            await asyncio.sleep(0)
            return "done"

        async def both() -> tuple[str, str]:
            first, second = await asyncio.gather(narrow.acall(work), narrow.acall(work))
            return first, second

        assert ("done", "done") == asyncio.run(both())
        assert ([5 * SECOND], 0) == (world.scheduler.waits, world.passed)


class TestAdvancedByTheTest:
    def test_a_task_waits(self) -> None:
        """Until the clock was advanced far enough."""
        world = World(auto_advance=False)

        async def scenario() -> list[bool]:
            call = asyncio.create_task(world.retrying(delay="10s").acall(failing_later))
            await world.scheduler.until_waiting_async()
            seen = []
            for span in ("9s", "1s"):
                world.clock.advance(span)
                await asyncio.wait([call], timeout=0.01 if span == "9s" else None)
                seen.append(call.done())
            with pytest.raises(ConnectionError):
                await call
            return seen

        assert [False, True] == asyncio.run(scenario())
        assert (10, 0) == (world.passed, world.scheduler.waiting)

    def test_a_wait_of_no_time(self) -> None:
        """Ends by itself."""
        world = World(auto_advance=False)
        asyncio.run(world.scheduler.wait_async(0))
        asyncio.run(world.scheduler.wait_async(SECOND, deadline=START))
        assert ([0, 0], 0) == (world.scheduler.waits, world.scheduler.waiting)

    def test_a_thread_waits(self) -> None:
        """A synchronous call of another thread waits until the test advances the clock."""
        world = World(auto_advance=False)
        with in_thread(lambda: world.retrying(delay="10s").call(failing)) as call:
            world.scheduler.until_waiting()
            world.clock.advance("9s")
            assert (1, False) == (world.scheduler.waiting, call.done())
            world.clock.advance("1s")
            assert isinstance(call.exception(), ConnectionError)
        assert (10, 0) == (world.passed, world.scheduler.waiting)

    def test_threads_wait_for_a_slot(self) -> None:
        """A slot that becomes free ends the wait of a thread, and so does its time."""
        world, release = World(auto_advance=False), threading.Event()
        narrow = world.resilience.pipeline("narrow", bulkhead(max_concurrent=1, max_wait="5s"))
        with ThreadPoolExecutor(3) as executor:
            holder = executor.submit(narrow.call, release.wait)
            # Where no clock has moved, a call that waits has met the full bulkhead.
            while not world.resilience.bulkhead("narrow").snapshot().running:
                pass
            refused = executor.submit(narrow.call, lambda: "late")
            world.scheduler.until_waiting()
            world.clock.advance("5s")
            assert isinstance(refused.exception(), BulkheadFullError)
            served = executor.submit(narrow.call, lambda: "served")
            world.scheduler.until_waiting()
            release.set()
            assert ("served", True) == (served.result(), holder.result())
        assert 5 == world.passed

    def test_another_thread_advances(self) -> None:
        """Tasks of an event loop go on when the clock is advanced from elsewhere."""
        world = World(auto_advance=False)

        def advance() -> None:
            world.scheduler.until_waiting()
            world.clock.advance("10s")

        with in_thread(advance), pytest.raises(ConnectionError):
            asyncio.run(world.retrying(delay="10s").acall(failing_later))

    def test_another_thread_brings_the_timeout(self) -> None:
        """A timeout of a task comes when the clock is advanced from elsewhere."""
        world = World(auto_advance=False)

        def advance() -> None:
            world.scheduler.until_waiting()
            world.clock.advance("2s")

        async def sleeping() -> None:
            await world.scheduler.wait_async(60 * SECOND)

        with in_thread(advance), pytest.raises(TimeoutExceededError):
            asyncio.run(world.resilience.pipeline("slow", timeout("2s")).acall(sleeping))

    def test_the_thread_of_the_test(self) -> None:
        """A synchronous wait of the test's own thread moves the clock: nobody else would."""
        world = World(auto_advance=False)
        with pytest.raises(ConnectionError):
            world.retrying(delay="10s").call(failing)
        assert 10 == world.passed


class TestImpatience:
    """What never comes is told after some seconds of real time; here at once."""

    @pytest.fixture(autouse=True)
    def no_patience(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(testing, "_PATIENCE", 0.0)

    def test_nobody_waits(self) -> None:
        """It says how many calls wait, and how long calls waited before."""
        world = World()
        with pytest.raises(ConnectionError):
            world.retrying(attempts=3).call(failing)
        with pytest.raises(AssertionError) as told:
            world.scheduler.until_waiting()
        assert "waiting calls: 0, expected: 1; waits so far: 1s, 2s" == str(told.value)

    def test_no_task_waits(self) -> None:
        """The same for tasks."""
        with pytest.raises(AssertionError) as told:
            asyncio.run(World().scheduler.until_waiting_async(2))
        assert "waiting calls: 0, expected: 2; waits so far: none" == str(told.value)

    def test_nobody_advances(self) -> None:
        """A thread that waits in vain ends with what it waits for."""
        world = World(auto_advance=False)
        with in_thread(lambda: world.scheduler.wait(3 * SECOND)) as waiting:
            failure = waiting.exception()
        assert "nobody advanced the clock by the 3s for which this thread still waits" == str(failure)
        assert 0 == world.scheduler.waiting
