"""Faults in a file of environment variables, which the correct shop does not have. `build()` sees processes alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..mutant import ONLY_LINT, Edit, Faulty, Place
from ..sources import Shop, Source
from .fallbacks import misspelt

_KEY = re.compile(r"^resilience4cata\.(?P<path>configs\.[\w.-]+?) ?[=:] ?(?P<value>\w+)$", re.MULTILINE)


def misspelt_variable(shop: Shop) -> Iterator[Faulty]:
    """The variable of a key that stands in a file lacks a letter; the right one stands above it."""
    file = Source(".env", "")
    for match in _KEY.finditer(shop["resilience.properties"].content):
        path = match["path"]
        right = f"{_variable(path)}={match['value']}\n"
        wrong = f"{_variable(misspelt(path))}={match['value']}\n"
        place = Place("R4C-CFG-013", file, 0, ONLY_LINT, len(right))
        yield Faulty(path, file, [Edit(0, 0, right + wrong)], [place])


def _variable(path: str) -> str:
    return "RESILIENCE4CATA_" + re.sub(r"\W", "_", path).upper()


OPERATORS = (misspelt_variable,)
