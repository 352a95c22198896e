"""A pipeline refuses functions whose call only makes a generator or a context manager, before they are called."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from resilience4cata import DefinitionError, Pipeline, Resilience, circuit_breaker, retry, timeout

from ..live import Application

MODULE = """
    import contextlib, types
    from resilience4cata import retry, unguarded

    def items(): yield 1
    async def items_later(): yield 1

    @contextlib.contextmanager
    def session(): yield 1

    @contextlib.asynccontextmanager
    async def session_later(): yield 1

    class Client:
        def items(self): yield 1
        def __call__(self): yield 1
        @contextlib.contextmanager
        def session(self): yield 1
        @classmethod
        def all(cls): yield 1

    @retry()
    class Guarded:
        def items(self): yield 1
        @contextlib.contextmanager
        def session(self): yield 1

    @retry()
    def guarded(): yield 1

    def make(): return items()

    @types.coroutine
    def step():
        yield from ()
        return "stepped"
"""
GENERATOR, ASYNC, MANAGER = "a generator", "an async generator", "a context manager"
CASES: list[tuple[Callable[[Any], Any], str, str]] = [
    (lambda m: m.items, "clients.items", GENERATOR),
    (lambda m: m.items_later, "clients.items_later", ASYNC),
    (lambda m: m.session, "clients.session", MANAGER),
    (lambda m: m.session_later, "clients.session_later", MANAGER),
    (lambda m: partial(partial(m.items)), "clients.items", GENERATOR),
    (lambda m: m.Client().items, "clients.Client.items", GENERATOR),
    (lambda m: partial(m.Client.items, None), "clients.Client.items", GENERATOR),
    (lambda m: m.Client(), "clients.Client.__call__", GENERATOR),
    (lambda m: m.Client().session, "clients.Client.session", MANAGER),
    (lambda m: m.Client.all, "clients.Client.all", GENERATOR),
    (lambda m: m.Guarded().items, "clients.Guarded.items", GENERATOR),
    (lambda m: m.Guarded().session, "clients.Guarded.session", MANAGER),
    (lambda m: m.guarded, "clients.guarded", GENERATOR),
]


def awaited(pipeline: Pipeline, function: Callable[[], Any]) -> Any:
    return asyncio.run(pipeline.acall(function))


def called(pipeline: Pipeline, function: Callable[[], Any]) -> Any:
    return pipeline.call(function)


@pytest.fixture
def resilience() -> Resilience:
    template = circuit_breaker(window_size=2), timeout("2s")
    return Resilience.builder().only("no.module").config("external", *template).build()


@pytest.mark.parametrize("way", [called, awaited])
class TestRefused:
    @pytest.mark.parametrize(("given", "name", "what"), CASES)
    def test_each_kind(
        self, app: Application, resilience: Resilience, way: Any, given: Any, name: str, what: str
    ) -> None:
        function = given(app.load("clients", MODULE))
        pipeline = resilience.pipeline("partner", retry(), circuit_breaker())
        for _ in range(2):
            with pytest.raises(DefinitionError) as caught:
                way(pipeline, function)
            (diagnostic,) = caught.value.diagnostics
            told = diagnostic.code, diagnostic.subject, diagnostic.message
            expected = (
                "R4C-LOC-003",
                f"@retry() on {name}",
                f"only the creation of {what} would be guarded, not its body",
            )
            assert expected == told
        assert 0 == resilience.circuit_breaker("partner").snapshot().window.calls

    def test_same_words_as_on_a_decorated_function(self, app: Application, resilience: Resilience, way: Any) -> None:
        module = app.load("clients", "def items(): yield 1\n")
        with pytest.raises(DefinitionError) as caught:
            way(resilience.pipeline("partner", retry()), module.items)
        app.load("decorated", "from resilience4cata import *\n@retry()\ndef items(): yield 1\n")
        (decorated,) = app.diagnostics("decorated")
        (told,) = caught.value.diagnostics
        assert (decorated.message, decorated.help, decorated.url) == (told.message, told.help, told.url)

    def test_place_is_the_policy_of_the_pipeline(self, resilience: Resilience, way: Any) -> None:
        pipeline = resilience.pipeline("partner", retry(), timeout("1s"))
        line = self.test_place_is_the_policy_of_the_pipeline.__code__.co_firstlineno + 1
        with pytest.raises(DefinitionError) as caught:
            way(pipeline, lambda: (yield))
        assert [line] == [diagnostic.at.line for diagnostic in caught.value.diagnostics]

    def test_place_is_the_function_for_a_template(self, app: Application, resilience: Resilience, way: Any) -> None:
        """The policies of a template are not written anywhere near: they were told as standing in the library."""
        module = app.load("clients", MODULE)
        with pytest.raises(DefinitionError) as caught:
            way(resilience.pipeline("partner", config="external"), module.session)
        (diagnostic,) = caught.value.diagnostics
        assert ("clients.py:8:5", "@circuit_breaker() on clients.session") == (diagnostic.place, diagnostic.subject)

    def test_after_other_settings(self, app: Application, resilience: Resilience, way: Any) -> None:
        module = app.load("clients", MODULE)
        pipeline = resilience.pipeline("partner", retry(max_attempts=2))
        resilience.reload()
        resilience.reconfigure("partner", retry(max_attempts=4))
        with pytest.raises(DefinitionError, match="R4C-LOC-003"):
            way(pipeline, module.items)

    def test_body_does_not_run(self, resilience: Resilience, way: Any) -> None:
        started: list[int] = []

        def items(received: list[int] = started) -> Any:
            received.append(1)
            yield

        with pytest.raises(DefinitionError):
            way(resilience.pipeline("partner", retry()), items)
        assert [] == started


class TestAccepted:
    def test_what_gives_a_generator_of_another(self, app: Application, resilience: Resilience) -> None:
        """It does something when it is called."""
        assert [1] == list(resilience.pipeline("partner", retry()).call(app.load("clients", MODULE).make))

    def test_coroutine_made_of_a_generator(self, app: Application, resilience: Resilience) -> None:
        assert "stepped" == awaited(resilience.pipeline("partner", retry()), app.load("clients", MODULE).step)

    @pytest.mark.parametrize("function", [dict, partial(dict), lambda *args, **kwargs: {}])
    def test_other_callables(self, resilience: Resilience, function: Callable[[], object]) -> None:
        assert {} == resilience.pipeline("partner", retry()).call(function)

    def test_switched_off(self, app: Application) -> None:
        """What is disabled lets everything pass."""
        pipeline = Resilience.disabled().pipeline("partner", retry())
        assert [1] == list(pipeline.call(app.load("clients", MODULE).items))
