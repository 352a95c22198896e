"""The machines together, in the default order: rows of the cases that need more than one of them.

`Pipeline` is the plainest way to run them one after another; time stands still unless the function takes some.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from resilience4cata import (
    BulkheadFullError,
    CallNotPermittedError,
    Outcome,
    RateLimitExceededError,
    RejectedError,
    TimeoutExceededError,
)
from resilience4cata.events import SILENT, State, StopReason
from resilience4cata.policies.classification import Classification, ExceptionClasses, Refusals, Verdict
from resilience4cata.policies.machines.bulkhead import BulkheadMachine, BulkheadSettings
from resilience4cata.policies.machines.circuit_breaker import CircuitBreakerMachine, CircuitBreakerSettings
from resilience4cata.policies.machines.rate_limiter import RateLimiterMachine, RateLimiterSettings
from resilience4cata.policies.machines.retry import RetryPlan, RetrySettings, retry_after_of
from resilience4cata.policies.machines.timeout import current_deadline, enter_deadline, leave_deadline, nearest
from resilience4cata.policies.machines.waits import enter, permit

from .breakers import DEFAULTS as BREAKER
from .doubles import MS, ManualClock, ManualScheduler, S
from .test_retry import DEFAULTS as RETRY

Function = Callable[[], object]


class Pipeline:
    """Retry, circuit breaker, rate limiter, timeout, bulkhead, the function."""

    def __init__(
        self,
        *,
        retry: RetrySettings | None = None,
        retry_on: ExceptionClasses = (Exception,),
        abort_on: ExceptionClasses = (),
        breaker: CircuitBreakerSettings | None = None,
        record_on: ExceptionClasses = (Exception,),
        limiter: RateLimiterSettings | None = None,
        timeout: int | None = None,
        bulkhead: BulkheadSettings | None = None,
    ) -> None:
        self.clock = ManualClock()
        self.scheduler = ManualScheduler(self.clock)
        self.retry = retry or RETRY._replace(max_attempts=1)
        self.retried = Classification(Refusals.RETRY, retry_on, abort_on)
        self.breaker = CircuitBreakerMachine(breaker or BREAKER._replace(minimum_calls=100), self.clock.now)
        self.recorded = Classification(Refusals.CIRCUIT_BREAKER, record_on)
        self.limiter = RateLimiterMachine(limiter or RateLimiterSettings(1_000, S, 0))
        self.timeout = timeout
        self.bulkhead = BulkheadMachine(bulkhead or BulkheadSettings(1_000, 0))
        self.executions = 0

    def call(self, function: Function) -> object:
        plan = RetryPlan(self.retry, self.clock.now, random.Random(1), deadline=nearest(self.clock.monotonic_ns))
        while True:
            try:
                return self._recorded(function)
            except Exception as failure:
                if self.retried.of(failure) is not Verdict.MATCH:
                    raise
                step = plan.after_failure(self.clock.now, retry_after_of(failure))
                if isinstance(step, StopReason):
                    raise
                self.scheduler.wait(step)

    def _recorded(self, function: Function) -> object:
        admission, _ = self.breaker.admit(self.clock.now)
        if admission is None:
            raise CallNotPermittedError
        began, own = self.clock.now, False
        try:
            try:
                result = self._limited(function)
            except Refused as refused:
                own = True
                raise refused.error from None
        except BaseException as failure:
            outcome = self.recorded.of(failure, own=own).outcome
            self.breaker.record(admission, outcome, self.clock.now, self.clock.now - began)
            raise
        self.breaker.record(admission, Outcome.SUCCESS, self.clock.now, self.clock.now - began)
        return result

    def _limited(self, function: Function) -> object:
        wait = permit(self.limiter, self.clock, self.scheduler, SILENT, nearest(self.clock.monotonic_ns))
        if wait is not None:
            raise Refused(RateLimitExceededError(retry_after=wait / S))
        if self.timeout is None:
            return self._counted(function)
        moment = self.clock.now + self.timeout
        token = enter_deadline(moment, self.clock.monotonic_ns)
        try:
            result = self._counted(function)
        finally:
            leave_deadline(token)
        if self.clock.now > moment:
            raise TimeoutExceededError(completed=True)
        return result

    def _counted(self, function: Function) -> object:
        entry = self.bulkhead.entry()
        try:
            longest = self.bulkhead.settings.max_wait
            if not enter(entry, longest, self.clock, self.scheduler, nearest(self.clock.monotonic_ns)):
                raise Refused(BulkheadFullError())
            self.executions += 1
            return function()
        finally:
            entry.leave()

    def free(self) -> int:
        return self.bulkhead.snapshot().free


class Refused(Exception):
    """How a policy of this very pipeline refuses, so that others' refusals are told apart."""

    def __init__(self, error: RejectedError) -> None:
        super().__init__()
        self.error = error


ALL_OF_FOUR = BREAKER._replace(window_size=4, minimum_calls=4, failure_rate_threshold=100)
ALL_OF_TWO = BREAKER._replace(window_size=2, minimum_calls=2, failure_rate_threshold=100)


def failing() -> object:
    msg = "boom"
    raise ConnectionError(msg)


