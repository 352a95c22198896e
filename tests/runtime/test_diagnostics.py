"""Findings in words: the one form for every front end."""

from __future__ import annotations

import json
import pickle

from resilience4cata.diagnostics import (
    FRONT_ENDS,
    Action,
    Diagnostic,
    Fault,
    Finding,
    Fix,
    Needs,
    Offer,
    Related,
    Severity,
    rule,
)
from resilience4cata.errors import DefinitionError
from resilience4cata.facts import At, Written
from resilience4cata.records import replace

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


def offered(offer: Action | Offer | None, **parts: object) -> Fix | None:
    """The edit that a rule offers for a fault."""
    fault = Fault(AT, "", "wrong", **parts)  # type: ignore[arg-type]
    return Finding(replace(made_up, fix=Offer(offer) if isinstance(offer, Action) else offer), fault).diagnostic().fix


def test_an_edit_is_safe_where_the_suggestion_is_certain() -> None:
    """One letter away, or equal but for case and separators, and nothing else as near."""
    cases = {
        ("find_fallbak", "find_fallback"): True,
        ("FindFallback", "find_fallback"): True,
        ("fnd_fallbak", "find_fallback"): False,
        ("catalog", "catalogue"): False,
    }
    found = {
        words: offered(Action.WRITE, words=words[:1], suggestions=words[1:], rivals=["find_fallback", "other"])
        for words in cases
    }
    assert {words: fix.is_safe for words, fix in found.items() if fix is not None} == cases
    rivalled = offered(Action.WRITE, words=("retr",), suggestions=("retry",), rivals=("retry", "retro"))
    assert rivalled == Fix(Action.WRITE, is_safe=False, words=("retr",), text="retry")


def test_a_rule_or_a_fault_may_say_whether_an_edit_is_safe() -> None:
    """The fault knows most, then the rule."""
    words = {"words": ("60000ms",), "suggestions": ("1m",)}
    assert offered(Action.WRITE, **words) == Fix(Action.WRITE, is_safe=False, words=("60000ms",), text="1m")
    assert offered(Offer(Action.WRITE, is_safe=True), **words) == Fix(
        Action.WRITE, is_safe=True, words=("60000ms",), text="1m"
    )
    assert offered(Offer(Action.CALL, is_safe=True), certain=False) == Fix(Action.CALL, is_safe=False)


def test_no_edit_where_nobody_knows_which() -> None:
    """No rule that offers one, nothing to write, or two things."""
    assert offered(None, words=("a",), suggestions=("b",)) is None
    assert offered(Action.WRITE, words=("5",), suggestions=("5s", "5ms")) is None
    assert offered(Action.WRITE, words=("a",)) is None
    assert offered(Action.ARGUMENT, words=("a",)) is None
    assert offered(Action.WRITE, suggestions=("b",)) is None


def test_what_an_edit_does_is_said() -> None:
    """In lower case, like messages, and nothing that steers a terminal."""
    said = {
        fix.title
        for fix in (
            offered(Action.WRITE, words=("a\x1b",), suggestions=("b",)),
            offered(Offer(Action.ARGUMENT, is_safe=False), words=("name", "config")),
            offered(Offer(Action.DROP_LAYERS, is_safe=False), words=("HEDGE", "RETRY")),
            offered(Offer(Action.DROP_ARGUMENT, is_safe=False), words=("{delay}",)),
        )
        if fix is not None
    }
    assert said == {
        "write 'b' for 'a\\x1b'",
        "name the argument 'config', not 'name'",
        "remove HEDGE, RETRY",
        "remove '{delay}'",
    }
