"""Events and listeners: who hears what, and that nobody who listens can break a call."""

from __future__ import annotations

import logging
import pickle
from typing import Any

import pytest

from resilience4cata import events
from resilience4cata.events import (
    SILENT,
    BulkheadEntered,
    BulkheadFull,
    Callback,
    CallNotPermitted,
    CallSucceeded,
    Channel,
    CircuitBreakerEvent,
    CircuitBreakerStateTransition,
    Event,
    Listeners,
    Retried,
    RetryEvent,
    State,
    StateTransition,
)
from tests.runtime.policies.doubles import in_threads


def transition(channel: Channel) -> StateTransition:
    return StateTransition(*channel.stamp(5), State.CLOSED, State.OPEN)


def refusal(channel: Channel) -> CallNotPermitted:
    return CallNotPermitted(*channel.stamp(5), State.OPEN, None)


class TestWho:
    def test_the_root_hears_all(self) -> None:
        heard: list[Event] = []
        listeners = Listeners()
        channel = listeners.channel("payments", "circuit_breaker")
        listeners.add(Event, heard.append)
        made = (transition(channel), refusal(channel))
        channel.emit(made)
        assert list(made) == heard

    def test_one_kind(self) -> None:
        heard: list[Event] = []
        listeners = Listeners()
        channel = listeners.channel("payments", "circuit_breaker")
        listeners.add(CircuitBreakerStateTransition, heard.append)
        assert [True, False] == [channel.wants(StateTransition), channel.wants(CallNotPermitted)]
        channel.emit([transition(channel), refusal(channel)])
        assert [StateTransition] == [type(event) for event in heard]

    def test_one_policy(self) -> None:
        listeners = Listeners()
        channel = listeners.channel("payments", "circuit_breaker")
        listeners.add(CircuitBreakerEvent, print)
        assert [True, True, False] == [channel.wants(k) for k in (StateTransition, CallNotPermitted, Retried)]

    def test_one_instance(self) -> None:
        """Of one name there may be instances of several policies."""
        listeners = Listeners()
        listeners.add(Event, print, instance_id="payments", policy="retry")
        wanting = [
            (instance_id, policy)
            for instance_id in ("payments", "users")
            for policy in ("retry", "circuit_breaker")
            if listeners.channel(instance_id, policy).wants(Retried)
        ]
        assert [("payments", "retry")] == wanting

    def test_nobody(self) -> None:
        """Then no event need be made."""
        assert not Listeners().channel("payments", "retry").wants(Retried)
        assert not SILENT.wants(StateTransition)

    def test_per_call(self) -> None:
        """Only where it is asked for; all others always."""
        for per_call in (False, True):
            listeners = Listeners(per_call=per_call)
            listeners.add(Event, print)
            channel = listeners.channel("payments", "circuit_breaker")
            assert [per_call, per_call, True, True] == [
                channel.wants(kind) for kind in (CallSucceeded, BulkheadEntered, BulkheadFull, StateTransition)
            ]

    def test_later_listeners_are_heard(self) -> None:
        changes: list[int] = []
        listeners = Listeners(changed=lambda: changes.append(1))
        channel = listeners.channel("payments", "circuit_breaker")
        assert not channel.wants(StateTransition)
        subscription = listeners.add(Event, print)
        assert channel.wants(StateTransition)
        listeners.remove(subscription)
        listeners.remove(subscription)
        assert not channel.wants(StateTransition)
        assert 3 == len(changes)

    def test_the_same_listener_twice(self) -> None:
        heard: list[Event] = []
        listeners = Listeners()
        channel = listeners.channel("payments", "circuit_breaker")
        first, _ = listeners.add(Event, heard.append), listeners.add(Event, heard.append)
        listeners.remove(first)
        channel.emit([refusal(channel)])
        assert 1 == len(heard)


