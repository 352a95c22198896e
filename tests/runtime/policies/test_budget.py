"""Retry budgets: the table of the cases, a naive model, threads."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from resilience4cata.policies.machines.budget import RetryBudgetMachine, RetryBudgetSettings

from .doubles import MS, S, in_threads

START = 1000 * S


def call(budget: RetryBudgetMachine, now: int) -> None:
    """The quick way of a deposit."""
    if now >= budget.turn_at:
        budget.turn(now)
    budget.deposit()


def retries(budget: RetryBudgetMachine, now: int) -> int:
    """How many retries it pays for."""
    number = 0
    while budget.withdraw(now):
        number += 1
    return number


class TestTable:
    def test_ten_percent(self) -> None:
        budget = RetryBudgetMachine(RetryBudgetSettings(10 * S, 0, 10), START)
        for _ in range(10_000):
            call(budget, START)
        assert 1_000 == retries(budget, START)

    def test_the_reserve(self) -> None:
        budget = RetryBudgetMachine(RetryBudgetSettings(10 * S, 10, 20), START)
        assert 100 == retries(budget, START)
        assert not budget.withdraw(START)

    @pytest.mark.parametrize(
        ("least", "seconds", "granted"), [(0.29, 100, 29), (0.7, 90, 63), (0.25, 7, 1), (0.25, 8, 2), (0.1, 9, 0)]
    )
    def test_whole_retries_of_the_reserve(self, least: float, seconds: int, granted: int) -> None:
        """As the numbers are written, whatever their product is in binary."""
        assert granted == retries(RetryBudgetMachine(RetryBudgetSettings(seconds * S, least, 0), START), START)

    @pytest.mark.parametrize(("percent", "calls", "paid"), [(18.4, 375, 69), (32.8, 375, 123), (32.8, 374, 122)])
    def test_whole_retries_of_the_deposits(self, percent: float, calls: int, paid: int) -> None:
        budget = RetryBudgetMachine(RetryBudgetSettings(10 * S, 0, percent), START)
        for _ in range(calls):
            call(budget, START)
        assert paid == budget.snapshot(START).available
        assert paid == retries(budget, START)


class TestTime:
    def test_deposits_expire_slice_by_slice(self) -> None:
        budget = RetryBudgetMachine(RetryBudgetSettings(10 * S, 0, 100), START)
        for second in range(10):
            for _ in range(5):
                call(budget, START + second * S)
        assert [50, 45, 40] == [budget.snapshot(START + second * S).available for second in (9, 10, 11)]
        assert 0 == budget.snapshot(START + 60 * S).available

    def test_deposits_expire_although_nobody_retries(self) -> None:
        budget = RetryBudgetMachine(RetryBudgetSettings(10 * S, 0, 100), START)
        for _ in range(50):
            call(budget, START)
        assert 0 == retries(budget, START + 10 * S)

    def test_the_reserve_comes_back(self) -> None:
        budget = RetryBudgetMachine(RetryBudgetSettings(10 * S, 1, 0), START)
        assert 10 == retries(budget, START)
        assert 0 == retries(budget, START + 9 * S)
        assert 10 == retries(budget, START + 10 * S)

    def test_a_short_time_to_live(self) -> None:
        budget = RetryBudgetMachine(RetryBudgetSettings(1500 * MS, 10, 0), START)
        assert 15 == retries(budget, START)

    def test_a_budget_of_a_few_nanoseconds(self) -> None:
        budget = RetryBudgetMachine(RetryBudgetSettings(3, 0, 100), START)
        call(budget, START)
        assert 0 == retries(budget, START + 10)


class TestReconfigure:
    def test_another_share_counts_at_once(self) -> None:
        budget = RetryBudgetMachine(RetryBudgetSettings(10 * S, 0, 10), START)
        for _ in range(100):
            call(budget, START)
        budget.reconfigure(RetryBudgetSettings(10 * S, 0, 50), START)
        assert (100, 0, 50) == budget.snapshot(START)

    def test_another_time_to_live_begins_empty(self) -> None:
        budget = RetryBudgetMachine(RetryBudgetSettings(10 * S, 0, 100), START)
        call(budget, START)
        budget.reconfigure(RetryBudgetSettings(5 * S, 0, 100), START)
        assert (0, 0, 0) == budget.snapshot(START)
        call(budget, START)
        assert 1 == retries(budget, START)


class AgainstModel(RuleBasedStateMachine):
    """Calls and retries at any time: the model keeps all of them, by slice."""

    @initialize(
        least=st.sampled_from([0, 0.25, 1, 3]),
        percent=st.sampled_from([0, 10, 12.5, 100, 250]),
        ttl=st.sampled_from([S, 10 * S]),
    )
    def make(self, least: float, percent: float, ttl: int) -> None:
        self.settings = RetryBudgetSettings(ttl, least, percent)
        self.now = START
        self.budget = RetryBudgetMachine(self.settings, self.now)
        self.calls: list[int] = []
        self.retries: list[int] = []

    def recent(self, moments: list[int]) -> int:
        slice_length = self.settings.ttl // 10
        return len([moment for moment in moments if moment // slice_length > self.now // slice_length - 10])

    def balance(self) -> float:
        granted = int(self.settings.min_per_second * self.settings.ttl / S)
        return self.recent(self.calls) * self.settings.percent / 100 + granted - self.recent(self.retries)

    @rule(number=st.integers(1, 20))
    def calls_are_made(self, number: int) -> None:
        for _ in range(number):
            call(self.budget, self.now)
            self.calls.append(self.now)

    @rule(number=st.integers(1, 5))
    def retries_are_made(self, number: int) -> None:
        for _ in range(number):
            allowed = self.balance() >= 1
            assert allowed == self.budget.withdraw(self.now)
            if allowed:
                self.retries.append(self.now)

    @rule(tenths=st.integers(1, 130))
    def time_passes(self, tenths: int) -> None:
        self.now += tenths * self.settings.ttl // 100

    @invariant()
    def agree(self) -> None:
        if hasattr(self, "budget"):
            available = max(0, int(self.balance()))
            expected = (self.recent(self.calls), self.recent(self.retries), available)
            assert expected == self.budget.snapshot(self.now)


def test_against_the_model() -> None:
    """Which retries are paid for is what the model says."""
    run_state_machine_as_test(AgainstModel, settings=settings(max_examples=150, stateful_step_count=40, deadline=None))


def test_threads_share_it_exactly() -> None:
    """Eight threads: every call is counted, and exactly the retries that are paid for pass."""
    budget = RetryBudgetMachine(RetryBudgetSettings(10 * S, 0, 10), START)
    passed = [0] * 8

    def work(index: int) -> None:
        for _ in range(10_000):
            call(budget, START)
        for _ in range(2_000):
            passed[index] += budget.withdraw(START)

    in_threads(8, work)
    assert (80_000, 8_000, 0) == budget.snapshot(START)
    assert 8_000 == sum(passed)
