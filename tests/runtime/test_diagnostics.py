"""Findings in words: the one form for every front end."""

from __future__ import annotations

import json
import pickle

from resilience4cata.diagnostics import FRONT_ENDS, Diagnostic, Fault, Finding, Needs, Related, Severity, rule
from resilience4cata.errors import DefinitionError
from resilience4cata.facts import At, Written

AT = At("acme/users.py", 12, 6, 12, 38)


@rule("R4C-XX-001", "made-up", view=Written, needs=Needs.KINDS)
def made_up(written: Written, context: object) -> tuple[Fault, ...]:
    """Because it is
    there."""
    return ()


def diagnostic(**parts: object) -> Diagnostic:
    fault = Fault(
        AT,
        '@fallback(method="find_fallbak") on acme.users.UserClient.find',
        "no method named '{name}' found",
        {"name": "find_fallbak"},
        **parts,  # type: ignore[arg-type]
    )
    return Finding(made_up, fault).diagnostic()


def test_the_full_text_has_a_line_for_each_thing() -> None:
    found = diagnostic(
        suggestions=("find_fallback",),
        expected="def find_fallbak(self, id: str[, error: Exception]) -> User",
        related=(Related(At("acme/base.py", 3), "defined here"),),
    )
    assert found.text == (
        'acme/users.py:12:6: error: [R4C-XX-001] @fallback(method="find_fallbak") on acme.users.UserClient.find:\n'
        "    no method named 'find_fallbak' found\n"
        "    did you mean 'find_fallback'?\n"
        "    expected: def find_fallbak(self, id: str[, error: Exception]) -> User\n"
        "    acme/base.py:3: defined here"
    )


def test_the_line_holds_what_to_do_and_the_notes_the_rest() -> None:
    found = diagnostic(suggestions=("5s", "5ms"), expected="a duration")
    assert found.line == (
        '@fallback(method="find_fallbak") on acme.users.UserClient.find: '
        "no method named 'find_fallbak' found; did you mean '5s' or '5ms'?"
    )
    assert found.notes == ("expected: a duration",)


def test_help_takes_the_place_of_a_suggestion() -> None:
    assert diagnostic(help="call it {name}").suggestion == "call it find_fallbak"
    assert diagnostic(suggestions=("a",), help="or not").suggestion == "did you mean 'a'?"
    assert diagnostic().suggestion == ""


def test_json_has_flat_places_and_no_empty_text() -> None:
    shown = json.loads(json.dumps(diagnostic(suggestions=("a",)).as_dict()))
    assert shown == {
        "code": "R4C-XX-001",
        "name": "made-up",
        "severity": "error",
        "path": "acme/users.py",
        "line": 12,
        "column": 6,
        "end_line": 12,
        "end_column": 38,
        "subject": '@fallback(method="find_fallbak") on acme.users.UserClient.find',
        "message": "no method named 'find_fallbak' found",
        "suggestion": "did you mean 'a'?",
        "suggestions": ["a"],
        "expected": None,
        "related": [],
        "url": "https://resilience4cata.readthedocs.io/en/rules/R4C-XX-001.html",
    }


def test_a_rule_says_who_reports_it_and_why() -> None:
    assert made_up.reported_by == ("lint", "build")
    assert made_up.why == "Because it is there."
    assert made_up.family == "XX"
    assert made_up.severity is Severity.ERROR


def test_what_a_front_end_provides_is_what_the_design_says() -> None:
    assert [name for name, needs in FRONT_ENDS.items() if Needs.PROJECT in needs] == ["lint", "build"]
    assert [name for name, needs in FRONT_ENDS.items() if Needs.TYPES in needs] == ["mypy", "build"]


def test_diagnostics_travel_with_their_error() -> None:
    error = DefinitionError("1 error", [diagnostic()])
    assert pickle.loads(pickle.dumps(error)).diagnostics == (diagnostic(),)


def test_what_steers_a_terminal_is_escaped() -> None:
    """Names and paths may hold anything; a report of them neither moves the cursor nor hides what stands around it."""
    fault = Fault(At("a\n\u202eb.py", 1, 2), "on \x1b[31m", "no '{name}'", {"name": "a\x1b]8;;x\x07\u202e漢é"})
    found = Finding(made_up, fault).diagnostic()
    assert "a\\n\\u202eb.py:1:2: error: [R4C-XX-001] on \\x1b[31m:\n    no 'a\\x1b]8;;x\\x07\\u202e漢é'" == found.text
    assert "a\n\u202eb.py" == found.as_dict()["path"]
