"""Faults in durations that are written as text on an element."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ..mutant import ALL, LINT_AND_BUILD, Edit, Faulty, Place
from ..sources import Shop, Use
from .sharing import differing_users

_DURATIONS = frozenset({"delay", "max_delay", "max_wait", "wait_in_open", "period"})
_NEVER_ZERO = frozenset({"timeout", "period"})


class Duration(NamedTuple):
    """The literal of a duration, and the argument that it is for (`timeout` for its only one)."""

    use: Use
    attribute: str
    literal: ast.Constant

    @property
    def text(self) -> str:
        return str(self.literal.value)

    @property
    def number(self) -> str:
        return self.text.rstrip("msh")

    def fault(self, code: str, new: str, reports: frozenset[str] = ALL) -> Faulty:
        """The literal written as `new`."""
        source = self.use.source
        start = source.start(self.literal)
        title = f"{self.use.title} {self.attribute} {start}"
        return Faulty(
            title, source, [Edit(start, source.end(self.literal), new)], [Place(code, source, start, reports)]
        )


def durations(shop: Shop) -> Iterator[Duration]:
    """Every duration that is written as text."""
    for use in shop.uses:
        values = [(keyword.arg or "", keyword.value) for keyword in use.call.keywords if keyword.arg in _DURATIONS]
        if use.policy == "timeout":
            values += [("timeout", value) for value in use.call.args]
        for attribute, value in values:
            if isinstance(value, ast.Constant):
                yield Duration(use, attribute, value)


def blank_before_the_unit(shop: Shop) -> Iterator[Faulty]:
    """`2 s`."""
    for d in durations(shop):
        yield d.fault("R4C-DU-001", f'"{d.number} {d.text[len(d.number) :]}"')


def decimal_comma(shop: Shop) -> Iterator[Faulty]:
    """`1,5s`."""
    for d in durations(shop):
        yield d.fault("R4C-DU-001", '"1,5s"')


def no_unit(shop: Shop) -> Iterator[Faulty]:
    """`2` as text."""
    for d in durations(shop):
        yield d.fault("R4C-DU-002", f'"{d.number}"')


def number_for_a_duration(shop: Shop) -> Iterator[Faulty]:
    """`2` as a number. mypy says itself that it is no duration."""
    for d in durations(shop):
        yield d.fault("R4C-DU-002", d.number, LINT_AND_BUILD)


def negative(shop: Shop) -> Iterator[Faulty]:
    """`-2s`."""
    for d in durations(shop):
        yield d.fault("R4C-DU-003", f'"-{d.text}"')


def too_long(shop: Shop) -> Iterator[Faulty]:
    """More than the nanoseconds that 63 bits can count."""
    for d in durations(shop):
        yield d.fault("R4C-DU-004", '"9999999999h"')


def zero(shop: Shop) -> Iterator[Faulty]:
    """Nothing, where that has no meaning."""
    for d in durations(shop):
        if d.attribute in _NEVER_ZERO:
            fault = d.fault("R4C-DU-005", '"0"')
            fault.places.extend(differing_users(shop, d.use))
            yield fault


OPERATORS = (blank_before_the_unit, decimal_comma, no_unit, number_for_a_duration, negative, too_long, zero)
