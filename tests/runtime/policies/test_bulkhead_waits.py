"""The bulkhead under waiting threads and tasks: all are served, and slots stay whole when some give up."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Coroutine
from typing import Any

import pytest

from resilience4cata.clock import SYSTEM_CLOCK, SystemScheduler, TaskSignal, ThreadSignal
from resilience4cata.policies.machines.bulkhead import BulkheadMachine, BulkheadSettings, Entry
from resilience4cata.policies.machines.waits import enter, enter_async

from .bulkheads import bulkhead, whole
from .doubles import ManualClock, ManualScheduler, S, in_threads


def yield_to_others() -> None:
    """Let another thread run, without waiting for anything."""
    time.sleep(0)


class TestThreads:
    """Real threads and real waits."""

    @pytest.mark.parametrize("limit", [1, 3])
    def test_never_more_than_the_limit(self, limit: int) -> None:
        """Eight threads on the quick way: never more inside than may be, and the slots are whole afterwards."""
        machine = bulkhead(limit)
        inside, peak, entered = [0] * 8, [0], [0] * 8

        def work(index: int) -> None:
            for _ in range(10_000):
                if machine.waiting:
                    continue
                entry = None
                try:
                    slot = machine.free.pop()
                except IndexError:
                    entry = machine.entry()
                    if not entry.try_enter():
                        continue
                inside[index] = 1
                entered[index] += 1
                peak[0] = max(peak[0], sum(inside))
                inside[index] = 0
                if entry is not None:
                    entry.leave()
                    continue
                machine.free.append(slot)
                if machine.waiting:
                    machine.serve()

        in_threads(8, work)
        assert peak[0] <= limit
        assert sum(entered) > 0
        assert whole(machine)

    def test_everybody_who_waits_is_served(self) -> None:
        """Quick calls, calls that wait, and a limit that changes all the time."""
        machine = bulkhead(2)
        scheduler = SystemScheduler()
        served, waited = [0] * 8, [0] * 8

        def work(index: int) -> None:
            for number in range(400):
                if index == 0:
                    machine.reconfigure(BulkheadSettings(1 + number % 3, 0))
                entry = machine.entry()
                try:
                    served[index] += enter(entry, 60 * S, SYSTEM_CLOCK, scheduler)
                    waited[index] += bool(machine.waiting)
                    yield_to_others()
                finally:
                    entry.leave()

        in_threads(8, work)
        assert [400] * 8 == served
        assert sum(waited) > 0
        assert whole(machine)

    def test_waits_that_give_up(self) -> None:
        """A slot that comes at the last moment is used or given back, never lost."""
        machine = bulkhead(1)
        scheduler = SystemScheduler()

        def work(index: int) -> None:
            for _ in range(300):
                entry = machine.entry()
                try:
                    if enter(entry, 1000 * (index + 1), SYSTEM_CLOCK, scheduler):
                        yield_to_others()
                finally:
                    entry.leave()

        in_threads(8, work)
        assert whole(machine)

    def test_threads_and_loops_together(self) -> None:
        """Four threads and four event loops on one bulkhead: never more than the limit inside, and all get in."""
        machine = bulkhead(3)
        scheduler = SystemScheduler()
        inside, peak = [0] * 32, [0]
        served = [0] * 8

        def mark(place: int, value: int) -> None:
            inside[place] = value
            peak[0] = max(peak[0], sum(inside))

        def in_thread(index: int) -> None:
            for _ in range(300):
                entry = machine.entry()
                try:
                    served[index] += enter(entry, 60 * S, SYSTEM_CLOCK, scheduler)
                    mark(index * 4, 1)
                    yield_to_others()
                finally:
                    mark(index * 4, 0)
                    entry.leave()

        async def in_task(index: int, place: int) -> None:
            for _ in range(75):
                entry = machine.entry()
                try:
                    entered = await enter_async(entry, 60 * S, SYSTEM_CLOCK, scheduler)
                    served[index] += entered
                    mark(place, 1)
                    await asyncio.sleep(0)
                finally:
                    mark(place, 0)
                    entry.leave()

        async def in_loop(index: int) -> None:
            await asyncio.gather(*(in_task(index, index * 4 + number) for number in range(4)))

        in_threads(8, lambda index: in_thread(index) if index % 2 else asyncio.run(in_loop(index)))
        assert [300] * 8 == served
        assert peak[0] <= 3
        assert whole(machine)


class Counted:
    """Awaits a coroutine and counts its suspensions; at one of them it throws a cancellation in."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any], cancel_at: int = -1) -> None:
        self.coroutine, self.cancel_at, self.suspended = coroutine, cancel_at, 0

    def __await__(self) -> Any:
        sent: Any = None
        while True:
            try:
                if self.suspended == self.cancel_at:
                    self.coroutine.throw(asyncio.CancelledError())
                    msg = "the cancellation was swallowed"
                    raise AssertionError(msg)
                waited_for = self.coroutine.send(sent)
            except StopIteration as stop:
                return stop.value
            self.suspended += 1
            if self.suspended != self.cancel_at:
                sent = yield waited_for
            elif waited_for is not None:
                waited_for._asyncio_future_blocking = False


