"""Calls through pipelines: every scenario runs synchronously and asynchronously, from one table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from random import Random
from typing import Any

import pytest

from resilience4cata import (
    Backoff,
    BulkheadFullError,
    CallNotPermittedError,
    Classifier,
    DefinitionError,
    FallbackContext,
    FallbackHandler,
    Jitter,
    Layer,
    OnExhausted,
    Outcome,
    RateLimitExceededError,
    RejectedError,
    Resilience,
    ResultRejectedError,
    TimeoutExceededError,
    bulkhead,
    circuit_breaker,
    fallback,
    order,
    rate_limiter,
    resilience_policy,
    retry,
    timeout,
)
from resilience4cata.events import CallNotPermitted, Retried, State, StateTransition
from resilience4cata.policies.machines.timeout import current_deadline
from resilience4cata.testing import ManualClock, ManualScheduler, RecordedEvents

MS = 1_000_000
S = 1_000 * MS
ALL_OF_FOUR = circuit_breaker(window_size=4, minimum_calls=4, failure_rate_threshold=100)
ALL_OF_TWO = circuit_breaker(window_size=2, minimum_calls=2, failure_rate_threshold=100)


class Fault(OSError):
    """What the functions raise."""


class World:
    """A `Resilience` in which time stands still, and a function that does what a script says.

    A script is a list of results and exceptions; the last one counts for all further calls. `takes` is how long each
    call takes.
    """

    def __init__(self, *, asynchronous: bool) -> None:
        self.asynchronous = asynchronous
        self.clock = ManualClock()
        self.scheduler = ManualScheduler(self.clock)
        self.events = RecordedEvents()
        builder = Resilience.builder().only("no.module").clock(self.clock).scheduler(self.scheduler)
        self.resilience = builder.random(Random(1)).listener(self.events).build()
        self.executions = 0
        self.takes = 0

    def function(self, script: list[Any]) -> Callable[..., Any]:
        def run(*args: object) -> Any:
            step = script[min(self.executions, len(script) - 1)]
            self.executions += 1
            self.clock.advance_ns(self.takes)
            if callable(step) and not isinstance(step, type):
                step = step()
            if isinstance(step, BaseException):
                raise step
            return step

        async def run_async(*args: object) -> Any:
            result = run(*args)
            await asyncio.sleep(0)
            return result

        return run_async if self.asynchronous else run

    def call(self, *policies: Any, script: list[Any], name: str = "payments", args: tuple[object, ...] = ()) -> Any:
        pipeline = self.resilience.pipeline(name, *policies)
        function = self.function(script)
        if self.asynchronous:
            return asyncio.run(pipeline.acall(function, *args))
        return pipeline.call(function, *args)


@pytest.fixture(params=["sync", "async"])
def world(request: pytest.FixtureRequest) -> World:
    return World(asynchronous=request.param == "async")


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


class TestLimits:
    def test_rate_limiter(self, world: World) -> None:
        limiter = rate_limiter(permits=1, period="250ms")
        world.call(limiter, script=["ok"])
        with pytest.raises(RateLimitExceededError) as caught:
            world.call(limiter, script=["ok"])
        assert 0.25 == caught.value.retry_after

    def test_rate_limiter_waits(self, world: World) -> None:
        limiter = rate_limiter(permits=1, period="250ms", max_wait="250ms")
        for _ in range(2):
            world.call(limiter, script=["ok"])
        assert [250 * MS] == world.scheduler.waits

    def test_a_refused_call_is_retried_when_there_is_a_permit(self, world: World) -> None:
        policies = (retry(delay="1ms"), rate_limiter(permits=1, period="2s"))
        for _ in range(2):
            world.call(*policies, script=["ok"])
        assert [2 * S] == world.scheduler.waits

    def test_bulkhead(self) -> None:
        """A call within a call finds it full; both slots are whole afterwards."""
        world = World(asynchronous=False)
        pipeline = world.resilience.pipeline("payments", bulkhead(max_concurrent=1))
        with pytest.raises(BulkheadFullError):
            pipeline.call(lambda: pipeline.call(lambda: "inner"))
        assert (1, 0) == world.resilience.bulkhead("payments").snapshot()[2:4]

    def test_bulkhead_waits_no_longer_than_the_timeout_around_it(self) -> None:
        world = World(asynchronous=False)
        pipeline = world.resilience.pipeline("payments", timeout("1s"), bulkhead(max_concurrent=1, max_wait="5s"))
        with pytest.raises(BulkheadFullError):
            pipeline.call(lambda: pipeline.call(lambda: "inner"))
        assert [S] == world.scheduler.waits


class TestTimeout:
    def test_a_late_call_is_not_repeated(self) -> None:
        world = World(asynchronous=False)
        world.takes = S
        with pytest.raises(TimeoutExceededError) as caught:
            world.call(retry(), timeout("500ms"), script=["late"])
        assert (True, 0.5, 1) == (caught.value.completed, caught.value.limit, world.executions)

    def test_unless_that_is_listed(self) -> None:
        world = World(asynchronous=False)
        world.takes = S
        with pytest.raises(TimeoutExceededError):
            world.call(retry(retry_on=TimeoutExceededError), timeout("500ms"), script=["late"])
        assert 3 == world.executions

    def test_current_deadline(self, world: World) -> None:
        seen: list[float | None] = []
        world.call(retry(max_duration="3s"), timeout("2s"), script=[lambda: seen.append(current_deadline())])
        assert ([2.0], None) == (seen, current_deadline())

    def test_offload(self) -> None:
        """The caller gets its error on time; the thread keeps its slot until it ends."""
        from threading import Event

        world = World(asynchronous=False)
        go, done = Event(), Event()

        def slow() -> None:
            go.wait(10)
            done.set()

        pipeline = world.resilience.pipeline("payments", timeout("1s", offload=True), bulkhead(max_concurrent=1))
        with pytest.raises(TimeoutExceededError) as caught:
            pipeline.call(slow)
        assert (False, 0) == (caught.value.completed, world.resilience.bulkhead("payments").snapshot().free)
        go.set()
        assert done.wait(10)
        assert 7 == world.resilience.pipeline("other", timeout("1s", offload=True)).call(lambda: 7)


class Asynchronous:
    """Async timeouts: the test moves the clock."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.scheduler = ManualScheduler(self.clock, auto_advance=False)
        self.resilience = Resilience.builder().only("no.module").clock(self.clock).scheduler(self.scheduler).build()

    async def settle(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)


