"""Functions and classes whose name another one has by now: each keeps what it was declared with.

So do handlers that are registered and all called `_`, cells of a notebook that run twice, and reloaded modules whose
objects live on.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

from resilience4cata import CallNotPermittedError

from ..live import Application
from .running import running

HANDLERS = """
    from resilience4cata import Classifier, Outcome, circuit_breaker, retry

    handlers = []
    calls = []

    class Refused(ConnectionError): ...

    class Verdict(Classifier):
        def classify(self, result, failure):
            return Outcome.IGNORE if isinstance(failure, Refused) else Outcome.FAILURE

    @handlers.append
    @circuit_breaker(window_size=3, wait_in_open="1s")
    def _():
        raise ConnectionError

    @handlers.append
    @retry(max_attempts=2, classifier=Verdict)
    def _(error):
        calls.append(error)
        raise error

    @handlers.append
    def _(): ...
"""

CELL = """
    from resilience4cata import circuit_breaker, fallback, retry

    calls = []

    @retry(max_attempts={tries})
    class Client:
        def fetch(self):
            calls.append("client")
            raise ConnectionError

    class Cached(Client):
        def fetch(self):
            calls.append("cached")
            raise ConnectionError

    class Prices:
        @fallback(method="known_{tries}")
        @retry(max_attempts={tries})
        def fetch(self):
            calls.append("prices")
            raise ConnectionError

        def known_{tries}(self):
            return {tries}
"""


def outcomes(call: Callable[[], Any], times: int) -> list[str]:
    """The types of the errors of so many calls."""
    found = []
    for _ in range(times):
        with pytest.raises(Exception) as error:  # noqa: PT011  which one is what is asked
            call()
        found.append(error.type.__name__)
    return found


class TestDefaultsThatGiveWay:
    """What stood above the function is not known, so everything of it was taken for unknown: defaults did not give way
    to what was written beside them."""

    def test_breaker_with_a_small_window_opens(self, app: Application) -> None:
        """It never did: its window of 3 waited for 10 calls."""
        with running("shop"):
            handler = app.load("shop", HANDLERS).handlers[0]
            assert ["ConnectionError"] * 3 + ["CallNotPermittedError"] == outcomes(handler, 4)

    def test_classifier_decides_alone(self, app: Application) -> None:
        """What it ignores was tried again, since the list of all exceptions still stood beside it."""
        with running("shop"):
            module = app.load("shop", HANDLERS)
            assert ["Refused"] == outcomes(lambda: module.handlers[1](module.Refused()), 1)
            assert 1 == len(module.calls)
            assert ["ConnectionError"] == outcomes(lambda: module.handlers[1](ConnectionError()), 1)
            assert 3 == len(module.calls)

    def test_same_instance_as_before(self, app: Application) -> None:
        """The older function was told that the breaker is in use with other settings, which were the same ones."""
        text = """
            from resilience4cata import circuit_breaker

            @circuit_breaker(name="payments", minimum_calls=2, window_size=2)
            def charge():
                raise ConnectionError
        """
        with running("shop"):
            module = app.load("shop", text)
            before = module.charge
            assert ["ConnectionError"] == outcomes(before, 1)
            importlib.reload(module)
            assert ["ConnectionError"] == outcomes(module.charge, 1)
            with pytest.raises(CallNotPermittedError):
                before()


class TestClasses:
    def test_objects_that_outlive_a_reload(self, app: Application) -> None:
        """They ran without any policy, and nobody said so."""
        with running("shop"):
            module = app.load("shop", CELL.format(tries=2))
            old = module.Client().fetch, module.Cached().fetch, module.Prices().fetch
            app.write("shop.py", CELL.format(tries=4))
            importlib.reload(module)
            new = module.Client().fetch, module.Cached().fetch, module.Prices().fetch
            for _ in range(2):
                for (client, cached, prices), tries in ((new, 4), (old, 2)):
                    module.calls.clear()
                    assert ["ConnectionError"] * 2 == outcomes(client, 1) + outcomes(cached, 1)
                    assert tries == prices()
                    assert tries == module.calls.count("client") == module.calls.count("cached")

    def test_the_old_one_first(self, app: Application) -> None:
        with running("shop"):
            module = app.load("shop", CELL.format(tries=2))
            client, prices = module.Client(), module.Prices()
            app.write("shop.py", CELL.format(tries=4))
            importlib.reload(module)
            assert ["ConnectionError"] == outcomes(client.fetch, 1)
            assert (2, 2) == (prices.fetch(), module.calls.count("client"))

    def test_two_of_one_name_in_one_module(self, app: Application) -> None:
        text = """
            from resilience4cata import retry

            calls, handlers = [], []

            def register(cls):
                handlers.append(cls)
                return cls

            @register
            class Handler:
                @retry(max_attempts=2)
                def handle(self):
                    calls.append(self)
                    raise ConnectionError

            @register
            @retry(max_attempts=4)
            class Handler:
                def handle(self):
                    calls.append(self)
                    raise ConnectionError
        """
        with running("shop"):
            module = app.load("shop", text)
            first, second = module.handlers
            assert ["ConnectionError"] * 2 == outcomes(second().handle, 1) + outcomes(first().handle, 1)
            assert [4, 2] == [sum(type(c) is kind for c in module.calls) for kind in (second, first)]

    def test_several_of_one_loop(self, app: Application) -> None:
        """They stand at one place: all had the settings of the first one."""
        text = """
            from resilience4cata import retry

            calls, handlers = [], []

            for tries in (2, 3):
                class Handler:
                    @retry(max_attempts=tries)
                    def handle(self):
                        calls.append(self)
                        raise ConnectionError

                handlers.append(Handler)
            del Handler
        """
        with running("shop"):
            module = app.load("shop", text)
            first, second = module.handlers
            assert ["ConnectionError"] * 2 == outcomes(first().handle, 1) + outcomes(second().handle, 1)
            assert [2, 3] == [sum(type(c) is kind for c in module.calls) for kind in (first, second)]
