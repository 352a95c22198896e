"""Callables of every kind: which get a wrapper that fits, and which are given back as they are."""

from __future__ import annotations

import asyncio
import functools
import inspect
import types
from collections.abc import Awaitable, Callable, Iterator
from typing import Any
from unittest.mock import Mock

import pytest

from resilience4cata import DefinitionError, fallback, retry, timeout
from resilience4cata.guards import guard_of

from ..live import Application
from .running import Failing, attempts, running


def untyped(decorator: object) -> Any:
    """A decorator of which type checkers know nothing, for targets that they refuse."""
    return decorator


CLIENT = """
    import contextlib
    from resilience4cata import *

    @retry(max_attempts=2)
    class Client:
        def __init__(self, failing): self.failing = failing
        def method(self): return self.failing()
        async def later(self): return self.failing()
        @staticmethod
        def static(failing): return failing()
        @classmethod
        def of_class(cls, failing): return failing(cls.__name__)
        @unguarded
        def free(self): return self.failing()
        def _private(self): return self.failing()
        @property
        def value(self): return self.failing()
        def __len__(self): return self.failing()
        @unguarded
        def generator(self): yield self.failing()
        @unguarded
        async def async_generator(self): yield self.failing()
        @unguarded
        @contextlib.contextmanager
        def manager(self): yield self.failing()
"""


class TestClassLevel:
    @pytest.mark.parametrize(
        ("call", "expected"),
        [
            (lambda client: client.method(), 2),
            (lambda client: asyncio.run(client.later()), 2),
            (lambda client: client.static(client.failing), 2),
            (lambda client: type(client).static(client.failing), 2),
            (lambda client: client.of_class(client.failing), 2),
            (lambda client: type(client).of_class(client.failing), 2),
            (lambda client: client.free(), 1),
            (lambda client: client._private(), 1),
            (lambda client: client.value, 1),
            (len, 1),
            (lambda client: next(client.generator()), 1),
            (lambda client: asyncio.run(anext(client.async_generator())), 1),
            (lambda client: client.manager().__enter__(), 1),
        ],
    )
    def test_members(self, app: Application, call: Callable[[Any], object], expected: int) -> None:
        """Public methods are covered, static and class methods too; the rest is not."""
        client = app.load("shop", CLIENT).Client(Failing())
        with running():
            assert expected == attempts(lambda: call(client), client.failing)

    def test_what_is_not_covered_is_not_wrapped(self, app: Application) -> None:
        members = vars(app.load("shop", CLIENT).Client)
        names = ("free", "_private", "__len__", "generator", "async_generator", "manager")
        assert [None] * 6 == [guard_of(members[name]) for name in names]

    def test_calls_through_self(self) -> None:
        """There is no way around the wrapper for the class itself."""
        failing = Failing()

        class Caller:
            def outside(self) -> object:
                return self.inside()

            @retry(max_attempts=3)
            def inside(self) -> object:
                return failing()

        with running():
            assert 3 == attempts(Caller().outside, failing)


