"""What each front end catches of the mutants, and what it says beside that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..every_rule.fixtures import Report
from . import with_build, with_lint, with_mypy
from .mutant import BUILD, LINT, MYPY, Mutant

RUNNERS: Final = {LINT: with_lint.run, MYPY: with_mypy.run, BUILD: with_build.run}


@dataclass(frozen=True)
class Outcome:
    """What one front end made of the mutants that it can read; `reports` are by a mutant's name."""

    front_end: str
    mutants: Sequence[Mutant]
    reports: Mapping[str, Sequence[Report]]

    @property
    def wanted(self) -> int:
        """How many findings are due."""
        return sum(len(mutant.wanted(self.front_end)) for mutant in self.mutants)

    def missed(self) -> list[str]:
        """Findings that are due and were not reported."""
        return [
            f"{mutant.name}: {code} at {path}:{line}"
            for mutant in self.mutants
            for code, path, line in mutant.wanted(self.front_end)
            if (code, path, line) not in {(r.code, r.path, r.line) for r in self._of(mutant)}
        ]

    def beside(self) -> list[str]:
        """Findings that no mutant deserves, or a second one at its place."""
        found = []
        for mutant in self.mutants:
            due = mutant.wanted(self.front_end)
            for report in self._of(mutant):
                place = (report.code, report.path, report.line)
                if place in due:
                    due.remove(place)
                else:
                    found.append(f"{mutant.name}: {report.shown()}")
        return found

    def _of(self, mutant: Mutant) -> Sequence[Report]:
        return self.reports.get(mutant.name, ())


def outcome(front_end: str, mutants: Sequence[Mutant], folder: Path) -> Outcome:
    """Run a front end over the mutants, in a folder that does not exist yet."""
    return Outcome(front_end, mutants, RUNNERS[front_end](mutants, folder))


def disagreements(one: Outcome, other: Outcome) -> list[str]:
    """Findings at one place that two front ends put into different words; one may add advice of its own."""
    return [
        f"{mutant.name}:\n  {mine.shown()}\n  {theirs.shown()}"
        for mutant in one.mutants
        for mine in one.reports.get(mutant.name, ())
        for theirs in other.reports.get(mutant.name, ())
        if mine[:4] == theirs[:4] and not f"{theirs.text}; ".startswith(f"{mine.text}; ")
    ]


def lines(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The table: one line for each front end."""
    yield f"{'front end':<12}{'faults it can see':>20}{'caught':>10}{'share':>10}{'side findings':>16}"
    for each in outcomes:
        caught = each.wanted - len(each.missed())
        share = f"{caught / each.wanted:.1%}" if each.wanted else "-"
        yield f"{each.front_end:<12}{each.wanted:>20}{caught:>10}{share:>10}{len(each.beside()):>16}"
