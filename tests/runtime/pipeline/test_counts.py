"""What the happy path does: it looks at the clock only where a policy needs it, takes no lock and makes no event."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from resilience4cata import (
    ConfigSources,
    Resilience,
    WindowType,
    bulkhead,
    circuit_breaker,
    fallback,
    rate_limiter,
    retry,
    timeout,
)
from resilience4cata.events import BulkheadEntered, Event
from resilience4cata.pipeline import flat
from resilience4cata.policies.machines import budget as budgets
from resilience4cata.policies.machines import bulkhead as bulkheads
from resilience4cata.policies.machines import circuit_breaker as circuit_breakers
from resilience4cata.policies.machines import rate_limiter as rate_limiters
from resilience4cata.testing import ManualClock, ManualScheduler

from .twins import Text, reading_in_seconds

BUDGET = Text("resilience4cata.budgets.shared.percent=50")
FOUR = (fallback(lambda _: None), retry(), circuit_breaker(), bulkhead())
SIX = (*FOUR, rate_limiter(), timeout("1s"))
LISTENED = "somebody listens"

# Policies, and how often a synchronous and an asynchronous call looks at the clock.
READS: dict[str, tuple[tuple[Any, ...], int, int]] = {
    "retry": ((retry(),), 0, 0),
    "retry, max_duration": ((retry(max_duration="1m"),), 1, 1),
    "retry, budget": ((retry(budget="shared"),), 1, 1),
    "circuit breaker": ((circuit_breaker(),), 0, 0),
    "circuit breaker, slow calls": ((circuit_breaker(slow_call_duration="1s"),), 2, 2),
    "circuit breaker, time window": ((circuit_breaker(window_type=WindowType.TIME),), 2, 2),
    "circuit breaker, somebody listens": ((circuit_breaker(),), 1, 1),
    "rate limiter": ((rate_limiter(),), 1, 1),
    "timeout": ((timeout("1s"),), 2, 1),
    "bulkhead": ((bulkhead(),), 0, 0),
    "fallback": ((fallback(lambda _: None),), 0, 0),
    "four": (FOUR, 0, 0),
    "six": (SIX, 2, 1),
}


class CountingClock(ManualClock):
    reads = 0

    def monotonic_ns(self) -> int:
        self.reads += 1
        return super().monotonic_ns()


class Counts:
    """How often locks were taken, and events made."""

    locks = 0
    events = 0


class CountingLock:
    """Stands in for the locks of machines; one thread is all that there is."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts

    def __enter__(self) -> None:
        self._counts.locks += 1

    def __exit__(self, *_: object) -> None:
        return


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counts:
    found = Counts()
    make = Event.__init__

    def counted(self: Event, *values: Any, **named: Any) -> None:
        found.events += 1
        make(self, *values, **named)

    for module in (budgets, bulkheads, circuit_breakers, rate_limiters):
        monkeypatch.setattr(module, "RLock", lambda: CountingLock(found))
    monkeypatch.setattr(Event, "__init__", counted)
    return found


def guarded(policies: tuple[Any, ...], *, asynchronous: bool) -> Callable[[object], Any]:
    """A function that raises what it is given, if that can be raised."""

    def charge(amount: object) -> object:
        if isinstance(amount, BaseException):
            raise amount
        return amount

    async def charge_later(amount: object) -> object:
        return charge(amount)

    function: Callable[[object], Any] = charge_later if asynchronous else charge
    for policy in reversed(policies):
        function = policy(function)
    return function


async def ended(function: Callable[[object], Any], amount: object, *, asynchronous: bool) -> object:
    return await function(amount) if asynchronous else function(amount)


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("in_seconds", [False, True], ids=["nanoseconds", "seconds"])
@pytest.mark.parametrize("policies", READS)
def test_happy_path(
    policies: str, in_seconds: bool, asynchronous: bool, counts: Counts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call that succeeds reads the clock exactly so often, and takes no lock."""
    if in_seconds:
        monkeypatch.setattr(flat, "reading", reading_in_seconds)
    declared, sync_reads, async_reads = READS[policies]
    clock = CountingClock()
    builder = Resilience.builder().only("no.module").clock(clock).scheduler(ManualScheduler(clock)).source(BUDGET)
    heard: list[Event] = []
    if LISTENED in policies:
        builder.listener(heard.append)

    async def main() -> tuple[int, int, int]:
        function = guarded(declared, asynchronous=asynchronous)
        for amount in range(12):
            # Resolves settings, fills the window, begins a cycle of the limiter.
            await ended(function, amount, asynchronous=asynchronous)
        clock.reads = counts.locks = counts.events = 0
        assert 12 == await ended(function, 12, asynchronous=asynchronous)
        return clock.reads, counts.locks, counts.events

    with builder.build().activate():
        assert (async_reads if asynchronous else sync_reads, 0, 0) == asyncio.run(main())


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_no_event_without_listeners(asynchronous: bool, counts: Counts) -> None:
    """Also where there would be much to tell: failures, retries, an opening breaker, refusals, fallbacks."""
    clock = ManualClock()
    scheduler = ManualScheduler(clock)
    resilience = Resilience.builder().only("no.module").clock(clock).scheduler(scheduler).build()

    async def main() -> None:
        function = guarded((fallback(lambda amount: None), *SIX[1:]), asynchronous=asynchronous)
        for _ in range(40):
            await ended(function, ConnectionError("down"), asynchronous=asynchronous)

    with resilience.activate():
        asyncio.run(main())
    assert 0 == counts.events


@pytest.mark.parametrize("others", [(), (circuit_breaker(),)], ids=["alone", "behind a breaker that warms up"])
def test_only_who_waited_for_a_slot_says_so(others: tuple[Any, ...]) -> None:
    """Time passes between two looks at the clock, also where a call is within the layers and finds a free slot."""

    class Passing(CountingClock):
        def monotonic_ns(self) -> int:
            return super().monotonic_ns() + self.reads

    def call(depth: int) -> Any:
        return nested(depth - 1) if depth else 0

    heard: list[Event] = []
    builder = (
        Resilience.builder().only("no.module").clock(Passing()).source(Text("resilience4cata.events.per-call=true"))
    )
    nested: Any = call
    for policy in (bulkhead(max_concurrent=3), *others):
        nested = policy(nested)
    with builder.listener(heard.append).build().activate():
        assert 0 == nested(2)
    assert [] == [event for event in heard if isinstance(event, BulkheadEntered)]


def test_events_where_somebody_listens(counts: Counts) -> None:
    """The counter of the tests above does count."""
    builder = Resilience.builder().only("no.module").source(ConfigSources.environment({}))
    heard: list[Event] = []
    function = guarded((circuit_breaker(),), asynchronous=False)
    with builder.listener(heard.append).build().activate(), pytest.raises(ConnectionError):
        function(ConnectionError("down"))
    assert (1, 1) == (counts.events, len(heard))
