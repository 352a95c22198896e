"""Policies declared after `build()` where no call runs them: above a property, or above what binds a method."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from resilience4cata import DefinitionError, Resilience

from ..live import Application

LATE = """
    from resilience4cata import *

    class Client:
        @retry()
        @property
        def name(self):
            return "name"

        @retry()
        @staticmethod
        def find():
            return "found"

        @timeout("1s")
        def call(self):
            return "called"

    class Named:
        @retry()
        @property
        def name(self):
            return "name"

    class Twice:
        @retry()
        @property
        @timeout("1s")
        def name(self):
            return "name"
    """


def codes(operate: Callable[[], object]) -> list[str]:
    with pytest.raises(DefinitionError) as caught:
        operate()
    return [f"{d.code} {d.subject}" for d in caught.value.diagnostics]


def test_bound_objects(app: Application) -> None:
    """Binding one looks at all that stands in its class, also if that is nothing that can be bound."""
    resilience = Resilience.builder().only("late").build()
    late = app.load("late", LATE)
    for _ in range(2):
        assert ["R4C-LOC-001 @retry() on late.Client.name", "R4C-LOC-002 @retry() on late.Client.find"] == codes(
            lambda: resilience.wrap(late.Client())
        )
        assert ["R4C-LOC-001 @retry() on late.Named.name"] == codes(lambda: resilience.wrap(late.Named()))


BINDING = """
    from functools import cached_property

    from resilience4cata import *

    class Client:
        @retry()
        @property
        def name(self):
            return self._name

        @name.setter
        def name(self, name):
            self._name = name

        @retry()
        @staticmethod
        def find():
            return "found"

        @resilience_policy("call", retry())
        @classmethod
        def make(cls):
            return cls.__name__

        @retry()
        @cached_property
        def kept(self):
            return "kept"

        @unguarded
        @staticmethod
        def plain():
            return "plain"
    """


@pytest.mark.parametrize("chosen", ["late", "others"])
def test_first_use(chosen: str, app: Application) -> None:
    """Each is refused when it is called, each time, and by itself; what nobody guards is not."""
    with Resilience.builder().only(chosen).build().activate():
        late = app.load("late", BINDING)
        client = late.Client()
        client.name = "name"
        for _ in range(2):
            assert ["R4C-LOC-001 @retry() on late.Client.name"] == codes(lambda: client.name)
            assert ["R4C-LOC-002 @retry() on late.Client.find"] == codes(client.find)
            assert ['R4C-LOC-002 @resilience_policy("call") on late.Client.make'] == codes(late.Client.make)
            assert ["R4C-LOC-001 @retry() on late.Client.kept"] == codes(lambda: client.kept)
        assert ("name", "plain") == (client._name, client.plain())


def test_first_use_without_policies(app: Application) -> None:
    """They do what they would do without a policy where none runs."""
    with Resilience.disabled().activate():
        late = app.load("late", BINDING)
        client = late.Client()
        client.name = "name"
        assert ("name", "found", "Client") == (client.name, client.find(), client.make())
        assert ("kept", "kept") == (client.kept, vars(client)["kept"])


def test_a_wrapper_below(app: Application) -> None:
    """It knows of both, at its first call."""
    with Resilience.builder().only("late").build().activate():
        late = app.load("late", LATE)
        assert ["R4C-LOC-001 @retry() on late.Twice.name"] == codes(lambda: late.Twice().name)


def test_a_neighbour_is_not_held_responsible(app: Application) -> None:
    with Resilience.builder().only("late").build().activate():
        assert "called" == app.load("late", LATE).Client().call()


def test_checks(app: Application) -> None:
    """The operations that look at everything tell of all of them."""
    resilience = Resilience.builder().only("late").build()
    app.load("late", LATE)
    found = [
        "R4C-LOC-001 @retry() on late.Client.name",
        "R4C-LOC-002 @retry() on late.Client.find",
        "R4C-LOC-001 @retry() on late.Named.name",
        "R4C-LOC-001 @retry() on late.Twice.name",
    ]
    assert found == codes(resilience.check)
    assert found == codes(resilience.reload)
