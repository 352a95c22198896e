"""A pipeline's `call` refuses what only `acall` can guard."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from resilience4cata import Resilience, circuit_breaker


async def fetch(url: str) -> str:
    return url


class Client:
    async def fetch(self, url: str) -> str:
        return url


class Fetch:
    async def __call__(self, url: str) -> str:
        return url


@pytest.mark.parametrize(
    ("function", "name"),
    [(fetch, "fetch"), (Client().fetch, "Client.fetch"), (partial(fetch, "/"), None), (Fetch(), None)],
    ids=["function", "method", "partial", "object"],
)
def test_coroutine_function(function: Callable[..., Any], name: str | None) -> None:
    resilience = Resilience.builder().only("no.module").build()
    pipeline = resilience.pipeline("payments", circuit_breaker())
    with pytest.raises(TypeError) as caught:
        pipeline.call(function, "/")
    expected = f"'{name or function}' is a coroutine function: run it by 'await pipeline.acall(...)'"
    assert expected == str(caught.value)
    assert 0 == resilience.circuit_breaker("payments").snapshot().window.calls
