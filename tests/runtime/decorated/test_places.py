"""Which policies run, by where they stand: the table of inheritance, and static, class and special methods."""

from __future__ import annotations

import asyncio

import pytest

from resilience4cata import Resilience
from resilience4cata.testing import ManualClock, ManualScheduler

from ..live import Application
from .running import attempts, running

HEAD = """
    from abc import ABC, abstractmethod
    from typing import Protocol
    from resilience4cata import *
    from tests.runtime.decorated.running import Failing

    failing = Failing()
"""

OVERRIDE = "def charge(self): failing()"


def tries(count: int, *more: str) -> str:
    return f"@retry(max_attempts={', '.join((str(count), *more))})"


def of_class(name: str, *lines: str, above: str = "") -> str:
    text = "\n        ".join(lines) or "pass"
    return f"\n    {above}\n    class {name}:\n        {text}\n"


TABLE = {
    "class-level | nothing": (of_class("B", OVERRIDE, above=tries(3)), of_class("A(B)"), 3),
    "class-level | undecorated override": (of_class("B", OVERRIDE, above=tries(3)), of_class("A(B)", OVERRIDE), 3),
    "class-level | class-level": (of_class("B", OVERRIDE, above=tries(3)), of_class("A(B)", above=tries(4)), 4),
    "class-level | class-level with override": (
        of_class("B", OVERRIDE, above=tries(3)),
        of_class("A(B)", OVERRIDE, above=tries(4)),
        4,
    ),
    "class-level | class-level, decorated override": (
        of_class("B", OVERRIDE, above=tries(3)),
        of_class("A(B)", tries(4), OVERRIDE, above=tries(5)),
        4,
    ),
    "method-level | nothing": (of_class("B", tries(3), OVERRIDE), of_class("A(B)"), 3),
    "method-level | undecorated override": (of_class("B", tries(3), OVERRIDE), of_class("A(B)", OVERRIDE), 1),
    "method-level | inherit_policies": (
        of_class("B", tries(3), OVERRIDE),
        of_class("A(B)", "@inherit_policies", OVERRIDE),
        3,
    ),
    "method-level | class-level, no override": (of_class("B", tries(3), OVERRIDE), of_class("A(B)", above=tries(4)), 3),
    "method-level | class-level, undecorated override": (
        of_class("B", tries(3), OVERRIDE),
        of_class("A(B)", OVERRIDE, above=tries(4)),
        4,
    ),
    "abstract | undecorated implementation": (
        of_class("B(ABC)", tries(3), "@abstractmethod", "def charge(self): ..."),
        of_class("A(B)", OVERRIDE),
        3,
    ),
    "abstract below our decorator | undecorated implementation": (
        of_class("B(ABC)", "@abstractmethod", tries(3), "def charge(self): ..."),
        of_class("A(B)", OVERRIDE),
        3,
    ),
    "Protocol | undecorated implementation": (
        of_class("B(Protocol)", tries(3), "def charge(self): ..."),
        of_class("A(B)", OVERRIDE),
        3,
    ),
    "Protocol with a body | undecorated implementation": (
        of_class("B(Protocol)", tries(3), OVERRIDE),
        of_class("A(B)", OVERRIDE),
        3,
    ),
    "class and method | undecorated override": (
        of_class("B", tries(4), OVERRIDE, above=tries(3)),
        of_class("A(B)", OVERRIDE),
        3,
    ),
}


@pytest.mark.parametrize(("base", "derived", "expected"), TABLE.values(), ids=TABLE.keys())
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_inheritance(app: Application, base: str, derived: str, expected: int, is_async: bool) -> None:
    """As many attempts as the table says."""
    text = HEAD + base + derived
    module = app.load("shop", text.replace("def charge", "async def charge") if is_async else text)
    with running("shop"):
        call = module.A().charge
        assert expected == attempts(lambda: asyncio.run(call()) if is_async else call(), module.failing)


def test_attribute_by_attribute(app: Application) -> None:
    """An implementation that writes the delay keeps the number of attempts of the abstract method."""
    base = of_class("B(ABC)", tries(3, 'delay="1s"', "jitter=Jitter.NONE"), "@abstractmethod", "def charge(self): ...")
    derived = of_class("A(B)", '@retry(delay="2s", backoff=Backoff.FIXED)', OVERRIDE)
    module = app.load("shop", HEAD + base + derived)
    scheduler = ManualScheduler(ManualClock())
    with Resilience.builder().only("shop").scheduler(scheduler).build().activate():
        assert 3 == attempts(module.A().charge, module.failing)
    assert [2 * 10**9, 2 * 10**9] == scheduler.waits
