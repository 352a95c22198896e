"""Worlds that differ in one thing: whether calls may take the quick way, in what it counts time, or the layers' own
way alone."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from resilience4cata import ConfigSources, Resilience, ResilienceWarning, current_deadline
from resilience4cata.clock import SECOND, Reading
from resilience4cata.events import Event
from resilience4cata.facts import ConfigFile
from resilience4cata.pipeline import entries, flat
from resilience4cata.testing import ManualClock, ManualScheduler

MS = 1_000_000
BEGINS = 1_000 * SECOND
SETTINGS = "resilience4cata.budgets.retries.min-per-second=0.2\nresilience4cata.events.per-call="


class Fault(OSError):
    """What policies act on."""


class Passing(Exception):
    """What some of them are told to let pass."""


class Interruption(BaseException):
    """What they let pass in any case."""


class Swallowing(Fault):
    """Raised in place of a cancellation."""


@dataclass(frozen=True)
class Step:
    """What one execution of the function does: takes its time, calls the guarded function itself, and ends."""

    end: str | type[BaseException]
    takes: int = 0
    nested: bool = False
    swallows: bool = False


@dataclass(frozen=True)
class Plan:
    """What happens to a guarded function.

    `listens` tells who listens: nobody, somebody, or somebody who wants events of every call. Each entry of `calls` is
    the time that passes before a call, or the name of something that an operator does.
    """

    policies: tuple[Any, ...]
    steps: tuple[Step, ...]
    calls: tuple[int | str, ...]
    listens: str = "nobody"
    outer: int = 0


@dataclass(frozen=True)
class Text:
    """A source of settings."""

    text: str

    def load(self) -> ConfigFile:
        return ConfigSources.read("twins.properties", self.text.encode())


@dataclass
class Seen:
    """Everything that can be seen of it."""

    ends: list[Any]
    left: list[float | None]
    events: list[Any]
    waits: list[int]
    executions: int
    passed: int
    snapshot: dict[str, Any]


class World:
    """A guarded function that follows a plan."""

    def __init__(self, plan: Plan, *, asynchronous: bool, begins: int = BEGINS) -> None:
        """`begins` is what the clock shows at first."""
        self.plan = plan
        self.asynchronous = asynchronous
        self.begins = begins
        self.clock = ManualClock(begins)
        self.scheduler = ManualScheduler(self.clock)
        self.events: list[Event] = []
        # What each execution still had time for.
        self.left: list[float | None] = []
        self.executions = 0
        settings = SETTINGS + ("true" if plan.listens == "of every call" else "false")
        builder = Resilience.builder().only("no.module").clock(self.clock).scheduler(self.scheduler).random(Random(1))
        builder.source(Text(settings))
        if plan.listens != "nobody":
            builder.listener(self.events.append)
        self.resilience = builder.build()
        self.guarded: Callable[..., Any] = self._function()
        for policy in reversed(plan.policies):
            self.guarded = policy(self.guarded)

    def run(self) -> Seen:
        ends: list[Any] = []
        # The first call of a function tells what is suspicious about its policies.
        with self.resilience.activate(), warnings.catch_warnings():
            warnings.simplefilter("ignore", ResilienceWarning)
            for call in self.plan.calls:
                if isinstance(call, str):
                    getattr(self.resilience.circuit_breaker("shared"), call)()
                    continue
                self.clock.advance_ns(call)
                ends.append(self._end_of_call())
        return Seen(
            ends,
            self.left,
            [seen(event, self.begins) for event in self.events],
            self.scheduler.waits,
            self.executions,
            self.clock.now - self.begins,
            self.resilience.snapshot().as_dict(),
        )

    def _end_of_call(self) -> Any:
        try:
            return asyncio.run(self._main()) if self.asynchronous else self.guarded(1, option=2)
        except BaseException as error:
            return told(error)

    async def _main(self) -> Any:
        task = asyncio.current_task()
        assert task is not None
        try:
            return await self.guarded(1, option=2), task.cancelling()
        except BaseException as error:
            return told(error), task.cancelling()

    def _function(self) -> Callable[..., Any]:
        def charge(amount: int, *, option: int = 0) -> Any:
            step = self._begin()
            self.clock.advance_ns(step.takes)
            # One level is enough, and more would not end.
            if step.nested and amount:
                self.guarded(0)
            return ended(step, amount + option)

        async def charge_later(amount: int, *, option: int = 0) -> Any:
            step = self._begin()
            self.clock.advance_ns(step.takes)
            try:
                await asyncio.sleep(0)
            except asyncio.CancelledError:
                if step.swallows:
                    return ended(step, 7)
                raise
            if step.nested and amount:
                await self.guarded(0)
            return ended(step, amount + option)

        return charge_later if self.asynchronous else charge

    def _begin(self) -> Step:
        step = self.plan.steps[self.executions % len(self.plan.steps)]
        self.executions += 1
        self.left.append(current_deadline())
        return step


def ended(step: Step, result: int) -> Any:
    if isinstance(step.end, str):
        return step.end, result
    raise step.end


def told(error: BaseException | None) -> Any:
    """An exception with all that it says, and what happened before it."""
    if error is None:
        return None
    notes = getattr(error, "__notes__", [])
    names = ("args", "instance_id", "policy", "retry_after", "limit", "completed", "result", "attempts")
    attributes = repr({name: getattr(error, name, None) for name in names})
    return type(error).__name__, str(error), attributes, notes, told(error.__cause__), told(error.__context__)


def seen(event: Event, begins: int) -> Any:
    """Its kind and fields; the moment as what has passed since the clock began."""
    fields = {name: getattr(event, name) for name in event.__match_args__}
    values = (fields | {"nanoseconds": event.nanoseconds - begins}).values()
    return type(event).__name__, [told(v) if isinstance(v, BaseException) else v for v in values]


def each_way(plan: Plan, *, asynchronous: bool, begins: int = BEGINS) -> tuple[Seen, Seen, Seen]:
    """What is seen of the quick way, of that in seconds, and of the layers' own way."""
    quick = World(plan, asynchronous=asynchronous, begins=begins).run()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flat, "reading", reading_in_seconds)
        in_seconds = World(plan, asynchronous=asynchronous, begins=begins).run()
        patch.setattr(entries, "quick_code", lambda *_, **__: None)
        slow = World(plan, asynchronous=asynchronous, begins=begins).run()
    return quick, in_seconds, slow


def reading_in_seconds(clock: ManualClock, *, exact: bool) -> Reading:
    """That of a manual clock, as if it were the system's."""
    if exact:
        return Reading(clock.monotonic_ns, in_seconds=False)
    return Reading(lambda: clock.monotonic_ns() / SECOND, in_seconds=True)
