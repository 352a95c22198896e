"""A circuit breaker behind a pipeline, driven by letters: what scenarios of other libraries are told with."""

from __future__ import annotations

from typing import Any

from resilience4cata import CallNotPermittedError, Resilience, circuit_breaker
from resilience4cata.pipeline.handles import CircuitBreakerHandle
from resilience4cata.testing import ManualClock, ManualScheduler, RecordedEvents


class Fault(Exception):
    """What F raises."""


class Driven:
    """Letters are calls: S succeeds, F fails, I raises what is ignored, L succeeds after five seconds."""

    def __init__(self, **settings: Any) -> None:
        self.clock = ManualClock()
        self.events = RecordedEvents()
        builder = Resilience.builder().only("no.module").clock(self.clock).scheduler(ManualScheduler(self.clock))
        self.resilience = builder.listener(self.events).build()
        self.pipeline = self.resilience.pipeline("peer", circuit_breaker(ignore_on=ValueError, **settings))

    @property
    def handle(self) -> CircuitBreakerHandle:
        return self.resilience.circuit_breaker("peer")

    @property
    def state(self) -> str:
        return self.handle.state.name

    def calls(self, letters: str) -> str:
        """One call for each letter; what came of them, X for those that were refused."""
        return "".join(map(self.call, letters))

    def call(self, letter: str) -> str:
        def function() -> None:
            if letter == "L":
                self.clock.advance("5s")
            if letter in "FI":
                raise Fault if letter == "F" else ValueError

        try:
            self.pipeline.call(function)
        except CallNotPermittedError:
            return "X"
        except (Fault, ValueError):
            return letter
        return letter
