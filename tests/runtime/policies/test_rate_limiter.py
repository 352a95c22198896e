"""The rate limiter's cycles and reservations: the table of the cases, a naive model, threads and cancellation."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from resilience4cata.events import RateLimitDelayed, RateLimitExceeded
from resilience4cata.policies.machines.rate_limiter import RateLimiterMachine, RateLimiterSettings, Reservation
from resilience4cata.policies.machines.waits import permit, permit_async

from .doubles import MS, ManualClock, ManualScheduler, RecordedEvents, S, in_threads, settle

C = 250 * MS


class Limited:
    """A rate limiter with a clock, called as the generated wrapper calls it."""

    def __init__(self, permits: int, period: int, max_wait: int = 0, events: RecordedEvents | None = None) -> None:
        self.events = events or RecordedEvents("payments", "rate_limiter")
        self.clock = ManualClock()
        self.scheduler = ManualScheduler(self.clock)
        self.machine = RateLimiterMachine(RateLimiterSettings(permits, period, max_wait), self.events.channel)

    def quick(self) -> bool:
        """The quick way."""
        if self.clock.now >= self.machine.end:
            self.machine.turn(self.clock.now)
        try:
            self.machine.take()
        except StopIteration:
            return False
        return True

    def call(self, deadline: int | None = None) -> int | None:
        """One call; None if it ran, else when a try may pass."""
        if self.quick():
            return None
        return permit(self.machine, self.clock, self.scheduler, self.events.channel, deadline)


class TestTable:
    """Each row of the table: 1 per 250ms, times in cycles."""

    def test_no_wait(self) -> None:
        limited = Limited(1, C)
        limited.clock.now += C
        assert [None, C] == [limited.call(), limited.call()]
        assert [] == limited.scheduler.waits

    def test_waits_one_cycle(self) -> None:
        limited = Limited(1, C, max_wait=C)
        start = limited.clock.now
        assert [None, None] == [limited.call(), limited.call()]
        assert start + C == limited.clock.now

    def test_the_third_is_refused_without_consuming(self) -> None:
        limited = Limited(1, C, max_wait=C)
        now = limited.clock.now
        assert limited.quick()
        assert limited.machine.reserve(now, C).reservation is not None
        for _ in range(3):
            assert (None, 2 * C) == limited.machine.reserve(now, C)[:2]
        assert (0, 1, 3) == limited.machine.snapshot(now)
        limited.clock.now += C
        assert not limited.quick()
        limited.clock.now += C
        assert limited.quick()

    def test_idle_cycles_add_nothing(self) -> None:
        limited = Limited(1, C)
        assert limited.call() is None
        limited.clock.now += 5 * C
        assert [None, C] == [limited.call(), limited.call()]

    def test_a_reservation_is_given_back(self) -> None:
        limited = Limited(1, C, max_wait=C)
        now = limited.clock.now
        assert limited.quick()
        reservation = limited.machine.reserve(now, C).reservation
        assert reservation is not None
        limited.machine.give_back(reservation, now)
        limited.machine.give_back(reservation, now)
        assert (0, 0, 0) == limited.machine.snapshot(now)
        limited.clock.now += C
        assert limited.quick()
        assert not limited.quick()

    def test_nine_calls_of_three_a_cycle(self) -> None:
        limited = Limited(3, 10 * MS, max_wait=12 * MS)
        answers = []
        for _ in range(9):
            if limited.quick():
                answers.append("runs")
                continue
            reservation, wait, _ = limited.machine.reserve(limited.clock.now, 12 * MS)
            answers.append("refused" if reservation is None else f"waits {wait // MS}ms")
        assert ["runs"] * 3 + ["waits 10ms"] * 3 + ["refused"] * 3 == answers

    def test_around_a_boundary(self) -> None:
        """The last of one cycle and the first of the next: twice the permits, as documented, and no more."""
        limited = Limited(5, C)
        limited.quick()
        limited.clock.now += C - 1
        late = sum(limited.quick() for _ in range(20))
        limited.clock.now += 1
        assert (4, 5) == (late, sum(limited.quick() for _ in range(20)))


class TestCycles:
    """When cycles begin, and what happens between them."""

    def test_aligned_to_the_first_use(self) -> None:
        limited = Limited(1, C)
        limited.clock.now += 77 * MS
        start = limited.clock.now
        limited.quick()
        limited.clock.now += 7 * C + 100 * MS
        limited.quick()
        assert start + 8 * C == limited.machine.end

    def test_a_permit_given_back_in_its_cycle(self) -> None:
        """A waiter that is cancelled after its cycle began leaves the permit to the next call of that cycle."""
        limited = Limited(1, C, max_wait=C)
        limited.quick()
        reservation = limited.machine.reserve(limited.clock.now, C).reservation
        assert reservation is not None
        limited.clock.now += C
        assert not limited.quick()
        limited.machine.give_back(reservation, limited.clock.now)
        assert [None, None] == [limited.call(), limited.call()]
        assert [C] == limited.scheduler.waits

    def test_a_permit_given_back_too_late_is_lost(self) -> None:
        limited = Limited(1, C, max_wait=C)
        limited.quick()
        reservation = limited.machine.reserve(limited.clock.now, C).reservation
        assert reservation is not None
        limited.clock.now += 2 * C
        limited.machine.give_back(reservation, limited.clock.now)
        assert (1, 0, 0) == limited.machine.snapshot(limited.clock.now)

    def test_a_gap_is_taken_first(self) -> None:
        """The second of three waiters is cancelled: the next one gets its cycle."""
        limited = Limited(1, C)
        now = limited.clock.now
        limited.quick()
        waiters = [limited.machine.reserve(now, 9 * C) for _ in range(3)]
        assert [C, 2 * C, 3 * C] == [waiter.wait for waiter in waiters]
        assert waiters[1].reservation is not None
        limited.machine.give_back(waiters[1].reservation, now)
        assert [2 * C, 4 * C] == [limited.machine.reserve(now, 9 * C).wait for _ in range(2)]

    def test_a_wait_beyond_the_deadline_is_refused_at_once(self) -> None:
        limited = Limited(1, C, max_wait=4 * C)
        limited.quick()
        assert C == limited.call(deadline=limited.clock.now + C - 1)
        assert (0, 0, 1) == limited.machine.snapshot(limited.clock.now)
        assert limited.call(deadline=limited.clock.now + C) is None

    def test_nothing_before_the_first_use(self) -> None:
        limited = Limited(3, C)
        assert (3, 0, 0) == limited.machine.snapshot(limited.clock.now)
        limited.machine.reconfigure(RateLimiterSettings(5, C, 0), limited.clock.now)
        assert 5 == sum(limited.quick() for _ in range(9))


class TestReconfigure:
    """Other limits count from the next cycle on, and keep reservations."""

    def test_from_the_next_cycle_on(self) -> None:
        limited = Limited(2, C)
        limited.quick()
        limited.machine.reconfigure(RateLimiterSettings(5, C, 0), limited.clock.now)
        assert 1 == sum(limited.quick() for _ in range(9))
        limited.clock.now += C
        assert 5 == sum(limited.quick() for _ in range(9))

    def test_reservations_stay(self) -> None:
        """Four wait for two cycles of two; the limit falls to one: they keep their moments, newcomers come after."""
        limited = Limited(2, C)
        now = limited.clock.now
        assert [True, True] == [limited.quick(), limited.quick()]
        assert [C, C, 2 * C, 2 * C] == [limited.machine.reserve(now, 9 * C).wait for _ in range(4)]
        limited.machine.reconfigure(RateLimiterSettings(1, C, 0), now)
        assert 3 * C == limited.machine.reserve(now, 9 * C).wait
        limited.clock.now += C
        assert not limited.quick()

    def test_more_permits_for_cycles_that_were_full(self) -> None:
        limited = Limited(1, C)
        now = limited.clock.now
        limited.quick()
        assert [C, 2 * C] == [limited.machine.reserve(now, 9 * C).wait for _ in range(2)]
        limited.machine.reconfigure(RateLimiterSettings(2, C, 0), now)
        assert [C, 2 * C, 3 * C, 3 * C] == [limited.machine.reserve(now, 9 * C).wait for _ in range(4)]

    def test_another_period(self) -> None:
        """Reservations count in the new cycle that their moment lies in, also after several changes."""
        limited = Limited(1, 100 * MS)
        now = limited.clock.now
        limited.quick()
        waiters = [limited.machine.reserve(now, S) for _ in range(5)]
        for period in (70, 30, 250):
            limited.machine.reconfigure(RateLimiterSettings(3, period * MS, 0), now)
        # The running cycle ends at 100ms; then 100..350ms (three reservations), 350..600ms (two).
        assert [350 * MS, 600 * MS] == [limited.machine.reserve(now, S).wait for _ in range(2)]
        for waiter in waiters:
            assert waiter.reservation is not None
            limited.machine.give_back(waiter.reservation, now)
        assert (0, 2, 0) == limited.machine.snapshot(now)


class TestEvents:
    def test_refused_and_delayed(self) -> None:
        limited = Limited(1, C, max_wait=C)
        limited.call()
        limited.call()
        limited.call(deadline=limited.clock.now)
        delayed, refused = limited.events.seen
        assert isinstance(delayed, RateLimitDelayed)
        assert isinstance(refused, RateLimitExceeded)
        assert (C, C) == (delayed.wait, refused.retry_after)


class NaiveLimiter:
    """Keeps the cycle of every permit that was ever given."""

    def __init__(self, permits: int) -> None:
        self.permits = permits
        self.start = -1
        self.given: list[int] = []

    def cycle(self, now: int) -> int:
        if self.start < 0:
            self.start = now
        return (now - self.start) // C

    def first_free(self, now: int) -> int:
        cycle = self.cycle(now)
        while self.given.count(cycle) >= self.permits:
            cycle += 1
        return cycle

    def wait_for(self, cycle: int, now: int) -> int:
        return max(0, self.start + cycle * C - now)


class AgainstModel(RuleBasedStateMachine):
    """Calls that run, wait, are refused or cancelled, while time passes and the limit changes."""

    @initialize(permits=st.integers(1, 3))
    def make(self, permits: int) -> None:
        self.limited = Limited(permits, C)
        self.model = NaiveLimiter(permits)
        self.waiting: list[tuple[Reservation, int]] = []
        self.refused = 0

    @rule()
    def quick(self) -> None:
        now = self.limited.clock.now
        cycle = self.model.cycle(now)
        # What was given back is left to the slower way.
        if self.limited.quick():
            assert self.model.given.count(cycle) < self.model.permits
            self.model.given.append(cycle)

    @rule(longest=st.sampled_from([0, C - 1, C, 2 * C, 5 * C]))
    def reserve(self, longest: int) -> None:
        now = self.limited.clock.now
        reservation, wait, _ = self.limited.machine.reserve(now, longest)
        cycle = self.model.first_free(now)
        assert self.model.wait_for(cycle, now) == wait
        assert (wait <= longest) == (reservation is not None)
        if reservation is not None:
            self.model.given.append(cycle)
            self.waiting.append((reservation, cycle))
        else:
            self.refused += 1

    @rule(index=st.integers(0, 9))
    def give_back(self, index: int) -> None:
        if self.waiting:
            reservation, cycle = self.waiting.pop(index % len(self.waiting))
            self.limited.machine.give_back(reservation, self.limited.clock.now)
            if cycle >= self.model.cycle(self.limited.clock.now):
                self.model.given.remove(cycle)

    @rule(span=st.sampled_from([0, 1, C // 2, C - 1, C, C + 1, 3 * C]))
    def time_passes(self, span: int) -> None:
        self.limited.clock.now += span

    @invariant()
    def agree(self) -> None:
        if not hasattr(self, "model") or self.model.start < 0:
            return
        now = self.limited.clock.now
        cycle = self.model.cycle(now)
        free = max(0, self.model.permits - self.model.given.count(cycle))
        later = len([c for c in self.model.given if c > cycle])
        assert (free, later, self.refused) == self.limited.machine.snapshot(now)


def test_against_the_model() -> None:
    """Who runs, who waits how long, and who is refused, are those of the model."""
    run_state_machine_as_test(AgainstModel, settings=settings(max_examples=200, stateful_step_count=50, deadline=None))


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
