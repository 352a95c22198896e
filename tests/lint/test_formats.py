"""The formats for services: GitHub, GitLab, SARIF, JUnit; exact, and held against the schemas of their formats."""

import io
import json
import os
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import xmlschema

from resilience4cata._version import __version__
from resilience4cata.diagnostics import Diagnostic, Related, Severity
from resilience4cata.facts import At
from resilience4cata.rules import all_rules
from resilience4cata_lint.engine import Report
from resilience4cata_lint.output import FORMATS, View, format_named
from resilience4cata_lint.output.places import in_repository, uri
from resilience4cata_lint.pages import page

SCHEMAS = Path(__file__).parents[2] / "fixtures" / "schemas"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The top of a repository."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


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


# ---------------------------------------------------------------- github


def test_github() -> None:
    """Commands with everything special escaped; columns only within one line."""
    assert (
        "::error file=acme/users.py,line=12,endLine=12,col=6,endColumn=37,title=R4C-FB-002 (missing-fallback)::"
        "@fallback(method=\"find_fallbak\") on acme.users.UserClient.find: no method named 'find_fallbak' found"
        "%0Adid you mean 'find_fallback'?%0Aexpected: def find_fallbak(self, id: str[, error: Exception]) -> User"
        "%0Ahttps://resilience4cata.readthedocs.io/en/rules/R4C-FB-002.html\n"
        "::warning file=pagos/año 100%25%2Ca%3Ab#?.py,line=3,endLine=7,title=R4C-CMP-004 (policies-disagree)::"
        "@a \"<b>\" & '漢' 😀: 100%25 of%0D%0Alines ::error:: \x1b]]>, ok%0Adecide"
        "%0AD:/otro/módulo.py:2:3: one <source>%0Aacme/users.py: a file"
        "%0Ahttps://resilience4cata.readthedocs.io/en/rules/R4C-CMP-004.html\n"
        "::error file=D%3A/trabajo/a b.py,title=R4C-SRC-001 (unreadable-source)::cannot be checked: no"
        "%0Ahttps://resilience4cata.readthedocs.io/en/rules/R4C-SRC-001.html\n"
        "Found 2 errors and 1 warning in 3 files (checked 3 files)\n"
    ) == render("github", *ALL)


def test_github_is_clean() -> None:
    assert "All checks passed.\n" == render("github")


def test_github_statistics() -> None:
    """They are for those who read the log."""
    lines = render("github", PLAIN, statistics=True).splitlines()
    assert ["1  R4C-FB-002  missing-fallback", "Found 1 error in 1 file (checked 3 files)"] == lines[1:]


def test_github_limits() -> None:
    """Titles have at most 255 characters, messages 64 KB."""
    (line, _) = render("github", PLAIN._replace(name="n" * 500, message="漢" * 50_000)).splitlines()
    found = re.fullmatch(r"::error .*,title=(.*?)::(.*)", line)
    assert found is not None
    assert (255, True) == (len(found[1]), 65_533 <= len(found[2].encode()) <= 65_536)


# ---------------------------------------------------------------- gitlab


def test_gitlab() -> None:
    """The code stands in the description, since the widget shows nothing else."""
    expected = [
        {
            "description": 'R4C-FB-002: @fallback(method="find_fallbak") on acme.users.UserClient.find: '
            "no method named 'find_fallbak' found; did you mean 'find_fallback'?",
            "check_name": "R4C-FB-002",
            "fingerprint": "790cc0fc5a1d9a6d82228f65893ac138",
            "severity": "major",
            "location": {
                "path": "acme/users.py",
                "positions": {"begin": {"line": 12, "column": 6}, "end": {"line": 12, "column": 37}},
            },
        },
        {
            "description": "R4C-CMP-004: @a \"<b>\" & '漢' 😀: 100% of lines ::error:: \x1b]]>, ok; decide",
            "check_name": "R4C-CMP-004",
            "fingerprint": "2c19cf6eb123e3810f393dac55ba102e",
            "severity": "minor",
            "location": {
                "path": "pagos/año 100%,a:b#?.py",
                "positions": {"begin": {"line": 3, "column": 5}, "end": {"line": 7, "column": 2}},
            },
        },
        {
            "description": "R4C-SRC-001: cannot be checked: no",
            "check_name": "R4C-SRC-001",
            "fingerprint": "48e6c26ac55b4cebc8b6cfaf82a8ed19",
            "severity": "major",
            "location": {
                "path": "D:/trabajo/a b.py",
                "positions": {"begin": {"line": 1, "column": 1}, "end": {"line": 1, "column": 1}},
            },
        },
    ]
    found = render("gitlab", *ALL)
    assert (True, expected) == (found.isascii() and found.endswith("]\n"), json.loads(found))


