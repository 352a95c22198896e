"""What is declared after `build()` is taken in by itself: nothing else is looked at, judged or bound again."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from resilience4cata import CallNotPermittedError, ConfigSources, Resilience, circuit_breaker, guards, retry
from resilience4cata.extract.extraction import Extraction
from resilience4cata.extract.project import Assembly

from ..live import Application
from .late import LATE, SHOP, call, told
from .running import built, running


class Looks:
    """Counts how often everything is looked at, and how often one thing is."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.all = 0
        self.one = 0
        everything, element = Assembly.__init__, Extraction._element

        def look_at_everything(*args: Any, **kwargs: Any) -> None:
            self.all += 1
            everything(*args, **kwargs)

        def look_at_one(*args: Any) -> Any:
            self.one += 1
            return element(*args)

        monkeypatch.setattr(Assembly, "__init__", look_at_everything)
        monkeypatch.setattr(Extraction, "_element", look_at_one)

    def since(self) -> tuple[int, int]:
        found = self.all, self.one
        self.all = self.one = 0
        return found


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    return Looks(monkeypatch)


class TestCost:
    def test_only_what_is_new_is_looked_at(self, app: Application, looks: Looks) -> None:
        """The two functions of a module, at the first call of the first of them."""
        module = app.load("shop", SHOP)
        with running("shop", "late"):
            call(module.charge, 1)
            assert (1, 4) == looks.since()
            late = app.load("late", LATE)
            assert "first" == late.first()
            assert (0, 2) == looks.since()
            assert "second" == late.second()
            call(module.charge, 1)
            assert (0, 0) == looks.since()

    def test_many_declarations(self, app: Application, looks: Looks) -> None:
        """However much is declared already."""
        head, one = "from resilience4cata import *\n", "@retry()\ndef f{0}(): ...\n"
        app.load("shop", head + "".join(map(one.format, range(200))))
        names = [f"late{number}" for number in range(20)]
        with running("shop", *names):
            looks.since()
            for name in names:
                app.load(name, head + one.format(0)).f0()
            assert (0, 20) == looks.since()

    def test_class_that_a_function_made(self, app: Application, looks: Looks) -> None:
        text = """
            from resilience4cata import *

            def make():
                @retry()
                class Client:
                    def call(self): return "called"
                return Client
        """
        app.load("shop", SHOP)
        late = app.load("late", text)
        with running("shop", "late"):
            looks.since()
            assert ["called"] * 3 == [late.make()().call() for _ in range(3)]
            assert (0, 3) == looks.since()

    def test_guards_stay_as_they_are(self, app: Application) -> None:
        module = app.load("shop", SHOP)
        with running("shop", "late"):
            call(module.charge, 1)
            guard, code = guards.guard_of(module.charge), module.charge.__code__
            assert guard is not None
            ticket = guard.ticket()
            app.load("late", LATE).first()
            assert (ticket, code) == (guard.ticket(), module.charge.__code__)

    def test_redefinition_looks_at_everything(self, app: Application, looks: Looks) -> None:
        """A name that was known means something else now."""
        module = app.load("shop", SHOP)
        with running("shop"):
            looks.since()
            importlib.reload(module).charge(fails=False)
            assert 1 == looks.since()[0]


class TestState:
    def test_counts_go_on(self, app: Application) -> None:
        """Failures before and after a late first call are in one window, for functions and bound objects."""
        module = app.load("shop", SHOP)
        with running("shop", "late") as resilience:
            client = resilience.wrap(module.Client())
            call(module.charge, 2)
            call(client.call, 1)
            late = app.load("late", LATE)
            late.first()
            late.second()
            seen = resilience.snapshot().circuit_breakers
            assert (2, 2) == (seen["shop#charge"].window.calls, seen["shop.Client#call"].window.calls)
            assert 1 == seen["payments"].window.calls
            call(module.charge, 2)
            with pytest.raises(CallNotPermittedError):
                module.charge()
            with pytest.raises((ConnectionError, CallNotPermittedError)):
                client.call()
            assert 4 == resilience.snapshot().circuit_breakers["shop.Client#call"].window.calls

    def test_pipelines_go_on(self, app: Application) -> None:
        policy = circuit_breaker(window_size=4, minimum_calls=4)
        with running("late") as resilience:
            resilience.pipeline("orders", policy).call(len, "abc")
            app.load("late", LATE).first()
            pipeline = resilience.pipeline("orders", policy)
            pipeline.call(len, "abc")
            assert 2 == resilience.snapshot().circuit_breakers["orders"].window.calls

    def test_overrides_go_on(self, app: Application) -> None:
        module = app.load("shop", SHOP)
        with running("shop", "late") as resilience:
            resilience.reconfigure("shop#charge", circuit_breaker(window_size=2, minimum_calls=2))
            app.load("late", LATE).first()
            call(module.charge, 2)
            with pytest.raises(CallNotPermittedError):
                module.charge()

    def test_reload_keeps_what_came_late(self, app: Application) -> None:
        with running("shop", "late") as resilience:
            late = app.load("late", SHOP)
            call(late.charge, 2)
            resilience.reload()
            call(late.charge, 2)
            with pytest.raises(CallNotPermittedError):
                late.charge()

    def test_bound_object_of_a_local_class(self) -> None:
        """Its state survives a reload, as that of others does."""

        class Client:
            @circuit_breaker(window_size=2, minimum_calls=2)
            def call(self) -> None:
                raise ConnectionError

        resilience = built(__name__)
        client = resilience.wrap(Client())
        call(client.call, 2)
        resilience.reload()
        with pytest.raises(CallNotPermittedError):
            client.call()

    def test_configuration_of_what_comes_late(self, app: Application) -> None:
        """A file speaks of a function that nobody had declared when it was read."""
        app.write("resilience4cata.toml", '[resilience4cata.instances."late#first".retry]\nmax-attempts = 7\n')
        builder = Resilience.builder().only("late").strict(False)
        with told():
            resilience = builder.source(ConfigSources.file("resilience4cata.toml")).build()
        with resilience.activate():
            app.load("late", LATE).first()
            assert "7" == resilience.describe("late#first").of("retry")["max_attempts"].value


class TestPoliciesOnWhatIsThere:
    """Not only an addition: what was known has to be seen again."""

    def test_on_a_base(self, app: Application) -> None:
        text = """
            from resilience4cata import *
            calls = []
            class Base:
                def call(self):
                    calls.append(1)
                    raise ConnectionError
            class Client(Base):
                @timeout("1s")
                def other(self): ...
        """
        module = app.load("shop", text)
        with running("shop") as resilience:
            client = resilience.wrap(module.Client())
            client.other()
            call(client.call, 1)
            assert [1] == module.calls
            retry(max_attempts=3)(module.Base)
            call(module.Base().call, 1)
            assert [1] * 4 == module.calls

    def test_undecorated_subclass(self, app: Application) -> None:
        module = app.load("shop", SHOP)
        with running("shop", "late") as resilience:
            late = app.load(
                "late",
                "from shop import *\nclass Late(Client):\n    def more(self):\n        more.append(1)\n"
                "        raise ConnectionError\nmore = []\n",
            )
            client = resilience.wrap(late.Late())
            call(client.more, 1)
            assert [1, 1] == late.more
            assert "late.Late#more" == resilience.describe(late.Late.more).id
            assert module.Client in late.Late.__mro__