class TestOwnWrapper:
    """What is neither a function nor a method in a class."""

    def test_partial(self) -> None:
        failing = Failing()

        def call(a: int, b: int) -> object:
            return failing(a, b)

        guarded = retry(max_attempts=2)(functools.partial(call, 1))
        with running():
            assert 2 == attempts(lambda: guarded(2), failing)

    def test_partial_of_an_async_function(self) -> None:
        failing = Failing()

        async def call(a: int) -> object:
            return failing(a)

        guarded = retry(max_attempts=2)(functools.partial(call, 1))
        assert inspect.iscoroutinefunction(guarded)
        with running():
            assert 2 == attempts(lambda: asyncio.run(guarded()), failing)

    def test_object_that_is_called(self) -> None:
        failing = Failing()
        guarded = retry(max_attempts=2)(failing)
        with running():
            assert 2 == attempts(guarded, failing)

    def test_object_with_async_call(self) -> None:
        class Fetch:
            def __init__(self) -> None:
                self.failing = Failing()

            async def __call__(self, url: str) -> object:
                return self.failing(url)

        fetch = Fetch()
        guarded = retry(max_attempts=2)(fetch)
        assert inspect.iscoroutinefunction(guarded)
        with running():
            assert 2 == attempts(lambda: asyncio.run(guarded("/")), fetch.failing)

    def test_bound_method(self) -> None:
        failing = Failing()

        class Client:
            def charge(self) -> object:
                return failing()

        guarded = retry(max_attempts=2)(Client().charge)
        with running():
            assert 2 == attempts(guarded, failing)

    def test_builtin(self) -> None:
        guarded = fallback(lambda context: context.arguments)(len)
        with running():
            assert 3 == guarded("abc")

    def test_cached_function_keeps_the_methods_of_its_cache(self) -> None:
        @retry()
        @functools.lru_cache
        def call(a: int) -> int:
            return a

        with running():
            assert [1, 1] == [call(1), call(1)]
        assert 1 == call.cache_info().hits
        assert "call" == call.__name__

    def test_mock(self) -> None:
        double = Mock(side_effect=[ConnectionError, 5])
        guarded = retry()(double)
        with running():
            assert 5 == guarded("a")
        assert [(("a",),), (("a",),)] == [tuple(call)[:1] for call in double.call_args_list]

    def test_lambda(self) -> None:
        failing = Failing()
        guarded = retry(max_attempts=2)(lambda: failing() or None)
        with running():
            assert 2 == attempts(guarded, failing)

    def test_function_annotated_to_return_an_awaitable(self) -> None:
        """It stays a plain `def`, whose result is awaited within the policies."""
        failing = Failing()

        @retry(max_attempts=2)
        def call() -> Awaitable[object]:
            return failing.later()

        assert not inspect.iscoroutinefunction(call)
        with running():
            assert 2 == attempts(lambda: asyncio.run(call()), failing)  # type: ignore[arg-type]

    def test_coroutine_made_of_a_generator(self) -> None:
        failing = Failing()

        @retry(max_attempts=2)
        @types.coroutine
        def call() -> Iterator[object]:
            yield failing()

        async def main() -> None:
            await call()

        with running():
            assert 2 == attempts(lambda: asyncio.run(main()), failing)

    def test_metaclass(self) -> None:
        """Methods of a metaclass are called on classes."""
        failing = Failing()

        @retry(max_attempts=2)
        class Meta(type):
            def charge(cls) -> object:
                return failing()

        class Client(metaclass=Meta): ...

        with running():
            assert 2 == attempts(Client.charge, failing)

    def test_function_that_is_put_into_a_class_later(self) -> None:
        failing = Failing()

        class Client: ...

        untyped(Client).charge = retry(max_attempts=2)(lambda self: failing())
        with running():
            assert 2 == attempts(untyped(Client()).charge, failing)

    def test_namespace_without_a_module(self) -> None:
        failing = Failing()
        text = "from resilience4cata import retry\n@retry(max_attempts=2)\ndef charge(): return failing()\n"
        names: dict[str, Any] = {"failing": failing}
        exec(text, names)
        with running():
            assert 2 == attempts(names["charge"], failing)

    def test_recursion(self) -> None:
        """Each call by the function's own name is another logical call."""
        failing = Failing()

        @retry(max_attempts=2)
        def charge(depth: int) -> object:
            return failing() if depth == 0 else charge(depth - 1)

        with running():
            assert 8 == attempts(lambda: charge(2), failing)


class TestGivenBack:
    @pytest.mark.parametrize(
        "target",
        [
            functools.partialmethod(lambda self: 1),
            functools.singledispatchmethod(lambda self: 1),
        ],
        ids=lambda target: type(target).__name__,
    )
    def test_what_is_not_called(self, target: object) -> None:
        assert target is untyped(retry())(target)

    def test_something_that_makes_a_function_of_a_generator(self) -> None:
        """As Twisted's `inlineCallbacks` does: what it makes is called, and guarded."""

        def exhausted(function: Callable[[], Iterator[object]]) -> Callable[[], list[object]]:
            @functools.wraps(function)
            def run() -> list[object]:
                return list(function())

            return run

        failing = Failing()

        @retry(max_attempts=2)
        @exhausted
        def call() -> Iterator[object]:
            yield failing()

        with running():
            assert 2 == attempts(call, failing)


class TestRefused:
    """What rules refuse fails at its first call, if nothing was built before."""

    def test_special_method(self, app: Application) -> None:
        text = "from resilience4cata import *\nclass C:\n    @retry()\n    def __init__(self): ...\n"
        module = app.load("shop", text)
        with running(), pytest.raises(DefinitionError, match="R4C-LOC-004") as caught:
            module.C()
        assert ["R4C-LOC-004"] == [d.code for d in caught.value.diagnostics]

    def test_below_a_property(self, app: Application) -> None:
        text = "from resilience4cata import *\nclass C:\n    @property\n    @timeout('-1s')\n    def p(self): ...\n"
        module = app.load("shop", text)
        with running(), pytest.raises(DefinitionError, match="R4C-DU-"):
            module.C().p

    def test_local_function(self) -> None:
        @timeout("a while")
        def call() -> None: ...

        with running(), pytest.raises(DefinitionError, match="R4C-DU-"):
            call()


def test_one_function_guarded_twice() -> None:
    """Two applications to the bare function are two guarded functions, each with its own policies alone."""
    calls = 0

    def find() -> None:
        nonlocal calls
        calls += 1
        raise ConnectionError

    def attempts(function: Callable[[], None]) -> int:
        nonlocal calls
        calls = 0
        with pytest.raises(ConnectionError):
            function()
        return calls

    hasty, patient, again = retry(max_attempts=2)(find), retry(max_attempts=4)(find), retry(max_attempts=2)(find)
    with running():
        assert [2, 4, 2, 1] == [attempts(function) for function in (hasty, patient, again, find)]
