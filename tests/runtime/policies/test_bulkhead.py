"""The bulkhead's slots: the table of the cases, and limits that change."""

from __future__ import annotations

import asyncio

from resilience4cata.clock import TaskSignal, ThreadSignal
from resilience4cata.policies.machines.bulkhead import BulkheadSettings
from resilience4cata.policies.machines.waits import enter, enter_async

from .bulkheads import bulkhead, whole
from .doubles import MS, ManualClock, ManualScheduler, S, settle


class TestTable:
    """Each row of the table."""

    def test_the_fourth_is_refused(self) -> None:
        machine = bulkhead(3)
        clock, entries = ManualClock(), [machine.entry() for _ in range(4)]
        scheduler = ManualScheduler(clock)
        assert [True] * 3 + [False] == [enter(entry, 0, clock, scheduler) for entry in entries]
        assert [] == scheduler.waits

    def test_enters_when_a_slot_becomes_free(self) -> None:
        """And not before: after 200ms of a wait of 1s."""

        async def scenario() -> None:
            clock = ManualClock()
            scheduler = ManualScheduler(clock, advancing=False)
            machine = bulkhead(1)
            holder, late = machine.entry(), machine.entry()
            assert holder.try_enter()
            task = asyncio.ensure_future(enter_async(late, S, clock, scheduler))
            await scheduler.pass_time("200ms")
            assert not task.done()
            holder.leave()
            await settle()
            assert await task
            assert 200 * MS == clock.now - ManualClock().now
            late.leave()
            assert whole(machine)

        asyncio.run(scenario())

    def test_first_come_first_served(self) -> None:
        """Threads and tasks stand in one queue."""

        async def scenario() -> None:
            machine = bulkhead(1)
            holder = machine.entry()
            assert holder.try_enter()
            entries = [machine.entry() for _ in range(6)]
            for number, entry in enumerate(entries):
                entry.join(TaskSignal() if number % 2 else ThreadSignal())
            order: list[int] = []
            holder.leave()
            while len(order) < 6:
                (inside,) = [number for number, entry in enumerate(entries) if entry.inside]
                order.append(inside)
                entries[inside].leave()
            assert list(range(6)) == order
            assert whole(machine)

        asyncio.run(scenario())

    def test_newcomers_do_not_pass_those_who_wait(self) -> None:
        machine = bulkhead(1)
        holder, waiter, newcomer = (machine.entry() for _ in range(3))
        assert holder.try_enter()
        waiter.join(ThreadSignal())
        assert machine.waiting
        machine.free.append(1)  # the quick way of leaving, before it looks whether anybody waits
        assert not newcomer.try_enter()
        machine.serve()
        assert waiter.inside

    def test_slots_are_made_when_two_calls_run_at_once(self) -> None:
        """Before, there is one: most bulkheads never need another."""
        machine = bulkhead(25)
        first, second = machine.entry(), machine.entry()
        assert ((25, 0, 25, 0), 1) == (machine.snapshot(), len(machine.free))
        assert first.try_enter()
        assert ((25, 1, 24, 0), 0) == (machine.snapshot(), len(machine.free))
        assert second.try_enter()
        assert ((25, 2, 23, 0), 23) == (machine.snapshot(), len(machine.free))
        first.leave()
        second.leave()
        assert ((25, 0, 25, 0), 25) == (machine.snapshot(), len(machine.free))

    def test_slots_that_are_not_made_yet_count(self) -> None:
        """When the limit changes while one call runs."""
        for limit, free in ((30, 29), (20, 19), (1, 0), (0, 0)):
            machine = bulkhead(25)
            holder = machine.entry()
            assert holder.try_enter()
            machine.reconfigure(BulkheadSettings(limit, 0))
            assert (limit, 1, free, 0) == machine.snapshot()
            holder.leave()
            assert whole(machine)

    def test_a_queue_is_of_one_bulkhead(self) -> None:
        """None has one before somebody waits, or its limit is lowered below what runs."""
        machine, lowered, other = (bulkhead(1) for _ in range(3))
        holders = [m.entry() for m in (machine, lowered)]
        assert [True, True] == [holder.try_enter() for holder in holders]
        waiter = machine.entry()
        waiter.join(ThreadSignal())
        lowered.reconfigure(BulkheadSettings(0, 0))
        assert [True, True, False] == [bool(m.waiting) for m in (machine, lowered, other)]
        assert other.entry().try_enter()

    def test_a_wait_that_ends_loses_and_gains_nothing(self) -> None:
        clock = ManualClock()
        scheduler = ManualScheduler(clock)
        machine = bulkhead(1)
        holder, impatient, patient = (machine.entry() for _ in range(3))
        assert holder.try_enter()
        assert not enter(impatient, S, clock, scheduler)
        assert [S] == scheduler.waits
        patient.join(ThreadSignal())
        impatient.leave()
        holder.leave()
        assert patient.inside
        patient.leave()
        assert whole(machine)

    def test_released_once(self) -> None:
        machine = bulkhead(2)
        entry = machine.entry()
        assert entry.try_enter()
        for _ in range(3):
            entry.leave()
        assert whole(machine)

    def test_nobody_is_turned_out(self) -> None:
        """A lowered limit is a debt that those who leave pay."""
        machine = bulkhead(5)
        entries = [machine.entry() for _ in range(5)]
        assert all(entry.try_enter() for entry in entries)
        machine.reconfigure(BulkheadSettings(2, 0))
        assert (2, 5, 0, 0) == machine.snapshot()
        newcomer = machine.entry()
        for entry in entries[:3]:
            assert not newcomer.try_enter()
            entry.leave()
        assert (2, 2, 0, 0) == machine.snapshot()
        entries[3].leave()
        assert newcomer.try_enter()
        newcomer.leave()
        entries[4].leave()
        assert whole(machine)

    def test_a_debt_is_paid_before_anybody_is_served(self) -> None:
        machine = bulkhead(2)
        first, second, waiter = (machine.entry() for _ in range(3))
        assert first.try_enter()
        assert second.try_enter()
        waiter.join(ThreadSignal())
        machine.reconfigure(BulkheadSettings(1, 0))
        first.leave()
        assert not waiter.inside
        second.leave()
        assert waiter.inside

    def test_a_debt_is_forgiven(self) -> None:
        machine = bulkhead(4)
        entries = [machine.entry() for _ in range(4)]
        assert all(entry.try_enter() for entry in entries)
        machine.reconfigure(BulkheadSettings(1, 0))
        machine.reconfigure(BulkheadSettings(5, 0))
        assert (5, 4, 1, 0) == machine.snapshot()
        for entry in entries:
            entry.leave()
        assert whole(machine)

    def test_a_raised_limit_serves_those_who_wait(self) -> None:
        machine = bulkhead(1)
        holder, waiters = machine.entry(), [machine.entry() for _ in range(3)]
        assert holder.try_enter()
        for waiter in waiters:
            waiter.join(ThreadSignal())
        machine.reconfigure(BulkheadSettings(3, 0))
        assert [True, True, False] == [waiter.inside for waiter in waiters]

    def test_the_deadline_is_nearer(self) -> None:
        """A `max_wait` of 5s inside a timeout of 1s waits 1s."""
        clock = ManualClock()
        scheduler = ManualScheduler(clock)
        machine = bulkhead(1)
        holder = machine.entry()
        assert holder.try_enter()
        assert not enter(machine.entry(), 5 * S, clock, scheduler, deadline=clock.now + S)
        assert [S] == scheduler.waits
        assert not enter(machine.entry(), 5 * S, clock, scheduler, deadline=clock.now)
        assert [S] == scheduler.waits
