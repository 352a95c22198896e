"""`github`: workflow commands, which GitHub Actions shows as annotations beside the lines of a pull request.

GitHub shows at most ten errors and ten warnings of a step, and cuts what is too long; the summary that follows is for
those who read the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TextIO

from . import View, statistics, summary
from .places import in_report, in_repository

if TYPE_CHECKING:
    from collections.abc import Callable

    from resilience4cata.diagnostics import Diagnostic

    from ..engine import Report

_MOST_TITLE: Final = 255
_MOST_MESSAGE: Final = 64 * 1024


def render(report: Report, stream: TextIO, view: View) -> None:
    """Write one command per finding, then the counts."""
    path_of = in_repository(report.coverage.folders)
    stream.writelines(f"{_command(diagnostic, path_of)}\n" for diagnostic in report.diagnostics)
    if view.statistics:
        stream.writelines(f"{line}\n" for line in statistics(report.diagnostics))
    stream.write(f"{summary(report)}\n")


def _command(diagnostic: Diagnostic, path_of: Callable[[str], str]) -> str:
    at = diagnostic.at
    properties: dict[str, object] = {"file": path_of(at.source)}
    if at.line:
        properties["line"] = at.line
        properties["endLine"] = max(at.end_line, at.line)
        # GitHub knows columns only within one line.
        if at.column and properties["endLine"] == at.line:
            properties["col"] = at.column
            properties["endColumn"] = max(at.end_column, at.column)
    properties["title"] = f"{diagnostic.code} ({diagnostic.name})"[:_MOST_TITLE]
    shown = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{diagnostic.severity.value} {shown}::{_data(_message(in_report(diagnostic, path_of)))}"


def _message(diagnostic: Diagnostic) -> str:
    lines = (diagnostic.headline, diagnostic.suggestion, *diagnostic.notes, diagnostic.url)
    text = "\n".join(filter(None, lines))
    if len(text) <= _MOST_MESSAGE // 4:
        return text
    return text.encode(errors="replace")[:_MOST_MESSAGE].decode(errors="ignore")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
