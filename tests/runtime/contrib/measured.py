"""A `Resilience` in which each thing that is measured has happened, and the numbers that have to be exported for it."""

from __future__ import annotations

import pytest

from resilience4cata import (
    BulkheadFullError,
    CallNotPermittedError,
    ConfigSources,
    Jitter,
    RateLimitExceededError,
    Resilience,
    TimeoutExceededError,
    bulkhead,
    circuit_breaker,
    fallback,
    rate_limiter,
    retry,
    timeout,
)
from resilience4cata.testing import ManualClock, ManualScheduler

# By name and values of the labels. States that a breaker is not in are 0.
FIGURES: dict[tuple[str, ...], float] = {
    ("circuit_breaker.state", "prices", "closed"): 0,
    ("circuit_breaker.state", "prices", "open"): 1,
    ("circuit_breaker.state", "prices", "half_open"): 0,
    ("circuit_breaker.state", "prices", "forced_open"): 0,
    ("circuit_breaker.state", "prices", "disabled"): 0,
    ("circuit_breaker.failure_ratio", "prices"): 0.75,
    ("circuit_breaker.slow_call_ratio", "prices"): 0.25,
    ("circuit_breaker.window_calls", "prices"): 4,
    ("circuit_breaker.calls", "prices"): 4,
    ("circuit_breaker.failed_calls", "prices"): 3,
    ("circuit_breaker.slow_calls", "prices"): 1,
    ("circuit_breaker.refused_calls", "prices"): 1,
    ("bulkhead.limit", "narrow"): 1,
    ("bulkhead.running_calls", "narrow"): 0,
    ("bulkhead.waiting_calls", "narrow"): 0,
    ("rate_limiter.available_permits", "slow"): 0,
    ("rate_limiter.reserved_permits", "slow"): 0,
    ("rate_limiter.refused_calls", "slow"): 1,
    # What was spent is forgotten after ten seconds.
    ("retry_budget.available_retries", "shared"): 20,
}
COUNTS: dict[tuple[str, ...], float] = {
    ("circuit_breaker.transitions", "prices", "open"): 1,
    ("retry.retries", "flaky"): 2,
    ("retry.exhausted_calls", "flaky", "attempts"): 1,
    ("retry.recovered_calls", "flaky"): 1,
    ("timeout.exceeded_calls", "late", "true"): 1,
    ("bulkhead.refused_calls", "narrow"): 1,
    ("rate_limiter.delayed_calls", "slow"): 1,
    ("fallback.answered_calls", "answered"): 1,
    ("fallback.failed_calls", "unanswered"): 1,
}


class Measured:
    """Make it, begin to measure `resilience`, then let everything happen."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        builder = Resilience.builder().only("nothing").clock(self.clock).scheduler(ManualScheduler(self.clock))
        budget = ConfigSources.options({"resilience4cata.budgets.shared.min-per-second": "2"})
        self.resilience = builder.source(budget).build()

    def happen(self) -> None:
        """Everything, once or a few times."""
        self._break()
        self._retry()
        self._refuse()
        self._fall_back()

    def _break(self) -> None:
        prices = self.resilience.pipeline(
            "prices", circuit_breaker(window_size=4, minimum_calls=4, slow_call_duration="1s", wait_in_open="1h")
        )
        prices.call(self.clock.advance, "2s")
        for _ in range(3):
            with pytest.raises(ConnectionError):
                prices.call(self._fail)
        with pytest.raises(CallNotPermittedError):
            prices.call(self._fail)

    def _retry(self) -> None:
        flaky = self.resilience.pipeline(
            "flaky", retry(max_attempts=2, delay="1ms", jitter=Jitter.NONE, budget="shared")
        )
        with pytest.raises(ConnectionError):
            flaky.call(self._fail)
        outcomes = iter([ConnectionError(), None])

        def fail_once() -> None:
            outcome = next(outcomes)
            if outcome is not None:
                raise outcome

        flaky.call(fail_once)

    def _refuse(self) -> None:
        with pytest.raises(TimeoutExceededError):
            self.resilience.pipeline("late", timeout("1s")).call(self.clock.advance, "2s")
        narrow = self.resilience.pipeline("narrow", bulkhead(max_concurrent=1))
        with pytest.raises(BulkheadFullError):
            narrow.call(narrow.call, lambda: None)
        slow = self.resilience.pipeline("slow", rate_limiter(permits=1, period="1m", max_wait="1m"))
        for _ in range(2):
            slow.call(lambda: None)
        self.resilience.reconfigure("slow", rate_limiter(max_wait="0"))
        with pytest.raises(RateLimitExceededError):
            slow.call(lambda: None)

    def _fall_back(self) -> None:
        self.resilience.pipeline("answered", fallback(lambda _: None)).call(self._fail)
        with pytest.raises(ZeroDivisionError):
            self.resilience.pipeline("unanswered", fallback(lambda _: 1 // 0)).call(self._fail)

    def _fail(self) -> None:
        raise ConnectionError
