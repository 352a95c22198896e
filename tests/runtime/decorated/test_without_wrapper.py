"""Policies declared after `build()` where no call comes by them: above a property, or above what binds a method."""

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
