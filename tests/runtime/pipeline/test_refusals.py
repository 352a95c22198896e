"""What a refusal says in words, and what it leaves to the caller."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest

from resilience4cata import (
    BulkheadFullError,
    CallNotPermittedError,
    Pipeline,
    Policy,
    RejectedError,
    bulkhead,
    circuit_breaker,
)

from ..decorated.running import built


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (1, "the bulkhead 'slots' is full: 1 call is running"),
        (2, "the bulkhead 'slots' is full: 2 calls are running"),
    ],
)
def test_full_bulkhead(limit: int, said: str) -> None:
    """In the singular and in the plural."""
    pipeline = built().pipeline("slots", bulkhead(max_concurrent=limit))

    def call(depth: int) -> None:
        if depth:
            pipeline.call(call, depth - 1)

    with pytest.raises(BulkheadFullError) as caught:
        call(limit + 1)
    assert said == str(caught.value)


async def answer() -> str:
    return "answer"


def answers() -> Iterator[str]:
    yield "answer"


async def later_answers() -> AsyncIterator[str]:
    yield "answer"


async def taken(coroutine: Awaitable[str], several: Iterator[str], later: AsyncIterator[str]) -> list[str]:
    """All that the arguments have to give."""
    return [await coroutine, *several, *[given async for given in later]]


Call = Callable[[Pipeline, tuple[Any, ...]], object]


@pytest.mark.parametrize(
    "call",
    [
        lambda pipeline, arguments: pipeline.call(tuple, arguments),
        lambda pipeline, arguments: asyncio.run(pipeline.acall(taken, *arguments)),
    ],
    ids=["call", "acall"],
)
@pytest.mark.parametrize(
    ("policy", "error"),
    [(bulkhead(max_concurrent=1), BulkheadFullError), (circuit_breaker(), CallNotPermittedError)],
    ids=["bulkhead", "circuit breaker"],
)
def test_arguments_belong_to_the_caller(policy: Policy, error: type[RejectedError], call: Call) -> None:
    """A refused call neither runs nor closes the coroutines and generators that it was given."""
    resilience = built()
    pipeline = resilience.pipeline("work", policy)
    arguments = (answer(), answers(), later_answers())
    if error is CallNotPermittedError:
        resilience.circuit_breaker("work").force_open()
    with pytest.raises(error):
        call(pipeline, arguments) if error is CallNotPermittedError else pipeline.call(call, pipeline, arguments)
    assert ["answer"] * 3 == asyncio.run(taken(*arguments))
