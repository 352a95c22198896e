"""The stateful instances of one `Resilience`: made when they are first needed, one for each policy and name.

State outlives settings: `Machines` holds the state, `Instances` says with which settings it is used at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import lru_cache
from threading import RLock
from typing import Any, Final, TypeVar, cast

from ..clock import Clock, Scheduler
from ..events import Events, Listeners
from ..policies.machines.budget import RetryBudgetMachine, RetryBudgetSettings
from ..policies.machines.bulkhead import BulkheadMachine, BulkheadSettings
from ..policies.machines.circuit_breaker import CircuitBreakerMachine, CircuitBreakerSettings
from ..policies.machines.rate_limiter import RateLimiterMachine, RateLimiterSettings
from ..policies.machines.retry import Random
from ..records import dataclass
from .workers import Workers

S = TypeVar("S")
Machine = CircuitBreakerMachine | BulkheadMachine | RateLimiterMachine
Record = CircuitBreakerSettings | BulkheadSettings | RateLimiterSettings
Key = tuple[str, str]
"""Policy and name of an instance."""

RECORDS: Final[Mapping[str, type[Any]]] = {
    "circuit_breaker": CircuitBreakerSettings,
    "bulkhead": BulkheadSettings,
    "rate_limiter": RateLimiterSettings,
}
"""The settings of the policies whose instances have a state."""


def record_of(kind: type[S], values: Mapping[str, Any]) -> S:
    """The immutable record of resolved values, whose durations are nanoseconds already; equal ones are shared."""
    return cast("S", _record(cast("Any", kind), *(values[name] for name in kind.__annotations__)))


@lru_cache(maxsize=512, typed=True)
def _record(kind: Callable[..., Any], *values: Any) -> Any:
    return kind(*values)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What every call of one `Resilience` shares."""

    clock: Clock
    scheduler: Scheduler
    random: Random
    listeners: Listeners
    workers: Workers
    make_handler: Callable[[type], Any]


class InUse(Exception):
    """An instance that was to be used with other settings than those with which it is in use, `known`."""

    def __init__(self, policy: str, name: str, known: Record, record: Record) -> None:
        super().__init__(policy, name, known, record)
        self.policy = policy
        self.name = name
        self.known = known
        self.record = record

    @property
    def different(self) -> tuple[str, ...]:
        """The attributes that differ."""
        names = self.known.__annotations__
        return tuple(n for n in names if getattr(self.known, n) != getattr(self.record, n))


class Machines:
    """The state of all instances. Their settings change under `lock`, which no call takes once they are made."""

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        # Reentrant, since the collector or a signal may run code that makes a call at any point.
        self.lock = RLock()
        self._machines: dict[Key, Machine] = {}
        self._budgets: dict[str, RetryBudgetMachine] = {}
        self._records: Mapping[Key, Record] = {}
        self._budget_settings: Mapping[str, RetryBudgetSettings] = {}

    def the(self, key: Key, record: Record) -> Machine:
        """The instance; `record` is for one that is not known to the settings that count now."""
        found = self._machines.get(key)
        if found is None:
            now = self.around.clock.monotonic_ns()
            with self.lock:
                found = self._machines.get(key)
                if found is None:
                    made = new_machine(key, self._records.get(key, record), self.around, now)
                    found = self._machines.setdefault(key, made)
        return found

    def budget(self, name: str, settings: RetryBudgetSettings) -> RetryBudgetMachine:
        """The shared retry budget of that name."""
        found = self._budgets.get(name)
        if found is None:
            now = self.around.clock.monotonic_ns()
            with self.lock:
                settings = self._budget_settings.get(name, settings)
                found = self._budgets.setdefault(name, RetryBudgetMachine(settings, now))
        return found

    def locks(self) -> Iterator[AbstractContextManager[Any]]:
        """All locks, those first within which others are taken."""
        yield self.lock
        for machine in (*self._machines.copy().values(), *self._budgets.copy().values()):
            yield machine.lock

    def renew_after_fork(self) -> None:
        """Give back, in a child process, what other threads held."""
        renew_after_fork(self._machines.values())

    def of(self, policy: str) -> dict[str, Machine]:
        """The instances of one policy by name."""
        return {name: machine for (kind, name), machine in self._machines.copy().items() if kind == policy}

    @property
    def budgets(self) -> dict[str, RetryBudgetMachine]:
        """The retry budgets that are in use, by name."""
        return self._budgets.copy()

    def follow_locked(
        self, records: Mapping[Key, Record], budgets: Mapping[str, RetryBudgetSettings], now: int
    ) -> list[tuple[Key, Events]]:
        """Go on with other settings: the instances that they know keep their state, all others are let go.

        Returns what happened by that, to be told when `lock` is released.
        """
        self._records, self._budget_settings = records, budgets
        self._machines = {key: machine for key, machine in self._machines.items() if key in records}
        self._budgets = {name: budget for name, budget in self._budgets.items() if name in budgets}
        for name, budget in self._budgets.items():
            if budget.settings != budgets[name]:
                budget.reconfigure(budgets[name], now)
        changed = ((key, machine) for key, machine in self._machines.items() if machine.settings != records[key])
        return [(key, reconfigure(machine, records[key], now)) for key, machine in changed]


