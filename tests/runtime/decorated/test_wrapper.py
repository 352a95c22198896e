"""The wrapper is a plain function that looks and behaves like what it wraps."""

from __future__ import annotations

import copy
import doctest
import functools
import inspect
import pickle
import traceback
import types
import typing
from collections.abc import Callable
from typing import Any

import pytest

from resilience4cata import fallback, retry
from resilience4cata.guards import guard_of

from ..live import Application
from .running import Failing, attempts, running


class Money:
    """A type that annotations name."""


def plain(a: Money, /, b: int = 1, *rest: str, c: int, d: float = 2.0, **more: bool) -> str:
    """What it says."""
    return f"{b} {rest} {c} {d} {more}"


plain.attribute = "kept"  # type: ignore[attr-defined]
guarded = retry()(plain)


class TestLooks:
    @pytest.mark.parametrize(
        "ask", [inspect.signature, inspect.getfullargspec, typing.get_type_hints, inspect.getsource]
    )
    def test_inspection(self, ask: Callable[[object], object]) -> None:
        assert ask(plain) == ask(guarded)

    @pytest.mark.parametrize(
        "name",
        ["__name__", "__qualname__", "__module__", "__doc__", "__defaults__", "__kwdefaults__", "__annotations__"],
    )
    def test_attributes(self, name: str) -> None:
        assert getattr(plain, name) is getattr(guarded, name)

    def test_what_it_is(self) -> None:
        assert isinstance(guarded, types.FunctionType)
        assert plain is guarded.__wrapped__  # type: ignore[attr-defined]
        assert plain.__globals__ is guarded.__globals__
        assert "kept" == guarded.attribute  # type: ignore[attr-defined]

    def test_shape_without_following_what_is_wrapped(self) -> None:
        """Frameworks that look at the code itself see the same parameters."""
        assert inspect.signature(plain, follow_wrapped=False) == inspect.signature(guarded, follow_wrapped=False)

    def test_is_a_coroutine_function_as_the_original_is(self) -> None:
        @retry()
        async def later() -> None: ...

        assert inspect.iscoroutinefunction(later)
        assert not inspect.iscoroutinefunction(guarded)

    def test_doctests_are_found(self, app: Application) -> None:
        text = "from resilience4cata import *\n@retry()\ndef f():\n    '''\n    >>> 1\n    1\n    '''\n"
        found = doctest.DocTestFinder().find(app.load("shop", text))
        assert ["shop.f"] == [test.name for test in found if test.examples]

    def test_names_that_cannot_be_written(self) -> None:
        """Code may have parameters that no source has, as comprehensions have."""
        same = (lambda value: value).__code__
        odd = types.FunctionType(same.replace(co_varnames=(".0",)), globals(), "odd")
        with running():
            assert 5 == retry()(odd)(5)

    def test_parameters_with_the_names_of_our_own(self) -> None:
        @retry()
        def call(self: int, args: int, kwargs: int, function: int, layers: int, receiver: int, call: int) -> object:
            return self, args, kwargs, function, layers, receiver, call

        with running():
            assert (1, 2, 3, 4, 5, 6, 7) == call(1, args=2, kwargs=3, function=4, layers=5, receiver=6, call=7)


