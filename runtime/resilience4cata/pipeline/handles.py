"""What an operator can see and do: handles of single instances, and pictures of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from ..clock import Clock
from ..events import Channel, State
from ..policies.machines.budget import RetryBudgetSnapshot
from ..policies.machines.bulkhead import BulkheadMachine, BulkheadSnapshot
from ..policies.machines.circuit_breaker import CircuitBreakerMachine, CircuitBreakerSnapshot
from ..policies.machines.rate_limiter import RateLimiterMachine, RateLimiterSnapshot
from ..records import dataclass, fields, sealed

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class _Handle(Generic[M]):
    name: str
    _machine: M
    _clock: Clock
    _channel: Channel


class CircuitBreakerHandle(_Handle[CircuitBreakerMachine]):
    """One circuit breaker."""

    __slots__ = ()

    @property
    def state(self) -> State:
        """The state as it is due now; no call is needed for it."""
        state, events = self._machine.observe(self._clock.monotonic_ns())
        self._channel.emit(events)
        return state

    def force_open(self) -> None:
        """Refuse every call until another state is set."""
        self._channel.emit(self._machine.force_open(self._clock.monotonic_ns()))

    def force_closed(self) -> None:
        """Close, with an empty window."""
        self._channel.emit(self._machine.force_closed(self._clock.monotonic_ns()))

    def disable(self) -> None:
        """Let every call pass and record nothing until another state is set."""
        self._channel.emit(self._machine.disable(self._clock.monotonic_ns()))

    def reset(self) -> None:
        """Begin anew: closed, empty, nothing counted."""
        self._channel.emit(self._machine.reset(self._clock.monotonic_ns()))

    def snapshot(self) -> CircuitBreakerSnapshot:
        """The figures now."""
        now = self._clock.monotonic_ns()
        self._channel.emit(self._machine.observe(now)[1])
        return self._machine.snapshot(now)


class BulkheadHandle(_Handle[BulkheadMachine]):
    """One bulkhead. It has no `reset`: its slots belong to the calls that run."""

    __slots__ = ()

    def snapshot(self) -> BulkheadSnapshot:
        """The figures now."""
        return self._machine.snapshot()


class RateLimiterHandle(_Handle[RateLimiterMachine]):
    """One rate limiter."""

    __slots__ = ()

    def reset(self) -> None:
        """Begin anew with a cycle that starts now; permits that calls wait for are still theirs."""
        self._machine.reset(self._clock.monotonic_ns())

    def snapshot(self) -> RateLimiterSnapshot:
        """The figures now."""
        return self._machine.snapshot(self._clock.monotonic_ns())


@sealed
@dataclass(frozen=True, slots=True)
class Snapshot:
    """All instances that are in use, by policy and name, at one moment; printed, it is a table."""

    circuit_breakers: Mapping[str, CircuitBreakerSnapshot]
    bulkheads: Mapping[str, BulkheadSnapshot]
    rate_limiters: Mapping[str, RateLimiterSnapshot]
    retry_budgets: Mapping[str, RetryBudgetSnapshot]

    def __reduce__(self) -> tuple[Any, ...]:
        # Read-only views of dicts cannot be pickled.
        return _snapshot, tuple(dict(getattr(self, field.name)) for field in fields(self))

    def as_dict(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Plain values by policy, instance and figure, fit for JSON."""
        return {field.name: {n: _plain(s) for n, s in getattr(self, field.name).items()} for field in fields(self)}

    def __str__(self) -> str:
        """Two aligned columns, "circuit_breaker payments" and its figures; rates in percent."""
        rows = [
            (f"{field.name.removesuffix('s')} {name}", ", ".join(_in_words(_plain(snapshot))))
            for field in fields(self)
            for name, snapshot in sorted(getattr(self, field.name).items())
        ]
        width = max((len(title) for title, _ in rows), default=0)
        return "\n".join(f"{title:<{width}}  {figures}" for title, figures in rows) or "no instance is in use"


def _snapshot(*parts: dict[str, Any]) -> Snapshot:
    return Snapshot(*map(MappingProxyType, parts))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _plain(inner) for name, inner in value._asdict().items()}
    return value.value if isinstance(value, State) else value


def _in_words(figures: Mapping[str, Any]) -> Iterator[str]:
    """`open`, `failure rate 60%`, `window calls 10 failed 6 slow 0`; what is not known is left out."""
    for name, value in figures.items():
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield " ".join((name, *(f"{inner} {number}" for inner, number in value.items())))
        elif value is not None:
            number = f"{value:g}%" if name.endswith("_rate") else str(value)
            yield f"{name.replace('_', ' ')} {number}"
