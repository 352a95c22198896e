"""Policies as values: what they are equal to, how they are printed, and what they say when they are called wrongly."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

import resilience4cata
from resilience4cata import (
    Backoff,
    Jitter,
    Layer,
    Policy,
    bulkhead,
    fallback,
    order,
    resilience_policy,
    retry,
    timeout,
)

NAMES = {**vars(resilience4cata), "datetime": datetime, "json": __import__("json")}


class Declined(Exception):
    """The customer's bank says no."""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (timeout("2s"), timeout(timedelta(seconds=2))),
        (timeout("60s"), timeout("1m")),
        (retry(delay="0"), retry(delay=timedelta())),
        (retry(retry_on=OSError), retry(retry_on=(OSError,))),
        (fallback(method="find"), fallback(method=("find",))),
        (retry(multiplier=2), retry(multiplier=2.0)),
        (timeout("soon"), timeout("soon")),
        (resilience_policy("x", timeout("2s")), resilience_policy("x", timeout("2000ms"))),
    ],
    ids=repr,
)
def test_equal(one: object, other: object) -> None:
    """However a value is spelled, and whatever is wrong with it."""
    assert one == other
    assert hash(one) == hash(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (timeout("2s"), timeout("3s")),
        (timeout("2s"), timeout(2_000_000_000)),  # type: ignore[arg-type]
        (retry(max_attempts=1), retry(max_attempts=True)),
        (retry(delay="0"), retry(delay=0)),  # type: ignore[arg-type]
        (bulkhead(enabled=True), bulkhead(enabled=1)),  # type: ignore[arg-type]
        (retry(), retry(max_attempts=3)),
        (order(Layer.RETRY, Layer.TIMEOUT), order(Layer.TIMEOUT, Layer.RETRY)),
        (timeout("soon"), timeout("later")),
    ],
    ids=repr,
)
def test_different(one: object, other: object) -> None:
    """`True` is no number and a number is no duration: a pipeline asked for with them is not the one that fits."""
    assert one != other


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        (order(Layer.FALLBACK, Layer.TIMEOUT), "order(Layer.FALLBACK, Layer.TIMEOUT)"),
        (order(), "order()"),
        (retry(jitter=Jitter.FULL, backoff=Backoff.FIXED), "retry(jitter=Jitter.FULL, backoff=Backoff.FIXED)"),
        (retry(retry_on=(OSError, KeyError)), "retry(retry_on=(OSError, KeyError))"),
        (retry(retry_on=(OSError,)), "retry(retry_on=(OSError,))"),
        (retry(delay=timedelta(seconds=1)), "retry(delay=datetime.timedelta(seconds=1))"),
        (timeout("2s", offload=True), "timeout('2s', offload=True)"),
        (
            resilience_policy("x", retry(), order(Layer.RETRY)),
            "resilience_policy('x', retry(), order(Layer.RETRY))",
        ),
    ],
    ids=repr,
)
def test_printed_as_code(policy: object, text: str) -> None:
    """What is printed is the call, and gives an equal value."""
    assert text == repr(policy)
    assert policy == eval(text, dict(NAMES))


def test_printed_with_full_names() -> None:
    """Two classes may have the same last name."""
    assert f"retry(abort_on={__name__}.Declined)" == repr(retry(abort_on=Declined))
    assert "order('RETRY', 3)" == repr(order("RETRY", 3))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (
            resilience_policy("external-call", retry()),
            'resilience_policy("external-call"): a composed policy is applied without parentheses; remove ()',
        ),
        (retry(max_attempts=2), "retry(max_attempts=2) is applied to a function, a method or a class"),
    ],
)
def test_called_without_a_target(policy: Callable[..., Any], said: str) -> None:
    """In the words of R4C-CMP-008, not in those of a method that nobody has written."""
    with pytest.raises(TypeError) as caught:
        policy()
    assert said == str(caught.value)


def test_all_that_is_public_is_there() -> None:
    """Every name of `__all__` can be had from the root, and is the one of the module that defines it."""
    from resilience4cata import clock, events

    assert [] == [name for name in resilience4cata.__all__ if not hasattr(resilience4cata, name)]
    kinds = [value for value in vars(events).values() if isinstance(value, type) and issubclass(value, events.Event)]
    public = [kind.__name__ for kind in kinds]
    assert [getattr(events, name) for name in public] == [getattr(resilience4cata, name) for name in public]
    assert (clock.Clock, clock.Scheduler) == (resilience4cata.Clock, resilience4cata.Scheduler)
    assert isinstance(retry(), Policy)