class TestCancellation:
    """Tasks that are cancelled while they wait."""

    def scenario(self, *, cancel_at: int = -1) -> int:
        """One call among two others, cancelled at its n-th suspension; how often it suspends if it is not."""

        async def call(machine: BulkheadMachine, entry: Entry) -> None:
            try:
                assert await enter_async(entry, 60 * S, SYSTEM_CLOCK, SystemScheduler())
                await asyncio.sleep(0)
                await asyncio.sleep(0)
            finally:
                entry.leave()

        async def run() -> int:
            machine = bulkhead(1)
            holder, after = machine.entry(), machine.entry()
            assert holder.try_enter()
            counted = Counted(call(machine, machine.entry()), cancel_at)

            async def victim() -> None:
                if cancel_at >= 0:
                    with pytest.raises(asyncio.CancelledError):
                        await counted
                else:
                    await counted

            task = asyncio.ensure_future(victim())
            await asyncio.sleep(0)
            other = asyncio.ensure_future(call(machine, after))
            await asyncio.sleep(0)
            holder.leave()
            await asyncio.gather(task, other)
            assert whole(machine)
            return counted.suspended

        return asyncio.run(run())

    def test_at_every_suspension(self) -> None:
        """Free slots equal the limit afterwards, and the next in the queue is served."""
        number = self.scenario()
        assert number >= 3
        for cancel_at in range(number + 1):
            self.scenario(cancel_at=cancel_at)

    def test_cancelled_by_the_task(self) -> None:
        """While waiting, and in the moment between being given a slot and going on."""

        async def scenario(steps_before: int, steps_after: int) -> None:
            machine = bulkhead(1)
            holder, next_one = machine.entry(), machine.entry()
            assert holder.try_enter()

            async def call(entry: Entry) -> str:
                try:
                    return str(await enter_async(entry, 60 * S, SYSTEM_CLOCK, SystemScheduler()))
                finally:
                    entry.leave()

            task, other = asyncio.ensure_future(call(machine.entry())), asyncio.ensure_future(call(next_one))
            for _ in range(steps_before):
                await asyncio.sleep(0)
            holder.leave()
            for _ in range(steps_after):
                await asyncio.sleep(0)
            task.cancel()
            results = await asyncio.gather(task, other, return_exceptions=True)
            assert "True" == results[1]
            assert whole(machine)

        for steps_before in range(3):
            for steps_after in range(4):
                asyncio.run(scenario(steps_before, steps_after))

    def test_a_closed_loop_keeps_no_slot(self) -> None:
        """A loop that was closed under its tasks: what they are given goes to the next."""
        machine = bulkhead(1)
        holder, next_one = machine.entry(), machine.entry()
        assert holder.try_enter()
        loop = asyncio.new_event_loop()

        async def wait() -> None:
            entry = machine.entry()
            entry.join(TaskSignal())
            lost.append(entry)

        lost: list[Entry] = []
        loop.run_until_complete(wait())
        loop.close()
        next_one.join(ThreadSignal())
        holder.leave()
        assert [False, True] == [lost[0].inside, next_one.inside]
        next_one.leave()
        assert whole(machine)

    def test_a_task_that_is_collected_while_the_lock_is_held(self) -> None:
        """Its `finally` runs in the very thread that holds the lock."""
        machine = bulkhead(1)
        holder, waiter = machine.entry(), machine.entry()
        assert holder.try_enter()
        waiter.join(ThreadSignal())
        with machine.lock:
            waiter.leave()
            holder.leave()
        assert whole(machine)

    def test_a_task_that_is_collected_while_it_is_served(self) -> None:
        """The slot that was meant for it is free, or the next one's."""

        class Collecting(list[int]):
            def pop(self, *_: Any) -> int:
                taken = super().pop()
                if collected:
                    collected.pop().leave()
                return taken

        collected: list[Entry] = []
        for others in (0, 1):
            machine = bulkhead(1)
            machine.free = Collecting(machine.free)
            machine.slots = iter(machine.free.pop, 0)
            holder, victim, *others_waiting = (machine.entry() for _ in range(2 + others))
            assert holder.try_enter()
            for entry in (victim, *others_waiting):
                entry.join(ThreadSignal())
            collected.append(victim)
            holder.leave()
            assert [False] + [True] * others == [entry.inside for entry in (victim, *others_waiting)]
            for entry in others_waiting:
                entry.leave()
            assert whole(machine)
            assert not victim.settle()
            assert whole(machine)

    def test_a_task_that_is_forgotten(self) -> None:
        """A coroutine that is collected while it waits leaves the queue."""
        machine = bulkhead(1)
        holder = machine.entry()
        assert holder.try_enter()

        async def call() -> None:
            entry = machine.entry()
            try:
                await enter_async(entry, 60 * S, SYSTEM_CLOCK, SystemScheduler())
            finally:
                entry.leave()

        async def begin() -> None:
            coroutine = call()
            coroutine.send(None)
            assert machine.waiting
            coroutine.close()

        asyncio.run(begin())
        gc.collect()
        assert not machine.waiting


def test_an_interrupted_thread_leaves_the_queue() -> None:
    """KeyboardInterrupt while waiting."""

    class Interrupting(ManualScheduler):
        def wait(self, nanoseconds: int, **others: Any) -> None:
            raise KeyboardInterrupt

    machine, clock = bulkhead(1), ManualClock()
    holder, entry = machine.entry(), machine.entry()
    assert holder.try_enter()

    def call() -> None:
        try:
            enter(entry, S, clock, Interrupting(clock))
        finally:
            entry.leave()

    with pytest.raises(KeyboardInterrupt):
        call()
    holder.leave()
    assert whole(machine)


def test_a_listening_thread_is_woken() -> None:
    """A thread that really waits goes on when another leaves."""
    machine = bulkhead(1)
    holder, entry = machine.entry(), machine.entry()
    assert holder.try_enter()
    entered: list[bool] = []
    thread = threading.Thread(target=lambda: entered.append(enter(entry, 60 * S, SYSTEM_CLOCK, SystemScheduler())))
    thread.start()
    while not machine.waiting:
        yield_to_others()
    holder.leave()
    thread.join()
    assert [True] == entered