class TestListeners:
    def test_that_raise_are_logged(self, caplog: pytest.LogCaptureFixture) -> None:
        """The others still hear, and the call goes on."""
        heard: list[Event] = []
        listeners = Listeners()
        channel = listeners.channel("payments", "circuit_breaker")

        def broken(event: Event) -> None:
            msg = "no connection to the metrics"
            raise OSError(msg)

        listeners.add(Event, broken)
        listeners.add(Event, heard.append)
        with caplog.at_level(logging.ERROR, "resilience4cata"):
            channel.emit([refusal(channel)])
        assert 1 == len(heard)
        (record,) = caplog.records
        assert "broken" in record.getMessage()
        assert record.exc_info is not None
        assert OSError is record.exc_info[0]

    def test_that_interrupt(self) -> None:
        """KeyboardInterrupt is nobody's mistake."""

        def interrupting(event: Event) -> None:
            raise KeyboardInterrupt

        listeners = Listeners()
        listeners.add(Event, interrupting)
        channel = listeners.channel("payments", "circuit_breaker")
        with pytest.raises(KeyboardInterrupt):
            channel.emit([refusal(channel)])

    def test_that_add_and_remove_listeners(self) -> None:
        heard: list[Event] = []
        listeners = Listeners()
        channel = listeners.channel("payments", "circuit_breaker")

        def once(event: Event) -> None:
            listeners.remove(subscription)
            listeners.add(Event, heard.append)

        subscription = listeners.add(Event, once)
        channel.emit([refusal(channel), transition(channel)])
        assert [StateTransition] == [type(event) for event in heard]

    def test_in_many_threads(self) -> None:
        """Listeners that come and go while others emit: those that stay hear everything, numbers are unique."""
        listeners = Listeners()
        heard: list[int] = []
        listeners.add(CallNotPermitted, lambda event: heard.append(event.sequence))
        channel = listeners.channel("payments", "circuit_breaker")

        def work(index: int) -> None:
            for number in range(500):
                if index == 0:
                    listeners.remove(listeners.add(Event, lambda event: None))
                elif channel.wants(CallNotPermitted):
                    channel.emit([refusal(channel)])
                else:
                    msg = f"not heard at {number}"
                    raise AssertionError(msg)

        in_threads(8, work)
        assert 7 * 500 == len(heard) == len(set(heard))


def kinds() -> list[type[Event]]:
    """Each once, though some have several names."""
    named = vars(events).values()
    return list(dict.fromkeys(kind for kind in named if isinstance(kind, type) and issubclass(kind, Event)))


@pytest.mark.parametrize("kind", kinds())
def test_events_are_frozen_records(kind: type[Any]) -> None:
    """Comparable, printable, not to be changed, and they can be pickled."""
    stamp = ("payments", "retry", 5, 1)
    others = [None] * (len(kind.__match_args__) - len(stamp))
    made, again = kind(*stamp, *others), kind(*stamp, *others)
    assert made == again == pickle.loads(pickle.dumps(made))
    assert "payments" in repr(made)
    with pytest.raises(AttributeError):
        made.sequence = 2
    assert not hasattr(made, "__dict__")


def test_events_are_made_of_their_fields() -> None:
    """In order or by name, each exactly once."""
    by_name = BulkheadFull("users", "bulkhead", nanoseconds=5, sequence=1, waited=7)
    assert BulkheadFull("users", "bulkhead", 5, 1, 7) == by_name
    assert "BulkheadFull(instance_id='users', policy='bulkhead', nanoseconds=5, sequence=1, waited=7)" == repr(by_name)
    assert 1 == len({by_name, BulkheadFull("users", "bulkhead", 5, 1, 7)})
    assert by_name != BulkheadEntered("users", "bulkhead", 5, 1, 7)
    make: Any = BulkheadFull
    for wrong in ((5,), ("users", "bulkhead", 5, 1, 7, 8)):
        with pytest.raises(
            TypeError, match=r"BulkheadFull\(\) takes instance_id, policy, nanoseconds, sequence, waited"
        ):
            make(*wrong)
    with pytest.raises(TypeError):
        make("users", "bulkhead", 5, 1, 7, waited=7)
    match by_name:
        case BulkheadFull(instance_id, _, _, _, waited):
            assert ("users", 7) == (instance_id, waited)


def test_every_event_is_in_a_union() -> None:
    """Each kind belongs to one policy."""
    unions: list[Any] = [
        events.CircuitBreakerEvent,
        events.RetryEvent,
        events.TimeoutEvent,
        events.BulkheadEvent,
        events.RateLimiterEvent,
        events.FallbackEvent,
    ]
    for kind in [kind for kind in kinds() if kind is not Event]:
        assert 1 == sum(issubclass(kind, union) for union in unions)


def test_a_listener_may_be_anything_callable() -> None:
    callback: Callback = print
    Listeners().add(RetryEvent, callback)
