"""Copies and pickles of bound objects: the binding stays with the object that it was made for."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from resilience4cata import CallNotPermittedError

from .operated import Operated

SLOTTED = """
    from resilience4cata import *

    class Base:
        __slots__ = ("slot",)

    class Slotted(Base):
        __slots__ = ("other", "__dict__")

        @bulkhead(max_concurrent=1)
        def go(self):
            return self.slot

    class Own:
        def __getstate__(self):
            return {**vars(self), "own": True}

        @bulkhead(max_concurrent=1)
        def go(self):
            return self

    class Empty:
        @bulkhead(max_concurrent=1)
        def go(self):
            return self
    """


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))])
class TestCopies:
    def test_methods_are_their_own(self, shop: Operated, copied: Any) -> None:
        """The copy's calls are counted by the copy, and its attributes are those of the original."""
        client = shop.client()
        client.charge()
        other = copied(client)
        assert {"calls": 1, "failure": None} == vars(other)
        assert other.run.__self__ is other
        other.run()
        assert (1, 2) == (client.calls, other.calls)

    def test_the_original_stays_bound(self, shop: Operated, copied: Any) -> None:
        client = shop.client()
        copied(client)
        shop.resilience.circuit_breaker("payments").force_open()
        with pytest.raises(CallNotPermittedError):
            client.charge()

    def test_a_copy_can_be_bound_itself(self, shop: Operated, copied: Any) -> None:
        other = shop.resilience.wrap(copied(shop.client()))
        shop.resilience.circuit_breaker("payments").force_open()
        with pytest.raises(CallNotPermittedError):
            other.charge()
        assert 0 == other.calls

    def test_slots(self, shop: Operated, copied: Any) -> None:
        module: Any = shop.app.load("late", SLOTTED)
        shop.resilience.check()
        made = module.Slotted()
        made.slot, made.other, made.free = 1, 2, 3
        other = copied(shop.resilience.wrap(made))
        assert (1, 2, {"free": 3}) == (other.slot, other.other, vars(other))

    def test_getstate_of_the_class(self, shop: Operated, copied: Any) -> None:
        module: Any = shop.app.load("late", SLOTTED)
        shop.resilience.check()
        assert {"own": True} == vars(copied(shop.resilience.wrap(module.Own())))

    def test_nothing_else_in_it(self, shop: Operated, copied: Any) -> None:
        module: Any = shop.app.load("late", SLOTTED)
        shop.resilience.check()
        assert {} == vars(copied(shop.resilience.wrap(module.Empty())))


def test_attributes_that_answer_to_everything(shop: Operated) -> None:
    """A proxy is copied like any other attribute."""

    class Proxy:
        def __getattr__(self, name: str) -> str:
            return name

    client = shop.client()
    client.proxy = Proxy()
    assert client.proxy is copy.copy(client).proxy


def test_bound_twice(shop: Operated) -> None:
    """The second time changes nothing."""
    client = shop.client()
    before = dict(vars(client))
    assert client is shop.resilience.wrap(client)
    assert before == vars(client)
