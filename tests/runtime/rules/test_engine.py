"""The engine: which rules run, and which findings make others pointless."""

from __future__ import annotations

from resilience4cata.diagnostics import FRONT_ENDS, Context, Needs
from resilience4cata.facts import Applied, At, Definition, Element, Foreign, Kind, Parameter, ParameterKind, Signature
from resilience4cata.rules import all_rules, check, find_rule, views_of
from tests.runtime.rules.build import declaration
from tests.runtime.rules.test_composition import NoScope


def element(*decorators: Applied | Foreign, kind: Kind = Kind.FUNCTION) -> Element:
    signature = Signature((Parameter("id", ParameterKind.POSITIONAL_OR_KEYWORD),))
    return Element(
        Definition("app.f", "f", "app", kind, At("app.py", 9, 5), signature, decorators=decorators), NoScope()
    )


def applied(policy: str, line: int, **values: str | int) -> Applied:
    made = declaration(policy, values, line)
    return Applied(made, made.at)


def codes(subject: Element, front_end: str = "lint") -> list[str]:
    return [f.rule.code for f in check(views_of(subject), Context(FRONT_ENDS[front_end]))]


def test_findings_come_in_the_order_of_their_places() -> None:
    assert ["R4C-VA-001", "R4C-DU-001"] == codes(element(applied("retry", 1, max_attempts=0, delay="2 s")))


def test_a_place_error_silences_everything_else_on_the_element() -> None:
    above = applied("retry", 1, max_attempts=0)
    assert ["R4C-LOC-001"] == codes(element(above, Foreign("builtins.property", At("app.py", 2, 6))))


def test_a_rule_only_runs_where_its_needs_are_met() -> None:
    text = element(applied("retry", 1, max_attempts="3"))
    assert ["R4C-VA-003"] == codes(text, "lint")
    assert [] == codes(text, "mypy")


def test_a_policy_from_elsewhere_is_checked_where_it_is_defined() -> None:
    shared = declaration("retry", {"max_attempts": 0}, line=3)
    assert [] == codes(element(Applied(shared, At("app.py", 8, 2))))


def test_rules_are_found_by_code_and_by_name() -> None:
    wanted = all_rules()["R4C-FB-002"]
    spellings = ("R4C-FB-002", "r4c-fb-002", "fb-002", " missing-fallback ")
    assert [wanted] * 4 == [find_rule(spelling) for spelling in spellings]
    assert find_rule("R4C-FB-999") is None


def test_every_rule_can_be_reported_by_somebody_and_says_why() -> None:
    assert [] == [code for code, rule in all_rules().items() if not rule.reported_by or not rule.why]


def test_needs_are_provided_by_at_least_one_front_end() -> None:
    everything = FRONT_ENDS["lint"] | FRONT_ENDS["mypy"] | FRONT_ENDS["build"]
    assert [] == [need for need in Needs if need not in everything]
