"""`# r4c: ignore[R4C-FB-002]` says that a finding is known and accepted.

It stands at the end of one of the finding's lines, in configuration files also on a line before; `file-ignore` stands
anywhere. It always names whole codes: a comment that silences everything would hide what is not known yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from resilience4cata.comments import Mark, Marks, marks, strays
from resilience4cata.facts import Suppression

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Finding


class Suppressions:
    """The suppressions of all files, read when a file is first asked about. It remembers which of them were needed."""

    def __init__(self, lines_of: Callable[[str], Sequence[str]]) -> None:
        """`lines_of` gives the lines of the file that is shown as a path."""
        self._lines_of = lines_of
        self._marks: dict[str, Marks] = {}
        self._used: set[Mark] = set()

    def silences(self, finding: Finding) -> bool:
        """Whether a comment in the file where the finding is primarily placed names its code."""
        at = finding.fault.at
        named = self._of(at.source).silencing(finding.rule.code, at)
        self._used.update(named)
        return bool(named)

    def facts(self, paths: Iterable[str], is_needed: Callable[[Mark], bool | None]) -> Iterator[Suppression]:
        """What rules may look at, of the given files, once all findings were asked about.

        `is_needed` tells of a suppression that silenced nothing whether another front end may need it.
        """
        for path in paths:
            for mark in self._of(path):
                if mark.certain:
                    needed = True if mark in self._used else is_needed(mark)
                    yield Suppression(mark.at, mark.text, mark.code, needed)
            for stray in strays(path, self._lines_of(path)):
                yield Suppression(stray.at, stray.text, "", stray=stray.word)

    def _of(self, path: str) -> Marks:
        if path not in self._marks:
            self._marks[path] = marks(path, self._lines_of(path))
        return self._marks[path]
