"""One file after the other, as flake8 asks: what does not concern us is passed over before anything heavy is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .concern import Concern

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Diagnostic

    from .one_project import OneProject


class Checker:
    """Answers about files of any projects. `words` are rules to add to those that are on by default."""

    def __init__(self, words: Sequence[str] = ()) -> None:
        self._words = words
        self._concern = Concern()
        self._projects: dict[str, OneProject] = {}
        self._last: tuple[str, Sequence[str], list[Diagnostic]] | None = None

    def check(self, filename: str, lines: Sequence[str]) -> list[Diagnostic]:
        """What lies in a file with these lines. Raises UsageError if the project's settings are wrong.

        Asked again about the same lines, it gives the same answer at no cost.
        """
        if self._last is None or self._last[0] != filename or self._last[1] is not lines:
            self._last = filename, lines, self._look(filename, "".join(lines))
        return self._last[2]

    def _look(self, filename: str, text: str) -> list[Diagnostic]:
        if not self._concern.has(filename, text.encode(errors="surrogatepass")):
            return []
        return self._project(filename).look(filename, text)

    def _project(self, filename: str) -> OneProject:
        from .one_project import OneProject

        options = self._concern.options(filename)
        if options.root not in self._projects:
            self._projects[options.root] = OneProject(options, self._words)
        return self._projects[options.root]
