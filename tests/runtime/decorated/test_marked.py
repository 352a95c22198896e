"""Callables that are no coroutine functions, and say that they give coroutines: mocks, and what is marked so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from unittest.mock import AsyncMock, Mock, create_autospec

import pytest

from resilience4cata import DefinitionError, retry

from ..live import Application
from .running import built, running


async def charge(amount: int) -> int:
    return amount


OUTCOMES = [ConnectionError(), ConnectionError(), 7]


@pytest.mark.parametrize("made", [AsyncMock, lambda **settings: create_autospec(charge, **settings)])
def test_mocks(made: Callable[..., Any]) -> None:
    """They were called once: only the creation of the coroutine was guarded."""
    mock = made(side_effect=list(OUTCOMES))
    with running():
        assert 7 == asyncio.run(retry(max_attempts=3)(mock)(1))
    assert 3 == mock.call_count


def test_synchronous_mock() -> None:
    mock = Mock(side_effect=list(OUTCOMES))
    with running():
        assert 7 == retry(max_attempts=3)(mock)(1)


def marked(function: Callable[..., Any]) -> Any:
    """What `inspect.markcoroutinefunction` of Python 3.12 does, or of asgiref before."""
    function._is_coroutine = asyncio.coroutines._is_coroutine  # type: ignore[attr-defined]
    return function


def test_function_that_hands_on_a_coroutine() -> None:
    outcomes = list(OUTCOMES)

    async def later(amount: int) -> int:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return amount

    class Client:
        @retry(max_attempts=3)
        @marked
        def charge(self, amount):  # type: ignore[no-untyped-def]
            return later(amount)

    with running():
        assert 5 == asyncio.run(Client().charge(5))


def test_fallbacks(app: Application) -> None:
    """An asynchronous target was refused, since the function was taken for a synchronous one."""
    text = """
        import asyncio

        from resilience4cata import fallback

        def marked(function):
            function._is_coroutine = asyncio.coroutines._is_coroutine
            return function

        async def fail():
            raise ConnectionError

        @fallback(method="nothing")
        {mark}
        def charge():
            return fail()

        async def nothing():
            return 0
    """
    module = app.load("shop", text.format(mark="@marked"))
    with built("shop").activate():
        assert 0 == asyncio.run(module.charge())
    app.load("other", text.format(mark=""))
    with pytest.raises(DefinitionError, match="R4C-FB-009"):
        built("other")
