"""Deadlines: what the running call has left, nested, in threads and tasks, with several clocks."""

from __future__ import annotations

import asyncio
import threading
from contextvars import copy_context

import pytest

from resilience4cata.clock import SYSTEM_CLOCK
from resilience4cata.policies.machines.timeout import (
    DEADLINE,
    current_deadline,
    enter_deadline,
    leave_deadline,
    nearest,
)

from .doubles import MS, ManualClock, S


def test_no_bound() -> None:
    assert (None, None) == (current_deadline(), nearest(ManualClock().monotonic_ns))


def test_what_is_left() -> None:
    """Seconds; never less than nothing."""
    clock = ManualClock()
    token = enter_deadline(clock.now + 2 * S, clock.monotonic_ns)
    try:
        assert 2.0 == current_deadline()
        clock.advance("500ms")
        assert 1.5 == current_deadline()
        clock.advance("3s")
        assert 0.0 == current_deadline()
    finally:
        leave_deadline(token)
    assert current_deadline() is None


@pytest.mark.parametrize(("outer", "inner", "left"), [(5, 1, 1.0), (1, 5, 1.0), (2, 2, 2.0)])
def test_the_nearest_counts(outer: int, inner: int, left: float) -> None:
    clock = ManualClock()
    around = enter_deadline(clock.now + outer * S, clock.monotonic_ns)
    within = enter_deadline(clock.now + inner * S, clock.monotonic_ns)
    assert (left, clock.now + int(left) * S) == (current_deadline(), nearest(clock.monotonic_ns))
    leave_deadline(within)
    assert float(outer) == current_deadline()
    leave_deadline(around)
    assert current_deadline() is None


def test_another_clock_takes_what_is_left() -> None:
    """Two clocks share no zero: only spans carry over."""
    slow, fast = ManualClock(5 * S), ManualClock(9000 * S)
    around = enter_deadline(slow.now + 2 * S, slow.monotonic_ns)
    slow.advance("500ms")
    assert fast.now + 1500 * MS == nearest(fast.monotonic_ns)
    within = enter_deadline(fast.now + 60 * S, fast.monotonic_ns)
    assert (1.5, fast.now + 1500 * MS) == (current_deadline(), nearest(fast.monotonic_ns))
    leave_deadline(within)
    leave_deadline(around)


def test_each_thread_has_its_own() -> None:
    clock = ManualClock()
    seen: list[float | None] = []
    token = enter_deadline(clock.now + S, clock.monotonic_ns)
    for run in (current_deadline, copy_context().run):
        arguments = () if run is current_deadline else (current_deadline,)
        thread = threading.Thread(target=lambda run=run, arguments=arguments: seen.append(run(*arguments)))
        thread.start()
        thread.join()
    leave_deadline(token)
    assert [None, 1.0] == seen


def test_each_task_has_its_own() -> None:
    """A task takes over the deadline of the one that made it, and keeps what it sets to itself."""
    clock = ManualClock()

    async def call(seconds: int) -> float | None:
        token = enter_deadline(clock.now + seconds * S, clock.monotonic_ns)
        try:
            await asyncio.sleep(0)
            return current_deadline()
        finally:
            leave_deadline(token)

    async def scenario() -> None:
        token = enter_deadline(clock.now + 2 * S, clock.monotonic_ns)
        assert (1.0, 2.0, 2.0) == tuple(await asyncio.gather(call(1), call(2), call(3)))
        assert 2.0 == current_deadline()
        leave_deadline(token)

    asyncio.run(scenario())


def test_moments_of_the_system_are_stored_bare() -> None:
    """As the generated wrapper stores them, and so that nothing is made on each call."""
    now = SYSTEM_CLOCK.monotonic_ns
    moment = now() + 3600 * S
    token = enter_deadline(moment, now)
    assert (moment, moment) == (DEADLINE.get(), nearest(now))
    left = current_deadline()
    assert left is not None
    assert 3590 < left <= 3600
    clock = ManualClock()
    within = enter_deadline(clock.now + S, clock.monotonic_ns)
    assert 1.0 == current_deadline()
    leave_deadline(within)
    leave_deadline(token)
