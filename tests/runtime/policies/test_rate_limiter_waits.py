"""The rate limiter under threads, and under calls that are cancelled or interrupted while they wait."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest

from resilience4cata.policies.machines.waits import permit, permit_async

from .doubles import ManualScheduler, S, in_threads, settle
from .limiters import C, Limited


class TestThreads:
    @pytest.mark.parametrize("permits", [7, 5_000])
    def test_never_more_than_the_permits(self, permits: int) -> None:
        """Eight threads while cycles turn: each cycle gives exactly its permits."""
        limited = Limited(permits, C)
        limited.machine.turn(limited.clock.now)
        given: list[list[int]] = [[] for _ in range(8)]

        def work(index: int) -> None:
            for _ in range(10_000):
                # The end read before and after tells for certain which cycle a permit is of.
                before = limited.machine.end
                if limited.quick() and limited.machine.end == before:
                    given[index].append(before)

        in_threads(8, work)
        assert min(permits, 80_000) == sum(map(len, given))
        for _ in range(20):
            limited.clock.now += C
            for taken in given:
                taken.clear()
            in_threads(8, partial(take_all, limited, given, permits))
            assert permits == sum(map(len, given))

    def test_turning_while_taking(self) -> None:
        """One thread moves time: all permits of all cycles together are never exceeded."""
        limited = Limited(10, C)
        taken = [0] * 8

        def work(index: int) -> None:
            for number in range(10_000):
                if index == 0 and number % 100 == 0:
                    limited.clock.now += C
                taken[index] += limited.quick()

        in_threads(8, work)
        assert 10 <= sum(taken) <= 10 * 101

    def test_reservations_are_exact(self) -> None:
        """Eight threads reserve and give back: nothing stays reserved, and no cycle is overbooked."""
        limited = Limited(2, C)
        now = limited.clock.now
        limited.quick()
        limited.quick()
        most = [0] * 8

        def work(index: int) -> None:
            for _ in range(1_000):
                reservation, wait, _ = limited.machine.reserve(now, 100 * C)
                most[index] = max(most[index], wait)
                assert reservation is not None
                limited.machine.give_back(reservation, now)

        in_threads(8, work)
        assert max(most) <= 4 * C
        assert (0, 0, 0) == limited.machine.snapshot(now)


def take_all(limited: Limited, given: list[list[int]], permits: int, index: int) -> None:
    for _ in range(permits):
        if limited.quick():
            given[index].append(limited.machine.end)


class TestCancellation:
    def test_while_waiting(self) -> None:
        """A cancelled task gives its reservation back, whether its cycle has begun or not."""

        async def scenario(passed: str) -> None:
            limited = Limited(1, C, max_wait=C)
            scheduler = ManualScheduler(limited.clock, advancing=False)
            limited.quick()
            task = asyncio.ensure_future(
                permit_async(limited.machine, limited.clock, scheduler, limited.events.channel)
            )
            await settle()
            limited.clock.advance(passed)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            limited.clock.now = max(limited.clock.now, 1000 * S + C)
            assert (1, 0, 0) == limited.machine.snapshot(limited.clock.now)
            assert limited.call() is None

        for passed in ("0", "100ms", "250ms"):
            asyncio.run(scenario(passed))

    def test_a_wait_that_ends(self) -> None:
        async def scenario() -> None:
            limited = Limited(1, C, max_wait=C)
            limited.quick()
            for waits in ([C], [C, C]):
                assert await self.call(limited) is None
                assert waits == limited.scheduler.waits

        asyncio.run(scenario())

    def test_a_refused_task_does_not_wait(self) -> None:
        async def scenario() -> None:
            limited = Limited(1, C)
            limited.quick()
            assert C == await self.call(limited)
            assert [] == limited.scheduler.waits

        asyncio.run(scenario())

    async def call(self, limited: Limited) -> int | None:
        return await permit_async(limited.machine, limited.clock, limited.scheduler, limited.events.channel)

    def test_an_interrupted_thread(self) -> None:
        class Interrupting(ManualScheduler):
            def wait(self, nanoseconds: int, **others: Any) -> None:
                raise KeyboardInterrupt

        limited = Limited(1, C, max_wait=C)
        limited.quick()
        with pytest.raises(KeyboardInterrupt):
            permit(limited.machine, limited.clock, Interrupting(limited.clock), limited.events.channel)
        assert (0, 0, 0) == limited.machine.snapshot(limited.clock.now)
