"""Effective settings -> the layers of a pipeline, outermost first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Protocol
from weakref import WeakValueDictionary

from ..policies.classification import Classification, ExceptionClasses, Refusals
from ..policies.machines.budget import RetryBudgetMachine, RetryBudgetSettings
from ..policies.machines.retry import RetrySettings
from ..policies.machines.timeout import TimeoutSettings
from ..policies.order import Layer as Place
from .falling_back import FallbackLayer, Target
from .instances import Instances, record_of
from .order import arranged
from .slow import BulkheadLayer, CircuitBreakerLayer, Layer, RateLimiterLayer, RetryLayer
from .timing_out import TimeoutLayer

Values = Mapping[str, Any]

NOT_EXECUTED: Final = ("hedge", "adaptive_limit")
"""Policies that are declared and checked, but not run yet."""


# Equal lists are compiled once: elements share what was found out about a class. By the identity of what is in them,
# which lives as long as they do.
_classifications: Final[WeakValueDictionary[object, Classification]] = WeakValueDictionary()


class BudgetNumbers(Protocol):
    """A retry budget as configuration gives it."""

    @property
    def ttl(self) -> int: ...
    @property
    def min_per_second(self) -> float: ...
    @property
    def percent(self) -> float: ...


class Globals(Protocol):
    """The keys that stand alone, as far as they change what runs."""

    @property
    def enabled(self) -> bool: ...
    @property
    def order(self) -> Sequence[Place]: ...
    @property
    def fallback_when_disabled(self) -> bool: ...
    @property
    def classification_unwrap(self) -> ExceptionClasses: ...
    @property
    def classification_bypass(self) -> ExceptionClasses: ...
    @property
    def budgets(self) -> Mapping[str, BudgetNumbers]: ...


class Maker:
    """Makes the layers of elements."""

    def __init__(self, instances: Instances, options: Globals) -> None:
        self._instances = instances
        self._around = instances.around
        self._options = options

    def layers(self, settings: Mapping[str, Values], targets: Sequence[Target], element_id: str) -> tuple[Layer, ...]:
        """The layers of one element; `targets` are its fallbacks. Raises InUse for instances that differ."""
        own = settings.get("order", {}).get("layers") or ()
        order = [place.value for place in arranged(own, self._options.order)]
        return tuple(self._layers(order, settings, targets, element_id))

    def _layers(
        self, order: list[str], settings: Mapping[str, Values], targets: Sequence[Target], element_id: str
    ) -> Iterator[Layer]:
        for policy in order:
            values = settings.get(policy)
            if values is None or values["enabled"] is False or not self._runs(policy):
                continue
            match policy:
                case "fallback":
                    yield self._fallback(values, targets, element_id)
                case "retry":
                    yield self._retry(values)
                case "circuit_breaker":
                    yield self._circuit_breaker(values)
                case "rate_limiter":
                    channel = self._around.listeners.channel(values["name"], policy)
                    machine = self._instances.rate_limiter(values["name"], values)
                    yield RateLimiterLayer(machine, channel, self._around.clock)
                case "timeout":
                    channel = self._around.listeners.channel(element_id, policy)
                    yield TimeoutLayer(record_of(TimeoutSettings, values), channel, self._around.clock)
                case "bulkhead":
                    channel = self._around.listeners.channel(values["name"], policy)
                    yield BulkheadLayer(self._instances.bulkhead(values["name"], values), channel, self._around.clock)

    def _runs(self, policy: str) -> bool:
        return self._options.enabled or (policy == "fallback" and self._options.fallback_when_disabled)

    def _fallback(self, values: Values, targets: Sequence[Target], element_id: str) -> FallbackLayer:
        lists = self._classification(Refusals.FALLBACK, values, "apply_on", "skip_on")
        channel = self._around.listeners.channel(element_id, "fallback")
        unwrap = self._options.classification_unwrap
        return FallbackLayer(tuple(targets), lists, channel, self._around.clock, unwrap)

    def _retry(self, values: Values) -> RetryLayer:
        return RetryLayer(
            record_of(RetrySettings, values),
            values["on_exhausted_result"],
            self._classification(Refusals.RETRY, values, "retry_on", "abort_on"),
            self._around.listeners.channel(values["name"], "retry"),
            self._around.clock,
            self._around.random,
            self._budget(values.get("budget")),
        )

    def _circuit_breaker(self, values: Values) -> CircuitBreakerLayer:
        machine = self._instances.circuit_breaker(values["name"], values)
        lists = self._classification(Refusals.CIRCUIT_BREAKER, values, "record_on", "ignore_on")
        return CircuitBreakerLayer(machine, lists, machine.channel, self._around.clock)

    def _classification(self, refusals: Refusals, values: Values, allow: str, deny: str) -> Classification:
        given = tuple(values[allow] or ()), tuple(values[deny] or ())
        always = tuple(self._options.classification_unwrap), tuple(self._options.classification_bypass)
        classifier = values.get("classifier")
        key = refusals, id(classifier), *(tuple(map(id, classes)) for classes in (*given, *always))
        found = _classifications.get(key)
        if found is None:
            unwrap, bypass = always
            made = Classification(refusals, *given, classifier=classifier, unwrap=unwrap, bypass=bypass)
            found = _classifications.setdefault(key, made)
        return found

    def _budget(self, name: str | None) -> RetryBudgetMachine | None:
        numbers = self._options.budgets.get(name) if name is not None else None
        if name is None or numbers is None:
            return None
        settings = RetryBudgetSettings(numbers.ttl, numbers.min_per_second, numbers.percent)
        return self._instances.budget(name, settings)
