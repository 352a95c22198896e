"""Settings of running instances: immutable records, made once from resolved attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from ...durations import nanoseconds
from ...schema import POLICIES, UNSET, Attribute, AttributeKind

S = TypeVar("S", bound=tuple[Any, ...])


def settings_of(kind: type[S], policy: str, values: Mapping[str, Any]) -> S:
    """The record of a policy's resolved attributes: those that `kind`, a NamedTuple, has fields for.

    `values` holds each of them by name as code would write it; UNSET and None mean that nothing is set. Durations
    become nanoseconds, everything else stays. Values were checked before; a wrong one raises what `nanoseconds` raises.
    """
    attributes = POLICIES[policy].attributes
    return kind(*(_plain(attributes[name], values[name]) for name in kind.__annotations__))


def _plain(attribute: Attribute, value: Any) -> Any:
    if value is UNSET or value is None:
        return None
    return nanoseconds(value) if attribute.kind is AttributeKind.DURATION else value
