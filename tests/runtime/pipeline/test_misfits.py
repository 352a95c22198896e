"""What cannot be called, and arguments that do not fit: no policy sees either, and nothing is counted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from resilience4cata import (
    CallIgnored,
    Pipeline,
    Resilience,
    bulkhead,
    circuit_breaker,
    fallback,
    rate_limiter,
    retry,
    timeout,
)
from resilience4cata.testing import ManualClock, ManualScheduler, RecordedEvents


def add(left: int, right: int, *, third: int = 0) -> int:
    return left + right + third


async def add_later(left: int, right: int) -> int:
    return left + right


def untyped(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of which type checkers know nothing."""
    return function


class Adding:
    def __call__(self, left: int, right: int) -> int:
        return left + right

    def add(self, left: int, right: int) -> int:
        return left + right


class World:
    """A pipeline of all policies, and what they have seen."""

    def __init__(self) -> None:
        clock = ManualClock()
        self.scheduler = ManualScheduler(clock)
        builder = Resilience.builder().clock(clock).scheduler(self.scheduler).only("no.module")
        self.resilience = builder.build()
        self.events = RecordedEvents(self.resilience)
        self.pipeline: Pipeline = self.resilience.pipeline(
            "all",
            fallback(lambda _: "hidden"),
            retry(max_attempts=3),
            circuit_breaker(minimum_calls=1),
            rate_limiter(permits=10, period="1h"),
            timeout("1s"),
            bulkhead(max_concurrent=1),
        )

    def assert_untouched(self) -> None:
        """Nothing is counted, retried or held; what got as far as the breaker is told to leave no trace there."""
        assert {CallIgnored}.issuperset(self.events.types())
        assert [] == self.scheduler.waits
        assert (0, 0, 0) == self.resilience.circuit_breaker("all").snapshot().total
        assert 1 == self.resilience.bulkhead("all").snapshot().free


@pytest.mark.parametrize("thing", ["not callable", 3, None, Adding.__module__])
def test_not_callable(thing: Any) -> None:
    """Refused at once by both ways, and by no policy."""
    world = World()
    ways: dict[str, Callable[[], object]] = {
        "call": lambda: untyped(world.pipeline.call)(thing),
        "acall": lambda: asyncio.run(awaited(untyped(world.pipeline.acall), thing)),
    }
    for name, call in ways.items():
        with pytest.raises(TypeError) as caught:
            call()
        assert f"{name}() expects a function and its arguments, not {thing!r}" == str(caught.value)
    world.assert_untouched()
    assert 10 == world.resilience.rate_limiter("all").snapshot().available


def test_a_coroutine_is_no_function() -> None:
    """The call that was meant to be guarded was made before."""
    world = World()
    coroutine = add_later(1, 2)
    with pytest.raises(TypeError, match=r"acall\(\) expects a function and its arguments, not <coroutine object"):
        asyncio.run(world.pipeline.acall(coroutine))  # type: ignore[arg-type]
    coroutine.close()
    world.assert_untouched()


@pytest.mark.parametrize(
    ("function", "args", "said"),
    [
        (partial(add), (), "add() missing 2 required positional arguments: 'left' and 'right'"),
        (partial(add, 1), (), "add() missing 1 required positional argument: 'right'"),
        (partial(partial(add, 1), 2), (3,), "add() takes 2 positional arguments but 3 were given"),
        (
            partial(untyped(add), 1, fourth=4),
            (2,),
            "add() got an unexpected keyword argument 'fourth'",
        ),
        (Adding(), (1,), "Adding.__call__() missing 1 required positional argument: 'right'"),
        (partial(Adding().add, 1), (), "Adding.add() missing 1 required positional argument: 'right'"),
        (partial(add_later, 1), (), "add_later() missing 1 required positional argument: 'right'"),
    ],
    ids=range(7),
)
class TestArguments:
    """Those of a partial and of an object that is called are those of the plain function within."""

    def test_of_a_pipeline(self, function: Callable[..., Any], args: tuple[int, ...], said: str) -> None:
        world = World()
        with pytest.raises(TypeError) as caught:
            asyncio.run(world.pipeline.acall(function, *args))
        assert said == str(caught.value)
        assert not hasattr(caught.value, "__notes__")
        world.assert_untouched()

    def test_decorated(self, function: Callable[..., Any], args: tuple[int, ...], said: str) -> None:
        """The quick way calls first; the layers are told why it failed."""
        guarded = retry(max_attempts=3)(circuit_breaker(name="decorated", minimum_calls=1)(function))
        resilience = Resilience.builder().scheduler(ManualScheduler(ManualClock())).only("no.module").build()
        with resilience.activate():
            for _ in range(2):
                with pytest.raises(TypeError) as caught:
                    asyncio.run(awaited(guarded, *args))
                assert said == str(caught.value)
        breakers = resilience.snapshot().circuit_breakers
        assert [(0, 0, 0)] * len(breakers) == [breaker.total for breaker in breakers.values()]


async def awaited(function: Callable[..., Any], *args: Any) -> Any:
    result = function(*args)
    return await result if asyncio.iscoroutine(result) else result


def raising(value: object) -> None:
    len(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("function", [partial(raising, 3), partial(int, [])], ids=["inside", "built in"])
def test_other_type_errors_are_failures(function: Callable[..., Any]) -> None:
    """What the function itself raises, and what nobody can tell from that, is a failure like any other."""
    world = World()
    pipeline = world.resilience.pipeline("breaker", circuit_breaker(minimum_calls=5))
    with pytest.raises(TypeError):
        pipeline.call(function)
    assert (1, 1, 0) == world.resilience.circuit_breaker("breaker").snapshot().total


def test_what_fits_is_called() -> None:
    world = World()
    assert (6, 3) == (world.pipeline.call(partial(add, 1, third=3), 2), world.pipeline.call(Adding(), 1, 2))
    assert 3 == asyncio.run(world.pipeline.acall(partial(add_later, right=2), 1))
    assert (3, 0, 0) == world.resilience.circuit_breaker("all").snapshot().total