def test_gitlab_is_clean() -> None:
    assert "[]\n" == render("gitlab")


def test_fingerprints() -> None:
    """Each is unique; lines and columns do not count, path, code, subject and message do."""
    moved = PLAIN._replace(at=At("acme/users.py", 99, 1, 99, 2))
    others = [
        PLAIN._replace(at=At("acme/others.py", 12, 6, 12, 37)),
        PLAIN._replace(code="R4C-FB-003"),
        PLAIN._replace(subject="other"),
        PLAIN._replace(message="other"),
    ]
    found = [issue["fingerprint"] for issue in json.loads(render("gitlab", PLAIN, moved, *others))]
    assert (found[0] + "-2", len(found)) == (found[1], len(set(found)))
    numbered = [PLAIN._replace(message=f"given in a.py:{line}:1 and on line {line}") for line in (3, 4)]
    first, second = (json.loads(render("gitlab", each))[0]["fingerprint"] for each in numbered)
    assert first == second


# ---------------------------------------------------------------- sarif


def sarif(*diagnostics: Diagnostic) -> Any:
    """The log as GitHub would read it, valid by the schema."""
    text = render("sarif", *diagnostics)
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


# ---------------------------------------------------------------- junit


def junit(*diagnostics: Diagnostic) -> str:
    """The document, valid by the schema."""
    text = render("junit", *diagnostics)
    xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd").validate(text)
    return text


def test_junit() -> None:
    """A suite for each file, a test that failed for each finding."""
    assert """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="r4c" tests="4" failures="4" errors="0">
  <testsuite name="acme/users.py" tests="2" failures="2" errors="0" file="acme/users.py">
    <testcase name='R4C-FB-002 @fallback(method="find_fallbak") on acme.users.UserClient.find' \
classname="acme/users.py">
      <failure type="R4C-FB-002" message="acme/users.py:12:6: no method named 'find_fallbak' found">\
acme/users.py:12:6: error: [R4C-FB-002] @fallback(method="find_fallbak") on acme.users.UserClient.find:
    no method named 'find_fallbak' found
    did you mean 'find_fallback'?
    expected: def find_fallbak(self, id: str[, error: Exception]) -&gt; User
    https://resilience4cata.readthedocs.io/en/rules/R4C-FB-002.html</failure>
    </testcase>
    <testcase name='R4C-FB-002 @fallback(method="find_fallbak") on acme.users.UserClient.find (2)' \
classname="acme/users.py">
      <failure type="R4C-FB-002" message="acme/users.py:12:6: again">\
acme/users.py:12:6: error: [R4C-FB-002] @fallback(method="find_fallbak") on acme.users.UserClient.find:
    again
    https://resilience4cata.readthedocs.io/en/rules/R4C-FB-002.html</failure>
    </testcase>
  </testsuite>
  <testsuite name="pagos/a&#241;o 100%,a:b#?.py" tests="1" failures="1" errors="0" file="pagos/a&#241;o 100%,a:b#?.py">
    <testcase name="R4C-CMP-004 @a &quot;&lt;b&gt;&quot; &amp; '&#28450;' &#128512;" \
classname="pagos/a&#241;o 100%,a:b#?.py">
      <failure type="R4C-CMP-004" message="pagos/a&#241;o 100%,a:b#?.py:3:5: 100% of&#13;&#10;lines ::error:: \
&#65533;]]&gt;, ok">pagos/a&#241;o 100%,a:b#?.py:3:5: warning: [R4C-CMP-004] @a "&lt;b&gt;" &amp; '&#28450;' &#128512;:
    100% of&#13;
lines ::error:: &#65533;]]&gt;, ok
    decide
    D:/otro/m&#243;dulo.py:2:3: one &lt;source&gt;
    acme/users.py: a file
    https://resilience4cata.readthedocs.io/en/rules/R4C-CMP-004.html</failure>
    </testcase>
  </testsuite>
  <testsuite name="D:/trabajo/a b.py" tests="1" failures="1" errors="0" file="D:/trabajo/a b.py">
    <testcase name="R4C-SRC-001 unreadable-source" classname="D:/trabajo/a b.py">
      <failure type="R4C-SRC-001" message="D:/trabajo/a b.py: cannot be checked: no">\
D:/trabajo/a b.py: error: [R4C-SRC-001]
    cannot be checked: no
    https://resilience4cata.readthedocs.io/en/rules/R4C-SRC-001.html</failure>
    </testcase>
  </testsuite>
</testsuites>
""" == junit(PLAIN, PLAIN._replace(message="again", suggestions=(), expected=""), UNUSUAL, NO_PLACE)


