"""`# r4c: ignore[R4C-FB-002]` on a line says that a finding there is known and accepted.

In Python it stands at the end of one of the finding's lines, in configuration files (whose lines may not end with a
comment) on the line before. It always names codes: a comment that silences everything would hide what is not known yet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from .discover import CONFIGURATION

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Finding

_COMMENT: Final = re.compile(r"[#!]\s*r4c:\s*ignore\[([^\]]*)\]")


def is_suppressed(finding: Finding, lines_of: Callable[[str], Sequence[str]]) -> bool:
    """Whether a comment where the finding is primarily placed names its code. `lines_of` gives the lines of a file."""
    at = finding.fault.at
    if not at.line:
        return False
    lines = lines_of(at.source)
    wanted = range(at.line, max(at.line, at.end_line) + 1)
    if at.source.endswith(CONFIGURATION):
        wanted = range(at.line - 1, at.line + 1)
    shown = (lines[number - 1] for number in wanted if 0 < number <= len(lines))
    return any(finding.rule.code in _codes(line) for line in shown)


def _codes(line: str) -> frozenset[str]:
    found = _COMMENT.search(line) if "r4c" in line else None
    return frozenset() if found is None else frozenset(code.strip() for code in found[1].split(","))
