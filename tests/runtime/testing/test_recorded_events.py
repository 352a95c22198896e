"""Recorded events: what is kept, and what is asked of it."""

from __future__ import annotations

import pytest

from resilience4cata import Resilience, bulkhead, circuit_breaker, retry
from resilience4cata.events import (
    CallFailed,
    CallNotPermitted,
    CircuitBreakerEvent,
    Retried,
    RetryExhausted,
    RetrySucceeded,
    State,
    StateTransition,
)
from resilience4cata.testing import ManualClock, ManualScheduler, RecordedEvents


def failing() -> None:
    raise ConnectionError


@pytest.fixture
def resilience() -> Resilience:
    clock = ManualClock()
    return Resilience.builder().only("nothing").clock(clock).scheduler(ManualScheduler(clock)).build()


@pytest.fixture
def events(resilience: Resilience) -> RecordedEvents:
    """Those of a retry that fails twice, and of two breakers that are forced open."""
    recorded = RecordedEvents(resilience)
    with pytest.raises(ConnectionError):
        resilience.pipeline("charge", retry(max_attempts=2)).call(failing)
    for name in ("first", "second"):
        resilience.pipeline(name, circuit_breaker())
        resilience.circuit_breaker(name).force_open()
    return recorded


def test_order(events: RecordedEvents) -> None:
    """All of them, in order."""
    assert [Retried, RetryExhausted, StateTransition, StateTransition] == events.types()
    assert events.seen == list(events)
    assert 4 == len(events)


def test_of_one_kind(events: RecordedEvents) -> None:
    """With their own fields."""
    assert [State.FORCED_OPEN, State.FORCED_OPEN] == [event.after for event in events.of(StateTransition)]


def test_of_a_policy(events: RecordedEvents) -> None:
    """A union of kinds is asked for like one kind."""
    assert [StateTransition, StateTransition] == [type(event) for event in events.of(CircuitBreakerEvent)]


def test_of_one_instance(events: RecordedEvents) -> None:
    """Those of others are left out."""
    assert ["second"] == [event.instance_id for event in events.of(StateTransition, instance="second")]


def test_the_only_one(events: RecordedEvents) -> None:
    """It is given itself."""
    assert 2 == events.one(RetryExhausted).attempts
    assert "first" == events.one(StateTransition, instance="first").instance_id


@pytest.mark.parametrize(
    ("kind", "instance", "message"),
    [
        (CallNotPermitted, None, "expected one CallNotPermitted, but there were 0; seen: "),
        (StateTransition, None, "expected one StateTransition, but there were 2; seen: "),
        (StateTransition, "third", "expected one StateTransition of 'third', but there were 0; seen: "),
    ],
)
def test_not_the_only_one(
    events: RecordedEvents, kind: type[CallNotPermitted | StateTransition], instance: str | None, message: str
) -> None:
    """Otherwise the failure says what there was."""
    with pytest.raises(AssertionError) as told:
        events.one(kind, instance=instance)
    assert f"{message}1 Retried, 1 RetryExhausted, 2 StateTransition" == str(told.value)


def test_nothing_at_all() -> None:
    """And that there was nothing."""
    with pytest.raises(AssertionError) as told:
        RecordedEvents().one(CallFailed)
    assert "expected one CallFailed, but there were 0; seen: no event at all" == str(told.value)


def test_clear(events: RecordedEvents, resilience: Resilience) -> None:
    """What comes afterwards is kept again."""
    events.clear()
    resilience.circuit_breaker("first").reset()
    assert State.CLOSED is events.one(StateTransition).after


def test_as_a_listener() -> None:
    """A builder takes it like any callback."""
    events = RecordedEvents()
    clock = ManualClock()
    builder = Resilience.builder().only("nothing").clock(clock).scheduler(ManualScheduler(clock)).listener(events)
    failures = [ConnectionError()]

    def flaky() -> str:
        if failures:
            raise failures.pop()
        return "done"

    assert "done" == builder.build().pipeline("flaky", retry(), bulkhead()).call(flaky)
    assert [Retried, RetrySucceeded] == events.types()


def test_shown(events: RecordedEvents) -> None:
    """A failing assertion shows every event."""
    assert f"RecordedEvents({', '.join(map(repr, events.seen))})" == repr(events)