def test_junit_is_clean() -> None:
    """One test that passed: services take a report without tests for a broken one."""
    assert """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="r4c" tests="1" failures="0" errors="0">
  <testsuite name="r4c" tests="1" failures="0" errors="0">
    <testcase name="no findings" classname="r4c"/>
  </testsuite>
</testsuites>
""" == junit()


def test_junit_of_what_xml_cannot_hold() -> None:
    """Characters that XML forbids are replaced, also those of names of files in no encoding."""
    text = junit(PLAIN._replace(at=At("a\udcff.py", 1, 1), message="\0\x0b\ufffe"))
    assert ("a&#65533;.py", True) == (text[text.index('file="') + 6 : text.index('">\n    <testcase')], text.isascii())


# ---------------------------------------------------------------- paths


def test_from_a_folder_of_the_repository(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shown paths count from the working folder, those of reports from the top of the repository."""
    (here / "services" / "users").mkdir(parents=True)
    monkeypatch.chdir("services/users")
    path_of = in_repository()
    shown = ["a.py", "../b.py", "../../c.py", "../../../d.py", str(here / "e.py"), "C:/f.py"]
    outside = (here.parent / "d.py").as_posix()
    assert ["services/users/a.py", "services/b.py", "c.py", outside, "e.py", "C:/f.py"] == list(map(path_of, shown))


def test_without_a_repository(here: Path) -> None:
    """Then they count from the working folder."""
    (here / ".git").rmdir()
    assert ["a/b.py", (here.parent / "c.py").as_posix()] == list(map(in_repository(), ["a/b.py", "../c.py"]))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/b.py", "a/b.py"),
        ("a b/ñ.py", "a%20b/%C3%B1.py"),
        ("a:b.py", "a%3Ab.py"),
        ("a\\b.py", "a%5Cb.py"),
        ("a\udcff.py", "a%FF.py"),
        ("/tmp/a b.py", "file:///tmp/a%20b.py"),
        ("C:/a b/c.py", "file:///C:/a%20b/c.py"),
        ("~/%41[1].py", "~/%2541%5B1%5D.py"),
    ],
)
def test_uri(path: str, expected: str) -> None:
    """Percent-encoded in UTF-8; whole paths with their scheme."""
    assert expected == uri(path)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_from_the_command_line(name: str, here: Path) -> None:
    """Written to a file in UTF-8, whatever the encoding of the terminal is."""
    from resilience4cata_lint.cli import main

    source = 'from resilience4cata import timeout\n\n\n@timeout("2 s")\ndef año(ñ: int) -> None: ...\n'
    (here / "año.py").write_text(source, encoding="utf-8")
    code = main(["check", "--format", name, "--output-file", "report"])
    text = (here / "report").read_text(encoding="utf-8")
    assert (1, True) == (code, "R4C-DU-001" in text and text.endswith("\n"))
    assert os.linesep == "\n" or b"\r" not in (here / "report").read_bytes()
