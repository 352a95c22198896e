"""Decorators of others above, below and between ours; each framework looks at functions in a way of its own."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import typing
from collections.abc import Callable, Iterator
from typing import Any, Self

import click
import pytest
from click.testing import CliRunner

from resilience4cata import FallbackContext, ResilienceWarning, bulkhead, fallback, retry, timeout

from ..live import Application
from .running import Failing, attempts, running


def tried(context: FallbackContext) -> object:
    """How often it was tried."""
    return context.attempts


def foreign(function: Callable[..., Any]) -> Any:
    """A decorator as most are written."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return run


def foreign_async(function: Callable[..., Any]) -> Any:
    @functools.wraps(function)
    async def run(*args: Any, **kwargs: Any) -> Any:
        return await function(*args, **kwargs)

    return run


class Transaction(contextlib.ContextDecorator):
    """A context manager that decorates too, as Django's `atomic` and OpenTelemetry's spans do."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...


class AsyncTransaction(contextlib.AsyncContextDecorator):
    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None: ...


@contextlib.contextmanager
def span() -> Iterator[None]:
    yield


class TestContextManagersAsDecorators:
    """They were taken for what `contextlib.contextmanager` makes, which is not guarded; nothing said so."""

    @pytest.mark.parametrize("manager", [Transaction, span])
    def test_function(self, manager: Callable[[], Any]) -> None:
        failing = Failing()

        def charge() -> object:
            return failing()

        for guarded in (retry(max_attempts=3)(manager()(charge)), manager()(retry(max_attempts=3)(charge))):
            with running():
                assert 3 == attempts(guarded, failing)

    def test_coroutine_function(self) -> None:
        failing = Failing()
        charge = retry(max_attempts=3)(AsyncTransaction()(failing.later))
        with running():
            assert 3 == attempts(lambda: asyncio.run(charge()), failing)

    def test_methods_of_a_class(self) -> None:
        failing = Failing()

        @retry(max_attempts=3)
        class Payments:
            @Transaction()
            def charge(self) -> None:
                failing()

            @contextlib.contextmanager
            def session(self) -> Iterator[None]:
                failing()
                yield

        with running():
            with pytest.warns(ResilienceWarning, match="method 'session' is a context manager and stays unguarded"):
                assert 3 == attempts(Payments().charge, failing)
            assert 1 == attempts(lambda: Payments().session().__enter__(), failing)


class TestStacked:
    def test_one_wrapper(self) -> None:
        """A second decorator of ours gives back the wrapper of the first."""

        def charge() -> None: ...

        once = retry()(charge)
        assert once is timeout("1s")(once)
        assert charge is once.__wrapped__  # type: ignore[attr-defined]

    def test_several_of_ours(self) -> None:
        failing = Failing()

        @fallback(tried)
        @retry(max_attempts=3)
        @bulkhead()
        def charge() -> object:
            return failing()

        with running():
            assert 3 == charge()

    def test_order_is_fixed(self) -> None:
        failing = Failing()

        @retry(max_attempts=3)
        @fallback(tried)
        def charge() -> object:
            return failing()

        with running():
            assert 3 == charge()

    @pytest.mark.parametrize("is_async", [False, True])
    def test_foreign_one_in_between(self, is_async: bool) -> None:
        """The outermost wrapper runs everything; the inner one, which is one of the same definition, lets pass."""
        failing = Failing()
        passed: list[int] = []

        def charge() -> object:
            return failing()

        async def charge_async() -> object:
            return failing()

        def counting(function: Callable[..., Any]) -> Any:
            return (foreign_async if is_async else foreign)(functools.wraps(function)(self_counted(function, passed)))

        inner = retry(max_attempts=3)(charge_async if is_async else charge)
        outer = fallback(tried)(counting(inner))
        with running():
            assert 3 == (asyncio.run(outer()) if is_async else outer())
        assert [1, 1, 1] == passed

    def test_foreign_one_in_between_in_a_module(self, app: Application) -> None:
        text = """
            from functools import wraps
            from resilience4cata import *
            calls = []

            def tried(context: FallbackContext) -> object:
                return context.attempts

            def foreign(function):
                @wraps(function)
                def run(*args): return function(*args)
                return run

            @fallback(tried)
            @foreign
            @retry(max_attempts=3)
            def charge():
                calls.append(1)
                raise ConnectionError

            class Client:
                @fallback(tried)
                @foreign
                @retry(max_attempts=3)
                def charge(self):
                    calls.append(1)
                    raise ConnectionError
        """
        module = app.load("shop", text)
        with running("shop"):
            assert [3, 3] == [module.charge(), module.Client().charge()]
        assert 6 == len(module.calls)

    def test_both_are_called_by_names_of_their_own(self, app: Application) -> None:
        """What another name has is another callable, although it wraps a guarded one."""
        text = """
            from functools import lru_cache
            from resilience4cata import *
            failing = None

            @retry(max_attempts=3)
            def charge(): return failing()
        """
        module: Any = app.load("shop", text)
        module.failing = failing = Failing()
        module.cached = retry(max_attempts=2)(foreign(module.charge))
        with running("shop"):
            assert 3 == attempts(module.charge, failing)

    def test_foreign_one_above(self) -> None:
        failing = Failing()
        charge = foreign(retry(max_attempts=3)(lambda: failing() or None))
        with running():
            assert 3 == attempts(charge, failing)

    def test_cache_above(self) -> None:
        calls: list[int] = []

        @functools.cache
        @retry()
        def charge(amount: int) -> int:
            calls.append(amount)
            return amount

        with running():
            assert [1, 1] == [charge(1), charge(1)]
        assert [1] == calls


def self_counted(function: Callable[..., Any], passed: list[int]) -> Callable[..., Any]:
    def run(*args: Any) -> Any:
        passed.append(1)
        return function(*args)

    return run


class TestFrameworks:
    def test_click(self) -> None:
        """It reads the name and the docstring, and calls with keyword arguments."""
        tries: list[str] = []

        @click.command()
        @click.option("--name", default="world")
        @retry()
        def greet(name: str) -> None:
            """Say hello."""
            tries.append(name)
            if len(tries) < 2:
                raise ConnectionError
            click.echo(f"hello {name}")

        with running():
            result = CliRunner().invoke(greet, ["--name", "you"])
        assert ("hello you\n", 0) == (result.output, result.exit_code)
        assert ("greet", "Say hello.") == (greet.name, greet.help)
        assert ["you", "you"] == tries

    def test_click_below(self) -> None:
        """Options that stand below ours are recorded on the function, and found on the wrapper."""

        @click.command()
        @retry()
        @click.option("--name", default="world")
        def greet(name: str) -> None:
            click.echo(f"hello {name}")

        with running():
            assert "hello world\n" == CliRunner().invoke(greet, []).output

    def test_injection_by_annotation(self, app: Application) -> None:
        """As FastAPI does: parameters from the signature, types of strings from the globals of what is called."""
        text = """
            from __future__ import annotations
            from resilience4cata import *

            class Body: ...

            @retry()
            async def endpoint(body: Body, limit: int = 5) -> str:
                return f"{type(body).__name__} {limit}"
        """
        endpoint = app.load("shop", text).endpoint
        parameters = inspect.signature(endpoint).parameters
        names = getattr(endpoint, "__globals__", {})
        values = {
            name: eval(parameter.annotation, names)()
            for name, parameter in parameters.items()
            if parameter.default is inspect.Parameter.empty
        }
        assert inspect.iscoroutinefunction(endpoint)
        with running("shop"):
            assert "Body 5" == asyncio.run(endpoint(**values))

    def test_injection_below(self) -> None:
        """A framework below that hides a parameter: the caller's arguments are those of what was decorated."""

        def injected(function: Callable[..., Any]) -> Any:
            def run(*args: Any) -> Any:
                return function(*args, session="session")

            functools.update_wrapper(run, function)
            run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
                [p for p in inspect.signature(function).parameters.values() if p.name != "session"]
            )
            return run

        @retry()
        @injected
        def charge(amount: int, session: str) -> object:
            return amount, session

        assert ["amount"] == list(inspect.signature(charge).parameters)
        with running():
            assert (1, "session") == charge(1)

    def test_registry_of_routes(self) -> None:
        """As Flask does: the function is kept under its name and given back as it is."""
        routes: dict[str, Callable[..., object]] = {}

        def route(function: Callable[..., object]) -> Any:
            routes[function.__name__] = function
            return function

        failing = Failing()

        @route
        @retry(max_attempts=3)
        def charge() -> object:
            return failing()

        with running():
            assert 3 == attempts(routes["charge"], failing)

    def test_task_objects(self, app: Application) -> None:
        """As Celery does: a class is made of the function, named by its module and name, and called by `run`."""
        module = app.load("shop", "from resilience4cata import *\n@retry()\ndef charge(amount): return amount\n")
        function = module.charge
        task = type("Task", (), {"run": staticmethod(function), "name": f"{function.__module__}.{function.__name__}"})()
        with running("shop"):
            assert ("shop.charge", 5) == (task.name, task.run(5))

    def test_fixtures_are_asked_for_by_name(self) -> None:
        """As pytest does: the names of the parameters, without defaults, of what was wrapped."""

        @retry()
        def check(tmp_path: str, monkeypatch: str, limit: int = 5) -> None: ...

        parameters = inspect.signature(check).parameters.values()
        assert ["tmp_path", "monkeypatch"] == [p.name for p in parameters if p.default is p.empty]

    def test_overload_registry(self) -> None:
        """Type hints of a wrapper are those of the original, `typing.get_overloads` too."""

        @typing.overload
        def find(key: int) -> int: ...
        @typing.overload
        def find(key: str) -> str: ...
        @retry()
        def find(key: Any) -> Any:
            return key

        assert 2 == len(typing.get_overloads(find))
