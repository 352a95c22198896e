"""Applying edits until nothing is left to apply.

Edits that do not touch each other are made together, and the result is checked anew. What then is still there was not
repaired: its edit is taken back. Nothing is written here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from resilience4cata.records import dataclass, field

from .code import Edits
from .offers import Source, Spot, is_sound, spot_of
from .text import Shift, Text, Together, spliced

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Diagnostic

    from ..engine import Report

Contents = Mapping[str, bytes]
"""What files are to hold, by the paths under which they are shown."""

Look = Callable[[Contents], "Report"]
"""Checks everything as if the files held this."""

Wanted: TypeAlias = "tuple[Diagnostic, Edits]"
"""A finding with its edits."""

_MOST_PASSES: Final = 100
_MISSPELT: Final = "R4C-SUP-002"


@dataclass(slots=True)
class Repaired:
    """What came out: the report on the result, the findings that are gone, and each changed file before and after.

    `unsound` are findings whose edits would have broken their files. `unsettled` tells that there was still something
    to apply in the end.
    """

    report: Report
    fixed: list[Diagnostic] = field(default_factory=list)
    before: dict[str, bytes] = field(default_factory=dict)
    after: dict[str, bytes] = field(default_factory=dict)
    unsound: list[Diagnostic] = field(default_factory=list)
    unsettled: bool = False


def repaired(look: Look, report: Report, new: Callable[[Report], Sequence[Diagnostic]], *, unsafe: bool) -> Repaired:
    """The findings of a report that are `new` repaired as far as edits are offered, by safe ones or by all."""
    result = Repaired(report)
    refused: set[Spot] = set()
    seen = [result.after]
    passes = 0
    while True:
        result.report.offers.refused = refused
        trial = _Trial(result, new(result.report), unsafe=unsafe)
        result.unsound += trial.unsound
        refused |= set(map(spot_of, trial.unsound))
        if not trial.done:
            return result
        if passes == _MOST_PASSES or trial.after in seen:
            result.unsettled = True
            return result
        found = look(trial.after)
        if len(found.failures) > len(result.report.failures):
            # What the linter fails on has no findings, which proves nothing.
            result.report.failures = found.failures
            return result
        failed = trial.failed(found)
        if failed:
            refused |= failed
            continue
        refused = {spot for known in refused if (spot := trial.moved(known)) is not None}
        passes += 1
        seen.append(trial.after)
        result.fixed += trial.done
        result.before = {**trial.before, **result.before}
        result.report, result.after = found, trial.after


class _Trial:
    """One pass: the edits that go together, made."""

    def __init__(self, result: Repaired, wanted: Sequence[Diagnostic], *, unsafe: bool) -> None:
        self.unsound: list[Diagnostic] = []
        self.done: list[Diagnostic] = []
        self.before: dict[str, bytes] = {}
        self.after = dict(result.after)
        self._edited: dict[str, tuple[Source, Text, Shift]] = {}
        offers = result.report.offers
        by_path: dict[str, list[Wanted]] = {}
        offered = [diagnostic for diagnostic in wanted if offers.offered(diagnostic, unsafe=unsafe)]
        # What a misspelt suppression is meant to silence is not to be repaired.
        first = [diagnostic for diagnostic in offered if diagnostic.code == _MISSPELT] or offered
        # From below: of decorators that move to one place, the lowest goes first, and so stays the lowest.
        for diagnostic in reversed(first):
            by_path.setdefault(diagnostic.at.source, []).append((diagnostic, offers.edits(diagnostic)))
        for path, edited in sorted(by_path.items()):
            source = offers.source(path)
            if source is not None:
                self._edit(source, edited)

    def _edit(self, source: Source, wanted: Sequence[Wanted]) -> None:
        together = list(_compatible(wanted))
        data = _made(source, [edits for _, edits in together])
        if not is_sound(source.path, data, source.data):
            together = self._sound(source, together)
            data = _made(source, [edits for _, edits in together])
        if data != source.data:
            self.done += [diagnostic for diagnostic, _ in together]
            self.before[source.path] = source.data
            self.after[source.path] = data
            shift = Shift(edit for _, edits in together for edit in edits)
            self._edited[source.path] = source, Text(source.path, data), shift

    def _sound(self, source: Source, wanted: Sequence[Wanted]) -> list[Wanted]:
        """What leaves the file readable, found by halves; the rest is noted in `unsound`."""
        kept: list[Wanted] = []

        def keep(some: Sequence[Wanted]) -> None:
            data = _made(source, [edits for _, edits in (*kept, *some)])
            if is_sound(source.path, data, source.data):
                kept.extend(some)
            elif len(some) == 1:
                self.unsound.append(some[0][0])
            else:
                keep(some[: len(some) // 2])
                keep(some[len(some) // 2 :])

        keep(wanted)
        return kept

    def failed(self, found: Report) -> set[Spot]:
        """What was to be repaired and is still there."""
        there = set(map(spot_of, found.diagnostics))
        return {spot for spot in map(spot_of, self.done) if self.moved(spot) in there}

    def moved(self, spot: Spot) -> Spot | None:
        """Where a finding of before stands now, if it still stands; None if that place is gone."""
        if spot.path not in self._edited:
            return spot
        source, text, shift = self._edited[spot.path]
        try:
            offset = shift(source.text.offset(spot.line, spot.column))
        except ValueError:
            return None
        line, column = text.place(offset)
        return spot._replace(line=line, column=column)


def _compatible(wanted: Iterable[Wanted]) -> Iterator[Wanted]:
    """The first ones that do not touch each other."""
    together = Together()
    return (pair for pair in wanted if together.take(pair[1]))


def _made(source: Source, edits: Iterable[Edits]) -> bytes:
    return source.text.encoded(spliced(source.text.whole, (edit for several in edits for edit in several)))