class TestAsyncTimeout:
    def test_the_body_is_cancelled(self) -> None:
        world, seen = Asynchronous(), []

        async def body() -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                seen.append("cancelled")
                raise

        async def main() -> int:
            pipeline = world.resilience.pipeline("payments", timeout("500ms"), bulkhead(max_concurrent=1))
            task = asyncio.create_task(pipeline.acall(body))
            await world.settle()
            world.clock.advance("500ms")
            with pytest.raises(TimeoutExceededError):
                await task
            return task.cancelling()

        assert (0, ["cancelled"]) == (asyncio.run(main()), seen)
        assert 1 == world.resilience.bulkhead("payments").snapshot().free

    def test_a_swallowed_cancellation(self) -> None:
        world = Asynchronous()

        async def body() -> str:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return "swallowed"
            return ""

        async def main() -> None:
            task = asyncio.create_task(world.resilience.pipeline("p", timeout("1s")).acall(body))
            await world.settle()
            world.clock.advance("1s")
            with pytest.raises(TimeoutExceededError):
                await task

        asyncio.run(main())

    def test_an_outer_cancellation_wins(self) -> None:
        world = Asynchronous()

        async def main() -> int:
            pipeline = world.resilience.pipeline("p", retry(), timeout("1s"), fallback(lambda context: "no"))
            task = asyncio.create_task(pipeline.acall(asyncio.Event().wait))
            await world.settle()
            task.cancel()
            world.clock.advance("1s")
            with pytest.raises(asyncio.CancelledError):
                await task
            return task.cancelling()

        assert 1 == asyncio.run(main())

    def test_cancelled_during_a_back_off(self) -> None:
        world, executions = Asynchronous(), []

        async def body() -> None:
            executions.append(1)
            raise Fault

        async def main() -> None:
            task = asyncio.create_task(world.resilience.pipeline("p", retry(delay="1h", max_delay="1h")).acall(body))
            await world.settle()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(main())
        assert [1] == executions


class TestFallback:
    def test_function(self, world: World) -> None:
        seen: list[FallbackContext] = []

        def answer(context: FallbackContext) -> str:
            seen.append(context)
            return "stand-in"

        assert "stand-in" == world.call(retry(), fallback(answer), script=[Fault()], args=(1, "b"))
        (context,) = seen
        assert (3, "b", "payments") == (context.attempts, context.arguments["args"][1], context.instance_id)

    def test_handler_is_made_once(self, world: World) -> None:
        made = []

        class Handler(FallbackHandler[str]):
            def __init__(self) -> None:
                made.append(1)

            def apply(self, context: FallbackContext) -> str:
                return type(context.failure).__name__

        for _ in range(2):
            assert "Fault" == world.call(fallback(Handler), script=[Fault()])
        assert [1] == made

    def test_lists(self, world: World) -> None:
        policy = fallback(lambda context: "no", apply_on=OSError, skip_on=ConnectionError)
        assert "no" == world.call(policy, script=[Fault()])
        for failure in (ConnectionError(), KeyError()):
            world.executions = 0
            with pytest.raises(type(failure)):
                world.call(policy, script=[failure])

    def test_one_that_raises(self, world: World) -> None:
        """Its exception surfaces as it is, with the first failure as context."""
        first = Fault()

        def answer(context: FallbackContext) -> str:
            raise KeyError

        with pytest.raises(KeyError) as caught:
            world.call(fallback(answer), script=[first])
        assert first is caught.value.__context__


