"""The quick way is only quicker: results, errors, events, waits, counts and states are those of the layers."""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from resilience4cata import (
    Jitter,
    Layer,
    WindowType,
    bulkhead,
    circuit_breaker,
    fallback,
    order,
    rate_limiter,
    retry,
    timeout,
)
from resilience4cata.clock import SECOND

from .twins import MS, Fault, Interruption, Passing, Plan, Step, Swallowing, World, each_way


def instead(amount: int, *, option: int = 0) -> tuple[str, int]:
    return "instead", amount + option


spans = st.sampled_from(["1ms", "5ms", "20ms", "100ms"])
moments = st.sampled_from([0, 0, 0, MS, 4 * MS, 5 * MS, 6 * MS, 25 * MS, 2_000 * MS])

retries = st.builds(
    retry,
    max_attempts=st.integers(1, 3),
    delay=spans,
    max_delay=st.just("1s"),
    jitter=st.sampled_from(Jitter),
    max_duration=st.sampled_from(["0", "0", "30ms", "200ms"]),
    abort_on=st.sampled_from([(), Passing]),
)
budgeted = st.builds(retry, delay=spans, budget=st.just("retries"))
breakers = st.builds(
    circuit_breaker,
    name=st.just("shared"),
    window_type=st.sampled_from(WindowType),
    window_size=st.integers(2, 5),
    minimum_calls=st.integers(1, 2),
    failure_rate_threshold=st.sampled_from([30, 50, 100]),
    wait_in_open=spans,
    half_open_calls=st.integers(1, 2),
    ignore_on=st.sampled_from([(), Passing]),
)
slow_breakers = st.builds(
    circuit_breaker,
    name=st.just("shared"),
    window_size=st.just(4),
    minimum_calls=st.integers(1, 2),
    slow_call_duration=spans,
    slow_call_rate_threshold=st.sampled_from([50, 100]),
    wait_in_open=spans,
)
limiters = st.builds(rate_limiter, permits=st.integers(1, 3), period=spans, max_wait=st.sampled_from(["0", "5ms"]))
timeouts = st.builds(timeout, spans)
bulkheads = st.builds(bulkhead, max_concurrent=st.integers(1, 2), max_wait=st.sampled_from(["0", "5ms"]))
fallbacks = st.builds(fallback, st.just(instead), skip_on=st.sampled_from([(), Passing]))
orders = st.permutations([Layer.FALLBACK, Layer.RETRY, Layer.CIRCUIT_BREAKER, Layer.RATE_LIMITER, Layer.TIMEOUT]).map(
    lambda layers: order(*layers)
)

# In the fixed order one of each, or none.
choices = st.tuples(
    st.none() | fallbacks,
    st.none() | retries | budgeted,
    breakers | slow_breakers,
    st.none() | limiters,
    st.none() | timeouts,
    st.none() | bulkheads,
    st.none() | orders,
).map(lambda found: tuple(policy for policy in found if policy is not None))
ends = st.sampled_from(["done", "done", "done", Fault, Passing, Swallowing, MemoryError, Interruption])
steps = st.builds(Step, ends, moments, st.booleans(), st.booleans())
calls = moments | moments | st.sampled_from(["force_open", "force_closed", "disable", "reset"])
plans = st.builds(
    Plan,
    choices,
    st.lists(steps, min_size=1, max_size=6).map(tuple),
    st.lists(calls, min_size=1, max_size=12).map(lambda found: (0, *found)),
    st.sampled_from(["nobody", "somebody", "of every call"]),
)


QUICK = circuit_breaker(name="shared", window_size=10, minimum_calls=1, failure_rate_threshold=100)
DONE = Step("done")
FAULT = Step(Fault)
LATE = Step("done", takes=25 * MS)

