"""Findings of `build()` as users get them."""

from __future__ import annotations

from typing import Final

from ..diagnostics import Diagnostic, Finding, Related, Severity
from ..facts import At

# With strict(False), keys that nobody knows are told but tolerated: an older library may read a newer file.
_TOLERATED: Final = frozenset({"R4C-CFG-009", "R4C-CFG-010", "R4C-CFG-011", "R4C-CFG-013"})


def worded(finding: Finding, *, strict: bool) -> Diagnostic:
    """A finding in words; without `strict`, what an older library cannot know is a warning."""
    diagnostic = finding.diagnostic()
    tolerated = diagnostic.code in _TOLERATED and not strict
    return diagnostic._replace(
        severity=Severity.WARNING if tolerated else diagnostic.severity,
        at=_whole(diagnostic.at),
        related=tuple(Related(_whole(r.at), r.text) for r in diagnostic.related if r.at.source),
    )


def _whole(at: At) -> At:
    """A place without the name of an attribute that could not be found there."""
    return at.inside("") if at.attribute else at
