"""How findings are shown, one module per format. Each has `render(report, stream, view)`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, TextIO

from resilience4cata.records import dataclass

from ..formats import FORMATS

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Diagnostic

    from ..engine import Report

__all__ = [
    "FORMATS",
    "Format",
    "View",
    "counted",
    "fixable",
    "format_named",
    "hint",
    "mark",
    "passed",
    "statistics",
    "summary",
]


@dataclass(frozen=True, slots=True)
class View:
    """How to show: `terminal` for people who look on, `colour` if they want it, `seconds` that the run took.

    `unsafe` tells whether edits count that may not be what was meant.
    """

    terminal: bool = False
    colour: bool = False
    seconds: float = 0.0
    statistics: bool = False
    unsafe: bool = False


class Format(Protocol):
    """What each module of this package offers."""

    def render(self, report: Report, stream: TextIO, view: View) -> None:
        """Write all findings of `report` to `stream`."""


def format_named(name: str) -> Format:
    """The module of a format in `FORMATS`."""
    module: Format = import_module(f"{__name__}.{name}")
    return module


def summary(report: Report, seconds: float | None = None) -> str:
    """`Found 3 errors and 1 warning in 2 files (checked 14 files in 0.21s)`; the time only where somebody looks on."""
    took = "" if seconds is None else f" in {seconds:.2f}s"
    checked = f"checked {counted(report.files, 'file')}{took}"
    every = [*report.fixed, *report.diagnostics]
    if not every:
        result = _nothing_found(report)
        return f"{result}." if seconds is None else f"{result} ({checked})."
    severities = Counter(d.severity.value for d in every)
    kinds = [counted(severities[kind], kind) for kind in ("error", "warning") if severities[kind]]
    files = len({d.at.source for d in every})
    fixed = f"{len(report.fixed)} fixed, {len(report.diagnostics)} remaining; " if report.fixed else ""
    return f"Found {' and '.join(kinds)} in {counted(files, 'file')} ({fixed}{checked})"


def passed(report: Report) -> bool:
    """Whether there is nothing to do."""
    return not (report.diagnostics or report.outdated or report.failures)


def _nothing_found(report: Report) -> str:
    if report.failures:
        return "Nothing was found, but not everything could be checked"
    if report.outdated:
        gone = "1 entry" if report.outdated == 1 else f"{report.outdated} entries"
        return f"Nothing new was found, but {gone} of the baseline must go"
    return "All checks passed"


FIXABLE: Final = "[*]"
"""Stands beside a finding that can be repaired."""


def mark(report: Report, diagnostic: Diagnostic, view: View) -> str:
    """The mark of a finding that can be repaired, with a blank before it; nothing for another."""
    return f" {FIXABLE}" if report.offers.offered(diagnostic, unsafe=view.unsafe) else ""


def hint(report: Report, view: View) -> list[str]:
    """One line that says what can be repaired, and how; none if nothing can."""
    safe, more = fixable(report, report.diagnostics, unsafe=view.unsafe)
    if safe:
        option = "--fix --unsafe-fixes" if view.unsafe else "--fix"
        return [f"{FIXABLE} {safe} fixable with {option}" + (f" ({more} more with --unsafe-fixes)" if more else "")]
    return [f"{more} fixable with --fix --unsafe-fixes"] if more else []


def fixable(report: Report, diagnostics: Sequence[Diagnostic], *, unsafe: bool) -> tuple[int, int]:
    """How many of the report's findings can be repaired, and how many more if unsafe edits count as well."""
    now = sum(report.offers.offered(d, unsafe=unsafe) for d in diagnostics)
    return now, sum(report.offers.offered(d, unsafe=True) for d in diagnostics) - now


def statistics(diagnostics: Sequence[Diagnostic]) -> list[str]:
    """How often each rule was reported, most frequent first."""
    counts = Counter((d.code, d.name) for d in diagnostics)
    width = max((len(str(count)) for count in counts.values()), default=0)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [f"{count:>{width}}  {code}  {name}" for (code, name), count in ordered]


def counted(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
