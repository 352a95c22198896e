"""KeyboardInterrupt at any point of a call: nothing stays taken, no lock stays held, no deadline stays set.

The interpreter itself gives no guarantee between a call that changes something and the next instruction. What is taken
therefore belongs to an object from the very step on that takes it, and that object gives it back when it is let go.
Two things are given no such object, since time gives them back: a permit of a rate limiter, which counts for one cycle,
and an entry that was served but not woken, which goes on when its `max_wait` is over.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest

from resilience4cata import (
    BulkheadFullError,
    Jitter,
    bulkhead,
    circuit_breaker,
    current_deadline,
    fallback,
    rate_limiter,
    retry,
    timeout,
)
from resilience4cata.policies.machines.bulkhead import BulkheadMachine, BulkheadSettings

from .bytecodes import NEVER, interrupted, points
from .ways import World, each_way

# A coroutine may be interrupted before its first step, which is a warning and nothing else.
pytestmark = [
    pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning"),
    # A probe that may hang for ever is what these tests are about.
    pytest.mark.filterwarnings("ignore::resilience4cata.ResilienceWarning"),
]

BREAKER = circuit_breaker(
    name="shared", window_size=1, minimum_calls=1, half_open_calls=1, wait_in_open="5s", half_open_max_wait="0"
)
BULKHEAD = bulkhead(name="shared", max_concurrent=1, max_wait="1s")
BOUNDED = retry(name="shared", max_attempts=2, delay="1s", jitter=Jitter.NONE, max_duration="1h")
ALL = (
    fallback(lambda *_: "fallback"),
    BOUNDED,
    BREAKER,
    rate_limiter(name="shared", permits=1000, period="1s"),
    timeout("1h"),
    BULKHEAD,
)


def in_another_thread(call: Callable[[], object]) -> object:
    """The result of a call that no lock of this thread may stop."""
    results: list[object] = []
    thread = threading.Thread(target=lambda: results.append(call()), daemon=True)
    thread.start()
    thread.join(timeout=60)
    assert not thread.is_alive(), "a lock is still held"
    return results[0]


@contextmanager
def guarded(way: str, *policies: Any) -> Iterator[tuple[World, Callable[[Callable[[], object]], object]]]:
    """A world, and what runs a function within the policies."""
    world = World()

    def run(function: Callable[[], object]) -> object:
        return function()

    with world.guarded(way, policies, run) as call:
        # From 3.12 on, code is made traceable by the first call that is traced.
        for _ in range(2):
            interrupted(lambda: call(lambda: None), NEVER)
        yield world, call


@each_way
@pytest.mark.parametrize("policies", [(BULKHEAD,), ALL], ids=["alone", "all"])
def test_every_point_is_reached(way: str, policies: tuple[Any, ...]) -> None:
    """What is interrupted at one point leaves none out the next time, so that the tests below see all of them."""
    with guarded(way, *policies) as (_, call):
        expected = points(lambda: call(lambda: "done"))
        assert [True] * expected == [bool(interrupted(lambda: call(lambda: "done"), at)) for at in range(expected)]
        assert expected == points(lambda: call(lambda: "done")) > 0


@each_way
@pytest.mark.parametrize("policies", [(BULKHEAD,), ALL], ids=["alone", "all"])
def test_slots(way: str, policies: tuple[Any, ...]) -> None:
    with guarded(way, *policies) as (world, call):
        for at in count():
            place = interrupted(lambda: call(lambda: "done"), at)
            assert (1, 0, 1, 0) == world.resilience.bulkhead("shared").snapshot(), place
            assert "done" == in_another_thread(lambda: call(lambda: "done")), place
            if not place:
                break
        assert at > 0


def test_slots_that_are_made() -> None:
    """All but the first are put there by the first call that finds none."""

    def second() -> None:
        entry = machine.entry()
        try:
            assert entry.try_enter()
        finally:
            entry.leave()

    for at in count():
        machine = BulkheadMachine(BulkheadSettings(3, 0))
        first = machine.entry()
        assert first.try_enter()
        place = interrupted(second, at)
        assert (3, 1, 2, 0) == machine.snapshot(), place
        first.leave()
        entries = [machine.entry() for _ in range(4)]
        assert [True, True, True, False] == [entry.try_enter() for entry in entries], place
        if not place:
            break
    assert at > 0


@each_way
def test_the_queue_of_a_bulkhead(way: str) -> None:
    """Interrupted where it waits in vain for the slot of the call that it is within."""

    def within() -> object:
        try:
            return call(lambda: "never")
        except BulkheadFullError:
            return "full"

    with guarded(way, BULKHEAD) as (world, call):
        for at in count():
            place = interrupted(lambda: call(within), at)
            assert (1, 0, 1, 0) == world.resilience.bulkhead("shared").snapshot(), place
            assert "full" == in_another_thread(lambda: call(within)), place
            if not place:
                break
        assert at > 0


@each_way
@pytest.mark.parametrize("policies", [(BREAKER,), ALL], ids=["alone", "all"])
def test_probes(way: str, policies: tuple[Any, ...]) -> None:
    """The only probe of a half-open breaker without a bound is given back, or counted."""
    with guarded(way, *policies) as (world, call):
        breaker = world.resilience.circuit_breaker("shared")
        for at in count():
            world.scheduler.waits.clear()
            breaker.reset()
            call_to_fail(call)
            world.clock.advance("5s")
            assert "HALF_OPEN" == breaker.state.name
            place = interrupted(lambda: call(lambda: "done"), at)
            assert "done" == in_another_thread(lambda: call(lambda: "done")), place
            assert "CLOSED" == breaker.state.name, place
            if not place:
                break
        assert at > 0


def call_to_fail(call: Callable[[Callable[[], object]], object]) -> None:
    def fail() -> object:
        raise ConnectionError

    try:
        call(fail)
    except ConnectionError:
        return


@each_way
@pytest.mark.parametrize("policy", [timeout("1h"), BOUNDED], ids=["timeout", "retry"])
def test_deadlines(way: str, policy: Any) -> None:
    """No deadline of an interrupted call counts for those that come after it in the same thread."""
    with guarded(way, policy) as (_, call):
        for at in count():
            place = interrupted(lambda: call(lambda: "done"), at)
            assert current_deadline() is None, place
            if not place:
                break
        assert at > 0
