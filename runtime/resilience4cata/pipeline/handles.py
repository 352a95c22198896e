"""What an operator can see and do: handles of single instances, and pictures of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..clock import Clock
from ..events import Channel, State
from ..policies.machines.bulkhead import BulkheadMachine, BulkheadSnapshot
from ..policies.machines.circuit_breaker import CircuitBreakerMachine, CircuitBreakerSnapshot
from ..policies.machines.rate_limiter import RateLimiterMachine, RateLimiterSnapshot

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
    """One bulkhead."""

    __slots__ = ()

    def snapshot(self) -> BulkheadSnapshot:
        """The figures now."""
        return self._machine.snapshot()


class RateLimiterHandle(_Handle[RateLimiterMachine]):
    """One rate limiter."""

    __slots__ = ()

    def snapshot(self) -> RateLimiterSnapshot:
        """The figures now."""
        return self._machine.snapshot(self._clock.monotonic_ns())


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All instances that are in use, by policy and name, at one moment."""

    circuit_breakers: Mapping[str, CircuitBreakerSnapshot]
    bulkheads: Mapping[str, BulkheadSnapshot]
    rate_limiters: Mapping[str, RateLimiterSnapshot]