# What the quick way meets: a first call that goes through the layers, and then one for each way to end.
MEETS = {
    "success": Plan((QUICK,), (DONE,), (0, 0, 0)),
    "failure": Plan((QUICK,), (DONE, FAULT), (0, 0, 0)),
    "retry": Plan((retry(delay="5ms"), QUICK), (DONE, FAULT), (0, 0, 0), "somebody"),
    "bounded retry": Plan(
        (retry(delay="5ms", jitter=Jitter.NONE, max_duration="30ms"), QUICK), (DONE, Step(Fault, 26 * MS)), (0, 0, 0)
    ),
    "retry budget": Plan((retry(delay="5ms", budget="retries"), QUICK), (DONE, FAULT, FAULT, FAULT), (0, 0, 0, 0)),
    "interruption": Plan((retry(), QUICK, bulkhead()), (DONE, Step(Interruption), Step(MemoryError)), (0,) * 4),
    "no permit": Plan((QUICK, rate_limiter(permits=2, period="100ms")), (DONE,), (0, 0, 0, 100 * MS, 0, 0)),
    "wait for a permit": Plan((QUICK, rate_limiter(permits=2, period="5ms", max_wait="5ms")), (DONE,), (0,) * 5),
    "late": Plan((retry(), QUICK, timeout("20ms")), (DONE, LATE), (0, 0, 0), "somebody"),
    "late, swallowing": Plan((QUICK, timeout("20ms")), (DONE, Step("done", 25 * MS, swallows=True)), (0, 0, 0)),
    "late, replaced": Plan((retry(), QUICK, timeout("20ms")), (DONE, Step(Fault, 25 * MS, swallows=True)), (0, 0, 0)),
    "late within bulkhead": Plan((QUICK, timeout("20ms"), bulkhead(max_concurrent=1)), (DONE, LATE, FAULT), (0,) * 5),
    "full": Plan(
        (fallback(instead), QUICK, rate_limiter(permits=9, period="1h"), bulkhead(max_concurrent=1)),
        (DONE, DONE, Step("done", nested=True)),
        (0,) * 5,
        "somebody",
    ),
    "slow calls": Plan(
        (circuit_breaker(name="shared", window_size=4, minimum_calls=1, slow_call_duration="20ms"),),
        (DONE, LATE),
        (0,) * 6,
        "somebody",
    ),
    "time window": Plan(
        (circuit_breaker(name="shared", window_type=WindowType.TIME, window_size=2, minimum_calls=1),),
        (DONE, DONE, FAULT, DONE),
        (0, 0, 1_000 * MS, 0, 1_500 * MS, 0),
    ),
    "refusal": Plan((retry(), QUICK), (DONE,), (0, 0, "force_open", 0, 0, "force_closed", 0, 0)),
    "refusal heard": Plan((QUICK,), (DONE,), (0, 0, "force_open", 0, 0), "somebody"),
    "open": Plan(
        (circuit_breaker(name="shared", window_size=2, minimum_calls=1, wait_in_open="5ms"),),
        (FAULT, DONE),
        (0, 0, 4 * MS, MS, 0, 0),
    ),
    "every call heard": Plan((QUICK, timeout("20ms")), (DONE, Step("done", MS), FAULT), (0,) * 4, "of every call"),
    "timeout around retry": Plan(
        (timeout("20ms"), retry(delay="15ms", jitter=Jitter.NONE), order(Layer.TIMEOUT, Layer.RETRY)),
        (DONE, FAULT, Step(Fault, MS)),
        (0, 0, 0),
    ),
    "bulkhead around retry": Plan(
        (bulkhead(max_concurrent=1), retry(delay="1ms"), order(Layer.BULKHEAD, Layer.RETRY)), (DONE, FAULT), (0, 0, 0)
    ),
}


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("meets", MEETS)
def test_what_it_meets(meets: str, asynchronous: bool) -> None:
    """Each way in which a call leaves the quick way ends as if it had never been on it."""
    quick, in_seconds, slow = each_way(MEETS[meets], asynchronous=asynchronous)
    assert slow == quick
    assert slow == in_seconds


@pytest.mark.parametrize("begins", [-1_000_000_000 * SECOND, -SECOND, 0, 1_000_000_000 * SECOND])
@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("meets", MEETS)
def test_zero_means_nothing(meets: str, asynchronous: bool, begins: int) -> None:
    """Only differences of moments count: a clock may begin far below zero, or pass it on the way."""
    usual = World(MEETS[meets], asynchronous=asynchronous).run()
    assert usual == World(MEETS[meets], asynchronous=asynchronous, begins=begins).run()


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@settings(max_examples=50, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(plan=plans)
def test_any_plan(asynchronous: bool, plan: Plan) -> None:
    """Whatever functions, operators and time do, nobody can tell which way the calls took."""
    quick, in_seconds, slow = each_way(plan, asynchronous=asynchronous)
    assert slow == quick
    assert slow == in_seconds
