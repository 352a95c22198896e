"""The order of the layers of a call, outermost first, by the names of their policies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum

from ..facts import Items, Member, Value, entries
from ..schema import POLICIES


def default_order() -> tuple[str, ...]:
    """The order where nobody says otherwise."""
    default = POLICIES["order"].attributes["layers"].default
    return (
        tuple(layer.name.lower() for layer in default if isinstance(layer, Enum)) if isinstance(default, tuple) else ()
    )


def arranged(layers: Iterable[str], base: Sequence[str]) -> tuple[str, ...]:
    """`base` with `layers` in the order given: they share the places that they have there, all others keep theirs."""
    wanted = [layer for layer in dict.fromkeys(layers) if layer in base]
    moved = iter(wanted)
    return tuple(next(moved) if layer in wanted else layer for layer in base)


def is_order(value: Value) -> bool:
    """Whether all layers that a value lists are known."""
    return isinstance(value, Items) and value.closed and all(isinstance(item, Member) for item in value.items)


def layers_of(value: Value) -> tuple[str, ...]:
    """The layers that a value lists, as names of policies."""
    return tuple(item.name.lower() for item in entries(value) if isinstance(item, Member))
