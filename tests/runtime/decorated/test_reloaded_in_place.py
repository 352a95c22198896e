"""Functions that are given the code and the attributes of newer ones, as IPython's autoreload does in notebooks."""

from __future__ import annotations

import gc
from types import FunctionType, ModuleType
from typing import Any

import pytest

from resilience4cata import Resilience

from ..live import Application
from .running import built, running

TEXT = """
    from resilience4cata import retry

    calls = []

    @retry(max_attempts=2)
    def charge(amount):
        calls.append(amount)
        raise ConnectionError

    class Client:
        @retry(max_attempts=2)
        def charge(self, amount):
            calls.append(amount)
            raise ConnectionError
"""

NEWER = """
class Newer:
    {policy}
    def charge(self, amount):
        calls.append(amount)
        raise ConnectionError

{policy}
def charge(amount):
    calls.append(amount)
    raise ConnectionError
"""

ATTRIBUTES = ("__code__", "__defaults__", "__kwdefaults__", "__doc__", "__dict__")


def reload_in_place(module: ModuleType, policy: str) -> None:
    """Let the functions of a module become newer ones, which nobody keeps; at first without their decorators."""
    for text in ("", policy):
        namespace: dict[str, Any] = {}
        exec(NEWER.format(policy=text), vars(module), namespace)
        pairs = [(vars(module.Client)["charge"], vars(namespace["Newer"])["charge"])]
        for older, newer in [*pairs, (module.charge, namespace["charge"])]:
            assert isinstance(older, FunctionType)
            for name in ATTRIBUTES:
                setattr(older, name, getattr(newer, name))


def attempts(module: ModuleType) -> list[int]:
    """How often the function and the method try."""
    found = []
    for call in (module.charge, module.Client().charge):
        module.calls.clear()
        with pytest.raises(ConnectionError):
            call(1)
        found.append(len(module.calls))
    return found


def test_newer_policies_count(app: Application) -> None:
    """They raised ReferenceError, since the wrapper that the guard knew was gone."""
    with running("shop"):
        module = app.load("shop", TEXT)
        assert [2, 2] == attempts(module)
        for tries in (3, 4):
            reload_in_place(module, f"@retry(max_attempts={tries})")
            assert [tries, tries] == attempts(module)
            gc.collect()
            assert [tries, tries] == attempts(module)


def test_without_policies(app: Application) -> None:
    with running("shop"):
        module = app.load("shop", TEXT)
        reload_in_place(module, "")
        assert [1, 1] == attempts(module)


def test_what_counts_changes_afterwards(app: Application) -> None:
    """The older guard, which may still live, leaves alone what is another's by now."""
    with running("shop"):
        module = app.load("shop", TEXT)
        assert [2, 2] == attempts(module)
        older = [
            vars(function)["__resilience4cata_guard__"] for function in (module.charge, vars(module.Client)["charge"])
        ]
        reload_in_place(module, "@retry(max_attempts=3)")
        with Resilience.disabled().activate():
            assert [1, 1] == attempts(module)
        with built("shop").activate():
            assert [3, 3] == attempts(module)
        gc.collect()
        with Resilience.disabled().activate():
            assert [1, 1] == attempts(module)
        assert [3, 3] == attempts(module)
        assert 2 == len(older)


def test_decorated_where_another_was(app: Application) -> None:
    """A new function may live where the one was that an older wrapper stood for: it is no twin of that."""
    with running("shop"):
        module = app.load("shop", TEXT)
        for _ in range(20):
            reload_in_place(module, "@retry(max_attempts=3)")
        assert "charge" == module.charge.__dict__["__wrapped__"].__qualname__
        assert [3, 3] == attempts(module)
