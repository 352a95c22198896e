"""Threads and cancellations: counts stay exact and nothing stays taken."""

from __future__ import annotations

import asyncio
import threading

import pytest

from resilience4cata import Resilience, bulkhead, circuit_breaker, rate_limiter, retry, timeout
from resilience4cata.testing import ManualClock, ManualScheduler

from ..policies.doubles import in_threads


def test_threads_are_counted_exactly() -> None:
    resilience = Resilience.builder().only("no.module").build()
    policies = (circuit_breaker(failure_rate_threshold=100), bulkhead(max_concurrent=3, max_wait="1m"))
    pipeline = resilience.pipeline("payments", *policies)
    running, most, lock = 0, 0, threading.Lock()

    def work(number: int) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        with lock:
            running -= 1
        if number % 4 == 0:
            raise ConnectionError

    def caller(_: int) -> None:
        for number in range(400):
            if number % 4 == 0:
                with pytest.raises(ConnectionError):
                    pipeline.call(work, number)
            else:
                pipeline.call(work, number)

    in_threads(8, caller)
    total = resilience.circuit_breaker("payments").snapshot().total
    assert (3200, 800) == (total.calls, total.failed)
    assert most <= 3
    assert (0, 3) == resilience.bulkhead("payments").snapshot()[1:3]


@pytest.mark.parametrize("steps", range(12))
def test_cancelled_at_any_point(steps: int) -> None:
    """Whatever the task waits for when it is cancelled: slots are whole, nothing is counted."""
    clock = ManualClock()
    scheduler = ManualScheduler(clock, auto_advance=False)
    resilience = Resilience.builder().only("no.module").clock(clock).scheduler(scheduler).build()
    pipeline = resilience.pipeline(
        "payments",
        retry(delay="1s"),
        circuit_breaker(),
        rate_limiter(permits=1, period="1s", max_wait="1m"),
        timeout("1h"),
        bulkhead(max_concurrent=1, max_wait="1m"),
    )

    async def body() -> str:
        for _ in range(3):
            await asyncio.sleep(0)
        return "done"

    async def main() -> list[object]:
        tasks = [asyncio.create_task(pipeline.acall(body)) for _ in range(3)]
        for step in range(steps):
            await asyncio.sleep(0)
            if step % 3 == 2:
                clock.advance("1s")
        cancelled = [task.cancel() for task in tasks]
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(end, asyncio.CancelledError) or end == "done" for end in found)
        assert [int(c) for c in cancelled] == [task.cancelling() for task in tasks]
        return list(found)

    found = asyncio.run(main())
    assert (0, 1, 0) == resilience.bulkhead("payments").snapshot()[1:]
    assert found.count("done") == resilience.circuit_breaker("payments").snapshot().total.calls
