"""Cancellation at every point at which a call can suspend, for every set of policies."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from itertools import combinations
from typing import Any

import pytest

from resilience4cata import Jitter, bulkhead, circuit_breaker, fallback, rate_limiter, retry, timeout
from resilience4cata.clock import finish

from .interrupting import Interrupted, run
from .ways import World, each_way

# A probe that may hang for ever is what these tests are about.
pytestmark = pytest.mark.filterwarnings("ignore::resilience4cata.ResilienceWarning")

Call = Callable[[], Coroutine[Any, Any, str]]

POLICIES: dict[str, Any] = {
    "fallback": fallback(lambda context: "fallback"),
    "retry": retry(name="shared", max_attempts=3, delay="1s", jitter=Jitter.NONE),
    "circuit_breaker": circuit_breaker(name="shared", window_size=99, minimum_calls=99),
    "rate_limiter": rate_limiter(name="shared", permits=1, period="1s", max_wait="1h"),
    "timeout": timeout("1h"),
    "bulkhead": bulkhead(name="shared", max_concurrent=1, max_wait="1h"),
}
SETS = [names for size in range(1, 7) for names in combinations(POLICIES, size)]
FEW_SETS = [names for names in SETS if len(names) in (1, 2, 6)]

PROBING = circuit_breaker(
    name="shared", window_size=1, minimum_calls=1, half_open_calls=1, wait_in_open="5s", half_open_max_wait="0"
)


class Failing(Exception):
    """What ends a task group."""


class Cancelled:
    """The task itself is cancelled."""

    async def run(self, call: Coroutine[Any, Any, str], at: int, *, late: bool) -> bool:
        task = asyncio.current_task()
        assert task is not None
        interrupted = Interrupted(call, at, task.cancel, late=late)
        try:
            await interrupted
        except asyncio.CancelledError:
            assert 1 == task.cancelling()
            task.uncancel()
            return True
        assert not interrupted.reached
        return False


class OuterTimeout:
    """The time of an `asyncio.timeout` around the call is over."""

    async def run(self, call: Coroutine[Any, Any, str], at: int, *, late: bool) -> bool:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        try:
            async with asyncio.timeout(None) as scope:
                await Interrupted(call, at, lambda: scope.reschedule(loop.time()), late=late)
                scope.reschedule(None)
        except TimeoutError:
            assert 0 == task.cancelling()
            return True
        return False


class TaskGroup:
    """Another task of the group fails."""

    async def run(self, call: Coroutine[Any, Any, str], at: int, *, late: bool) -> bool:
        fails = asyncio.Event()

        async def fail() -> None:
            await fails.wait()
            raise Failing

        task = asyncio.current_task()
        assert task is not None
        interrupted = False
        try:
            async with asyncio.TaskGroup() as group:
                other = group.create_task(fail())
                await Interrupted(call, at, fails.set, late=late)
                other.cancel()
        except* Failing:
            assert 0 == task.cancelling()
            interrupted = True
        return interrupted


CONTEXTS = [Cancelled(), OuterTimeout(), TaskGroup()]
each_context = pytest.mark.parametrize("context", CONTEXTS, ids=lambda context: type(context).__name__)


def function(failures: Iterator[bool]) -> Callable[[], Awaitable[str]]:
    """What suspends several times, for nothing and at last for a future; then it fails or not."""

    async def body() -> str:
        for _ in range(4):
            await asyncio.sleep(0)
        future = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(finish, future)
        await future
        if next(failures, False):
            raise ConnectionError
        return "done"

    return body


def taken_from(failures: list[bool]) -> Iterator[bool]:
    """The values of a list that may be filled again."""
    while True:
        yield bool(failures and failures.pop())


async def finished(world: World, *tasks: asyncio.Task[Any]) -> None:
    """Let time pass, a second for every four turns of the loop, until all tasks have ended."""
    for turn in range(400):
        await asyncio.sleep(0)
        if all(task.done() for task in tasks):
            return
        if turn % 4 == 3:
            world.clock.advance("1s")
    raise AssertionError


def whole(world: World, names: tuple[str, ...]) -> None:
    """No slot is taken, nobody waits for one, and no permit is reserved."""
    if "bulkhead" in names:
        assert (1, 0, 1, 0) == world.resilience.bulkhead("shared").snapshot()
    if "rate_limiter" in names:
        assert 0 == world.resilience.rate_limiter("shared").snapshot().reserved


async def every_point(world: World, call: Call, context: Any, names: tuple[str, ...], *, late: bool) -> int:
    """Interrupt a call that two others stand in the way of, at one point after another: the number of points."""
    for at in range(100):
        others = [asyncio.create_task(call()) for _ in range(2)]
        await asyncio.sleep(0)
        victim = asyncio.create_task(context.run(call(), at, late=late))
        await finished(world, victim, *others)
        assert ["done"] * 2 == [other.result() for other in others]
        whole(world, names)
        if not victim.result():
            return at
    raise AssertionError


@each_way
@each_context
@pytest.mark.parametrize("late", [False, True], ids=["while it waits", "before it goes on"])
def test_nothing_stays_taken(way: str, context: Any, late: bool) -> None:
    """Wherever it is cancelled, slots and permits are whole, others are not disturbed, and `cancelling()` is right."""
    points = 0
    sets = SETS if isinstance(context, Cancelled) else FEW_SETS
    for names in sets:
        world = World(auto_advance=False)
        policies = [POLICIES[name] for name in names]
        with world.guarded(way, policies, function(iter(())), asynchronous=True) as call:
            points += run(every_point(world, call, context, names, late=late))
    assert points > 2 * len(sets)


async def every_point_of_a_retry(world: World, call: Call, failures: list[bool], names: tuple[str, ...]) -> int:
    for at in range(100):
        failures[:] = [True]
        victim = asyncio.create_task(Cancelled().run(call(), at, late=False))
        await finished(world, victim)
        whole(world, names)
        if not victim.result():
            return at
    raise AssertionError


@each_way
def test_no_further_attempt(way: str) -> None:
    """Also where it is cancelled between two attempts."""
    points = []
    for names in [names for names in SETS if "retry" in names]:
        world, failures = World(auto_advance=False), [False]
        body = function(taken_from(failures))
        with world.guarded(way, [POLICIES[name] for name in names], body, asynchronous=True) as call:
            points.append(run(every_point_of_a_retry(world, call, failures, names)))
    assert min(points) >= 5


async def every_point_of_a_probe(world: World, call: Call, context: Any, failures: list[bool], *, late: bool) -> int:
    for at in range(100):
        failures[:] = [True]
        opening = asyncio.create_task(call())
        await finished(world, opening)
        opening.exception()
        world.clock.advance("5s")
        assert "HALF_OPEN" == world.resilience.circuit_breaker("shared").state.name
        victim = asyncio.create_task(context.run(call(), at, late=late))
        await finished(world, victim)
        next_one = asyncio.create_task(call())
        await finished(world, next_one)
        assert ("done", "CLOSED") == (next_one.result(), world.resilience.circuit_breaker("shared").state.name)
        if not victim.result():
            return at
    raise AssertionError


@each_way
@each_context
def test_the_probe_is_given_back(way: str, context: Any) -> None:
    """A half-open breaker of one probe without a bound lets the next call through, wherever the first was cancelled."""
    sets = SETS if isinstance(context, Cancelled) else FEW_SETS
    for names in [names for names in sets if "circuit_breaker" in names]:
        world, failures = World(auto_advance=False), [False]
        policies = [PROBING if name == "circuit_breaker" else POLICIES[name] for name in names]
        body = function(taken_from(failures))
        with world.guarded(way, policies, body, asynchronous=True) as call:
            assert run(every_point_of_a_probe(world, call, context, failures, late=False)) >= 2
