"""The plan of a retry: the table of the cases, back-off, jitter, bounds."""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from resilience4cata import CallNotPermittedError, RateLimitExceededError
from resilience4cata.durations import MAX_NANOSECONDS
from resilience4cata.events import StopReason
from resilience4cata.policies.machines.retry import RetryPlan, RetrySettings, Step, next_ceiling, retry_after_of
from resilience4cata.policies.retry import Backoff, Jitter

from .doubles import MS, ManualClock, ManualScheduler, S, settle

DEFAULTS = RetrySettings(
    max_attempts=3,
    delay=100 * MS,
    backoff=Backoff.EXPONENTIAL,
    multiplier=2,
    max_delay=10 * S,
    jitter=Jitter.NONE,
    max_duration=0,
)


class Operation:
    """A function under a plan, driven by letters; what it waited and why it stopped."""

    def __init__(self, seed: int = 42, **settings: Any) -> None:
        self.clock = ManualClock()
        self.scheduler = ManualScheduler(self.clock)
        self.plan = RetryPlan(DEFAULTS._replace(**settings), self.clock.now, random.Random(seed))
        self.executions = 0
        self.stopped: StopReason | None = None

    def run(self, letters: str = "", *, took: int = 0, retry_after: int | None = None) -> str:
        """Attempts that end as the letters say, F when they are used up; the last of them."""
        while True:
            letter = letters[self.executions] if self.executions < len(letters) else "F"
            self.executions += 1
            self.clock.now += took
            if letter == "S":
                return letter
            step = self.plan.after_failure(self.clock.now, retry_after)
            if isinstance(step, StopReason):
                self.stopped = step
                return letter
            self.scheduler.wait(step)

    @property
    def waits(self) -> list[int]:
        return self.scheduler.waits


