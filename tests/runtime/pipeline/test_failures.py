"""Retries, classifiers and circuit breakers in a pipeline: every scenario runs synchronously and asynchronously."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from resilience4cata import (
    Backoff,
    CallNotPermittedError,
    Classifier,
    Jitter,
    OnExhausted,
    Outcome,
    RejectedError,
    ResultRejectedError,
    TimeoutExceededError,
    bulkhead,
    circuit_breaker,
    fallback,
    rate_limiter,
    retry,
    timeout,
)
from resilience4cata.events import CallNotPermitted, Retried, State, StateTransition

from .scripted import ALL_OF_FOUR, ALL_OF_TWO, S, World
from .twins import MS, Fault


class TestRetry:
    def test_the_last_exception_surfaces_with_a_note(self, world: World) -> None:
        last = ConnectionError("last")
        with pytest.raises(ConnectionError) as caught:
            world.call(retry(max_attempts=6), script=[*[ConnectionError("no")] * 5, last])
        assert (6, 5, last) == (world.executions, len(world.scheduler.waits), caught.value)
        assert [True] == ["6 attempts" in note for note in last.__notes__]

    def test_one_exception_raised_again_and_again_has_one_note(self, world: World) -> None:
        error = ConnectionError()
        for _ in range(3):
            with pytest.raises(ConnectionError):
                world.call(retry(), script=[error])
        assert 1 == len(error.__notes__)

    def test_one_attempt(self, world: World) -> None:
        with pytest.raises(ConnectionError):
            world.call(retry(max_attempts=1), script=[ConnectionError()])
        assert 1 == world.executions

    def test_success_after_two_failures(self, world: World) -> None:
        assert "yes" == world.call(retry(), script=[Fault(), Fault(), "yes"])
        assert (3, 2) == (world.executions, len(world.scheduler.waits))
        assert [1, 2] == [event.attempt for event in world.events.of(Retried)]

    def test_backoff(self, world: World) -> None:
        policy = retry(max_attempts=7, delay="100ms", max_delay="1s", jitter=Jitter.NONE)
        with pytest.raises(Fault):
            world.call(policy, script=[Fault()])
        assert [100, 200, 400, 800, 1000, 1000] == [wait // MS for wait in world.scheduler.waits]

    def test_parent_is_retried_unless_the_child_is_denied(self, world: World) -> None:
        with pytest.raises(ConnectionError):
            world.call(retry(retry_on=OSError), script=[ConnectionError()])
        assert 3 == world.executions
        with pytest.raises(ConnectionError):
            world.call(retry(retry_on=OSError, abort_on=ConnectionError), script=[ConnectionError()], name="with-deny")
        assert 4 == world.executions

    def test_retry_after_is_respected(self, world: World) -> None:
        class Busy(Exception):
            retry_after = 2.0

        assert "ok" == world.call(retry(delay="100ms"), script=[Busy(), "ok"])
        assert [2 * S] == world.scheduler.waits
        with pytest.raises(Busy):
            world.call(retry(delay="100ms", max_duration="1s"), script=[Busy()], name="bounded")
        assert [2 * S] == world.scheduler.waits

    def test_no_wait_in_vain(self, world: World) -> None:
        policy = retry(delay="400ms", backoff=Backoff.FIXED, jitter=Jitter.NONE, max_attempts=9, max_duration="1s")
        with pytest.raises(Fault):
            world.call(policy, script=[Fault()])
        assert (3, [400 * MS] * 2) == (world.executions, world.scheduler.waits)

    @pytest.mark.parametrize("failure", [KeyboardInterrupt(), SystemExit(), MemoryError(), GeneratorExit()])
    def test_what_passes_every_policy(self, failure: BaseException) -> None:
        world = World(asynchronous=False)
        with pytest.raises(type(failure)):
            world.call(retry(), ALL_OF_TWO, fallback(lambda context: "no"), script=[failure])
        assert 1 == world.executions
        assert 0 == world.resilience.circuit_breaker("payments").snapshot().total.calls

    def test_stop_iteration_is_an_ordinary_failure(self) -> None:
        world = World(asynchronous=False)
        with pytest.raises(StopIteration):
            world.call(retry(), script=[StopIteration()])
        assert 3 == world.executions


class Negative(Classifier[int]):
    def classify(self, result: int | None, failure: BaseException | None) -> Outcome:
        return Outcome.FAILURE if failure is not None or (result or 0) < 0 else Outcome.SUCCESS


class Broken(Classifier[Any]):
    def classify(self, result: Any, failure: BaseException | None) -> Outcome:
        raise LookupError


class TestClassifiers:
    def test_failure_results(self, world: World) -> None:
        assert 5 == world.call(retry(classifier=Negative), script=[-1, -1, 5])
        assert -2 == world.call(retry(classifier=Negative), script=[-2])
        with pytest.raises(ResultRejectedError) as caught:
            world.call(retry(classifier=Negative, on_exhausted_result=OnExhausted.RAISE), script=[-3], name="raising")
        assert (-3, 3) == (caught.value.result, caught.value.attempts)

    def test_one_that_raises(self, world: World) -> None:
        """It surfaces at once, with the original as context, and everything is given back."""
        policies = (
            retry(),
            fallback(lambda context: "no"),
            circuit_breaker(classifier=Broken),
            bulkhead(max_concurrent=1),
        )
        error = ConnectionError()
        with pytest.raises(LookupError) as caught:
            world.call(*policies, script=[error])
        assert (error, 1) == (caught.value.__context__, world.executions)
        assert 1 == world.resilience.bulkhead("payments").snapshot().free
        assert 0 == world.resilience.circuit_breaker("payments").snapshot().total.calls


class TestCircuitBreaker:
    def test_it_ends_the_retries(self, world: World) -> None:
        with pytest.raises(CallNotPermittedError) as caught:
            world.call(retry(max_attempts=8), ALL_OF_FOUR, script=[ConnectionError()])
        assert (4, "payments") == (world.executions, caught.value.instance_id)
        assert [State.OPEN] == [event.after for event in world.events.of(StateTransition)]

    def test_retries_end_before_it_opens(self, world: World) -> None:
        with pytest.raises(ConnectionError):
            world.call(retry(), ALL_OF_FOUR, script=[ConnectionError()])
        assert (3, State.CLOSED) == (world.executions, world.resilience.circuit_breaker("payments").state)

    def test_recovery(self, world: World) -> None:
        breaker = circuit_breaker(window_size=2, minimum_calls=2, wait_in_open="5s", half_open_calls=2)
        for _ in range(2):
            with pytest.raises(Fault):
                world.call(breaker, script=[Fault()])
        handle = world.resilience.circuit_breaker("payments")
        world.clock.advance(timedelta(seconds=5))
        assert "HALF_OPEN" == handle.state.name
        for _ in range(2):
            world.call(breaker, script=["fine"])
        assert "CLOSED" == handle.state.name

    def test_unlisted_exceptions_are_successes(self, world: World) -> None:
        policy = circuit_breaker(window_size=2, minimum_calls=2, record_on=KeyError)
        for _ in range(5):
            with pytest.raises(ValueError, match="no"):
                world.call(policy, script=[ValueError("no")])
        assert 0 == world.resilience.circuit_breaker("payments").snapshot().total.failed

    @pytest.mark.parametrize(("listed", "state"), [(False, State.CLOSED), (True, State.OPEN)])
    def test_refusals_further_in(self, world: World, listed: bool, state: State) -> None:
        """They leave no trace, unless they are listed."""
        record = (RejectedError, OSError) if listed else Exception
        breaker = circuit_breaker(window_size=2, minimum_calls=2, record_on=record)
        policies = (breaker, rate_limiter(permits=1, period="1h"))
        world.call(*policies, script=["first"])
        for _ in range(3):
            with pytest.raises(RejectedError):
                world.call(*policies, script=["never"])
        assert (1, state) == (world.executions, world.resilience.circuit_breaker("payments").state)

    def test_timeouts_are_failures(self, world: World) -> None:
        world.takes = 200 * MS
        for _ in range(2):
            with pytest.raises(TimeoutExceededError):
                world.call(ALL_OF_TWO, timeout("100ms"), script=["late"])
        with pytest.raises(CallNotPermittedError):
            world.call(ALL_OF_TWO, timeout("100ms"), script=["late"])

    def test_operators(self, world: World) -> None:
        world.call(ALL_OF_TWO, script=["ok"])
        handle = world.resilience.circuit_breaker("payments")
        handle.force_open()
        with pytest.raises(CallNotPermittedError):
            world.call(ALL_OF_TWO, script=["ok"])
        assert 1 == len(world.events.of(CallNotPermitted))
        handle.disable()
        world.call(ALL_OF_TWO, script=["ok"])
        handle.reset()
        assert (State.CLOSED, 0) == (handle.state, handle.snapshot().total.calls)