def test_wrong_arguments_touch_no_policy(world: World) -> None:
    pipeline: Any = world.resilience.pipeline("payments", retry(), ALL_OF_TWO, fallback(lambda context: "no"))

    def plain(a: int, *, b: int = 1) -> int:
        return a + b

    async def coroutine(a: int, *, b: int = 1) -> int:
        return a + b

    for args, kwargs in (((), {}), ((1, 2), {}), ((1,), {"c": 1})):
        call = partial(pipeline.call, plain, *args, **kwargs)
        if world.asynchronous:
            call = partial(asyncio.run, pipeline.acall(coroutine, *args, **kwargs))
        with pytest.raises(TypeError, match="argument"):
            call()
    assert 0 == world.resilience.circuit_breaker("payments").snapshot().total.calls
    assert [] == world.events.seen


def test_order_of_an_element(world: World) -> None:
    """With the retry inside the breaker the breaker counts one failure for all attempts."""
    policies = (retry(), ALL_OF_TWO, order(Layer.CIRCUIT_BREAKER, Layer.RETRY))
    with pytest.raises(Fault):
        world.call(*policies, script=[Fault()])
    assert (3, 1) == (world.executions, world.resilience.circuit_breaker("payments").snapshot().total.failed)


def test_disabled_policies_are_left_out(world: World) -> None:
    with pytest.raises(Fault):
        world.call(retry(enabled=False), script=[Fault()])
    assert 1 == world.executions


class TestPipelines:
    def test_one_name_and_equal_settings_are_one(self) -> None:
        resilience = Resilience.builder().only("no.module").build()
        composed = resilience_policy("external-call", circuit_breaker(), timeout("2s"))
        assert resilience.pipeline("p", composed) is resilience.pipeline("p", composed)
        with pytest.raises(DefinitionError, match="R4C-IN-001"):
            resilience.pipeline("p", composed, timeout("3s"))

    def test_template(self) -> None:
        builder = Resilience.builder().only("no.module").config("external", retry(max_attempts=2, delay="0"))
        calls = []

        def failing() -> None:
            calls.append(1)
            raise Fault

        resilience = builder.config("slow", timeout("10s"), extends="external").build()
        with pytest.raises(Fault):
            resilience.pipeline("p", config="slow").call(failing)
        assert [1, 1] == calls

    def test_mistakes(self) -> None:
        resilience = Resilience.builder().only("no.module").build()
        with pytest.raises(DefinitionError) as caught:
            resilience.pipeline("p", retry(max_attempts=0), timeout("2x"))
        assert {"R4C-VA-001", "R4C-DU-001"} == {d.code for d in caught.value.diagnostics}

    def test_sync_and_async_callers_share_one_state(self) -> None:
        resilience = Resilience.builder().only("no.module").build()
        pipeline = resilience.pipeline("p", ALL_OF_TWO)

        async def failing() -> None:
            raise Fault

        with pytest.raises(Fault):
            asyncio.run(pipeline.acall(failing))
        with pytest.raises(ZeroDivisionError):
            pipeline.call(lambda: 1 / 0)
        with pytest.raises(CallNotPermittedError):
            pipeline.call(lambda: 1)

    def test_unknown_instances(self) -> None:
        resilience = Resilience.builder().only("no.module").build()
        resilience.pipeline("payments", circuit_breaker())
        with pytest.raises(LookupError, match="did you mean 'payments'"):
            resilience.circuit_breaker("paymnets")


def test_no_lock_is_held_while_a_listener_runs() -> None:
    """One that calls through the same breaker, and forces its state, does not hang."""
    resilience = Resilience.builder().only("no.module").build()
    pipeline = resilience.pipeline("p", ALL_OF_TWO)

    def again(event: StateTransition) -> None:
        resilience.circuit_breaker("p").reset()
        pipeline.call(lambda: 1)

    resilience.listen(StateTransition, again)
    for _ in range(4):
        with pytest.raises(ZeroDivisionError):
            pipeline.call(lambda: 1 / 0)
    assert State.CLOSED is resilience.circuit_breaker("p").state
