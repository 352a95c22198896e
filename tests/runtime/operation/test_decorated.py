"""Decorated callables of the active `Resilience` see what an operator changes."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

import pytest

from resilience4cata import Resilience, bulkhead, circuit_breaker, retry

from .operated import Operated

DECORATED = """
    from resilience4cata import *

    calls = []

    @retry(max_attempts=2, delay="1ms")
    def fetch():
        calls.append("fetch")
        raise ConnectionError

    @retry(max_attempts=2, delay="1ms")
    async def fetch_async():
        calls.append("fetch_async")
        raise ConnectionError
    """


@pytest.fixture
def late(shop: Operated) -> Any:
    module = shop.app.load("late", DECORATED)
    shop.resilience.check()
    return module


def test_reconfigure(shop: Operated, late: Any) -> None:
    with shop.resilience.activate():
        shop.fail(1, late.fetch)
        shop.resilience.reconfigure("late#fetch", retry(max_attempts=5))
        shop.fail(1, late.fetch)
        shop.resilience.reconfigure("late#fetch")
        shop.fail(1, late.fetch)
    assert 2 + 5 + 2 == len(late.calls)


def test_asynchronous(shop: Operated, late: Any) -> None:
    with shop.resilience.activate():
        shop.fail(1, lambda: asyncio.run(late.fetch_async()))
        shop.resilience.reconfigure("late#fetch_async", retry(max_attempts=5))
        shop.fail(1, lambda: asyncio.run(late.fetch_async()))
    assert 2 + 5 == len(late.calls)


def test_reload(shop: Operated, late: Any) -> None:
    with shop.resilience.activate():
        shop.fail(1, late.fetch)
        shop.configure("resilience4cata.instances.late#fetch.retry.max-attempts=4")
        shop.resilience.reload()
        shop.fail(1, late.fetch)
        shop.configure("resilience4cata.enabled=false")
        shop.resilience.reload()
        shop.fail(1, late.fetch)
    assert 2 + 4 + 1 == len(late.calls)


def test_methods_of_objects_that_exist(shop: Operated) -> None:
    client = shop.module.PaymentsClient()
    client.failure = ConnectionError()
    with shop.resilience.activate():
        shop.fail(2, client.charge)
        shop.resilience.reconfigure("payments", circuit_breaker(minimum_calls=2))
        shop.fail(3, client.charge)
    assert 2 == client.calls
    assert (2, 3) == (
        shop.resilience.circuit_breaker("payments").snapshot().total.failed,
        shop.resilience.circuit_breaker("payments").snapshot().not_permitted,
    )


def test_a_call_that_runs_keeps_its_slot(shop: Operated) -> None:
    """The limit is lowered, and raised again, from within."""
    client = shop.module.PaymentsClient()

    def inside() -> tuple[int, ...]:
        shop.resilience.reconfigure("slots", bulkhead(max_concurrent=1))
        return shop.resilience.bulkhead("slots").snapshot()

    with shop.resilience.activate():
        assert (1, 1, 0, 0) == client.hold(inside)
        shop.resilience.reconfigure("slots")
    assert (2, 0, 2, 0) == shop.resilience.bulkhead("slots").snapshot()


def test_disabled_and_active(shop: Operated, late: Any) -> None:
    with Resilience.disabled().activate():
        shop.fail(1, late.fetch)
    assert 1 == len(late.calls)


def test_a_copy_of_a_bound_object_runs_on_the_active_one(shop: Operated) -> None:
    """Like any object that is not bound."""
    client = copy.copy(shop.client(ConnectionError()))
    with Resilience.disabled().activate():
        shop.fail(9, client.charge)
    assert (9, 0) == (client.calls, shop.resilience.circuit_breaker("payments").snapshot().total.calls)


class TestLocalFunctions:
    """What another function makes has a state of its own, which goes on as well."""

    MAKING = """
        from resilience4cata import *

        class Instead(FallbackHandler[str]):
            def apply(self, context) -> str:
                return self

        def make():
            @fallback(Instead)
            @bulkhead(max_concurrent=2)
            def hold(inside):
                return inside()
            return hold
        """

    @pytest.fixture
    def made(self, shop: Operated) -> tuple[Any, Any]:
        module: Any = shop.app.load("late", self.MAKING)
        made = module.make(), module.make()
        shop.resilience.check()
        return made

    def test_settings(self, shop: Operated, made: tuple[Any, Any]) -> None:
        """Of three calls within one another the third is refused, after that the second."""
        hold, _ = made
        with shop.resilience.activate():
            assert "in" == hold(lambda: hold(lambda: "in"))
            shop.resilience.reconfigure("late.make#hold", bulkhead(max_concurrent=1))
            assert "in" == hold(lambda: "in")
            assert "in" != hold(lambda: hold(lambda: "in"))

    def test_state_and_handlers_are_their_own(self, shop: Operated, made: tuple[Any, Any]) -> None:
        first, second = made
        with shop.resilience.activate():
            refused = [hold(lambda hold=hold: hold(lambda: hold(lambda: "in"))) for hold in made]
            assert "in" == first(lambda: first(lambda: second(lambda: "in")))
        assert refused[0] is not refused[1]

    def test_there_is_no_handle(self, shop: Operated, made: tuple[Any, Any]) -> None:
        with pytest.raises(LookupError, match=r"there is no bulkhead 'late\.make#hold'"):
            shop.resilience.bulkhead("late.make#hold")
