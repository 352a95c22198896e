"""Generators and context managers that are declared after `build()`: refused, or warned of, when they are called."""

from __future__ import annotations

import asyncio
import gc
import inspect
import threading
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from resilience4cata import ConfigSources, DefinitionError, Resilience, ResilienceWarning, retry, timeout

from ..live import Application
from .late import told
from .running import built, running

LATE = """
    import abc, contextlib, functools
    from resilience4cata import *

    @retry()
    def items(count=1): yield from range(count)

    @retry()
    async def items_later(): yield 0

    @retry()
    @contextlib.contextmanager
    def above(): yield

    @contextlib.contextmanager
    @retry()
    def below(): yield

    @retry()
    @contextlib.asynccontextmanager
    async def above_later(): yield

    class Client:
        @retry()
        def items(self): yield 0
        @staticmethod
        @retry()
        def static(): yield 0
        @classmethod
        @retry()
        def of_class(cls): yield 0
        @retry()
        @contextlib.contextmanager
        def session(self): yield

    class Inheriting(Client): ...

    class Contract(abc.ABC):
        @abc.abstractmethod
        @retry()
        def items(self): yield

    class Implementing(Contract):
        def items(self): yield 0

    def make():
        @retry()
        def made(): yield 0
        return made

    def make_client():
        class Local:
            @retry()
            def items(self): yield 0
        return Local()

    class Called:
        def __call__(self): yield 0

    partly = retry()(functools.partial(items.__wrapped__, 2))
    called = retry()(Called())
"""
GENERATOR, ASYNC, MANAGER = "a generator", "an async generator", "a context manager"
REFUSED: list[tuple[Callable[[Any], Any], str, str]] = [
    (lambda m: m.items, "items", GENERATOR),
    (lambda m: m.items_later, "items_later", ASYNC),
    (lambda m: m.above, "above", MANAGER),
    (lambda m: m.below, "below", MANAGER),
    (lambda m: m.above_later, "above_later", MANAGER),
    (lambda m: m.Client().items, "Client.items", GENERATOR),
    (lambda m: m.Client.static, "Client.static", GENERATOR),
    (lambda m: m.Client.of_class, "Client.of_class", GENERATOR),
    (lambda m: m.Client().session, "Client.session", MANAGER),
    (lambda m: m.Inheriting().items, "Client.items", GENERATOR),
    (lambda m: m.Implementing().items, "Contract.items", GENERATOR),
    (lambda m: m.make(), "make.<locals>.made", GENERATOR),
    (lambda m: m.make_client().items, "make_client.<locals>.Local.items", GENERATOR),
    (lambda m: m.partly, "items", GENERATOR),
    (lambda m: m.called, "Called.__call__", GENERATOR),
]
CLIENT = """
    import contextlib
    from resilience4cata import *

    @retry()
    class Client:
        def find(self): return "found"
        def items(self): yield 0
        async def items_later(self): yield 0
        @contextlib.contextmanager
        def session(self): yield 0
        @unguarded
        def meant(self): yield 0
        def _private(self): yield 0
"""
WARNED = [
    f"method '{name}' is {what} and stays unguarded"
    for name, what in (("items", GENERATOR), ("items_later", ASYNC), ("session", MANAGER))
]


def messages(resilience: Resilience) -> list[str]:
    return [diagnostic.message for diagnostic in resilience.diagnostics]


