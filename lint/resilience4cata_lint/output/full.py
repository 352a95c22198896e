"""`full`: everything about each finding; on a terminal with the source around it, otherwise as plain text.

The plain form is `Diagnostic.text`, with `[*]` where `--fix` repairs it, and nothing that draws is imported for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from . import View, hint, mark, statistics, summary

if TYPE_CHECKING:
    from ..engine import Report


def render(report: Report, stream: TextIO, view: View) -> None:
    """Write each finding, and the counts last."""
    if view.terminal:
        from .terminal import draw

        draw(report, stream, view)
        return
    stream.writelines(f"{d.marked(mark(report, d, view))}\n" for d in report.diagnostics)
    if view.statistics:
        stream.writelines(f"{line}\n" for line in statistics(report.diagnostics))
    stream.writelines(f"{line}\n" for line in (summary(report), *hint(report, view)))
