"""Copies and pickles of everything that a program may hand to another process."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from resilience4cata import (
    BulkheadFullError,
    CallNotPermittedError,
    ConcurrencyLimitExceededError,
    DefinitionError,
    Outcome,
    RateLimitExceededError,
    RejectedError,
    ResilienceError,
    ResultRejectedError,
    TimeoutExceededError,
    adaptive_limit,
    bulkhead,
    circuit_breaker,
    fallback,
    hedge,
    order,
    rate_limiter,
    retry,
    timeout,
)
from resilience4cata import Layer as Place
from resilience4cata import events as all_events
from resilience4cata.events import Event, State, StopReason

from .ways import World

ALL = (retry(max_attempts=3, delay="1s"), circuit_breaker(), rate_limiter(), timeout("1h"), bulkhead())
ERRORS = [
    ResilienceError("a", instance_id="b", policy="c"),
    RejectedError("a", instance_id="b", policy="c"),
    CallNotPermittedError("a", instance_id="b", policy="c", retry_after=1.5),
    BulkheadFullError("a", instance_id="b", policy="c"),
    RateLimitExceededError("a", instance_id="b", policy="c", retry_after=None),
    ConcurrencyLimitExceededError("a", instance_id="b", policy="c"),
    TimeoutExceededError("a", instance_id="b", policy="c", limit=2.5, completed=True),
    ResultRejectedError("a", instance_id="b", policy="c", result=[1], attempts=3),
    DefinitionError("a", ()),
]
POLICIES = [*ALL, fallback(len), hedge(delay="1s"), adaptive_limit(), order(Place.RETRY, Place.TIMEOUT)]
VALUES: dict[str, Any] = {
    "instance_id": "payments",
    "policy": "retry",
    "before": State.OPEN,
    "after": State.CLOSED,
    "state": State.OPEN,
    "reason": StopReason.BUDGET,
    "failure": None,
    "error": None,
    "target": "other",
    "completed": True,
}
EVENTS = [
    kind(**{name: VALUES.get(name, number) for number, name in enumerate(kind.__match_args__)})
    for kind in vars(all_events).values()
    if isinstance(kind, type) and issubclass(kind, Event)
]
COPIES: list[Callable[[Any], Any]] = [
    copy.copy,
    copy.deepcopy,
    *(lambda value, protocol=protocol: pickle.loads(pickle.dumps(value, protocol)) for protocol in range(6)),
]
each_copy = pytest.mark.parametrize("copied", COPIES, ids=["copy", "deepcopy", *map(str, range(6))])


class TestCopies:
    @each_copy
    @pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
    def test_errors(self, error: ResilienceError, copied: Callable[[Any], Any]) -> None:
        """Type, message, arguments, notes and every attribute."""
        error.__notes__ = ["a note"]
        found = copied(error)
        assert (type(error), str(error), error.args) == (type(found), str(found), found.args)
        names = ("instance_id", "policy", "retry_after", "limit", "completed", "result", "attempts", "diagnostics")
        assert [getattr(error, name, "") for name in names] == [getattr(found, name, "") for name in names]
        assert ["a note"] == found.__notes__

    @each_copy
    @pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
    def test_events(self, event: Event, copied: Callable[[Any], Any]) -> None:
        assert event == copied(event)

    @each_copy
    @pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: type(policy).__name__)
    def test_policies(self, policy: Any, copied: Callable[[Any], Any]) -> None:
        assert policy == copied(policy)

    @each_copy
    def test_snapshots(self, copied: Callable[[Any], Any]) -> None:
        world = World()
        world.resilience.pipeline("shared", *ALL).call(str)
        snapshot = world.resilience.snapshot()
        assert snapshot == copied(snapshot)

    def test_errors_that_were_raised(self) -> None:
        """Those of the library itself, as they surface."""
        world = World()
        pipeline = world.resilience.pipeline("shared", circuit_breaker(), bulkhead(max_concurrent=1))
        world.resilience.circuit_breaker("shared").force_open()
        with pytest.raises(CallNotPermittedError) as caught:
            pipeline.call(str)
        found = pickle.loads(pickle.dumps(caught.value))
        assert ("shared", "circuit_breaker", None) == (found.instance_id, found.policy, found.retry_after)
        assert "the circuit breaker 'shared' is forced open and permits no calls" == str(found)

    @pytest.mark.parametrize("value", [*State, *StopReason, *Outcome, *Place], ids=str)
    def test_names(self, value: object) -> None:
        assert value is pickle.loads(pickle.dumps(value))
