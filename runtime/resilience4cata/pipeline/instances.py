"""The stateful instances of one `Resilience`: made when they are first needed, one for each policy and name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from ..clock import Clock, Scheduler
from ..errors import DefinitionError
from ..events import Listeners
from ..policies.machines.budget import RetryBudgetMachine, RetryBudgetSettings
from ..policies.machines.bulkhead import BulkheadMachine, BulkheadSettings
from ..policies.machines.circuit_breaker import CircuitBreakerMachine, CircuitBreakerSettings
from ..policies.machines.rate_limiter import RateLimiterMachine, RateLimiterSettings
from ..policies.machines.retry import Random
from .workers import Workers

S = TypeVar("S")
Machine = CircuitBreakerMachine | BulkheadMachine | RateLimiterMachine


def record_of(kind: type[S], values: Mapping[str, Any]) -> S:
    """The immutable record of resolved values, whose durations are nanoseconds already."""
    return kind(**{name: values[name] for name in kind.__annotations__})


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What every call of one `Resilience` shares."""

    clock: Clock
    scheduler: Scheduler
    random: Random
    listeners: Listeners
    workers: Workers
    make_handler: Callable[[type], Any]


class Instances:
    """The instances by policy and name. Nothing is made under the lock; the first one wins."""

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self._machines: dict[tuple[str, str], Machine] = {}
        self._budgets: dict[str, RetryBudgetMachine] = {}

    def circuit_breaker(self, name: str, values: Mapping[str, Any]) -> CircuitBreakerMachine:
        settings = record_of(CircuitBreakerSettings, values)
        now = self.around.clock.monotonic_ns()
        channel = self.around.listeners.channel(name, "circuit_breaker")
        return self._the("circuit_breaker", name, CircuitBreakerMachine(settings, now, channel))

    def bulkhead(self, name: str, values: Mapping[str, Any]) -> BulkheadMachine:
        return self._the("bulkhead", name, BulkheadMachine(record_of(BulkheadSettings, values)))

    def rate_limiter(self, name: str, values: Mapping[str, Any]) -> RateLimiterMachine:
        channel = self.around.listeners.channel(name, "rate_limiter")
        return self._the("rate_limiter", name, RateLimiterMachine(record_of(RateLimiterSettings, values), channel))

    def budget(self, name: str, settings: RetryBudgetSettings) -> RetryBudgetMachine:
        return self._budgets.setdefault(name, RetryBudgetMachine(settings, self.around.clock.monotonic_ns()))

    def of(self, policy: str) -> dict[str, Machine]:
        """The instances of one policy by name."""
        return {name: machine for (kind, name), machine in self._machines.copy().items() if kind == policy}

    def _the(self, policy: str, name: str, made: M) -> M:
        found: Any = self._machines.setdefault((policy, name), made)
        if found.settings != made.settings:
            msg = f"R4C-IN-001: the {policy} '{name}' is in use with other settings: {_difference(found, made)}"
            raise DefinitionError(msg)
        return found  # type: ignore[no-any-return]


M = TypeVar("M", CircuitBreakerMachine, BulkheadMachine, RateLimiterMachine)
_SHOWN: Final = "{name} is {old}, not {new}"


def _difference(old: Any, new: Any) -> str:
    return ", ".join(
        _SHOWN.format(name=name, old=before, new=after)
        for name, before, after in zip(old.settings._fields, old.settings, new.settings, strict=True)
        if before != after
    )
