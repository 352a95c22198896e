"""Judging effective settings where programs run, and where types are checked: other choices, other knowledge."""

from __future__ import annotations

import pytest

from resilience4cata import rules
from resilience4cata.diagnostics import FRONT_ENDS, Context
from resilience4cata.facts import Element, NoTypes
from tests.runtime.config.making import files, function, method, policy, project

TOML = """\
[resilience4cata.configs.x]
retry.max-duration = "10s"
[resilience4cata.profiles.prod.configs.x]
retry.max-duration = "1s"
[resilience4cata.profiles.test.configs.x]
retry.max-duration = "2s"
"""


def found(front_end: str, element: Element, toml: str = "", *, in_project: bool = True) -> list[str]:
    """Place and message of what a front end reports about one element."""
    around = project(*((element,) if in_project else ()), sources=files(a_toml=toml))
    context = Context(FRONT_ENDS[front_end], NoTypes(), around)
    diagnostics = [f.diagnostic() for f in rules.check([element], context) if f.rule.on_by_default]
    return [f"{d.place} {d.message}" for d in diagnostics]


CALL = function("app.f", policy("timeout", value="3s"), policy("retry", config="x"))
SAYS = (
    "timeout 3s is not shorter than max_duration {}: "
    "one attempt may use up the time of all, on app.f, with profile '{}'"
)


@pytest.mark.parametrize(
    ("active", "lines"),
    [
        ("", []),
        ("prod", [f"a.toml:4:22 {SAYS.format('1s', 'prod')}"]),
        ("test", [f"a.toml:6:22 {SAYS.format('2s', 'test')}"]),
    ],
)
def test_running_program_knows_its_profiles(active: str, lines: list[str]) -> None:
    """`build()` judges the profiles that are active, and no others."""
    toml = f'{TOML}[resilience4cata.profiles]\nactive = "{active}"\n' if active else TOML
    assert lines == found("build", CALL, toml)


def test_linter_judges_all_profiles() -> None:
    """The linter judges each of them, and calls those that are wrong by name."""
    expected = [f"a.toml:4:22 {SAYS.format('1s', 'prod')}", f"a.toml:6:22 {SAYS.format('2s', 'test')}"]
    assert expected == found("lint", CALL, TOML)


def test_repaired_by_the_active_profile() -> None:
    """What an active profile repairs is no fault of the program that runs."""
    repaired = '[resilience4cata.configs.x]\nretry.max-duration = "1s"\n[resilience4cata.profiles]\nactive = "prod"\n'
    repaired += '[resilience4cata.profiles.prod.configs.x]\nretry.max-duration = "9s"\n'
    assert [] == found("build", CALL, repaired)
    assert 1 == len(found("lint", CALL, repaired))


def test_type_checker_judges_no_profile() -> None:
    """The plugin reports nothing in files, so that it leaves profiles to others."""
    assert [] == found("mypy", CALL, TOML, in_project=False)


WRONG = (policy("timeout", value="3s"), policy("retry", line=2, max_duration="2s"))


def test_element_outside_of_the_project() -> None:
    """An element that is judged by itself needs not be in the project."""
    expected = [
        "app.py:2:10 timeout 3s is not shorter than max_duration 2s: one attempt may use up the time of all",
    ]
    assert expected == found("mypy", function("app.f", *WRONG), in_project=False)


def test_classes_that_nobody_knows() -> None:
    """What is written on a method counts whatever its class says; what is not written may come from there."""
    known = method("app.C.m", *WRONG)
    partly = method("app.C.m", policy("circuit_breaker", half_open_max_wait="0"))
    unknown = [Element(e.definition, e.scope, classes_known=False) for e in (known, partly)]
    assert [1, 1] == [len(found("mypy", e, in_project=False)) for e in (known, partly)]
    assert [1, 0] == [len(found("mypy", e, in_project=False)) for e in unknown]


def test_abstract_method_is_judged_by_what_stands_on_it() -> None:
    """What its class gives may be otherwise in the class that implements it."""
    both = method("app.C.m", *WRONG, abstract=True)
    assert 1 == len(found("build", both))
