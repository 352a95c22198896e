"""Reports as SARIF, valid by the schema."""

import io
import json
from typing import Any

import jsonschema

from resilience4cata._version import __version__
from resilience4cata.diagnostics import Action, Diagnostic, Fix, Related, Severity
from resilience4cata.facts import At
from resilience4cata.rules import all_rules
from resilience4cata_lint.engine import Report
from resilience4cata_lint.output import View, format_named
from resilience4cata_lint.pages import page
from resilience4cata_lint.texts import Sources

from .reports import ALL, PLAIN, SCHEMAS, render


def sarif(*diagnostics: Diagnostic) -> Any:
    """The log as GitHub would read it, valid by the schema."""
    return valid(render("sarif", *diagnostics))


def valid(text: str) -> Any:
    """A log that is valid by the schema."""
    assert text.isascii()
    log = json.loads(text)
    schema = json.loads((SCHEMAS / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker()).validate(log)
    return log


def test_sarif_results() -> None:
    """Whole regions, encoded paths from the top of the repository, fingerprints, related places."""
    root = "%SRCROOT%"
    log = sarif(*ALL)
    (run,) = log["runs"]
    assert ("https://json.schemastore.org/sarif-2.1.0.json", "2.1.0") == (log["$schema"], log["version"])
    assert [
        {
            "ruleId": "R4C-FB-002",
            "ruleIndex": 1,
            "level": "error",
            "message": {
                "text": '@fallback(method="find_fallbak") on acme.users.UserClient.find: '
                "no method named 'find_fallbak' found\ndid you mean 'find_fallback'?\n"
                "expected: def find_fallbak(self, id: str[, error: Exception]) -> User"
            },
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "acme/users.py", "uriBaseId": root},
                        "region": {"startLine": 12, "startColumn": 6, "endLine": 12, "endColumn": 37},
                    }
                }
            ],
            "partialFingerprints": {"primaryLocationLineHash": "790cc0fc5a1d9a6d82228f65893ac138"},
        },
        {
            "ruleId": "R4C-CMP-004",
            "ruleIndex": 0,
            "level": "warning",
            "message": {"text": "@a \"<b>\" & '漢' 😀: 100% of\r\nlines ::error:: \x1b]]>, ok\ndecide"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "pagos/a%C3%B1o%20100%25%2Ca%3Ab%23%3F.py", "uriBaseId": root},
                        "region": {"startLine": 3, "startColumn": 5, "endLine": 7, "endColumn": 2},
                    }
                }
            ],
            "partialFingerprints": {"primaryLocationLineHash": "2c19cf6eb123e3810f393dac55ba102e"},
            "relatedLocations": [
                {
                    "id": 1,
                    "physicalLocation": {
                        "artifactLocation": {"uri": "file:///D:/otro/m%C3%B3dulo.py"},
                        "region": {"startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 9},
                    },
                    "message": {"text": "one <source>"},
                },
                {
                    "id": 2,
                    "physicalLocation": {
                        "artifactLocation": {"uri": "acme/users.py", "uriBaseId": root},
                        "region": {"startLine": 1},
                    },
                    "message": {"text": "a file"},
                },
            ],
        },
        {
            "ruleId": "R4C-SRC-001",
            "ruleIndex": 2,
            "level": "error",
            "message": {"text": "cannot be checked: no"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "file:///D:/trabajo/a%20b.py"},
                        "region": {"startLine": 1},
                    }
                }
            ],
            "partialFingerprints": {"primaryLocationLineHash": "48e6c26ac55b4cebc8b6cfaf82a8ed19"},
        },
    ] == run["results"]


def test_sarif_rules() -> None:
    """Those that found something, with short, full and help text."""
    (run,) = sarif(*ALL)["runs"]
    driver = run["tool"]["driver"]
    rules = driver.pop("rules")
    assert {
        "name": "r4c",
        "semanticVersion": __version__,
        "version": __version__,
        "informationUri": "https://resilience4cata.readthedocs.io",
    } == driver
    assert ["R4C-CMP-004", "R4C-FB-002", "R4C-SRC-001"] == [rule["id"] for rule in rules]
    text = page(all_rules()["R4C-FB-002"], "en")
    assert {
        "id": "R4C-FB-002",
        "name": "missing-fallback",
        "shortDescription": {"text": "Missing fallback"},
        "fullDescription": {"text": all_rules()["R4C-FB-002"].why},
        "help": {"text": text, "markdown": text},
        "helpUri": "https://resilience4cata.readthedocs.io/en/rules/R4C-FB-002.html",
        "defaultConfiguration": {"level": "error"},
        "properties": {
            "precision": "very-high",
            "problem.severity": "error",
            "tags": ["resilience", "FB"],
        },
    } == rules[1]


def test_sarif_fixes() -> None:
    """The edits that are offered, each where it is made; what is put in deletes a region without length."""
    source = "from resilience4cata import retry\n\n\n@retry(jitter='full')  # 漢\ndef f(): ...\n"
    fix = Fix(Action.MEMBER, is_safe=True, words=("full",), text="Jitter.FULL")
    found = PLAIN._replace(at=At("a b.py", 4, 15, 4, 21), fix=fix)
    stream = io.StringIO()
    report = Report([found, PLAIN._replace(fix=fix)], 1, sources=Sources({"a b.py": source.encode()}))
    format_named("sarif").render(report, stream, View())
    with_fix, without = valid(stream.getvalue())["runs"][0]["results"]
    replacements = [
        {
            "deletedRegion": {"startLine": 1, "startColumn": 29, "endLine": 1, "endColumn": 29},
            "insertedContent": {"text": "Jitter, "},
        },
        {
            "deletedRegion": {"startLine": 4, "startColumn": 15, "endLine": 4, "endColumn": 21},
            "insertedContent": {"text": "Jitter.FULL"},
        },
    ]
    assert [
        {
            "description": {"text": "write Jitter.FULL for 'full'"},
            "artifactChanges": [
                {
                    "artifactLocation": {"uri": "a%20b.py", "uriBaseId": "%SRCROOT%"},
                    "replacements": replacements,
                }
            ],
            "properties": {"applicability": "safe"},
        }
    ] == with_fix["fixes"]
    assert "fixes" not in without


def test_sarif_is_clean() -> None:
    """Without results there is still a run, which closes the alerts that were open."""
    (run,) = sarif()["runs"]
    assert ([], []) == (run["results"], run["tool"]["driver"]["rules"])


def test_sarif_limits() -> None:
    """GitHub's: 25,000 results and rules, 20 tags, 1,024 characters of description, 1,000 places of a result."""
    many = [PLAIN._replace(severity=Severity.WARNING)] * 10 + [PLAIN] * 25_000
    related = PLAIN._replace(related=(Related(At("a.py", 1), "x"),) * 1_500)
    (run,) = json.loads(render("sarif", *many))["runs"]
    assert (25_000, {"error"}) == (len(run["results"]), {result["level"] for result in run["results"]})
    assert 1_000 == len(sarif(related)["runs"][0]["results"][0]["relatedLocations"])
    findings = [PLAIN._replace(code=code) for code in all_rules()]
    (run,) = sarif(*findings)["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [] == [rule["id"] for rule in rules if len(rule["name"]) > 255 or len(rule["properties"]["tags"]) > 20]
    longest = [max(len(rule[key]["text"]) for rule in rules) for key in ("shortDescription", "fullDescription")]
    assert [True, True] == [length <= 1_024 for length in longest]
    assert [True] * len(rules) == [bool(rule["help"]["text"]) for rule in rules]
