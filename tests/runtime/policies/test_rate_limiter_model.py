"""The rate limiter against a naive model that keeps the cycle of every permit that was ever given."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from resilience4cata.policies.machines.rate_limiter import Reservation

from .limiters import C, Limited


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
