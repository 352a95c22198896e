"""Which layers a call passes, outermost first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..policies.order import Layer


def arranged(own: Iterable[Layer], base: Sequence[Layer]) -> tuple[Layer, ...]:
    """`base` with the layers `own` in the order given: they share their places, all others keep theirs."""
    wanted = [layer for layer in dict.fromkeys(own) if layer in base]
    moved = iter(wanted)
    return tuple(next(moved) if layer in wanted else layer for layer in base)
