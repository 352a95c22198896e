"""`sarif`: SARIF 2.1.0, as GitHub's code scanning reads it. Nothing but the document is written.

GitHub refuses more than 25,000 results, shows the first 5,000, and cuts texts: these limits are kept here, errors
before warnings.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, TextIO

from resilience4cata._version import __version__
from resilience4cata.diagnostics import DOCUMENTATION, Severity

from ..fingerprints import fingerprints
from .places import in_repository, uri

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from resilience4cata.diagnostics import Diagnostic, Rule
    from resilience4cata.facts import At

    from ..engine import Report
    from ..fixing.offers import Offers, Replacement
    from . import View

Json = dict[str, object]

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_MOST_RESULTS: Final = 25_000
_MOST_RELATED: Final = 1_000
_MOST_DESCRIPTION: Final = 1_024


def render(report: Report, stream: TextIO, view: View) -> None:
    """Write one log with one run, the rules that found something included."""
    stream.write(json.dumps(_log(report.diagnostics, report.offers, in_repository(report.coverage.folders)), indent=2))
    stream.write("\n")


def _log(diagnostics: Sequence[Diagnostic], offers: Offers, path_of: Callable[[str], str]) -> Json:
    known = list(zip(diagnostics, fingerprints(diagnostics, path_of), strict=True))
    if len(known) > _MOST_RESULTS:
        known = sorted(known, key=lambda pair: pair[0].severity is not Severity.ERROR)[:_MOST_RESULTS]
    codes = sorted({diagnostic.code for diagnostic in diagnostics})
    results = [
        {**_result(diagnostic, print_, codes, path_of), **_fixes(diagnostic, offers, path_of)}
        for diagnostic, print_ in known
    ]
    driver: Json = {
        "name": "r4c",
        "semanticVersion": __version__,
        "version": __version__,
        "informationUri": DOCUMENTATION,
        "rules": _rules(codes),
    }
    # Places count characters, not the units of UTF-16 that SARIF takes for granted.
    run: Json = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rules(codes: Sequence[str]) -> list[Json]:
    if not codes:
        return []
    from resilience4cata.rules import all_rules

    return [_rule(all_rules()[code]) for code in codes]


def _rule(rule: Rule) -> Json:
    page = _page(rule)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": _cut(rule.name.replace("-", " ").capitalize())},
        "fullDescription": {"text": _cut(rule.why or rule.name)},
        "help": {"text": page, "markdown": page},
        "helpUri": rule.url(),
        "defaultConfiguration": {"level": rule.severity.value},
        "properties": {
            "precision": "very-high",
            "problem.severity": rule.severity.value,
            "tags": ["resilience", rule.family],
        },
    }


def _page(rule: Rule) -> str:
    from ..options import UsageError
    from ..pages import page

    try:
        return page(rule, "en")
    except UsageError:
        return f"{rule.why}\n\n{rule.url()}\n"


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_DESCRIPTION else f"{text[: _MOST_DESCRIPTION - 1]}…"


def _result(diagnostic: Diagnostic, fingerprint: str, codes: Sequence[str], path_of: Callable[[str], str]) -> Json:
    lines = (diagnostic.headline, diagnostic.suggestion, *diagnostic.notes[: bool(diagnostic.expected)])
    result: Json = {
        "ruleId": diagnostic.code,
        "ruleIndex": codes.index(diagnostic.code),
        "level": diagnostic.severity.value,
        "message": {"text": "\n".join(filter(None, lines))},
        "locations": [{"physicalLocation": _location(diagnostic.at, path_of)}],
        "partialFingerprints": {"primaryLocationLineHash": fingerprint},
    }
    if diagnostic.related:
        result["relatedLocations"] = [
            {"id": number, "physicalLocation": _location(related.at, path_of), "message": {"text": related.text}}
            for number, related in enumerate(diagnostic.related[:_MOST_RELATED], 1)
        ]
    return result


def _location(at: At, path_of: Callable[[str], str]) -> Json:
    # A file without a place in it is shown at its beginning, since GitHub needs a line.
    region: Json = {"startLine": max(at.line, 1)}
    if at.line and at.column:
        region["startColumn"] = at.column
        region["endLine"] = max(at.end_line, at.line)
        region["endColumn"] = max(at.end_column, 1) if at.end_line > at.line else max(at.end_column, at.column)
    return {"artifactLocation": _artifact(path_of(at.source)), "region": region}


def _artifact(path: str) -> Json:
    artifact: Json = {"uri": uri(path)}
    # Relative paths count from the top of the repository; whole ones from nowhere.
    if not str(artifact["uri"]).startswith("file:"):
        artifact["uriBaseId"] = "%SRCROOT%"
    return artifact


def _fixes(diagnostic: Diagnostic, offers: Offers, path_of: Callable[[str], str]) -> Json:
    """The edit that is offered, if one is; an insertion deletes a region without length."""
    replacements = offers.replacements(diagnostic)
    if diagnostic.fix is None or not replacements:
        return {}
    change = {
        "artifactLocation": _artifact(path_of(diagnostic.at.source)),
        "replacements": [_replacement(replacement) for replacement in replacements],
    }
    return {
        "fixes": [
            {
                "description": {"text": diagnostic.fix.title},
                "artifactChanges": [change],
                "properties": {"applicability": diagnostic.fix.applicability},
            }
        ]
    }


def _replacement(replacement: Replacement) -> Json:
    line, column, end_line, end_column, content = replacement
    region = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
    return {"deletedRegion": region, "insertedContent": {"text": content}}
