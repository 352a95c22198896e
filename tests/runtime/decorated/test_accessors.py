"""Getters, setters and deleters of a property: each has its own policies and its own state."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from resilience4cata import CallNotPermittedError, DefinitionError

from ..live import Application
from .running import running

TEXT = """
    from resilience4cata import *

    calls = []

    def fail(what):
        calls.append(what)
        raise ConnectionError

    class Account:
        @property
        @retry(max_attempts=3)
        def balance(self): fail("get")

        @balance.setter
        @retry(max_attempts=2)
        @circuit_breaker(window_size=2, minimum_calls=2)
        def balance(self, value): fail(value)

        @balance.deleter
        def balance(self): fail("delete")

        @property
        def plain(self): return 1

        @plain.setter
        @retry(max_attempts=4)
        def plain(self, value): fail(value)
"""


def test_each_has_its_own(app: Application) -> None:
    module: Any = app.load("bank", TEXT)
    with running("bank"):
        account = module.Account()
        for use in (lambda: account.balance, lambda: setattr(account, "plain", 8), lambda: delattr(account, "balance")):
            with contextlib.suppress(ConnectionError):
                use()
    assert ["get"] * 3 + [8] * 4 + ["delete"] == module.calls


def test_state(app: Application) -> None:
    """The setter's circuit breaker opens, and lets the getter alone."""
    module: Any = app.load("bank", TEXT)
    with running("bank"):
        account = module.Account()
        with pytest.raises(ConnectionError):
            account.balance = 5
        with pytest.raises(CallNotPermittedError):
            account.balance = 6
        with pytest.raises(ConnectionError):
            account.balance  # it is read
    assert [5, 5, "get", "get", "get"] == module.calls


def test_faulty(app: Application) -> None:
    """The policies of a setter are judged before its first call."""
    text = (
        "from resilience4cata import *\nclass C:\n    @property\n    def p(self): ...\n"
        "    @p.setter\n    @timeout('-1s')\n    def p(self, value): ...\n"
    )
    module: Any = app.load("bank", text)
    with running("bank"), pytest.raises(DefinitionError, match="R4C-DU-003"):
        module.C().p = 5
