"""`json`: a list of objects, for other programs. Nothing but the list is written, so that it can always be parsed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Diagnostic

    from ..engine import Report
    from ..fixing.offers import Offers
    from . import View


def render(report: Report, stream: TextIO, view: View) -> None:
    """Write `Diagnostic.as_dict()` of each finding, with the edit that is offered as `fix`."""
    found = [{**diagnostic.as_dict(), "fix": _fix(report.offers, diagnostic)} for diagnostic in report.diagnostics]
    stream.write(json.dumps(found, indent=2))
    stream.write("\n")


def _fix(offers: Offers, diagnostic: Diagnostic) -> dict[str, object] | None:
    """The edit for a finding, in the finding's file; None if nothing can be offered."""
    replacements = offers.replacements(diagnostic)
    if diagnostic.fix is None or not replacements:
        return None
    return {
        "applicability": diagnostic.fix.applicability,
        "message": diagnostic.fix.title,
        "edits": [replacement._asdict() for replacement in replacements],
    }
