"""Cases that one edit repairs, gathered to be told once: those of a template, a class, or a composed policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..config.profiles import Choice
from ..diagnostics import Fault
from ..facts import Applied, At, Composed, Element
from ..records import replace
from .alone import Alone, declared_within
from .cases import Case, Given

Place = tuple[str, At]
"""Where an element is found again: its id, and where its name stands."""


def place_of(element: Element) -> Place:
    """The place of an element."""
    return element.definition.id, element.definition.at


class _Told(NamedTuple):
    """A case, and the place of the element that it is told with."""

    case: Case
    place: Place


class Gathered:
    """Takes cases in the order of elements and gives faults by the place of the element that they are told with.

    `by_composed` tells that what rests on a composed policy alone is one fault of several elements that use it.
    """

    def __init__(self, *, by_composed: bool) -> None:
        self._by_composed = by_composed
        self._found: dict[Place, list[Fault]] = {}
        self._own: dict[object, list[Case]] = {}
        self._shared: dict[tuple[At, object, Choice], list[_Told]] = {}
        self._of_composed: dict[object, list[tuple[_Told, Case]]] = {}

    def judged(self, element: Element) -> None:
        """Tell that an element was looked at, whether or not anything is wrong with it."""
        self._found.setdefault(place_of(element), [])

    def add(self, case: Case, told_with: Element) -> None:
        """Take a case."""
        told = _Told(case, place_of(told_with))
        made = _as_of_composed(case) if self._by_composed and case.is_on_element else None
        if made is not None:
            verdict = case.verdict
            key = made.given[0].written_at, verdict.kind, tuple(sorted(verdict.values.items())), case.profiles
            self._of_composed.setdefault(key, []).append((told, made))
        elif case.is_on_element:
            self._add_own(told)
        else:
            self._shared.setdefault((case.at, case.verdict.kind, case.profiles), []).append(told)

    def faults(self) -> Mapping[Place, list[Fault]]:
        """All that is to be told."""
        for users in self._of_composed.values():
            (told, made), *others = users
            if others:
                self._found[told.place].append(made.fault([other.case for other, _ in others]))
            else:
                self._add_own(told)
        for several in self._shared.values():
            # What stands on a class is that class's fault, not that of its methods.
            left = [told for told in several if not self._is_told(told.case)]
            if left:
                self._found[left[0].place].append(left[0].case.fault([told.case for told in left[1:]]))
        return self._found

    def _is_told(self, case: Case) -> bool:
        own = self._own.get(case.verdict.kind, ())
        return any(case.at == other.at or case.is_same(other) for other in own)

    def _add_own(self, told: _Told) -> None:
        self._own.setdefault(told.case.verdict.kind, []).append(told.case)
        self._found[told.place].append(told.case.fault())


def _as_of_composed(case: Case) -> Case | None:
    """The case as one of the composed policy that all of its values are written in; None if there is none."""
    for applied in case.element.policies:
        if isinstance(applied.policy, Composed):
            given = [_within(applied, one, case) for one in case.given]
            known = tuple(one for one in given if one is not None)
            if len(known) == len(given):
                return replace(case, given=known)
    return None


def _within(applied: Applied, given: Given, case: Case) -> Given | None:
    found = declared_within(applied.policy, given.effective.slot)
    if found is None:
        return None
    composed, declaration = found
    names = tuple(name for policy, name in case.verdict.deciding if policy == declaration.policy)
    at, subject = Alone.of(composed).place(declaration, given.written_at, names)
    return Given(given.setting, given.effective, at, subject, False, given.written_at)
