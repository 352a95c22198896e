"""One project, whose files are asked about one after the other: it is analysed once, then only looked up.

What is asked about may differ from the file, as where it comes from standard input: it is then analysed by itself, with
the project around it.
"""

from __future__ import annotations

import io
import sys
import tokenize
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from . import files
from .discover import Excluded
from .inputs import Inputs, Stdin, import_roots, whole
from .options import Options
from .per_file import steps_to
from .selection import Selection

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Diagnostic

    from .engine import Report
    from .reading import Means


class OneProject:
    """One project, or a folder that belongs to none; `words` are rules to add to those that are on by default."""

    def __init__(self, options: Options, words: Sequence[str]) -> None:
        self._options = options
        self._selection = Selection(extend_select=tuple(words))
        self._excluded = Excluded(options.exclude, options.root)

    @cached_property
    def _inputs(self) -> Inputs | None:
        """All files of the project; None where there is none."""
        return whole(self._options) if self._options.is_project else None

    @cached_property
    def _means(self) -> Means:
        from .cache import open_cache
        from .reading import Means

        return Means(open_cache(self._options), skip_unrelated=True)

    def look(self, filename: str, text: str) -> list[Diagnostic]:
        """The findings that lie in the file."""
        path = files.canonical(filename)
        if self._excluded and any(map(self._excluded, steps_to(filename, self._options.root))):
            return []
        if self._inputs is not None and path in self._given and _is_saved(filename, text):
            return self._findings.get(path, [])
        from .engine import analyse

        report = analyse([], self._options, self._selection, Stdin(_encoded(text), filename), self._means)
        return [d for d in self._known(report) if files.canonical(d.at.source) == path]

    @cached_property
    def _given(self) -> frozenset[str]:
        return frozenset(map(files.canonical, self._inputs.given)) if self._inputs is not None else frozenset()

    @cached_property
    def _findings(self) -> dict[str, list[Diagnostic]]:
        """The findings of the whole project, by absolute path."""
        if self._inputs is None:
            return {}
        from .engine import examine

        roots = import_roots([self._options.root], self._options)
        by_path: dict[str, list[Diagnostic]] = {}
        for diagnostic in self._known(examine(self._inputs, roots, self._options, self._selection, means=self._means)):
            by_path.setdefault(files.canonical(diagnostic.at.source), []).append(diagnostic)
        return by_path

    def _known(self, report: Report) -> list[Diagnostic]:
        """The findings of a report that the project's baseline does not list. Failures of our own are said aloud."""
        from .outcome import internal_error

        for failure in report.failures[:1]:
            print(f"r4c: error: {internal_error(failure.place, failure.error)}", file=sys.stderr)
        if self._options.baseline is None:
            return report.diagnostics
        from .baseline import open_baseline

        baseline = open_baseline(self._options.baseline, update=False)
        return report.diagnostics if baseline is None else baseline.compare(report).new


def _is_saved(path: str, text: str) -> bool:
    """Whether the file holds this text, whatever its line ends are."""
    try:
        with tokenize.open(path) as file:
            saved = file.read()
    except (OSError, SyntaxError, UnicodeDecodeError):
        return False
    return saved.removeprefix("\ufeff") == text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")


def _encoded(text: str) -> bytes:
    """The text in the encoding that it declares itself."""
    data = text.encode(errors="surrogatepass")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data if encoding.startswith("utf-8") else text.encode(encoding)
    except (SyntaxError, UnicodeError, LookupError):
        return data
