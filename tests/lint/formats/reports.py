"""Findings that are hard to write down, and reports of them."""

import io
from pathlib import Path
from typing import Any

from resilience4cata.diagnostics import Diagnostic, Related, Severity
from resilience4cata.facts import At
from resilience4cata_lint.engine import Report
from resilience4cata_lint.output import View, format_named

SCHEMAS = Path(__file__).parents[3] / "fixtures" / "schemas"


def diagnostic(at: At, **changes: Any) -> Diagnostic:
    """A finding of R4C-FB-002 at a place."""
    whole = Diagnostic(
        code="R4C-FB-002",
        name="missing-fallback",
        severity=Severity.ERROR,
        subject='@fallback(method="find_fallbak") on acme.users.UserClient.find',
        message="no method named 'find_fallbak' found",
        at=at,
        suggestions=("find_fallback",),
        help="",
        expected="def find_fallbak(self, id: str[, error: Exception]) -> User",
        related=(),
        url="https://resilience4cata.readthedocs.io/en/rules/R4C-FB-002.html",
    )
    return whole._replace(**changes)


PLAIN = diagnostic(At("acme/users.py", 12, 6, 12, 37))
UNUSUAL = diagnostic(
    At("pagos/año 100%,a:b#?.py", 3, 5, 7, 2),
    code="R4C-CMP-004",
    name="policies-disagree",
    severity=Severity.WARNING,
    subject="@a \"<b>\" & '漢' 😀",
    message="100% of\r\nlines ::error:: \x1b]]>, ok",
    suggestions=(),
    help="decide",
    expected="",
    related=(Related(At("D:/otro/módulo.py", 2, 3, 2, 9), "one <source>"), Related(At("acme/users.py"), "a file")),
    url="https://resilience4cata.readthedocs.io/en/rules/R4C-CMP-004.html",
)
NO_PLACE = diagnostic(
    At("D:/trabajo/a b.py"),
    code="R4C-SRC-001",
    name="unreadable-source",
    subject="",
    message="cannot be checked: no",
    suggestions=(),
    expected="",
    url="https://resilience4cata.readthedocs.io/en/rules/R4C-SRC-001.html",
)
ALL = [PLAIN, UNUSUAL, NO_PLACE]


def render(name: str, *diagnostics: Diagnostic, statistics: bool = False) -> str:
    stream = io.StringIO()
    format_named(name).render(Report(list(diagnostics), 3), stream, View(statistics=statistics))
    return stream.getvalue()
