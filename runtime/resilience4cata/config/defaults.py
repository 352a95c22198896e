"""The built-in layer: defaults of the schema as facts, and those that give way to a written neighbour."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache, lru_cache
from typing import Final

from ..durations import inspect
from ..facts import UNKNOWN, Interval, Items, Member, Unknown, Value
from ..schema import POLICIES, UNSET
from .values import reference_to

NO_VALUE: Final = None
"""What an attribute has that no layer sets and that has no default: `classifier`, `budget`."""


@cache
def built_in(policy: str) -> Mapping[str, Value]:
    """The defaults of a policy's settings by attribute, before any gives way to a neighbour."""
    return {a.name: _fact(a.default) for a in POLICIES[policy].attributes.values() if a.configurable}


def _fact(default: object) -> Value:
    if default is UNSET:
        return NO_VALUE
    if isinstance(default, Enum):
        return Member(type(default).__name__, default.name)
    if isinstance(default, type):
        return reference_to(default, default.__qualname__)
    if isinstance(default, tuple):
        return Items(tuple(_fact(item) for item in default))
    return default if isinstance(default, str | int | float | bool) else UNKNOWN


def adjusted(policy: str, attribute: str, values: Mapping[str, Value]) -> Value:
    """The default of an attribute beside the effective values of its neighbours."""
    rule = _ADJUSTMENTS.get((policy, attribute))
    return rule(values) if rule is not None else values[attribute]


inspected: Final = lru_cache(maxsize=64)(inspect)
"""`inspect` of the durations; several rules ask about the same text, one after the other."""


def nanoseconds(value: Value) -> int | None:
    """The length of a valid duration."""
    if isinstance(value, Interval):
        return value.nanoseconds
    found = inspected(value) if isinstance(value, str) else None
    return found if isinstance(found, int) else None


def _minimum_calls(values: Mapping[str, Value]) -> Value:
    size, kind = values["window_size"], values["window_type"]
    if not isinstance(size, int) or isinstance(kind, Unknown):
        return UNKNOWN
    return min(10, size)


def _max_delay(values: Mapping[str, Value]) -> Value:
    delay, cap = nanoseconds(values["delay"]), nanoseconds(values["max_delay"])
    if delay is None or cap is None:
        return UNKNOWN
    return values["delay"] if delay > cap else values["max_delay"]


def _bound(attribute: str, choose: Callable[[int, int], int]) -> Callable[[Mapping[str, Value]], Value]:
    def widened(values: Mapping[str, Value]) -> Value:
        initial, bound = values["initial_limit"], values[attribute]
        return choose(initial, bound) if isinstance(initial, int) and isinstance(bound, int) else UNKNOWN

    return widened


def _slow(attribute: str, other: str, default: Value) -> Callable[[Mapping[str, Value]], Value]:
    def tracked(values: Mapping[str, Value]) -> Value:
        if values[other] is UNKNOWN:
            return UNKNOWN
        return values[attribute] if values[other] is NO_VALUE else default

    return tracked


def _allowed(attribute: str) -> Callable[[Mapping[str, Value]], Value]:
    def beside_classifier(values: Mapping[str, Value]) -> Value:
        if values["classifier"] is UNKNOWN:
            return UNKNOWN
        return values[attribute] if values["classifier"] is NO_VALUE else Items(())

    return beside_classifier


_ADJUSTMENTS: Final[Mapping[tuple[str, str], Callable[[Mapping[str, Value]], Value]]] = {
    ("circuit_breaker", "minimum_calls"): _minimum_calls,
    ("circuit_breaker", "half_open_max_wait"): lambda values: values["wait_in_open"],
    ("circuit_breaker", "record_on"): _allowed("record_on"),
    ("circuit_breaker", "slow_call_duration"): _slow("slow_call_duration", "slow_call_rate_threshold", "60s"),
    ("circuit_breaker", "slow_call_rate_threshold"): _slow("slow_call_rate_threshold", "slow_call_duration", 100),
    ("retry", "max_delay"): _max_delay,
    ("retry", "retry_on"): _allowed("retry_on"),
    ("adaptive_limit", "min_limit"): _bound("min_limit", min),
    ("adaptive_limit", "max_limit"): _bound("max_limit", max),
}
