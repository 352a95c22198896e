"""A `Resilience` in which time stands still, and functions that do what a script says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any

from resilience4cata import Resilience, circuit_breaker
from resilience4cata.testing import ManualClock, ManualScheduler, RecordedEvents

from .twins import MS

S = 1_000 * MS
ALL_OF_FOUR = circuit_breaker(window_size=4, minimum_calls=4, failure_rate_threshold=100)
ALL_OF_TWO = circuit_breaker(window_size=2, minimum_calls=2, failure_rate_threshold=100)


class World:
    """A `Resilience` in which time stands still, and a function that does what a script says.

    A script is a list of results and exceptions; the last one counts for all further calls. `takes` is how long each
    call takes.
    """

    def __init__(self, *, asynchronous: bool) -> None:
        self.asynchronous = asynchronous
        self.clock = ManualClock()
        self.scheduler = ManualScheduler(self.clock)
        self.events = RecordedEvents()
        builder = Resilience.builder().only("no.module").clock(self.clock).scheduler(self.scheduler)
        self.resilience = builder.random(Random(1)).listener(self.events).build()
        self.executions = 0
        self.takes = 0

    def function(self, script: list[Any]) -> Callable[..., Any]:
        def run(*args: object) -> Any:
            step = script[min(self.executions, len(script) - 1)]
            self.executions += 1
            self.clock.advance_ns(self.takes)
            if callable(step) and not isinstance(step, type):
                step = step()
            if isinstance(step, BaseException):
                raise step
            return step

        async def run_async(*args: object) -> Any:
            result = run(*args)
            await asyncio.sleep(0)
            return result

        return run_async if self.asynchronous else run

    def call(self, *policies: Any, script: list[Any], name: str = "payments", args: tuple[object, ...] = ()) -> Any:
        pipeline = self.resilience.pipeline(name, *policies)
        function = self.function(script)
        if self.asynchronous:
            return asyncio.run(pipeline.acall(function, *args))
        return pipeline.call(function, *args)
