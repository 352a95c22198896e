"""Getters, setters and deleters of a property: each has its own policies and its own state."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from resilience4cata import CallNotPermittedError, ConfigSources, DefinitionError, Resilience

from ..live import Application
from .running import builder, built, running

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


FAULTY = """\
from resilience4cata import retry, timeout

class Account:
    @property
    @retry(max_attempts=0)
    def balance(self): return 1

    @balance.setter
    @timeout("-1s")
    def balance(self, value): ...

    @balance.deleter
    @retry(max_attempts=-1)
    def balance(self): ...

    @property
    def plain(self): return 1

    @plain.setter
    @retry(delay="2s", max_attempts=0)
    def plain(self, value): ...
"""


def test_faulty(app: Application) -> None:
    """All of them are judged by `build()`, guarded getter or not."""
    app.load("bank", FAULTY)
    found = [(d.at.line, d.at.column, d.code, d.subject) for d in app.diagnostics("bank")]
    assert [
        (5, 25, "R4C-VA-001", "@retry(max_attempts=0) on bank.Account.balance"),
        (9, 14, "R4C-DU-003", '@timeout("-1s") on bank.Account.balance'),
        (13, 25, "R4C-VA-001", "@retry(max_attempts=-1) on bank.Account.balance"),
        (20, 37, "R4C-VA-001", "@retry(max_attempts=0) on bank.Account.plain"),
    ] == found


def test_declared_late(app: Application) -> None:
    """Those of a module that comes after `build()` are judged before the first call of each."""
    with running():
        module: Any = app.load("bank", FAULTY)
        account = module.Account()
        for use, code in (
            (lambda: setattr(account, "balance", 1), "R4C-DU-003"),
            (lambda: account.balance, "R4C-VA-001"),
            (lambda: delattr(account, "balance"), "R4C-VA-001"),
            (lambda: setattr(account, "plain", 1), "R4C-VA-001"),
        ):
            with pytest.raises(DefinitionError, match=code):
                use()
        assert 1 == account.plain


def attempts(resilience: Resilience, target: object) -> object:
    """What `describe` says of the attempts of a target."""
    return next(s.value for s in resilience.describe(target).settings if s.attribute == "max_attempts")


def test_described(app: Application) -> None:
    """By the function; the id means the getter, or else what is guarded."""
    module: Any = app.load("bank", TEXT)
    account = module.Account
    with running("bank") as resilience:
        found = [
            attempts(resilience, target)
            for target in (account.balance.fget, account.balance.fset, "bank.Account#balance", "bank.Account#plain")
        ]
        assert ["3", "2", "3", "4"] == found
        with pytest.raises(LookupError, match=r"there is no circuit_breaker 'bank\.Account#balance'"):
            resilience.circuit_breaker("bank.Account#balance")


def test_configured(app: Application) -> None:
    """Keys with the id of a property reach the setter too, as the linter sees it."""
    module: Any = app.load("bank", TEXT)
    app.write("r.properties", "bank.Account/plain/retry/max-attempts=2\n")
    resilience = builder("bank").source(ConfigSources.file("r.properties")).build()
    with resilience.activate(), pytest.raises(ConnectionError):
        module.Account().plain = 8
    assert [8, 8] == module.calls
    assert "2" == attempts(resilience, "bank.Account#plain")


def test_shared_instance(app: Application) -> None:
    """An instance with a name is the one of that name, for the setter too."""
    text = """
        from resilience4cata import *

        class Account:
            @property
            @circuit_breaker(name="bank")
            def balance(self): return 1

            @balance.setter
            @circuit_breaker(name="bank")
            def balance(self, value): ...
    """
    module: Any = app.load("bank", text)
    with running("bank") as resilience:
        account = module.Account()
        account.balance = account.balance
        assert 2 == resilience.circuit_breaker("bank").snapshot().window.calls


def test_fallback_among_the_methods(app: Application) -> None:
    """A setter is a method: its fallback may be another one, which gets the object."""
    text = """
        from resilience4cata import *

        class Account:
            later = ()

            @property
            def balance(self): return 1

            @balance.setter
            @fallback(method="keep")
            def balance(self, value): raise ConnectionError

            def keep(self, value): self.later += (value,)
    """
    module: Any = app.load("bank", text)
    with running("bank"):
        account = module.Account()
        account.balance = 5
        assert (5,) == account.later


def test_bound_object(app: Application) -> None:
    """Binding leaves properties alone: what stands in an object is not looked at, and reading one would run it."""
    text = """
        from resilience4cata import *

        calls = []

        class Account:
            @property
            @retry()
            def balance(self): calls.append("get")

            @retry()
            def close(self): calls.append("close")
    """
    module: Any = app.load("bank", text)
    account = built("bank").wrap(module.Account())
    assert [] == module.calls
    assert "balance" not in vars(account)
    account.close()
    assert ["close"] == module.calls
