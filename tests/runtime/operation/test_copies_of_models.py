"""Bound objects of classes that copy themselves and know more than their `__dict__`, as pydantic's models do."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from .operated import Operated

MODEL = """
    from copy import copy, deepcopy

    from resilience4cata import bulkhead

    class Model:
        def __init__(self, size):
            self.size = size
            self.extra = {"size"}

        def __getstate__(self):
            return {"__dict__": vars(self), "extra": self.extra}

        def __setstate__(self, state):
            object.__setattr__(self, "__dict__", state["__dict__"])

        def __copy__(self):
            made = type(self).__new__(type(self))
            object.__setattr__(made, "__dict__", copy(vars(self)))
            return made

        def __deepcopy__(self, memo=None):
            made = type(self).__new__(type(self))
            object.__setattr__(made, "__dict__", deepcopy(vars(self), memo=memo))
            return made

        def resized(self, size):
            made = self.__copy__()
            made.size = size
            return made

    class Box(Model):
        @bulkhead(max_concurrent=1)
        def open(self):
            return self.size

    class Single(Box):
        def __copy__(self):
            return self
"""

COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda box: pickle.loads(pickle.dumps(box)),
    "method": lambda box: box.resized(1),
}


@pytest.fixture
def models(shop: Operated) -> Any:
    module = shop.app.load("late", MODEL)
    shop.resilience.check()
    return module


@pytest.mark.parametrize("way", COPIES)
def test_methods_are_their_own(shop: Operated, models: Any, way: str) -> None:
    """Methods of a copy were those of the original, and a pickle could not be made."""
    box = shop.resilience.wrap(models.Box(1))
    for _ in range(2):
        other = COPIES[way](box)
        other.size = 2
        assert (1, 2) == (box.open(), other.open())
        assert ["extra", "size"] == sorted(vars(other))
        assert other.open.__self__ is other


def test_the_original_stays_bound(shop: Operated, models: Any) -> None:
    box = shop.resilience.wrap(models.Box(1))
    assert ["__getstate__", "extra", "open", "size"] == sorted(vars(box))
    for way in COPIES.values():
        way(box)
    assert ["__getstate__", "extra", "open", "size"] == sorted(vars(box))


def test_no_copy_at_all(shop: Operated, models: Any) -> None:
    single = shop.resilience.wrap(models.Single(1))
    assert single is copy.copy(single)
    assert ["__getstate__", "extra", "open", "size"] == sorted(vars(single))


def test_objects_that_are_not_bound(shop: Operated, models: Any) -> None:
    """They are copied as before, although an object of their class was bound."""
    shop.resilience.wrap(models.Box(1))
    assert {"size": 3, "extra": {"size"}} == vars(copy.copy(models.Box(3)))
