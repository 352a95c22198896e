"""Many threads, and several event loops, on one named instance: every count is exact."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from resilience4cata import (
    CallNotPermittedError,
    Resilience,
    bulkhead,
    circuit_breaker,
    rate_limiter,
    retry,
)

from ..policies.doubles import in_threads
from .ways import Properties, World, each_way, guarded

THREADS = 8


class Inside:
    """How many are inside at a time, and how many there were at most; `append` and `pop` are single steps."""

    def __init__(self) -> None:
        self.now: list[None] = []
        self.most = 0

    def __enter__(self) -> None:
        self.now.append(None)
        self.most = max(self.most, len(self.now))

    def __exit__(self, *_: object) -> None:
        self.now.pop()


# Large enough.
BUDGET = Properties("resilience4cata.budgets.shared.percent=20\nresilience4cata.budgets.shared.ttl=1d")


@each_way
@pytest.mark.parametrize("calls", [pytest.param(10_000, marks=pytest.mark.slow), 500])
def test_every_call_is_counted(way: str, calls: int) -> None:
    """Every tenth call fails at its first attempt; the bulkhead never holds more than three."""
    resilience = Resilience.builder().only("no.module").source(BUDGET).build()
    inside, failed = Inside(), set[tuple[int, int]]()

    def work(thread: int, number: int) -> int:
        with inside:
            if number % 10 == 0 and (thread, number) not in failed:
                failed.add((thread, number))
                raise ConnectionError
            return number

    policies = [
        retry(name="shared", max_attempts=2, delay="1us", budget="shared"),
        circuit_breaker(name="shared", failure_rate_threshold=100),
        rate_limiter(name="shared", permits=1_000_000, period="1d"),
        bulkhead(name="shared", max_concurrent=3, max_wait="1h"),
    ]
    with guarded(way, resilience, policies, work, asynchronous=False) as call:
        in_threads(THREADS, lambda thread: [call(thread, number) for number in range(calls)])
    total, failures = THREADS * calls, THREADS * calls // 10
    snapshot = resilience.snapshot()
    assert (total + failures, failures) == snapshot.circuit_breakers["shared"].total[:2]
    assert (1_000_000 - total - failures, 0, 0) == snapshot.rate_limiters["shared"]
    assert (3, 0, 3, 0) == snapshot.bulkheads["shared"]
    assert (total, failures) == snapshot.retry_budgets["shared"][:2]
    assert inside.most <= 3


@each_way
def test_no_more_probes_than_may(way: str) -> None:
    """Of fifty threads that arrive at the moment of recovery exactly three run; all others are refused."""
    world = World()
    breaker = circuit_breaker(name="shared", window_size=2, minimum_calls=2, wait_in_open="5s", half_open_calls=3)
    refused: list[None] = []
    entered = threading.Semaphore(0)
    go_on = threading.Event()

    def work(mode: str) -> None:
        if mode == "fail":
            raise ConnectionError
        entered.release()
        assert go_on.wait(timeout=60)

    with world.guarded(way, [breaker], work) as call:
        for _ in range(2):
            with pytest.raises(ConnectionError):
                call("fail")
        world.clock.advance("5s")

        def caller(_: int) -> None:
            try:
                call("stay")
            except CallNotPermittedError:
                refused.append(None)
                if len(refused) == 47:
                    go_on.set()

        in_threads(50, caller)
    assert 47 == len(refused)
    assert 3 == entered._value
    assert ("CLOSED", 47) == (
        world.resilience.circuit_breaker("shared").state.name,
        world.resilience.circuit_breaker("shared").snapshot().not_permitted,
    )


@each_way
def test_threads_and_event_loops_share_one_state(way: str) -> None:
    """Three threads that call and three event loops of ten tasks each: never more than two inside together."""
    resilience = Resilience.builder().only("no.module").build()
    inside = Inside()
    policies = [circuit_breaker(name="shared"), bulkhead(name="shared", max_concurrent=2, max_wait="1h")]
    calls = 40

    def work() -> None:
        with inside:
            threading.Event().wait(0)

    async def work_async() -> None:
        with inside:
            await asyncio.sleep(0)

    async def tasks(call: Callable[[], Any]) -> None:
        async def repeat() -> None:
            for _ in range(calls // 10):
                await call()

        async with asyncio.TaskGroup() as group:
            for _ in range(10):
                group.create_task(repeat())

    def of_thread(number: int, call: Callable[[], Any], call_async: Callable[[], Any]) -> None:
        if number % 2:
            asyncio.run(tasks(call_async))
            return
        for _ in range(calls):
            call()

    with (
        guarded(way, resilience, policies, work, asynchronous=False) as call,
        guarded(way, resilience, policies, work_async, asynchronous=True) as call_async,
    ):
        in_threads(6, lambda number: of_thread(number, call, call_async))
    assert inside.most <= 2
    assert 6 * calls == resilience.circuit_breaker("shared").snapshot().total.calls
    assert (2, 0, 2, 0) == resilience.bulkhead("shared").snapshot()
