"""All operators. Each is a function over the shop that yields faults; its name is the operator's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Final

from ..mutant import Faulty, Mutant, mutant
from ..sources import Shop
from . import (
    applications,
    blocking,
    bodies,
    compositions,
    configuration,
    durations,
    environment,
    fallbacks,
    handlers,
    lists,
    naming,
    orders,
    places,
    targets,
    values,
)

Operator = Callable[[Shop], Iterator[Faulty]]

OPERATORS: Final[tuple[Operator, ...]] = (
    *fallbacks.OPERATORS,
    *targets.OPERATORS,
    *handlers.OPERATORS,
    *durations.OPERATORS,
    *values.OPERATORS,
    *lists.OPERATORS,
    *orders.OPERATORS,
    *naming.OPERATORS,
    *blocking.OPERATORS,
    *bodies.OPERATORS,
    *applications.OPERATORS,
    *places.OPERATORS,
    *compositions.OPERATORS,
    *configuration.OPERATORS,
    *environment.OPERATORS,
)


@cache
def all_mutants() -> tuple[Mutant, ...]:
    """Every mutant of every operator, in a fixed order."""
    shop = Shop()
    return tuple(mutant(operator.__name__, fault) for operator in OPERATORS for fault in operator(shop))


def some_mutants(most: int) -> tuple[Mutant, ...]:
    """Up to so many mutants of every operator, spread over what it makes."""
    chosen: list[Mutant] = []
    for operator in OPERATORS:
        own = [mutant for mutant in all_mutants() if mutant.operator == operator.__name__]
        chosen += own[:: max(1, -(-len(own) // most))]
    return tuple(chosen)
