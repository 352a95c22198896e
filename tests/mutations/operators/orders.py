"""Faults in `@order`: which layers it names."""

from __future__ import annotations

from collections.abc import Iterator

from ..mutant import ALL, LINT_AND_BUILD, Edit, Faulty, Place
from ..sources import Shop

_IMPORT = "from resilience4cata import Layer, order\n"


def layer_twice(shop: Shop) -> Iterator[Faulty]:
    """An order names one layer twice."""
    return _ordered(shop, "R4C-OR-001", "Layer.{0}, Layer.{0}")


def absent_layer(shop: Shop) -> Iterator[Faulty]:
    """An order names a layer that the function does not have."""
    return _ordered(shop, "R4C-OR-003", "Layer.{0}, Layer.HEDGE")


def surprising_order(shop: Shop) -> Iterator[Faulty]:
    """An order puts the fallback of a function inside of a policy that has to see its failures."""
    for use in shop.uses:
        if use.policy != "fallback" or use.function is None:
            continue
        start = use.source.start(use.function.decorator_list[0]) - len("@")
        for other in use.source.uses:
            if other.owner is use.owner and other.policy in {"retry", "circuit_breaker", "hedge"}:
                new = f"@order(Layer.{other.policy.upper()}, Layer.FALLBACK)\n{' ' * use.function.col_offset}"
                edits = [Edit(use.source.imports_at, use.source.imports_at, _IMPORT), Edit(start, start, new)]
                place = Place("R4C-OR-002", use.source, start)
                yield Faulty(f"{use.title} {other.policy}", use.source, edits, [place])


def _ordered(shop: Shop, code: str, layers: str) -> Iterator[Faulty]:
    """Functions whose only decorator is a policy get an order above it.

    Which layers a base brings mypy does not know, so there it cannot tell that one is absent.
    """
    for use in shop.uses:
        if use.function is not None and len(use.function.decorator_list) == 1:
            indent = use.call.col_offset - len("@")
            new = f"@order({layers.format(use.policy.upper())})\n{' ' * indent}"
            start = use.place - len("@")
            edits = [Edit(use.source.imports_at, use.source.imports_at, _IMPORT), Edit(start, start, new)]
            is_derived = use.within is not None and bool(use.within.bases)
            reports = LINT_AND_BUILD if is_derived and code == "R4C-OR-003" else ALL
            yield Faulty(use.title, use.source, edits, [Place(code, use.source, start, reports)])


OPERATORS = (layer_twice, absent_layer, surprising_order)
