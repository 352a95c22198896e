"""Mistakes that users of such libraries really made with tasks and threads, named for where they were reported."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from resilience4cata import (
    CallNotPermittedError,
    Jitter,
    Pipeline,
    Resilience,
    State,
    bulkhead,
    circuit_breaker,
    rate_limiter,
    retry,
    timeout,
)
from resilience4cata.events import CallFailed, StateTransition
from resilience4cata.testing import ManualClock, ManualScheduler


class World:
    """A `Resilience` on manual time, for what the test declares itself."""

    def __init__(self, *, auto_advance: bool = True) -> None:
        self.clock = ManualClock()
        self.scheduler = ManualScheduler(self.clock, auto_advance=auto_advance)
        builder = Resilience.builder().only("nothing").clock(self.clock).scheduler(self.scheduler)
        self.resilience = builder.build()


@pytest.fixture
def world() -> World:
    return World()


def fail() -> None:
    raise ConnectionError


async def fail_later() -> None:
    raise ConnectionError


class Client:
    """An object that is called like a coroutine function."""

    async def __call__(self) -> None:
        raise ConnectionError


def half_open(world: World, *, calls: int) -> Pipeline:
    """The pipeline `probed`, whose circuit breaker lets so many calls through from now on."""
    breaker = circuit_breaker(window_size=1, minimum_calls=1, wait_in_open="30s", half_open_calls=calls)
    pipeline = world.resilience.pipeline("probed", breaker)
    with pytest.raises(ConnectionError):
        pipeline.call(fail)
    world.clock.advance("30s")
    return pipeline


def annotated() -> Awaitable[None]:
    return fail_later()


@pytest.mark.parametrize(
    "function", [fail_later, partial(fail_later), Client(), annotated], ids=["def", "partial", "object", "annotated"]
)
def test_pybreaker_7_what_is_asynchronous_is_known_to_be(world: World, function: Callable[[], Awaitable[None]]) -> None:
    """Failures come when it is awaited, and are retried and counted there."""
    guarded = retry(name="known", max_attempts=3)(circuit_breaker(name="known")(function))

    async def scenario() -> None:
        with pytest.raises(ConnectionError):
            await guarded()

    with world.resilience.activate():
        asyncio.run(scenario())
        assert 3 == world.resilience.circuit_breaker("known").snapshot().total.failed


def test_tenacity_529_cancellation_is_not_retried(world: World) -> None:
    """It is neither retried nor counted, whatever is listed."""
    pipeline = world.resilience.pipeline("guarded", retry(retry_on=Exception), circuit_breaker())
    calls = []

    async def cancelled() -> None:
        calls.append(1)
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(pipeline.acall(cancelled))
    assert ([1], 0) == (calls, world.resilience.circuit_breaker("guarded").snapshot().total.calls)


def test_maverick_mcp_272_a_cancelled_probe(world: World) -> None:
    """Its permit comes back: the next call is the probe that closes the breaker."""
    pipeline = half_open(world, calls=1)

    async def scenario() -> None:
        probe = asyncio.create_task(pipeline.acall(asyncio.Event().wait))
        await asyncio.sleep(0)
        with pytest.raises(CallNotPermittedError):
            await pipeline.acall(asyncio.sleep, 0)
        probe.cancel()
        await asyncio.wait([probe])
        await pipeline.acall(asyncio.sleep, 0)

    asyncio.run(scenario())
    assert State.CLOSED is world.resilience.circuit_breaker("probed").state


def test_airmcp_249_callers_at_the_moment_of_recovery(world: World) -> None:
    """Of fifty threads that call at once, exactly as many pass as there are probes."""
    pipeline = half_open(world, calls=3)
    ready, over = threading.Barrier(50), threading.Barrier(50)

    def probe() -> bool:
        ready.wait()
        try:
            pipeline.call(over.wait)
        except CallNotPermittedError:
            over.wait()
            return False
        return True

    with ThreadPoolExecutor(50) as executor:
        passed = list(executor.map(lambda _: probe(), range(50)))
    assert 3 == sum(passed)


def test_pybreaker_55_no_lock_is_held_during_a_call(world: World) -> None:
    """While one call runs, another thread goes through the same breaker."""
    pipeline = world.resilience.pipeline("shared", circuit_breaker(), bulkhead(), retry())

    def outer() -> str:
        with ThreadPoolExecutor(1) as executor:
            return executor.submit(pipeline.call, lambda: "inner").result(10)

    assert "inner" == pipeline.call(outer)


def test_pybreaker_3_a_listener_may_use_the_breaker(world: World) -> None:
    """It is called under no lock, whatever it does, in whatever thread."""
    pipeline = world.resilience.pipeline("shared", circuit_breaker(window_size=1, minimum_calls=1))
    seen = []

    def listener(event: StateTransition | CallFailed) -> None:
        with ThreadPoolExecutor(1) as executor:
            breaker = world.resilience.circuit_breaker("shared")
            seen.append((type(event), executor.submit(lambda: breaker.snapshot().state).result(10)))

    world.resilience.listen(StateTransition | CallFailed, listener)
    with pytest.raises(ConnectionError):
        pipeline.call(fail)
    assert {(CallFailed, State.OPEN), (StateTransition, State.OPEN)} == set(seen)


def test_resilience4j_1073_limits_that_change_lose_no_waiter() -> None:
    """Those who wait for a permit get theirs after `reconfigure`."""
    world = World(auto_advance=False)
    pipeline = world.resilience.pipeline("limited", rate_limiter(permits=1, period="1s", max_wait="10s"))
    ended: list[int] = []

    async def scenario() -> None:
        async def work(number: int) -> None:
            ended.append(number)

        calls = [asyncio.create_task(pipeline.acall(work, number)) for number in range(3)]
        await world.scheduler.until_waiting_async(2)
        world.resilience.reconfigure("limited", rate_limiter(permits=2))
        for _ in range(2):
            world.clock.advance("1s")
            await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.gather(*calls)

    asyncio.run(scenario())
    assert [0, 1, 2] == ended


def test_resilience4j_332_a_cancelled_wait_loses_no_permit() -> None:
    """Neither the slot of a bulkhead nor the permit of a limiter stays taken, nor is given twice."""
    world = World(auto_advance=False)
    pipeline = world.resilience.pipeline(
        "shared", rate_limiter(permits=1, period="1s", max_wait="10s"), bulkhead(max_concurrent=1, max_wait="1m")
    )

    async def scenario() -> None:
        holder = asyncio.create_task(pipeline.acall(asyncio.Event().wait))
        await asyncio.sleep(0)
        waiting = asyncio.create_task(pipeline.acall(asyncio.sleep, 0))
        await world.scheduler.until_waiting_async()
        for task in (waiting, holder):
            task.cancel()
            await asyncio.wait([task])

    asyncio.run(scenario())
    assert (1, 0, 1, 0) == world.resilience.bulkhead("shared").snapshot()
    assert 0 == world.resilience.rate_limiter("shared").snapshot().reserved


def test_pyresilience_synchronous_and_asynchronous_callers_share_state(world: World) -> None:
    """One name is one instance, whoever calls."""
    pipeline = world.resilience.pipeline("shared", circuit_breaker(window_size=2, minimum_calls=2))
    with pytest.raises(ConnectionError):
        pipeline.call(fail)
    with pytest.raises(ConnectionError):
        asyncio.run(pipeline.acall(fail_later))
    assert State.OPEN is world.resilience.circuit_breaker("shared").state
    with pytest.raises(CallNotPermittedError):
        pipeline.call(fail)


def test_resilience4j_2164_a_timeout_on_another_thread(world: World) -> None:
    """With `offload` a synchronous function is given up in time."""
    pipeline = world.resilience.pipeline("offloaded", timeout("1s", offload=True))
    assert "done" == pipeline.call(lambda: "done")
    assert threading.current_thread() is not pipeline.call(threading.current_thread)


def test_a_wait_of_a_task_does_not_block_the_loop(world: World) -> None:
    """While one call waits to try again, others run."""
    slow = world.resilience.pipeline("slow", retry(max_attempts=2, delay="1h", jitter=Jitter.NONE))
    order: list[str] = []

    async def other() -> None:
        order.append("other")

    async def failing() -> None:
        order.append("attempt")
        raise ConnectionError

    async def scenario() -> None:
        with pytest.raises(ConnectionError):
            await asyncio.gather(slow.acall(failing), other())

    asyncio.run(scenario())
    assert ["attempt", "other", "attempt"] == order
