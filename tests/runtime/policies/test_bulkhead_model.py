"""The bulkhead against a naive model: a number, a list, and a queue that is searched from the front."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from resilience4cata.clock import ThreadSignal
from resilience4cata.policies.machines.bulkhead import BulkheadMachine, BulkheadSettings, Entry

from .bulkheads import whole


class NaiveBulkhead:
    """Calls are known by number."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.inside: list[int] = []
        self.waiting: list[int] = []

    def serve(self) -> None:
        while self.waiting and len(self.inside) < self.limit:
            self.inside.append(self.waiting.pop(0))

    def try_enter(self, call: int) -> bool:
        if self.waiting or len(self.inside) >= self.limit:
            return False
        self.inside.append(call)
        return True

    def leave(self, call: int) -> None:
        for calls in (self.inside, self.waiting):
            if call in calls:
                calls.remove(call)
        self.serve()


class AgainstModel(RuleBasedStateMachine):
    """Calls on the quick way and on the slow one, waits that give up, limits that change."""

    @initialize(limit=st.integers(1, 4))
    def make(self, limit: int) -> None:
        self.machine = BulkheadMachine(BulkheadSettings(limit, 0))
        self.model = NaiveBulkhead(limit)
        self.entries: dict[int, Entry] = {}
        self.quick: list[int] = []
        self.number = 0

    @rule()
    def enter_quickly(self) -> None:
        """Whoever finds nothing there asks an entry."""
        if self.machine.waiting or not self.machine.free:
            self._enter()
            return
        self.number += 1
        self.machine.free.pop()
        self.quick.append(self.number)
        assert self.model.try_enter(self.number)

    @rule(index=st.integers(0, 9))
    def leave_quickly(self, index: int) -> None:
        if self.quick:
            call = self.quick.pop(index % len(self.quick))
            self.machine.free.append(1)
            if self.machine.waiting:
                self.machine.serve()
            self.model.leave(call)

    @rule()
    def enter(self) -> None:
        self._enter()

    def _enter(self) -> None:
        self.number += 1
        entry = self.entries[self.number] = self.machine.entry()
        entered = entry.try_enter()
        assert self.model.try_enter(self.number) == entered

    @rule()
    def join(self) -> None:
        self.number += 1
        entry = self.entries[self.number] = self.machine.entry()
        entry.join(ThreadSignal())
        self.model.waiting.append(self.number)
        self.model.serve()

    @rule(index=st.integers(0, 20))
    def settle(self, index: int) -> None:
        if self.entries:
            call = sorted(self.entries)[index % len(self.entries)]
            assert self.entries[call].settle() == (call in self.model.inside)
            if call in self.model.waiting:
                self.model.waiting.remove(call)

    @rule(index=st.integers(0, 20), again=st.booleans())
    def leave(self, index: int, again: bool) -> None:
        if self.entries:
            call = sorted(self.entries)[index % len(self.entries)]
            self.entries[call].leave()
            self.model.leave(call)
            if not again:
                del self.entries[call]

    @rule(limit=st.integers(1, 5))
    def reconfigure(self, limit: int) -> None:
        self.machine.reconfigure(BulkheadSettings(limit, 0))
        self.model.limit = limit
        self.model.serve()

    @invariant()
    def agree(self) -> None:
        if hasattr(self, "model"):
            free = max(0, self.model.limit - len(self.model.inside))
            expected = (self.model.limit, len(self.model.inside), free, len(self.model.waiting))
            assert expected == self.machine.snapshot()
            inside = [call for call, entry in self.entries.items() if entry.inside]
            assert sorted(self.model.inside) == sorted(inside + self.quick)

    def teardown(self) -> None:
        for entry in getattr(self, "entries", {}).values():
            entry.leave()
        for _ in getattr(self, "quick", ()):
            self.machine.free.append(1)
            self.machine.serve()
        if hasattr(self, "machine"):
            assert whole(self.machine)


def test_against_the_model() -> None:
    """Who is inside, who waits, and what is free are those of the model after any interleaving."""
    run_state_machine_as_test(AgainstModel, settings=settings(max_examples=150, stateful_step_count=50, deadline=None))