class TestTable:
    """Each row of the table that is the plan's business."""

    @pytest.mark.parametrize("attempts", [6, 1])
    def test_attempts(self, attempts: int) -> None:
        operation = Operation(max_attempts=attempts)
        assert "F" == operation.run()
        assert (attempts, attempts, StopReason.ATTEMPTS) == (
            operation.executions,
            operation.plan.attempts,
            operation.stopped,
        )

    def test_full_jitter_within_the_delay(self) -> None:
        operation = Operation(
            max_attempts=1_000, delay=400 * MS, backoff=Backoff.FIXED, jitter=Jitter.FULL, max_duration=3200 * MS
        )
        operation.run()
        assert StopReason.DURATION is operation.stopped
        assert operation.clock.now - operation.plan.started <= 3200 * MS
        assert all(0 <= wait <= 400 * MS for wait in operation.waits)

    def test_no_wait_in_vain(self) -> None:
        operation = Operation(delay=S, max_duration=500 * MS)
        operation.run()
        assert (1, [], StopReason.DURATION) == (operation.executions, operation.waits, operation.stopped)

    def test_retry_after_is_longer(self) -> None:
        operation = Operation(max_attempts=2)
        operation.run(retry_after=2 * S)
        assert [2 * S] == operation.waits

    def test_retry_after_is_shorter(self) -> None:
        operation = Operation(max_attempts=2)
        operation.run(retry_after=50 * MS)
        assert [100 * MS] == operation.waits

    def test_retry_after_would_pass_the_duration(self) -> None:
        operation = Operation(max_duration=S)
        operation.run(retry_after=2 * S)
        assert (1, [], StopReason.DURATION) == (operation.executions, operation.waits, operation.stopped)

    def test_success_at_the_third(self) -> None:
        operation = Operation()
        assert "S" == operation.run("FFS")
        assert (3, [100 * MS, 200 * MS]) == (operation.executions, operation.waits)

    def test_exponential_with_a_cap(self) -> None:
        operation = Operation(max_attempts=7, max_delay=S)
        operation.run()
        assert [100, 200, 400, 800, 1000, 1000] == [wait // MS for wait in operation.waits]

    def test_full_jitter_is_uniform_below_the_capped_delay(self) -> None:
        """Each wait is below its own ceiling, and over many seeds they fill it evenly."""
        ceilings = [100, 200, 400, 800, 1000, 1000]
        runs = [self.jittered(seed, Jitter.FULL) for seed in range(2_000)]
        for index, ceiling in enumerate(ceilings):
            waits = [run[index] / (ceiling * MS) for run in runs]
            assert 0 <= min(waits) < 0.01
            assert 0.99 < max(waits) <= 1
            assert abs(sum(waits) / len(waits) - 0.5) < 0.03

    def test_equal_jitter_keeps_one_half(self) -> None:
        ceilings = [100, 200, 400, 800, 1000, 1000]
        runs = [self.jittered(seed, Jitter.EQUAL) for seed in range(2_000)]
        for index, ceiling in enumerate(ceilings):
            waits = [run[index] / (ceiling * MS) for run in runs]
            assert 0.5 <= min(waits) < 0.51
            assert 0.99 < max(waits) <= 1
            assert abs(sum(waits) / len(waits) - 0.75) < 0.02

    def jittered(self, seed: int, jitter: Jitter) -> list[int]:
        operation = Operation(seed, max_attempts=7, max_delay=S, jitter=jitter)
        operation.run()
        return operation.waits

    @pytest.mark.parametrize("multiplier", [2, 1.5, 1e300, 1.0000001])
    def test_attempt_ten_thousand(self, multiplier: float) -> None:
        operation = Operation(max_attempts=10_000, multiplier=multiplier)
        operation.run()
        assert 9_999 == len(operation.waits)
        assert max(operation.waits) <= 10 * S
        assert sorted(operation.waits) == operation.waits


class TestBounds:
    def test_a_wait_may_end_exactly_at_the_limit(self) -> None:
        operation = Operation(backoff=Backoff.FIXED, max_attempts=9, max_duration=300 * MS)
        operation.run()
        assert [100 * MS] * 3 == operation.waits

    def test_the_attempts_count_too(self) -> None:
        operation = Operation(backoff=Backoff.FIXED, max_attempts=9, max_duration=500 * MS)
        operation.run(took=300 * MS)
        assert (2, StopReason.DURATION) == (operation.executions, operation.stopped)

    def test_the_nearest_deadline(self) -> None:
        """A timeout around, or the `max_duration` of an outer retry."""
        clock = ManualClock()
        plan = RetryPlan(DEFAULTS, clock.now, random.Random(1), deadline=clock.now + 250 * MS)
        assert 100 * MS == plan.after_failure(clock.now)
        assert StopReason.DEADLINE is plan.after_failure(clock.now + 100 * MS)

    def test_no_delay(self) -> None:
        operation = Operation(delay=0, jitter=Jitter.FULL)
        operation.run()
        assert [0, 0] == operation.waits

    def test_the_budget_pays_last(self) -> None:
        """A retry that does not follow costs nothing."""
        paid: list[int] = []

        class Paying:
            def withdraw(self, now: int) -> bool:
                paid.append(now)
                return len(paid) < 2

        settings = DEFAULTS._replace(max_attempts=9, max_duration=S)
        plan = RetryPlan(settings, 0, random.Random(1), budget=Paying())
        assert StopReason.DURATION is plan.after_failure(0, 2 * S)
        assert [] == paid
        steps: list[Step] = [plan.after_failure(0), plan.after_failure(0)]
        assert [100 * MS, StopReason.BUDGET] == steps
        assert 2 == plan.attempts


@given(
    delay=st.integers(0, MAX_NANOSECONDS),
    cap=st.integers(0, MAX_NANOSECONDS),
    multiplier=st.floats(1, 1e308) | st.integers(1, 100),
)
def test_ceilings_grow_to_the_cap(delay: int, cap: int, multiplier: float) -> None:
    """Each is the one before times the multiplier, no more than the cap, whatever the numbers."""
    settings = DEFAULTS._replace(delay=delay, max_delay=cap, multiplier=multiplier)
    ceiling = min(delay, cap)
    for _ in range(5):
        following = next_ceiling(settings, ceiling)
        exact = min(Fraction(multiplier) * ceiling, Fraction(cap))
        assert isinstance(following, int)
        assert ceiling <= following <= cap
        assert abs(following - exact) <= max(Fraction(1), exact / 10**15)
        ceiling = following


class Carrying(Exception):
    def __init__(self, retry_after: object) -> None:
        super().__init__()
        self.retry_after = retry_after


class Broken(Exception):
    @property
    def retry_after(self) -> float:
        msg = "not known"
        raise RuntimeError(msg)


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (Carrying(2), 2 * S),
        (Carrying(0.25), 250 * MS),
        (Carrying(timedelta(seconds=3)), 3 * S),
        (Carrying(0), 0),
        (Carrying(None), None),
        (Carrying(-1), None),
        (Carrying(timedelta(seconds=-1)), None),
        (Carrying(float("nan")), None),
        (Carrying(float("inf")), None),
        (Carrying(1e300), MAX_NANOSECONDS),
        (Carrying(10**400), MAX_NANOSECONDS),
        (Carrying(True), None),
        (Carrying("Wed, 21 Oct 2026 07:28:00 GMT"), None),
        (Broken(), None),
        (ValueError(), None),
        (CallNotPermittedError(retry_after=1.5), 1500 * MS),
        (CallNotPermittedError(), None),
    ],
)
def test_retry_after_of(failure: BaseException, expected: int | None) -> None:
    assert expected == retry_after_of(failure)


@given(wait=st.integers(0, 86_400 * S))
@example(wait=1_000_000_007)
def test_no_nanosecond_of_a_retry_after_is_lost(wait: int) -> None:
    """A wait that ends a nanosecond too early would be refused once more."""
    assert wait == retry_after_of(RateLimitExceededError(retry_after=wait / S))


def test_a_cancelled_back_off_stops_at_once() -> None:
    """No further attempt follows, and the cancellation surfaces."""

    async def scenario() -> None:
        clock = ManualClock()
        scheduler = ManualScheduler(clock, advancing=False)
        plan = RetryPlan(DEFAULTS, clock.now, random.Random(1))
        executions = 0

        async def operation() -> None:
            nonlocal executions
            while True:
                executions += 1
                step = plan.after_failure(clock.now)
                assert isinstance(step, int)
                await scheduler.wait_async(step)

        task = asyncio.ensure_future(operation())
        await settle()
        await scheduler.pass_time("100ms")
        assert 2 == executions
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert 2 == executions

    asyncio.run(scenario())
