"""The ways in which a function runs through policies; what these tests claim holds for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest

from resilience4cata import ConfigFile, ConfigSources, Resilience, ResilienceBuilder
from resilience4cata.testing import ManualClock, ManualScheduler, RecordedEvents

WAYS = ("pipeline", "decorated", "bound")

# Those in which the function is called with the parameters that it has.
EXACT_WAYS = ("pipeline", "decorated")

each_exact_way = pytest.mark.parametrize("way", EXACT_WAYS)
each_way = pytest.mark.parametrize("way", WAYS)


@contextmanager
def guarded(
    way: str, resilience: Resilience, policies: Sequence[Any], function: Callable[..., Any], *, asynchronous: bool
) -> Iterator[Callable[..., Any]]:
    """`function` within the policies, called as it would be itself."""
    if way == "pipeline":
        pipeline = resilience.pipeline("pipeline", *policies)
        run: Callable[..., Any] = pipeline.acall if asynchronous else pipeline.call

        def call(*args: Any, **kwargs: Any) -> Any:
            return run(function, *args, **kwargs)

        yield call
    elif way == "bound":
        yield getattr(resilience.wrap(_receiver(policies, function)), "call_async" if asynchronous else "call")
    else:
        with resilience.activate():
            yield _decorated(policies, function)


def _decorated(policies: Sequence[Any], function: Callable[..., Any]) -> Callable[..., Any]:
    for policy in policies:
        function = policy(function)
    return function


def _receiver(policies: Sequence[Any], function: Callable[..., Any]) -> Any:
    """An object whose guarded method `call` is the function."""

    class Receiver:
        def call(self, *args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        async def call_async(self, *args: Any, **kwargs: Any) -> Any:
            return await function(*args, **kwargs)

        for policy in policies:
            call, call_async = policy(call), policy(call_async)

    receiver: Any = Receiver()
    return receiver


class Properties:
    """A source of configuration that is a text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def load(self) -> ConfigFile:
        return ConfigSources.read("settings.properties", self.text.encode())


class World:
    """A `Resilience` in which time stands still, with everything that happened."""

    def __init__(self, *, auto_advance: bool = True, seed: int = 1, properties: str = "") -> None:
        self.clock = ManualClock()
        self.scheduler = ManualScheduler(self.clock, auto_advance=auto_advance)
        self.events = RecordedEvents()
        self.resilience = self.builder(seed).source(Properties(properties)).listener(self.events).build()

    def builder(self, seed: int) -> ResilienceBuilder:
        builder = Resilience.builder().only("no.module").clock(self.clock).scheduler(self.scheduler)
        return builder.random(Random(seed))

    @contextmanager
    def guarded(
        self, way: str, policies: Sequence[Any], function: Callable[..., Any], *, asynchronous: bool = False
    ) -> Iterator[Callable[..., Any]]:
        with guarded(way, self.resilience, policies, function, asynchronous=asynchronous) as call:
            yield call