class TestRefused:
    @pytest.mark.parametrize(("given", "name", "what"), REFUSED)
    @pytest.mark.parametrize("chosen", ["late", "other"])
    def test_at_each_call(self, app: Application, given: Any, name: str, what: str, chosen: str) -> None:
        with running(chosen):
            call = given(app.load("late", LATE))
            for _ in range(2):
                with pytest.raises(DefinitionError) as caught:
                    call()
                (diagnostic,) = caught.value.diagnostics
                found = diagnostic.code, diagnostic.subject, diagnostic.message
                expected = f"only the creation of {what} would be guarded, not its body"
                assert ("R4C-LOC-003", f"@retry() on late.{name}", expected) == found

    def test_says_what_the_check_says(self, app: Application) -> None:
        text = "from resilience4cata import *\n@retry()\n@timeout('1s')\ndef items(): yield 0\n"
        with running("late") as resilience:
            late = app.load("late", text)
            with pytest.raises(DefinitionError) as first:
                late.items()
            with pytest.raises(DefinitionError) as checked:
                resilience.check()
            assert ["late.py:2:2", "late.py:3:2"] == [d.place for d in first.value.diagnostics]
            assert checked.value.diagnostics == first.value.diagnostics

    def test_without_any_build(self, app: Application) -> None:
        with pytest.raises(DefinitionError, match="R4C-LOC-003"):
            app.load("late", LATE).items()

    def test_bound_object(self, app: Application) -> None:
        with running("late") as resilience:
            target = app.load("late", LATE).Client()
            with pytest.raises(DefinitionError, match="R4C-LOC-003"):
                resilience.wrap(target)
            assert {} == vars(target)

    def test_reload_in_between(self, app: Application) -> None:
        with running("late") as resilience:
            late = app.load("late", LATE)
            for _ in range(2):
                with pytest.raises(DefinitionError, match="R4C-LOC-003"):
                    late.items()
                with pytest.raises(DefinitionError, match="R4C-LOC-003"):
                    resilience.reload()

    def test_arguments_that_do_not_fit(self, app: Application) -> None:
        """As with every guarded function, the call itself is wrong first."""
        with running("late"), pytest.raises(TypeError, match="unexpected keyword"):
            app.load("late", LATE).items(number=1)

    def test_many_threads(self, app: Application) -> None:
        found: list[str] = []
        start = threading.Barrier(8)
        with running("late"):
            late = app.load("late", LATE)

            def work() -> None:
                start.wait()
                with pytest.raises(DefinitionError) as caught:
                    late.items()
                found.extend(d.code for d in caught.value.diagnostics)

            threads = [threading.Thread(target=work) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert ["R4C-LOC-003"] * 8 == found


class TestWarned:
    """Those that only the policies of a class would reach: they run as they are."""

    CALLS: tuple[Callable[[Any], object], ...] = (
        lambda client: list(client.items()),
        lambda client: asyncio.run(anext(client.items_later())),
        lambda client: client.session().__enter__(),
        lambda client: client.find(),
    )

    @pytest.mark.parametrize("call", CALLS)
    def test_once_from_the_caller(self, app: Application, call: Callable[[Any], object]) -> None:
        with running("late") as resilience:
            client = app.load("late", CLIENT).Client()
            with pytest.warns(ResilienceWarning) as given:
                first = call(client)
            assert [__file__] * 3 == [warning.filename for warning in given]
            assert WARNED == messages(resilience)
            with told() as again:
                assert first == call(client)
                for other in self.CALLS:
                    other(client)
            assert [] == again

    def test_not_of_what_is_meant_or_private(self, app: Application) -> None:
        with running("late"), told() as given:
            client = app.load("late", CLIENT).Client()
            assert [[0], [0]] == [list(client.meant()), list(client._private())]
        assert [] == given

    def test_bound_object(self, app: Application) -> None:
        with running("late") as resilience:
            client = app.load("late", CLIENT).Client()
            with told() as given:
                resilience.wrap(client)
            assert 3 == len(given)
            with told() as again:
                assert ("found", [0]) == (client.find(), list(client.items()))
            assert [] == again

    def test_subclass(self, app: Application) -> None:
        """It inherits what the base was warned of, and `super()` leads there."""
        text = "from late import Client\nclass Below(Client):\n    def items(self): yield from super().items()\n"
        with running("late", "below") as resilience:
            app.load("late", CLIENT)
            below = app.load("below", text).Below()
            with told():
                assert [0] == list(below.items())
            assert WARNED == messages(resilience)
            with told() as again:
                assert "found" == below.find()
            assert [] == again

    def test_many_threads(self, app: Application) -> None:
        found: list[list[int]] = []
        start = threading.Barrier(8)
        with running("late") as resilience, told():
            client = app.load("late", CLIENT).Client()

            def work() -> None:
                start.wait()
                found.append(list(client.items()))

            threads = [threading.Thread(target=work) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert WARNED == messages(resilience)
        assert [[0]] * 8 == found

    def test_as_an_error(self, app: Application) -> None:
        with running("late"):
            client = app.load("late", CLIENT).Client()
            for _ in range(2):
                with pytest.raises(ResilienceWarning, match="R4C-LOC-003"):
                    client.items()
            with pytest.warns(ResilienceWarning, match="R4C-LOC-003"):
                assert [0] == list(client.items())
            assert [0] == list(client.items())

    def test_describing(self, app: Application) -> None:
        """Nothing counts for them."""
        with running("late") as resilience:
            late = app.load("late", CLIENT)
            with pytest.raises(LookupError):
                resilience.describe(late.Client.items)
            assert "late.Client#find" == resilience.describe(late.Client.find).id


class TestWrapper:
    """What stands in place of a generator function looks like one to frameworks."""

    def test_kind(self, app: Application) -> None:
        late = app.load("late", LATE)
        assert inspect.isgeneratorfunction(late.items)
        assert inspect.isasyncgenfunction(late.items_later)
        assert not inspect.isgeneratorfunction(late.above)
        assert "(count=1)" == str(inspect.signature(late.items))

    def test_disabled(self, app: Application) -> None:
        """What is disabled lets everything pass, and then it is a generator like any other."""

        @retry()
        def echo() -> Any:
            try:
                received = yield "started"
                yield received
            except KeyError:
                yield "caught"
            return "ended"

        late = app.load("late", LATE)
        with Resilience.disabled().activate():
            assert [0, 1] == list(late.items(2))
            assert 0 == asyncio.run(anext(late.items_later()))
            with late.above(), late.below():
                pass
            generator = echo()
            assert "started" == next(generator)
            assert "sent" == generator.send("sent")
            assert "caught" == generator.throw(KeyError)
            with pytest.raises(StopIteration, match="ended"):
                next(generator)

    def test_fallbacks_of_what_is_disabled(self, app: Application) -> None:
        app.write("settings.properties", "resilience4cata.fallback.when-disabled=true\n")
        disabled = Resilience.disabled(ConfigSources.file("settings.properties"))
        late, clients = app.load("late", LATE), app.load("clients", CLIENT)
        with disabled.activate(), told() as given:
            assert ([0, 1], [0]) == (list(late.items(2)), list(clients.Client().items()))
        assert [] == given

    def test_one_for_several_policies(self) -> None:
        def items() -> Any:
            yield

        once = retry()(items)
        assert once is timeout("1s")(once)

    def test_what_is_thrown_away_dies_at_once(self) -> None:
        def make(count: int) -> Any:
            @retry()
            def items() -> Any:
                yield count

            return items

        resilience = built(__name__)
        gc.disable()
        try:
            for active in (resilience, Resilience.disabled()):
                items = make(3)
                gone = weakref.ref(items)
                with active.activate():
                    if active is resilience:
                        with pytest.raises(DefinitionError):
                            items()
                    else:
                        assert [3] == list(items())
                    del items
                    assert gone() is None
        finally:
            gc.enable()

    def test_partial_of_one(self, app: Application) -> None:
        with running("late"), pytest.raises(DefinitionError, match="R4C-LOC-003"):
            partial(app.load("late", LATE).items, 2)()
