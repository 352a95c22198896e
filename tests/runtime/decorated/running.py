"""What tests of decorated callables run on: a `Resilience` in which time stands still."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest

from resilience4cata import Resilience, ResilienceBuilder
from resilience4cata.testing import ManualClock, ManualScheduler


def builder(*modules: str) -> ResilienceBuilder:
    """A builder for the declarations of these modules, by default of none."""
    clock = ManualClock()
    found = Resilience.builder().only(*(modules or ("nothing",)))
    return found.clock(clock).scheduler(ManualScheduler(clock)).random(Random(1))


def built(*modules: str) -> Resilience:
    return builder(*modules).build()


@contextmanager
def running(*modules: str) -> Iterator[Resilience]:
    """Let decorated callables run on a `Resilience` that was built for these modules."""
    with built(*modules).activate() as resilience:
        yield resilience


class Failing:
    """What fails and counts how often it was called."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, *_: Any, **__: Any) -> Any:
        self.calls += 1
        raise ConnectionError

    async def later(self, *_: Any, **__: Any) -> Any:
        return self()


def attempts(call: Callable[[], Any], failing: Failing) -> int:
    """How often `failing` is called by a call that ends with its error."""
    failing.calls = 0
    with pytest.raises(ConnectionError):
        call()
    return failing.calls