class TestBreaker:
    """Each row of the table "with other policies"."""

    @pytest.mark.parametrize("abort_on", [(), (KeyError,)])
    def test_the_breaker_ends_the_retries(self, abort_on: ExceptionClasses) -> None:
        pipeline = Pipeline(retry=RETRY._replace(max_attempts=8), breaker=ALL_OF_FOUR, abort_on=abort_on)
        with pytest.raises(CallNotPermittedError):
            pipeline.call(failing)
        assert (4, 4) == (pipeline.executions, len(pipeline.scheduler.waits))

    def test_retries_end_before_the_breaker_opens(self) -> None:
        pipeline = Pipeline(retry=RETRY, breaker=ALL_OF_FOUR)
        with pytest.raises(ConnectionError):
            pipeline.call(failing)
        assert (3, State.CLOSED) == (pipeline.executions, pipeline.breaker.observe(pipeline.clock.now)[0])

    def slow(self, pipeline: Pipeline) -> object:
        pipeline.clock.advance("200ms")
        return "late"

    def test_timeouts_are_failures(self) -> None:
        pipeline = Pipeline(breaker=ALL_OF_TWO, timeout=100 * MS)
        for _ in range(2):
            with pytest.raises(TimeoutExceededError):
                pipeline.call(lambda: self.slow(pipeline))
        with pytest.raises(CallNotPermittedError):
            pipeline.call(lambda: self.slow(pipeline))

    def test_timeouts_that_are_not_recorded(self) -> None:
        pipeline = Pipeline(breaker=ALL_OF_TWO, record_on=(KeyError,), timeout=100 * MS)
        for _ in range(10):
            with pytest.raises(TimeoutExceededError):
                pipeline.call(lambda: self.slow(pipeline))
        assert 10 == pipeline.executions

    @pytest.mark.parametrize("what", ["bulkhead", "limiter"])
    def test_refusals_further_in(self, what: str) -> None:
        pipeline = self.refusing(what, (Exception,))
        for _ in range(10):
            with pytest.raises((BulkheadFullError, RateLimitExceededError)):
                pipeline.call(failing)
        assert 0 == pipeline.breaker.snapshot(pipeline.clock.now).total.calls

    @pytest.mark.parametrize("what", ["bulkhead", "limiter"])
    def test_refusals_that_are_recorded(self, what: str) -> None:
        pipeline = self.refusing(what, (RejectedError, OSError))
        for _ in range(2):
            with pytest.raises((BulkheadFullError, RateLimitExceededError)):
                pipeline.call(failing)
        with pytest.raises(CallNotPermittedError):
            pipeline.call(failing)

    def refusing(self, what: str, record_on: ExceptionClasses) -> Pipeline:
        pipeline = Pipeline(
            breaker=ALL_OF_TWO,
            record_on=record_on,
            limiter=RateLimiterSettings(1, S, 0) if what == "limiter" else None,
            bulkhead=BulkheadSettings(1, 0),
        )
        if what == "limiter":
            pipeline.limiter.reserve(pipeline.clock.now, 0)
        else:
            pipeline.bulkhead.free.pop()
        return pipeline

    def test_a_refusal_of_another_pipeline_is_a_failure(self) -> None:
        def calling_others() -> object:
            raise BulkheadFullError

        pipeline = Pipeline(breaker=ALL_OF_TWO)
        for _ in range(2):
            with pytest.raises(BulkheadFullError):
                pipeline.call(calling_others)
        assert State.OPEN is pipeline.breaker.observe(pipeline.clock.now)[0]


class TestRetryAndTimeout:
    @pytest.mark.parametrize(("retry_on", "executions"), [((Exception,), 1), ((TimeoutExceededError,), 3)])
    def test_a_late_call_is_not_repeated(self, retry_on: ExceptionClasses, executions: int) -> None:
        pipeline = Pipeline(retry=RETRY, retry_on=retry_on, timeout=500 * MS)

        def late() -> None:
            pipeline.clock.advance("1s")

        with pytest.raises(TimeoutExceededError) as raised:
            pipeline.call(late)
        assert (executions, True) == (pipeline.executions, raised.value.completed)

    def test_each_attempt_has_the_full_time(self) -> None:
        pipeline = Pipeline(retry=RETRY._replace(max_attempts=2), timeout=500 * MS)
        left: list[float | None] = []

        def look_and_fail() -> object:
            left.append(current_deadline())
            pipeline.clock.advance("400ms")
            return failing()

        with pytest.raises(ConnectionError):
            pipeline.call(look_and_fail)
        assert [0.5, 0.5] == left

    def test_the_slot_is_free_during_the_delay(self) -> None:
        """And the retry queues like anybody."""
        pipeline = Pipeline(retry=RETRY, bulkhead=BulkheadSettings(1, 0))
        free: list[int] = []

        class Looking(ManualScheduler):
            def wait(self, nanoseconds: int, **others: object) -> None:
                free.append(pipeline.free())
                super().wait(nanoseconds)

        pipeline.scheduler = Looking(pipeline.clock)
        with pytest.raises(ConnectionError):
            pipeline.call(failing)
        assert ([1, 1], 1) == (free, pipeline.free())

    def test_waits_end_at_an_outer_deadline(self) -> None:
        """A bulkhead's `max_wait` of 5s inside a timeout of 1s waits 1s; a back-off that would pass it is not begun."""
        pipeline = Pipeline(timeout=S, bulkhead=BulkheadSettings(1, 5 * S))
        holder = pipeline.bulkhead.entry()
        assert holder.try_enter()
        with pytest.raises(BulkheadFullError):
            pipeline.call(failing)
        assert [S] == pipeline.scheduler.waits

        retrying = Pipeline(retry=RETRY._replace(delay=2 * S))
        token = enter_deadline(retrying.clock.now + S, retrying.clock.monotonic_ns)
        with pytest.raises(ConnectionError):
            retrying.call(failing)
        leave_deadline(token)
        assert (1, []) == (retrying.executions, retrying.scheduler.waits)

    def test_a_refused_call_is_retried_when_there_is_a_permit(self) -> None:
        pipeline = Pipeline(retry=RETRY, limiter=RateLimiterSettings(1, 2 * S, 0))
        pipeline.limiter.reserve(pipeline.clock.now, 0)
        assert "done" == pipeline.call(lambda: "done")
        assert [2 * S] == pipeline.scheduler.waits
