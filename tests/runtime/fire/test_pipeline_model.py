"""Whole pipelines against a naive reference: random settings in random order, calls within calls, on manual time."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable
from contextlib import ExitStack, suppress
from random import Random
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from resilience4cata import (
    Jitter,
    Layer,
    ResilienceError,
    ResilienceWarning,
    TimeoutExceededError,
    WindowType,
    bulkhead,
    circuit_breaker,
    fallback,
    order,
    rate_limiter,
    retry,
    timeout,
)
from resilience4cata.policies.machines.budget import RetryBudgetSettings
from resilience4cata.policies.machines.circuit_breaker import CircuitBreakerSettings
from resilience4cata.schema import UNSET

from .reference import End, Reference, S, Spec, Step, settings_of, span
from .ways import WAYS, World

LAYERS = {
    "fallback": Layer.FALLBACK,
    "retry": Layer.RETRY,
    "circuit_breaker": Layer.CIRCUIT_BREAKER,
    "rate_limiter": Layer.RATE_LIMITER,
    "timeout": Layer.TIMEOUT,
    "bulkhead": Layer.BULKHEAD,
}
DEFAULT_ORDER = list(LAYERS)

STEPS = st.builds(Step, st.sampled_from("SSFFFVIN"), st.sampled_from([0, 0, 0, S // 4, S, 2 * S]))
SPANS = st.sampled_from([S // 4, S, 2 * S, 5 * S])
BREAKERS = st.builds(
    lambda kind, size, minimum, rate, slow, probes, wait, longest: CircuitBreakerSettings(
        kind, size, min(minimum, size), rate, slow and 100.0, slow, wait, probes, longest
    ),
    st.sampled_from(WindowType),
    st.integers(1, 5),
    st.integers(1, 5),
    st.sampled_from([20, 50, 100]),
    st.sampled_from([None, S]),
    st.integers(1, 3),
    SPANS,
    st.sampled_from([0, S, 5 * S]),
)
ORDERS = st.one_of(
    st.lists(st.sampled_from(DEFAULT_ORDER), min_size=2, unique=True).map(
        lambda names: sorted(names, key=DEFAULT_ORDER.index)
    ),
    st.lists(st.sampled_from(DEFAULT_ORDER), min_size=2, unique=True),
)
SPECS = st.builds(
    Spec,
    layers=ORDERS.map(tuple),
    breaker=BREAKERS,
    max_attempts=st.integers(1, 4),
    delay=SPANS,
    full_jitter=st.booleans(),
    max_duration=st.sampled_from([0, 0, 3 * S]),
    retries_all=st.sampled_from([True, True, False]),
    budget=st.none()
    | st.builds(
        RetryBudgetSettings, st.sampled_from([S, 5 * S]), st.sampled_from([0, 1]), st.sampled_from([0, 20, 50, 100])
    ),
    limit=SPANS,
    permits=st.sampled_from([1, 2, 9]),
    period=SPANS,
    limiter_wait=st.sampled_from([0, 0, S, 5 * S]),
    max_concurrent=st.integers(1, 2),
    bulkhead_wait=st.sampled_from([0, S // 4, 2 * S]),
)


class Fault(OSError):
    """What may be retried."""


ERRORS: dict[str, type[Exception]] = {"F": Fault, "V": ValueError, "I": KeyError}
EXPECTED: tuple[type[Exception], ...] = (ResilienceError, *ERRORS.values())


def policies(spec: Spec) -> list[Any]:
    """The declarations of a spec."""
    made: dict[str, Callable[[], Any]] = {
        "fallback": lambda: fallback(lambda context: "fallback"),
        "retry": lambda: retry(
            name="shared",
            max_attempts=spec.max_attempts,
            delay=span(spec.delay),
            jitter=Jitter.FULL if spec.full_jitter else Jitter.NONE,
            max_duration=span(spec.max_duration),
            retry_on=Exception if spec.retries_all else Fault,
            budget="shared" if spec.budget is not None else UNSET,
        ),
        "circuit_breaker": lambda: circuit_breaker(name="shared", ignore_on=KeyError, **settings_of(spec)),
        "rate_limiter": lambda: rate_limiter(
            name="shared", permits=spec.permits, period=span(spec.period), max_wait=span(spec.limiter_wait)
        ),
        "timeout": lambda: timeout(span(spec.limit)),
        "bulkhead": lambda: bulkhead(
            name="shared", max_concurrent=spec.max_concurrent, max_wait=span(spec.bulkhead_wait)
        ),
    }
    own_order = [order(*(LAYERS[name] for name in spec.layers))] if len(spec.layers) > 1 else []
    return [*own_order, *(made[name]() for name in spec.layers)]


def properties(spec: Spec) -> str:
    """The configuration of the retry budget."""
    if spec.budget is None:
        return ""
    ttl, least, percent = spec.budget
    values = {"ttl": span(ttl), "min-per-second": least, "percent": percent}
    return "\n".join(f"resilience4cata.budgets.shared.{key}={value}" for key, value in values.items())


class AgainstReference(RuleBasedStateMachine):
    """Whatever is called, in whatever order: results, executions, waits, time and figures are the reference's."""

    way = "pipeline"
    asynchronous = False

    @initialize(spec=SPECS, seed=st.integers(0, 5))
    def make(self, spec: Spec, seed: int) -> None:
        self.spec = spec
        self.world = World(seed=seed, properties=properties(spec))
        self.reference = Reference(spec, self.asynchronous, self.world.clock.now, Random(seed))
        self.script: list[Step] = []
        self.executions = 0
        self.stack = ExitStack()
        self.runner = self.stack.enter_context(asyncio.Runner())
        function = self.function_async if self.asynchronous else self.function
        with warnings.catch_warnings():
            # Any order and any numbers will do here, also those that a warning would advise against.
            warnings.simplefilter("ignore", ResilienceWarning)
            guarded = self.world.guarded(self.way, policies(spec), function, asynchronous=self.asynchronous)
            self.guarded = self.stack.enter_context(guarded)
            if "circuit_breaker" in spec.layers:
                # Both begin their first period now.
                same = settings_of(spec)
                self.world.resilience.pipeline("other", circuit_breaker(name="shared", ignore_on=KeyError, **same))
                assert "CLOSED" == self.world.resilience.circuit_breaker("shared").state.name

    def begin(self) -> Step:
        self.executions += 1
        step = self.script.pop(0) if self.script else Step("S", 0)
        self.world.clock.advance_ns(step.takes)
        if step.kind in ERRORS:
            raise ERRORS[step.kind]
        return step

    def function(self) -> str:
        if self.begin().kind == "N":
            with suppress(*EXPECTED):
                self.guarded()
        return "done"

    async def function_async(self) -> str:
        if self.begin().kind == "N":
            with suppress(*EXPECTED):
                await self.guarded()
        await asyncio.sleep(0)
        return "done"

    def real_call(self) -> End:
        try:
            return End(self.runner.run(self.guarded()) if self.asynchronous else self.guarded())
        except EXPECTED as error:
            completed = isinstance(error, TimeoutExceededError) and error.completed
            return End(error=type(error).__name__, completed=completed)

    @rule(script=st.lists(STEPS, max_size=8))
    def call(self, script: list[Step]) -> None:
        self.script, self.reference.script = script.copy(), script.copy()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResilienceWarning)
            real = self.real_call()
        expected = self.reference.call()
        assert (expected.value, expected.error, expected.completed) == (real.value, real.error, real.completed)
        assert (self.reference.executions, self.reference.now) == (self.executions, self.world.clock.now)
        assert self.reference.waits == self.world.scheduler.waits

    @rule(span=SPANS)
    def time_passes(self, span: int) -> None:
        self.world.clock.advance_ns(span)
        self.reference.now += span

    @rule()
    def operate(self) -> None:
        if "circuit_breaker" in self.spec.layers:
            self.world.resilience.circuit_breaker("shared").force_closed()
            if self.reference.state().name != "CLOSED":
                self.reference.breaker.close()

    @invariant()
    def figures(self) -> None:
        if not hasattr(self, "reference"):
            return
        resilience, reference = self.world.resilience, self.reference
        if "circuit_breaker" in self.spec.layers:
            found = resilience.circuit_breaker("shared").snapshot()
            model = reference.breaker
            assert (reference.state(), model.total, model.failed, model.refused) == (
                found.state,
                found.total.calls,
                found.total.failed,
                found.not_permitted,
            )
        if "rate_limiter" in self.spec.layers and reference.first_use is not None:
            assert (*reference.available(), reference.refused) == resilience.rate_limiter("shared").snapshot()
        budget = self.spec.budget
        if "retry" in self.spec.layers and budget is not None and reference.paid:
            paid, spent = reference.recent(reference.paid, budget), reference.recent(reference.spent, budget)
            available = max(0, int(reference.balance(budget)))
            assert (paid, spent, available) == resilience.snapshot().retry_budgets["shared"]
        if "bulkhead" in self.spec.layers and reference.executions:
            limit = self.spec.max_concurrent
            bulkheads = resilience.snapshot().bulkheads
            assert (limit, 0, limit, 0) == bulkheads.get("shared", (limit, 0, limit, 0))

    def teardown(self) -> None:
        if hasattr(self, "stack"):
            self.stack.close()


MACHINES = {
    f"{'async' if asynchronous else 'sync'}-{way}": type(
        "AgainstReference", (AgainstReference,), {"way": way, "asynchronous": asynchronous}
    )
    for way in WAYS
    for asynchronous in (False, True)
}


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES.keys())
def test_against_the_reference(machine: Any) -> None:
    run_state_machine_as_test(machine, settings=settings(max_examples=100, stateful_step_count=12, deadline=None))
