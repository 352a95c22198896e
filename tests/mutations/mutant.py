"""A mutant: the correct shop with one fault in it, and the findings that the fault deserves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from .sources import Source

LINT: Final = "lint"
MYPY: Final = "mypy"
BUILD: Final = "build"
ALL: Final = frozenset({LINT, MYPY, BUILD})
LINT_AND_BUILD: Final = frozenset({LINT, BUILD})
LINT_AND_MYPY: Final = frozenset({LINT, MYPY})
MYPY_AND_BUILD: Final = frozenset({MYPY, BUILD})
ONLY_LINT: Final = frozenset({LINT})
ONLY_BUILD: Final = frozenset({BUILD})


class Edit(NamedTuple):
    """Put `new` where `start` to `end` was."""

    start: int
    end: int
    new: str


class Place(NamedTuple):
    """Where a finding is expected: an offset in the unchanged `source`; `into` says how far behind it in new text."""

    code: str
    source: Source
    offset: int
    reports: frozenset[str] = ALL
    into: int = 0


class Expected(NamedTuple):
    """A finding that a mutant deserves, and the front ends that can see it."""

    code: str
    path: str
    line: int
    reports: frozenset[str]


@dataclass(frozen=True)
class Mutant:
    """`files` are those that differ from the correct shop, by path; `name` is unique."""

    operator: str
    name: str
    files: Mapping[str, str]
    expected: tuple[Expected, ...]

    def wanted(self, front_end: str) -> list[tuple[str, str, int]]:
        """Code, path and line of all that a front end has to report."""
        return sorted((found.code, found.path, found.line) for found in self.expected if front_end in found.reports)


class Faulty(NamedTuple):
    """What an operator yields: what is changed in one file, and what that breaks. `title` says which of many it is."""

    title: str
    source: Source
    edits: Sequence[Edit]
    places: list[Place]


def mutant(operator: str, fault: Faulty) -> Mutant:
    """Apply a fault. Raises ValueError if it changes nothing."""
    edits = sorted(fault.edits)
    changed = apply(fault.source.content, edits)
    if changed == fault.source.content:
        msg = f"{operator} changes nothing of {fault.title}"
        raise ValueError(msg)
    expected = [_expected(fault, place, edits, changed) for place in fault.places]
    return Mutant(operator, f"{operator}: {fault.title}", {fault.source.path: changed}, tuple(expected))


def apply(content: str, edits: Iterable[Edit]) -> str:
    """The text after all edits, which are sorted and do not overlap."""
    parts, at = [], 0
    for start, end, new in edits:
        parts += [content[at:start], new]
        at = end
    return "".join([*parts, content[at:]])


def _expected(fault: Faulty, place: Place, edits: Sequence[Edit], changed: str) -> Expected:
    if place.source.path != fault.source.path:
        return Expected(place.code, place.source.path, _line(place.source.content, place.offset), place.reports)
    moved = place.offset
    for start, end, new in edits:
        if end <= place.offset and start < place.offset:
            moved += len(new) - (end - start)
        elif start < place.offset:
            moved -= place.offset - start
    return Expected(place.code, place.source.path, _line(changed, moved + place.into), place.reports)


def _line(content: str, offset: int) -> int:
    return content.count("\n", 0, offset) + 1