class TestCalls:
    def test_all_kinds_of_arguments(self) -> None:
        with running():
            assert plain(Money(), 2, "x", c=3, e=True) == guarded(Money(), 2, "x", c=3, e=True)
            assert plain(Money(), c=3) == guarded(Money(), c=3)

    @pytest.mark.parametrize("is_first", [True, False])
    def test_arguments_that_do_not_fit(self, is_first: bool) -> None:
        """They are refused before any policy, and the message names the function."""
        failing = Failing()

        @retry()
        @fallback(lambda context: "fallback")
        def charge(amount: int) -> object:
            return failing()

        with running():
            if not is_first:
                assert "fallback" == charge(1)
            failing.calls = 0
            name = "test_arguments_that_do_not_fit.<locals>.charge"
            with pytest.raises(TypeError) as caught:
                charge()  # type: ignore[call-arg]
            assert f"TestCalls.{name}() missing 1 required positional argument: 'amount'" == str(caught.value)
            with pytest.raises(TypeError) as caught:
                charge(1, 2)  # type: ignore[call-arg]
            assert f"TestCalls.{name}() takes 1 positional argument but 2 were given" == str(caught.value)
            with pytest.raises(TypeError) as caught:
                charge(total=1)  # type: ignore[call-arg]
            assert f"TestCalls.{name}() got an unexpected keyword argument 'total'" == str(caught.value)
        assert 0 == failing.calls

    async def _charge(self, amount: int) -> None: ...

    def test_arguments_of_async_functions_are_refused_when_it_is_called(self) -> None:
        """Not when the coroutine is awaited."""
        with running(), pytest.raises(TypeError, match="missing 1 required positional argument: 'amount'"):
            retry()(TestCalls._charge)(self)  # type: ignore[call-arg, unused-coroutine]

    def test_traceback_names_the_function(self) -> None:
        @retry(max_attempts=1)
        def charge() -> None:
            raise ConnectionError

        with running():
            for _ in range(2):
                with pytest.raises(ConnectionError) as caught:
                    charge()
        frames = [(f.filename, f.name) for f in traceback.extract_tb(caught.value.__traceback__)]
        assert {("<guarded by resilience4cata>", "charge")} == {f for f in frames if f[0].startswith("<")}
        assert (__file__, "charge") == frames[-1]

    def test_defaults_that_are_objects_are_the_same(self) -> None:
        marker = object()

        @retry()
        def call(given: object = marker, *, named: object = marker) -> object:
            return given is marker and named is marker

        with running():
            assert True is call()


class TestPythonsOwn:
    def test_pickle_by_reference(self, app: Application) -> None:
        module = app.load("shop", "from resilience4cata import *\n@retry()\ndef f(): ...\nclass C:\n    m = f\n")
        assert module.f is pickle.loads(pickle.dumps(module.f))
        assert module.f is copy.deepcopy(module.f)

    def test_pickled_bound_method(self, app: Application) -> None:
        text = "from resilience4cata import *\nclass C:\n    @retry()\n    def m(self): return 5\n"
        method = pickle.loads(pickle.dumps(app.load("shop", text).C().m))
        with running():
            assert 5 == method()

    def test_singledispatch_on_top(self) -> None:
        failing = Failing()

        @functools.singledispatch
        @retry(max_attempts=2)
        def show(value: object) -> object:
            return failing()

        @show.register
        @retry(max_attempts=3)
        def _(value: int) -> object:
            return failing()

        with running():
            assert 2 == attempts(lambda: show("text"), failing)
            assert 3 == attempts(lambda: show(1), failing)

    def test_several_functions_of_one_name(self, app: Application) -> None:
        """`singledispatch` gives them all to its registry; each has its own policies and its own state."""
        text = """
            from functools import singledispatch
            from resilience4cata import *
            calls = []
            @singledispatch
            def show(value): ...
            @show.register
            @retry(max_attempts=2)
            @circuit_breaker(window_size=4, minimum_calls=4)
            def _(value: int):
                calls.append(value)
                raise ConnectionError
            @show.register
            @retry(max_attempts=3)
            @circuit_breaker()
            def _(value: str):
                calls.append(value)
                raise ConnectionError
        """
        module = app.load("shop", text)
        with running("shop"):
            for value in (1, "a"):
                with pytest.raises(ConnectionError):
                    module.show(value)
        assert [1, 1, "a", "a", "a"] == module.calls

    def test_partial_method_over_a_guarded_one(self) -> None:
        failing = Failing()

        class Client:
            @retry(max_attempts=2)
            def charge(self, amount: int) -> object:
                return failing()

            one = functools.partialmethod(charge, 1)

        with running():
            assert 2 == attempts(Client().one, failing)

    def test_wraps_around_a_wrapper_is_no_guard(self) -> None:
        """A decorator that copies attributes copies ours too, and does not become one of ours."""

        @functools.wraps(guarded)
        def other(*args: Any, **kwargs: Any) -> Any:
            return guarded(*args, **kwargs)

        assert guard_of(other) is None
        assert guard_of(guarded) is not None

    def test_hundred_of_them(self) -> None:
        """Many functions of one shape share nothing but the shape."""

        def make(number: int) -> Callable[[], int]:
            @retry()
            def call() -> int:
                return number

            return call

        calls = [make(number) for number in range(100)]
        with running():
            assert list(range(100)) == [call() for call in calls]
            assert list(range(100)) == [call() for call in calls]
