"""How findings are shown, one module per format. Each has `render(report, stream, view)`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TextIO

from ..formats import FORMATS

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Diagnostic

    from ..engine import Report

__all__ = ["FORMATS", "Format", "View", "format_named", "statistics", "summary"]


@dataclass(frozen=True, slots=True)
class View:
    """How to show: `terminal` for people who look on, `colour` if they want it, `seconds` that the run took."""

    terminal: bool = False
    colour: bool = False
    seconds: float = 0.0
    statistics: bool = False


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
    checked = f"checked {_count(report.files, 'file')}{took}"
    if not report.diagnostics:
        return "All checks passed." if seconds is None else f"All checks passed ({checked})."
    severities = Counter(d.severity.value for d in report.diagnostics)
    kinds = [_count(severities[kind], kind) for kind in ("error", "warning") if severities[kind]]
    files = len({d.at.source for d in report.diagnostics})
    return f"Found {' and '.join(kinds)} in {_count(files, 'file')} ({checked})"


def statistics(diagnostics: Sequence[Diagnostic]) -> list[str]:
    """How often each rule was reported, most frequent first."""
    counts = Counter((d.code, d.name) for d in diagnostics)
    width = max((len(str(count)) for count in counts.values()), default=0)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [f"{count:>{width}}  {code}  {name}" for (code, name), count in ordered]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
