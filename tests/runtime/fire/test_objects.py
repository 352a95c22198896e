"""Exceptions of every kind, and the objects that calls hand on: nothing is changed, lost or kept alive."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError, dataclass
from typing import Any, ClassVar, NoReturn

import pytest

from resilience4cata import (
    CallNotPermittedError,
    Jitter,
    TimeoutExceededError,
    bulkhead,
    circuit_breaker,
    fallback,
    rate_limiter,
    retry,
    timeout,
)

from .interrupting import no_complaints, run
from .ways import World, each_exact_way, each_way

RETRY = retry(name="shared", max_attempts=3, delay="1s", jitter=Jitter.NONE)
ALL = (
    fallback(lambda context: context.arguments, apply_on=LookupError),
    RETRY,
    circuit_breaker(name="shared", window_size=9, minimum_calls=9),
    rate_limiter(name="shared", permits=1000),
    timeout("1h"),
    bulkhead(name="shared"),
)

each_kind = pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
each_kind_of_policy = pytest.mark.parametrize("policy", ALL, ids=lambda policy: type(policy).__name__)


def failing(failure: BaseException) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """A function that raises it, and an asynchronous one."""

    def fail() -> NoReturn:
        raise failure

    async def fail_async() -> NoReturn:
        await asyncio.sleep(0)
        raise failure

    return fail, fail_async


def raised(way: str, policies: Any, failure: BaseException, *, asynchronous: bool) -> tuple[BaseException, World]:
    """What surfaces from a call that ends with a failure."""
    world = World()
    function = failing(failure)[asynchronous]

    async def surfacing() -> BaseException | None:
        try:
            await call()
        except BaseException as error:
            return error
        return None

    def surfacing_sync() -> BaseException | None:
        try:
            call()
        except BaseException as error:
            return error
        return None

    with world.guarded(way, policies, function, asynchronous=asynchronous) as call:
        error: BaseException | None = run(surfacing()) if asynchronous else surfacing_sync()
    assert error is not None
    return error, world


@dataclass(frozen=True)
class Frozen(Exception):
    """Nobody may set anything on it, notes and contexts included."""

    code: int


class Refusing(Exception):
    """It takes no notes."""

    def add_note(self, note: str) -> NoReturn:
        raise TypeError(note)


class Slotted(Exception):
    __slots__ = ("code",)


class OddNotes(Exception):
    """Its notes are no list."""

    __notes__ = ("a", "b")  # type: ignore[assignment]


class Unequal(Exception):
    """It cannot be compared, nor hashed."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError


class TestOddExceptions:
    @each_way
    @each_kind
    @pytest.mark.parametrize(
        "failure", [Frozen(1), Refusing(), Slotted(), OddNotes(), Unequal()], ids=lambda failure: type(failure).__name__
    )
    def test_they_surface_as_they_are(self, way: str, asynchronous: bool, failure: Exception) -> None:
        """After three attempts, whether or not a note can be added."""
        error, world = raised(way, ALL, failure, asynchronous=asynchronous)
        assert error is failure
        assert 2 == len(world.scheduler.waits)

    @each_way
    @each_kind
    @each_kind_of_policy
    def test_a_frozen_one_surfaces_from_the_quick_way(self, way: str, asynchronous: bool, policy: Any) -> None:
        """Which takes the first call already where no circuit breaker has to know a rate before."""
        failure = Frozen(1)
        error, _ = raised(way, [policy], failure, asynchronous=asynchronous)
        assert error is failure

    def test_a_frozen_one_is_frozen(self) -> None:
        """So that the case above is one."""
        with pytest.raises(FrozenInstanceError):
            Frozen(1).add_note("")

    @each_way
    @each_kind
    def test_a_frozen_one_raised_by_a_fallback(self, way: str, asynchronous: bool) -> None:
        """It has the first failure as its context all the same."""
        second, first = Frozen(2), LookupError()
        error, _ = raised(way, [fallback(lambda context: failing(second)[0]())], first, asynchronous=asynchronous)
        assert (second, first) == (error, error.__context__)

    @each_way
    def test_one_that_is_raised_again(self, way: str) -> None:
        """It has one note, of the last call; notes of others stay."""
        failure = ConnectionError()
        failure.add_note("of the user")
        for _ in range(3):
            raised(way, [RETRY], failure, asynchronous=False)
        assert [
            "of the user",
            "resilience4cata: 3 attempts, the last 3.000s after the first failed",
        ] == failure.__notes__


