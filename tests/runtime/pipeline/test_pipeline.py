"""Calls through pipelines: every scenario runs synchronously and asynchronously, from one table."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest

from resilience4cata import (
    BulkheadFullError,
    CallNotPermittedError,
    DefinitionError,
    FallbackContext,
    FallbackHandler,
    Layer,
    RateLimitExceededError,
    Resilience,
    bulkhead,
    circuit_breaker,
    fallback,
    order,
    rate_limiter,
    resilience_policy,
    retry,
    timeout,
)
from resilience4cata.events import State, StateTransition

from .scripted import ALL_OF_TWO, S, World
from .twins import MS, Fault


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
