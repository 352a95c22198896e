"""What is measured, whoever exports it: figures that a snapshot has, and events that are counted.

Every series is of one instance (`instance_id`), and at most one more label with a few values; nothing is kept per call.
Events are listened to only where no snapshot has their number, so that calls which succeed cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from operator import or_
from types import UnionType
from typing import Any, Final, NamedTuple

from ..events import (
    BulkheadFull,
    Event,
    FallbackApplied,
    FallbackFailed,
    RateLimitDelayed,
    Retried,
    RetryExhausted,
    RetrySucceeded,
    State,
    StateTransition,
    TimedOut,
)
from ..pipeline.handles import Snapshot
from ..policies.machines.circuit_breaker import CircuitBreakerSnapshot

INSTANCE: Final = "instance_id"
PREFIX: Final = "resilience4cata"


class Instrument(NamedTuple):
    """A measure: `circuit_breaker.state`, its unit as OpenTelemetry writes it, and its label beside the instance."""

    name: str
    unit: str
    description: str
    label: str = ""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the labels."""
        return (INSTANCE, self.label) if self.label else (INSTANCE,)


class Sample(NamedTuple):
    """A number, with the values of the instrument's labels."""

    labels: tuple[str, ...]
    value: float


class Observed(NamedTuple):
    """What a snapshot has: `kind` are the instances it is read of, `monotonic` what only grows until a reset."""

    instrument: Instrument
    kind: str
    read: Callable[[Any], Iterable[tuple[str, float]]]
    monotonic: bool = False

    def samples(self, snapshot: Snapshot) -> Iterator[Sample]:
        """The numbers of all instances."""
        for instance_id, figures in getattr(snapshot, self.kind).items():
            for value, number in self.read(figures):
                yield Sample((instance_id, value) if self.instrument.label else (instance_id,), number)


class Counted(NamedTuple):
    """A kind of event: what counts it, and the value of the label, if there is one."""

    instrument: Instrument
    value: Callable[[Any], str] | None = None

    def labels(self, event: Event) -> tuple[str, ...]:
        """Whose number goes up by one."""
        return (event.instance_id,) if self.value is None else (event.instance_id, self.value(event))


def _attribute(path: str) -> Callable[[Any], Iterable[tuple[str, float]]]:
    """Reads an attribute, `total.calls`."""

    def read(figures: Any) -> Iterable[tuple[str, float]]:
        yield "", reduce(getattr, path.split("."), figures)

    return read


def _ratio(path: str) -> Callable[[Any], Iterable[tuple[str, float]]]:
    """Reads a rate, which is left out until it is known."""

    def read(figures: Any) -> Iterable[tuple[str, float]]:
        percent = getattr(figures, path)
        if percent is not None:
            yield "", percent / 100

    return read


def _states(figures: CircuitBreakerSnapshot) -> Iterable[tuple[str, float]]:
    for state in State:
        yield state.value, float(figures.state is state)


def _figure(kind: str, path: str, name: str, unit: str, description: str) -> Observed:
    """An attribute that goes up and down."""
    return Observed(Instrument(name, unit, description), kind, _attribute(path))


def _total(kind: str, path: str, name: str, unit: str, description: str) -> Observed:
    """An attribute that only grows until a reset."""
    return _figure(kind, path, name, unit, description)._replace(monotonic=True)


_BREAKERS, _BULKHEADS, _LIMITERS, _BUDGETS = "circuit_breakers", "bulkheads", "rate_limiters", "retry_budgets"

OBSERVED: Final = (
    Observed(Instrument("circuit_breaker.state", "1", "1 for the state that it is in", "state"), _BREAKERS, _states),
    Observed(
        Instrument("circuit_breaker.failure_ratio", "1", "failed calls of the window"),
        _BREAKERS,
        _ratio("failure_rate"),
    ),
    Observed(
        Instrument("circuit_breaker.slow_call_ratio", "1", "slow calls of the window"),
        _BREAKERS,
        _ratio("slow_call_rate"),
    ),
    _figure(_BREAKERS, "window.calls", "circuit_breaker.window_calls", "{call}", "calls in the window"),
    _total(_BREAKERS, "total.calls", "circuit_breaker.calls", "{call}", "recorded calls"),
    _total(_BREAKERS, "total.failed", "circuit_breaker.failed_calls", "{call}", "calls recorded as failures"),
    _total(_BREAKERS, "total.slow", "circuit_breaker.slow_calls", "{call}", "calls recorded as slow"),
    _total(_BREAKERS, "not_permitted", "circuit_breaker.refused_calls", "{call}", "calls that were not permitted"),
    _figure(_BULKHEADS, "limit", "bulkhead.limit", "{call}", "calls that may run at once"),
    _figure(_BULKHEADS, "running", "bulkhead.running_calls", "{call}", "calls that run"),
    _figure(_BULKHEADS, "waiting", "bulkhead.waiting_calls", "{call}", "calls that wait for a slot"),
    _figure(_LIMITERS, "available", "rate_limiter.available_permits", "{permit}", "permits left in this cycle"),
    _figure(_LIMITERS, "reserved", "rate_limiter.reserved_permits", "{permit}", "permits reserved in later cycles"),
    _total(_LIMITERS, "refused", "rate_limiter.refused_calls", "{call}", "calls that were refused"),
    _figure(
        _BUDGETS,
        "available",
        "retry_budget.available_retries",
        "{retry}",
        "retries that the budget would pay for",
    ),
)

COUNTED: Final[Mapping[type[Event], Counted]] = {
    StateTransition: Counted(
        Instrument("circuit_breaker.transitions", "{transition}", "changes to a state", "state"),
        lambda event: str(event.after.value),
    ),
    Retried: Counted(Instrument("retry.retries", "{retry}", "attempts after a failed one")),
    RetryExhausted: Counted(
        Instrument("retry.exhausted_calls", "{call}", "calls that failed although they may be retried", "reason"),
        lambda event: str(event.reason.value),
    ),
    RetrySucceeded: Counted(Instrument("retry.recovered_calls", "{call}", "calls that a later attempt saved")),
    TimedOut: Counted(
        Instrument(
            "timeout.exceeded_calls", "{call}", "calls that took too long; completed if only too late", "completed"
        ),
        lambda event: str(event.completed).lower(),
    ),
    BulkheadFull: Counted(Instrument("bulkhead.refused_calls", "{call}", "calls that got no slot")),
    RateLimitDelayed: Counted(Instrument("rate_limiter.delayed_calls", "{call}", "calls that waited for a permit")),
    FallbackApplied: Counted(Instrument("fallback.answered_calls", "{call}", "failed calls that a fallback answered")),
    FallbackFailed: Counted(Instrument("fallback.failed_calls", "{call}", "fallbacks that failed themselves")),
}

COUNTED_KINDS: Final[UnionType] = reduce(or_, COUNTED)  # type: ignore[assignment]
"""To listen to all of them at once."""