class TestControlFlow:
    """Exceptions that mean something to generators and coroutines."""

    @each_way
    @pytest.mark.parametrize("failure", [StopIteration(5), StopAsyncIteration(5)], ids=["sync", "async"])
    def test_the_end_of_an_iteration(self, way: str, failure: Exception) -> None:
        """An ordinary failure: retried, and raised as it is."""
        error, world = raised(way, ALL, failure, asynchronous=False)
        assert (failure, 2) == (error, len(world.scheduler.waits))

    @each_way
    def test_the_end_of_an_asynchronous_iteration(self, way: str) -> None:
        failure = StopAsyncIteration(5)
        error, world = raised(way, ALL, failure, asynchronous=True)
        assert (failure, 2) == (error, len(world.scheduler.waits))

    @each_way
    def test_generator_exit(self, way: str) -> None:
        """It passes through every policy, and leaves no trace."""
        failure = GeneratorExit()
        error, world = raised(way, ALL, failure, asynchronous=False)
        assert (failure, []) == (error, world.scheduler.waits)
        assert 0 == world.resilience.circuit_breaker("shared").snapshot().total.calls

    @each_way
    @each_kind
    def test_groups(self, way: str, asynchronous: bool) -> None:
        """A group of one is judged as its member, and raised as it is; one of several is a class of its own."""
        policies = [retry(name="shared", retry_on=ConnectionError, delay="1s")]
        alone = ExceptionGroup("one", [ConnectionError()])
        several = ExceptionGroup("two", [ConnectionError(), ConnectionError()])
        found = [raised(way, policies, group, asynchronous=asynchronous) for group in (alone, several)]
        assert [(alone, 2), (several, 0)] == [(error, len(world.scheduler.waits)) for error, world in found]

    @each_way
    def test_a_call_that_is_closed(self, way: str) -> None:
        """A coroutine that is closed where it waits holds nothing any more."""
        world = World()

        async def wait() -> None:
            await asyncio.Event().wait()

        async def main(call: Callable[[], Any]) -> None:
            coroutine = call()
            coroutine.send(None)
            assert 24 == world.resilience.bulkhead("shared").snapshot().free
            coroutine.close()

        with world.guarded(way, ALL, wait, asynchronous=True) as call:
            run(main(call))
        assert (25, 0, 25, 0) == world.resilience.bulkhead("shared").snapshot()


class TestRefusalsOfTheQuickWay:
    """They are made without what they say, until somebody asks for anything."""

    SAID = "the circuit breaker 'shared' permits no calls, for another 60.000s"
    HELD: ClassVar = {"instance_id": "shared", "policy": "circuit_breaker", "retry_after": 60.0}

    @pytest.fixture
    def refusal(self) -> CallNotPermittedError:
        """One that nobody has asked yet."""
        world = World()
        function = failing(ConnectionError())[0]
        breaker = circuit_breaker(name="shared", window_size=1, minimum_calls=1)
        with world.guarded("decorated", [breaker], function) as call:
            with pytest.raises(ConnectionError):
                call()
            try:
                call()
            except CallNotPermittedError as error:
                return error
        raise AssertionError

    def test_they_are_complete(self, refusal: CallNotPermittedError) -> None:
        assert self.HELD == vars(refusal)
        assert (self.SAID, (self.SAID,)) == (str(refusal), refusal.args)

    def test_other_arguments(self, refusal: CallNotPermittedError) -> None:
        """Somebody replaces the message."""
        refusal.args = ("closed for today",)
        assert ("closed for today", self.HELD) == (str(refusal), vars(refusal))

    def test_what_is_set_before_stays(self, refusal: CallNotPermittedError) -> None:
        refusal.retry_after = 5.0
        refusal.add_note("of the user")
        assert self.SAID == str(refusal)
        assert self.HELD | {"retry_after": 5.0, "__notes__": ["of the user"]} == vars(refusal)


class TestHandedOn:
    @each_way
    @pytest.mark.parametrize("make", ["coroutine", "generator"])
    def test_an_argument_of_a_refused_call(self, way: str, make: str) -> None:
        """It is still the caller's, as it was."""
        world = World()

        async def coroutine() -> int:
            return 5

        def generator() -> Iterator[int]:
            yield 5

        def take(argument: object) -> object:
            return argument

        argument: Any = coroutine() if make == "coroutine" else generator()
        with world.guarded(way, [circuit_breaker(name="shared")], take) as call:
            assert "first" == call("first")
            world.resilience.circuit_breaker("shared").force_open()
            with pytest.raises(CallNotPermittedError):
                call(argument)
        assert 5 == (asyncio.run(argument) if make == "coroutine" else next(argument))

    @each_way
    def test_a_result_that_comes_too_late(self, way: str) -> None:
        """A coroutine that nobody gets is closed."""
        world = World()

        async def coroutine() -> None: ...

        def make() -> Any:
            world.clock.advance("2s")
            return coroutine()

        with no_complaints(), world.guarded(way, [timeout("1s")], make) as call, pytest.raises(TimeoutExceededError):
            call()


class TestArguments:
    @each_exact_way
    @each_kind
    def test_wrong_ones(self, way: str, asynchronous: bool) -> None:
        """TypeError before any policy: nothing is counted, taken, retried or replaced."""
        world = World()

        def function(a: int, *, b: int) -> int:
            return a + b

        async def function_async(a: int, *, b: int) -> int:
            return a + b

        target = function_async if asynchronous else function
        with world.guarded(way, ALL, target, asynchronous=asynchronous) as call:
            first = run(call(1, b=2)) if asynchronous else call(1, b=2)
            before = world.resilience.snapshot()
            for args, kwargs in [((), {}), ((1,), {}), ((1, 2), {}), ((1,), {"b": 2, "c": 3})]:
                with pytest.raises(TypeError, match=rf"{target.__name__}\(\)"):
                    run(call(*args, **kwargs)) if asynchronous else call(*args, **kwargs)
        assert (3, before, []) == (first, world.resilience.snapshot(), world.scheduler.waits)
