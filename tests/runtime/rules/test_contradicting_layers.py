"""Contradictions over several layers as running programs judge them: in the words of the linter, for what is active."""

from __future__ import annotations

import pytest

from resilience4cata import rules
from resilience4cata.diagnostics import FRONT_ENDS, Context
from resilience4cata.facts import Element, NoTypes
from tests.runtime.config.making import files, function, policy, project
from tests.runtime.rules.build import ref

TOML = """\
[resilience4cata.configs.x]
circuit-breaker.window-size = 50
retry.max-delay = "1m"
[resilience4cata.profiles.prod.configs.x]
circuit-breaker.window-size = 5
retry.max-delay = "1s"
"""
BREAKER = function("app.f", policy("circuit_breaker", config="x", minimum_calls=20))
RETRY = function("app.f", policy("retry", config="x", delay="3s"))
PROD = '[resilience4cata.profiles]\nactive = "prod"\n'
NO_CALLS = "minimum_calls 20 is more than window_size 5: the window never holds that many calls"
CUT = "delay 3s is more than max_delay 1s: the first wait would already be cut"


def _found(front_end: str, element: Element, toml: str) -> list[str]:
    around = project(element, sources=files(a_toml=toml))
    context = Context(FRONT_ENDS[front_end], NoTypes(), around)
    return [f"{f.rule.code} {f.diagnostic().message}" for f in rules.check([element], context)]


@pytest.mark.parametrize(("element", "message"), [(BREAKER, NO_CALLS), (RETRY, CUT)], ids=["breaker", "retry"])
def test_only_active_profiles_count_in_a_program(element: Element, message: str) -> None:
    """The linter judges each profile and `build()` the active one, in the same words; mypy judges none."""
    expected = [f"R4C-VA-004 {message}, on app.f, with profile 'prod'"]
    assert expected == _found("lint", element, TOML)
    assert expected == _found("build", element, TOML + PROD)
    assert [] == _found("build", element, TOML)
    assert [] == _found("mypy", element, TOML)


@pytest.mark.parametrize("front_end", ["lint", "mypy", "build"])
def test_lists_of_class_and_method(front_end: str) -> None:
    """All front ends compare a list of code with that of a template."""
    element = function("app.f", policy("retry", config="x", retry_on=ref(KeyError)))
    toml = '[resilience4cata.configs.x]\nretry.abort-on = "builtins.{}"\n'
    same = "R4C-CL-001 KeyError is in 'retry_on' and in 'abort_on', which is asked first"
    base = "R4C-CL-004 KeyError in 'retry_on' can never match: 'abort_on' names its base LookupError, "
    assert [same] == _found(front_end, element, toml.format("KeyError"))
    assert [f"{base}and nothing else is listed"] == _found(front_end, element, toml.format("LookupError"))
    assert [] == _found(front_end, element, toml.format("ValueError"))
