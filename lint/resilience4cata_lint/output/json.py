"""`json`: a list of objects, for other programs. Nothing but the list is written, so that it can always be parsed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from ..engine import Report
    from . import View


def render(report: Report, stream: TextIO, view: View) -> None:
    """Write `Diagnostic.as_dict()` of each finding."""
    stream.write(json.dumps([diagnostic.as_dict() for diagnostic in report.diagnostics], indent=2))
    stream.write("\n")
