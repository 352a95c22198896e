"""Calls whose time is that of the system: deadlines stand bare in the context variable, and in seconds."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import copy_context
from typing import Any

import pytest

from resilience4cata import (
    Jitter,
    RateLimitExceededError,
    Resilience,
    TimeoutExceededError,
    current_deadline,
    rate_limiter,
    retry,
    timeout,
)
from resilience4cata.policies.machines.timeout import DEADLINE
from tests.runtime.fire.bytecodes import NEVER, interrupted

from .twins import Fault

HOUR = 3600


@pytest.fixture(autouse=True)
def active() -> Iterator[None]:
    with Resilience.builder().only("no.module").build().activate():
        yield


def within(limit: str, call: Callable[[], Any], *, asynchronous: bool = False) -> Any:
    """What a call gives that is made by a function with a timeout."""

    @timeout(limit)
    def outer() -> Any:
        return call()

    @timeout(limit)
    async def outer_async() -> Any:
        return call()

    return asyncio.run(outer_async()) if asynchronous else outer()


def whole_hours() -> int | None:
    """What is left, which in an hour of real time is never quite an hour."""
    left = current_deadline()
    return None if left is None else round(left / HOUR)


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_stored_bare(asynchronous: bool) -> None:
    """A float, in seconds, and nothing once the call has ended."""
    before = time.monotonic()
    stored = within("1h", DEADLINE.get, asynchronous=asynchronous)
    assert before + HOUR <= stored <= time.monotonic() + HOUR
    assert DEADLINE.get() is None


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize(("outer", "inner", "left"), [("5h", "1h", 1), ("1h", "5h", 1), ("2h", "2h", 2)])
def test_the_nearest_counts(outer: str, inner: str, left: int, asynchronous: bool) -> None:
    seen: list[int | None] = []

    def call() -> None:
        seen.append(within(inner, whole_hours))
        seen.append(whole_hours())

    within(outer, call, asynchronous=asynchronous)
    assert [left, int(outer[0]), None] == [*seen, whole_hours()]


def test_inherited_by_threads() -> None:
    """By those that are given the context, and only by those, however long they outlive the call."""
    seen: list[int | None] = []
    threads = []
    ended = threading.Event()

    def look() -> None:
        ended.wait()
        seen.append(whole_hours())

    def call() -> None:
        threads.extend([threading.Thread(target=look), threading.Thread(target=copy_context().run, args=[look])])

    within("1h", call)
    within("5h", ended.set)
    for thread in threads:
        thread.start()
        thread.join()
    assert [None, 1] == seen


def test_inherited_by_tasks() -> None:
    """Also by those that a synchronous function starts, which it cannot wait for."""

    async def look() -> int | None:
        return whole_hours()

    async def main() -> tuple[int | None, int | None]:
        task: asyncio.Task[int | None] = within("1h", lambda: asyncio.create_task(look()))
        return await task, await look()

    assert (1, None) == asyncio.run(main())


def test_inherited_by_an_event_loop() -> None:
    async def main() -> int | None:
        return whole_hours()

    assert 1 == within("1h", lambda: asyncio.run(main()))


def test_a_wait_beyond_the_deadline() -> None:
    """A retry does not wait for longer than the call around it has time."""
    executions: list[int | None] = []

    @retry(delay="2h", max_delay="2h", jitter=Jitter.NONE)
    def fail() -> None:
        executions.append(whole_hours())
        raise Fault

    with pytest.raises(Fault):
        within("1h", fail)
    assert [1] == executions


def test_too_late() -> None:
    def linger() -> None:
        end = time.monotonic_ns() + 2_000
        while time.monotonic_ns() < end:
            pass

    for _ in range(3):
        with pytest.raises(TimeoutExceededError) as caught:
            within("1us", linger)
        assert (True, 1e-6) == (caught.value.completed, caught.value.limit)


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_failures_pass(asynchronous: bool) -> None:
    def fail() -> None:
        raise Fault

    with pytest.raises(Fault):
        within("1h", fail, asynchronous=asynchronous)
    assert DEADLINE.get() is None


def test_permits() -> None:
    """The cycle that began with the first call lasts."""

    @rate_limiter(permits=3, period="1h")
    def charge() -> str:
        return "done"

    assert ["done"] * 3 == [charge() for _ in range(3)]
    with pytest.raises(RateLimitExceededError) as caught:
        charge()
    assert caught.value.retry_after is not None
    assert HOUR - 60 < caught.value.retry_after <= HOUR


def test_frozen_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries that freeze time replace the functions in `time` and in every module that holds them: not ours."""
    clocks = (time.monotonic, time.monotonic_ns)
    modules = [(name, vars(module)) for name, module in sys.modules.items() if name.startswith("resilience4cata")]
    assert [] == [(name, key) for name, held in modules for key, value in held.items() if value in clocks]
    monkeypatch.setattr(time, "monotonic", lambda: 0.0)
    monkeypatch.setattr(time, "monotonic_ns", lambda: 0)
    assert [5, 1, 1] == [
        within("5h", whole_hours),
        within("1h", lambda: within("5h", whole_hours)),
        within("5h", lambda: within("1h", whole_hours)),
    ]


@pytest.mark.parametrize("around", [None, 5], ids=["alone", "nested"])
def test_interrupted(around: int | None) -> None:
    """Wherever an interrupt comes, the deadline that counts afterwards is the one that counted before."""

    @timeout("1h")
    def charge() -> None:
        return

    def interrupted_everywhere() -> int:
        for _ in range(2):
            interrupted(charge, NEVER)
        for at in range(1_000):
            place = interrupted(charge, at)
            assert around == whole_hours(), place
            if not place:
                return at
        raise AssertionError

    assert 0 < (within("5h", interrupted_everywhere) if around else interrupted_everywhere())
