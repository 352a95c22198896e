"""Failures that nobody keeps die at once, without the collector, with all that their tracebacks hold."""

from __future__ import annotations

import asyncio
import gc
import traceback
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import pytest

from resilience4cata import (
    FallbackContext,
    Jitter,
    ResilienceError,
    bulkhead,
    circuit_breaker,
    fallback,
    rate_limiter,
    retry,
    timeout,
)

from .ways import World, each_way

S = 1_000_000_000

NOTHING = fallback(lambda context: context.arguments, apply_on=LookupError)
RETRY = retry(name="shared", max_attempts=2, delay="1s", jitter=Jitter.NONE)
BREAKER = circuit_breaker(name="shared", window_size=9, minimum_calls=9)
LIMITER = rate_limiter(name="shared", permits=1000)
TIMEOUT = timeout("1h")
BULKHEAD = bulkhead(name="shared")
ALL = (NOTHING, RETRY, BREAKER, LIMITER, TIMEOUT, BULKHEAD)

NOTE = "resilience4cata: 2 attempts, the last 1.000s after the first failed"

each_kind = pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])


class Marked(Exception):
    """Counts how many of its kind are alive."""

    alive = 0

    def __init__(self) -> None:
        Marked.alive += 1

    def __del__(self) -> None:
        Marked.alive -= 1


@pytest.fixture(autouse=True)
def _without_collector() -> Iterator[None]:
    gc.collect()
    Marked.alive = 0
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Function:
    """Fails with `Marked` as often as it is told to, then gives 1. Each call takes as long as it is told."""

    def __init__(self, world: World, failures: int, takes: int) -> None:
        self.world, self.failures, self.takes = world, failures, takes

    def sync(self) -> int:
        self.world.clock.advance_ns(self.takes)
        if self.failures:
            self.failures -= 1
            raise Marked
        return 1

    async def asynchronous(self) -> int:
        await asyncio.sleep(0)
        return self.sync()


def shown(
    way: str, policies: Sequence[Any], *, asynchronous: bool, failures: int, takes: int = 0
) -> tuple[object, list[int]]:
    """How two calls end, as text where they fail, and how many failures were alive after each."""
    world = World()
    function = Function(world, failures, takes)
    target = function.asynchronous if asynchronous else function.sync
    ends, alive = [], []

    def end() -> object:
        try:
            return call()
        except (Marked, ResilienceError) as failure:
            return last_line(failure)

    async def end_async() -> object:
        # Here, since the task that a failure leaves holds it.
        try:
            return await call()
        except (Marked, ResilienceError) as failure:
            return last_line(failure)

    with world.guarded(way, policies, plain(target, asynchronous=asynchronous), asynchronous=asynchronous) as call:
        for _ in range(2):
            ends.append(asyncio.run(end_async()) if asynchronous else end())
            world.events.clear()
            alive.append(Marked.alive)
    assert ends[0] == ends[1]
    return ends[0], alive


def last_line(failure: BaseException) -> str:
    return "".join(traceback.format_exception(failure)).splitlines()[-1]


def plain(target: Any, *, asynchronous: bool) -> Any:
    """A function, which policies can stand on, that calls a method."""

    def function() -> object:
        return target()

    async def coroutine_function() -> object:
        return await target()

    return coroutine_function if asynchronous else function


@each_way
@each_kind
@pytest.mark.parametrize(
    "policies", [*((policy,) for policy in ALL), ALL], ids=lambda policies: "+".join(p.schema.name for p in policies)
)
def test_call_that_fails(way: str, asynchronous: bool, policies: tuple[Any, ...]) -> None:
    end, alive = shown(way, policies, asynchronous=asynchronous, failures=9)
    last = NOTE if RETRY in policies else f"{__name__}.Marked"
    assert (last, [0, 0]) == (end, alive)


@each_way
@each_kind
def test_call_that_succeeds_at_last(way: str, asynchronous: bool) -> None:
    assert (1, [0, 0]) == shown(way, (RETRY,), asynchronous=asynchronous, failures=1)


@each_way
@each_kind
def test_fallback_that_answers(way: str, asynchronous: bool) -> None:
    answering = (fallback(lambda _: 2), RETRY, BREAKER)
    assert (2, [0, 0]) == shown(way, answering, asynchronous=asynchronous, failures=9)


@each_way
@each_kind
def test_fallback_that_fails(way: str, asynchronous: bool) -> None:
    def fail(context: FallbackContext) -> NoReturn:
        raise Marked

    end, alive = shown(way, (fallback(fail), BREAKER), asynchronous=asynchronous, failures=9)
    assert [0, 0] == alive
    assert str(end).endswith("Marked")


@each_way
def test_result_that_comes_too_late(way: str) -> None:
    end, alive = shown(way, (timeout("1s"), RETRY), asynchronous=False, failures=0, takes=2 * S)
    assert [0, 0] == alive
    assert str(end).endswith("finished, but after more than 1s")