def new_machine(key: Key, record: Record, around: Surroundings, now: int) -> Machine:
    """The state of a new instance."""
    policy, name = key
    channel = around.listeners.channel(name, policy)
    match record:
        case CircuitBreakerSettings():
            return CircuitBreakerMachine(record, now, channel)
        case BulkheadSettings():
            return BulkheadMachine(record)
        case RateLimiterSettings():
            return RateLimiterMachine(record, channel)


def renew_after_fork(machines: Iterable[Machine]) -> None:
    """Give back, in a child process, what other threads held."""
    for machine in machines:
        if not isinstance(machine, RateLimiterMachine):
            machine.renew_after_fork()


def reconfigure(machine: Machine, record: Record, now: int) -> Events:
    """Let an instance go on with other settings. Gives what happened by that, to be told under no lock."""
    match machine, record:
        case CircuitBreakerMachine(), CircuitBreakerSettings():
            return machine.reconfigure(record, now)
        case BulkheadMachine(), BulkheadSettings():
            machine.reconfigure(record)
        case RateLimiterMachine(), RateLimiterSettings():
            machine.reconfigure(record, now)
    return ()


class Instances:
    """The instances as one set of settings uses them. Nothing of the user's runs under a lock; the first one wins."""

    def __init__(self, machines: Machines) -> None:
        self.around = machines.around
        self.records: dict[Key, Record] = {}
        self._machines = machines

    def circuit_breaker(self, name: str, values: Mapping[str, Any]) -> CircuitBreakerMachine:
        return self._the("circuit_breaker", name, values)  # type: ignore[no-any-return]

    def bulkhead(self, name: str, values: Mapping[str, Any]) -> BulkheadMachine:
        return self._the("bulkhead", name, values)  # type: ignore[no-any-return]

    def rate_limiter(self, name: str, values: Mapping[str, Any]) -> RateLimiterMachine:
        return self._the("rate_limiter", name, values)  # type: ignore[no-any-return]

    def budget(self, name: str, settings: RetryBudgetSettings) -> RetryBudgetMachine:
        return self._machines.budget(name, settings)

    def declare(self, settings: Mapping[str, Mapping[str, Any]]) -> None:
        """Let these settings of an element count for the instances that it uses.

        Raises InUse where another element gave an instance other settings; then none of them counts.
        """
        own = [(policy, settings[policy]["name"], settings[policy]) for policy in RECORDS if policy in settings]
        for policy, name, values in own:
            self._refuse_others(policy, name, record_of(RECORDS[policy], values))
        for policy, name, values in own:
            self._declared(policy, name, values)

    def named(self, policy: str, name: str) -> Machine | None:
        """The instance of a declared policy, made if it was not yet; None if nothing declares it."""
        record = self.records.get((policy, name))
        return None if record is None else self._machines.the((policy, name), record)

    def _the(self, policy: str, name: str, values: Mapping[str, Any]) -> Any:
        return self._machines.the((policy, name), self._declared(policy, name, values))

    def _declared(self, policy: str, name: str, values: Mapping[str, Any]) -> Record:
        record: Record = record_of(RECORDS[policy], values)
        self.records.setdefault((policy, name), record)
        self._refuse_others(policy, name, record)
        return record

    def _refuse_others(self, policy: str, name: str, record: Record) -> None:
        known = self.records.get((policy, name), record)
        if known != record:
            raise InUse(policy, name, known, record)
