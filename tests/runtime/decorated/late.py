"""Modules that are loaded after `build()`, and what their calls say."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

SHOP = """
    from resilience4cata import *

    @circuit_breaker(window_size=4, minimum_calls=4)
    def charge(fails=True):
        if fails:
            raise ConnectionError

    @circuit_breaker(name="payments", window_size=4, minimum_calls=4)
    def refund(): ...

    @retry(max_attempts=2)
    class Client:
        @circuit_breaker(window_size=4, minimum_calls=4)
        def call(self): raise ConnectionError
"""
LATE = """
    from resilience4cata import *

    @retry(max_attempts=2)
    def first(): return "first"

    @circuit_breaker(name="payments", window_size=4, minimum_calls=4)
    def second(): return "second"
"""


def call(function: Callable[[], object], times: int) -> None:
    for _ in range(times):
        with pytest.raises(ConnectionError):
            function()


@contextmanager
def told() -> Iterator[list[str]]:
    """The first lines of the warnings that are given."""
    found: list[str] = []
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        yield found
    found += [str(warning.message).partition("\n")[0] for warning in given]
