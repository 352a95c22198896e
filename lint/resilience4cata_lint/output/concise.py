"""`concise`: one line per finding, for editors, scripts and people who know the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from . import View, hint, mark, statistics, summary

if TYPE_CHECKING:
    from ..engine import Report


def render(report: Report, stream: TextIO, view: View) -> None:
    """Write `path:line:column: severity: [code] everything else` for each finding, then the counts."""
    for diagnostic in report.diagnostics:
        line = " ".join(diagnostic.line.split("\n"))
        code = f"[{diagnostic.code}]{mark(report, diagnostic, view)}"
        stream.write(f"{diagnostic.place}: {diagnostic.severity.value}: {code} {line}\n")
    if view.statistics:
        stream.writelines(f"{line}\n" for line in statistics(report.diagnostics))
    counts = summary(report, view.seconds if view.terminal else None)
    stream.writelines(f"{line}\n" for line in (counts, *hint(report, view)))
