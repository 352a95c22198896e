"""`gitlab`: a Code Quality report, which GitLab shows in merge requests. Nothing but the list is written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, TextIO

from ..fingerprints import fingerprints
from .places import in_report, in_repository

if TYPE_CHECKING:
    from collections.abc import Callable

    from resilience4cata.diagnostics import Diagnostic

    from ..engine import Report
    from . import View

_SEVERITIES: Final = {"error": "major", "warning": "minor"}


def render(report: Report, stream: TextIO, view: View) -> None:
    """Write one object per finding."""
    path_of = in_repository(report.coverage.folders)
    known = zip(report.diagnostics, fingerprints(report.diagnostics, path_of), strict=True)
    stream.write(json.dumps([_issue(diagnostic, print_, path_of) for diagnostic, print_ in known], indent=2))
    stream.write("\n")


def _issue(diagnostic: Diagnostic, fingerprint: str, path_of: Callable[[str], str]) -> dict[str, object]:
    at = diagnostic.at
    line, column = max(at.line, 1), max(at.column, 1)
    last = max(at.end_line, line)
    end = {"line": last, "column": at.end_column if at.end_column and last == at.end_line else column}
    # The widget shows nothing but the description, so the code stands there too.
    return {
        "description": f"{diagnostic.code}: {' '.join(in_report(diagnostic, path_of).line.split())}",
        "check_name": diagnostic.code,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[diagnostic.severity.value],
        "location": {
            "path": path_of(at.source),
            "positions": {"begin": {"line": line, "column": column}, "end": end},
        },
    }
