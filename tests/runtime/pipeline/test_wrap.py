"""Objects that are bound to a `Resilience`: which methods are guarded, and what their fallbacks are."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

import pytest

from resilience4cata import Resilience
from resilience4cata.testing import ManualClock, ManualScheduler

from ..live import Application


def built(module: str) -> Resilience:
    clock = ManualClock()
    return Resilience.builder().only(module).clock(clock).scheduler(ManualScheduler(clock)).build()


CLIENT = """
    from resilience4cata import *

    class Client:
        def __init__(self):
            self.calls = 0

        @retry(max_attempts=3)
        @fallback(method=("_refused", "_any", "__private"))
        def find(self, a: int, *, b: str = "b") -> object:
            self.calls += 1
            raise self.failure

        def _refused(self, a: int, error: ConnectionError, *, b: str) -> object:
            return "refused", a, b, error

        def _any(self, a: int, *, b: str) -> object:
            return "any", a, b

        def __private(self, a: int, error: LookupError, *, b: str = "") -> object:
            return "private", a, b

        def twice(self, a: int) -> object:
            return self.find(a)

        @staticmethod
        @fallback(method="other")
        def static(a: int) -> object:
            raise OSError

        @staticmethod
        def other(a: int) -> object:
            return "static", a

        @classmethod
        @fallback(method="instead")
        def of_class(cls, a: int) -> object:
            raise OSError

        @classmethod
        def instead(cls, a: int) -> object:
            return cls.__name__, a

        @fallback(method="_any_async")
        async def load(self, a: int) -> object:
            raise OSError

        async def _any_async(self, a: int) -> object:
            return "loaded", a

    class Special(Client):
        def _any(self, a: int, *, b: str) -> object:
            return "special", a, b
    """


# What is suspicious in these classes is what is tried here.
pytestmark = pytest.mark.filterwarnings("ignore::resilience4cata.ResilienceWarning")


class TestFallbacks:
    @pytest.fixture
    def client(self, app: Application) -> Any:
        self.module: Any = app.load("client", CLIENT)
        return built("client").wrap(self.module.Client())

    def test_the_most_specific_type_is_chosen(self, client: Any) -> None:
        client.failure = ConnectionRefusedError("no")
        assert ("refused", 1, "b", client.failure) == client.find(1)
        client.failure = KeyError()
        assert ("private", 1, "x") == client.find(a=1, b="x")
        client.failure = ValueError()
        assert ("any", 1, "b") == client.find(1)
        assert 9 == client.calls

    def test_self_calls_are_guarded(self, client: Any) -> None:
        client.failure = ValueError()
        assert ("any", 2, "b") == client.twice(2)

    def test_static_and_class_methods(self, client: Any) -> None:
        assert ("static", 1) == client.static(1)
        assert ("Client", 1) == client.of_class(1)

    def test_asynchronous(self, client: Any) -> None:
        assert ("loaded", 1) == asyncio.run(client.load(1))

    def test_a_subclass_overrides_the_target(self, client: Any) -> None:
        special = built("client").wrap(self.module.Special())
        special.failure = ValueError()
        assert ("special", 1, "b") == special.find(1)

    def test_wrong_arguments(self, client: Any) -> None:
        with pytest.raises(TypeError, match="missing 1 required"):
            client.find()
        assert 0 == client.calls

    def test_the_object_stays_what_it_is(self, client: Any) -> None:
        assert type(client) is self.module.Client
        assert "find" == client.find.__name__
        assert "find" not in vars(self.module.Client())

    def test_refusals(self, client: Any) -> None:
        with pytest.raises(TypeError, match="bound to another"):
            built("client").wrap(client)
        with pytest.raises(TypeError, match="no __dict__"):
            built("client").wrap(5)
        with pytest.raises(TypeError, match="no guarded methods"):
            built("client").wrap(copy)


INHERITANCE = """
    from abc import ABC, abstractmethod
    from resilience4cata import *

    class Counting:
        def __init__(self):
            self.calls = 0

        def fail(self):
            self.calls += 1
            raise OSError

    @retry(max_attempts=3)
    class Whole(Counting):
        def go(self): self.fail()
        @unguarded
        def free(self): self.fail()
        def fail(self): super().fail()

    class Undecorated(Whole):
        def go(self): super().go()

    @retry(max_attempts=4)
    class Again(Whole): ...

    class Method(Counting):
        @retry(max_attempts=3)
        def go(self): self.fail()

    class Inherited(Method): ...

    class Lost(Method):
        def go(self): self.fail()

    class Taken(Method):
        @inherit_policies
        def go(self): super().go()

    class Abstract(Counting, ABC):
        @abstractmethod
        @retry(max_attempts=3)
        def go(self): ...

    class Concrete(Abstract):
        def go(self): self.fail()
    """


@pytest.mark.parametrize(
    ("name", "attempts"),
    [("Inherited", 3), ("Taken", 3), ("Concrete", 3), ("Method", 3)],
)
def test_inheritance(app: Application, name: str, attempts: int) -> None:
    """Rows of the table of inheritance; through `super()` one logical call runs one pipeline."""
    module: Any = app.load("family", INHERITANCE)
    found = built("family").wrap(getattr(module, name)())
    with pytest.raises(OSError):  # noqa: PT011
        found.go()
    assert attempts == found.calls


def test_an_override_loses_its_policies(app: Application) -> None:
    module: Any = app.load("lost", INHERITANCE)
    with pytest.raises(TypeError, match="no guarded methods"):
        built("lost").wrap(module.Lost())


@pytest.mark.parametrize(("name", "attempts"), [("Whole", 3), ("Undecorated", 3), ("Again", 4)])
def test_class_level(app: Application, name: str, attempts: int) -> None:
    """`fail` is public, so it is guarded too, and repeats each attempt."""
    module: Any = app.load("whole", INHERITANCE)
    found = built("whole").wrap(getattr(module, name)())
    with pytest.raises(OSError):  # noqa: PT011
        found.go()
    assert attempts * attempts == found.calls


def test_hedge_and_adaptive_limit_are_said_not_to_run(app: Application) -> None:
    app.load("later", "from resilience4cata import hedge\n\n@hedge()\ndef read() -> int:\n    return 1\n")
    with pytest.warns(UserWarning, match=r"not run yet; declared on later\.read"):
        built("later")


def test_a_class_that_only_leaves_out(app: Application) -> None:
    """Who binds an object means it, whatever is checked besides."""
    module: Any = app.load("left_out", INHERITANCE)
    found = built("elsewhere").wrap(module.Inherited())
    with pytest.raises(OSError):  # noqa: PT011
        found.go()
    assert 3 == found.calls
