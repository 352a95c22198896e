"""What may be remembered of a function without knowing what is around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from resilience4cata.diagnostics import FRONT_ENDS, Context
from resilience4cata.facts import Applied, At, Declaration, Definition, Element, Kind, Slot, Value
from resilience4cata.rules import all_rules
from resilience4cata_mypy.judge import LOOKING_AROUND

WRITTEN: Mapping[str, Mapping[str, Value]] = {
    "bulkhead": {"max_concurrent": 2, "max_wait": "10s"},
    "circuit_breaker": {"wait_in_open": "1s", "slow_call_duration": "20s"},
    "fallback": {"method": "other"},
    "rate_limiter": {"limit": 1, "period": "1s", "max_wait": "10s"},
    "retry": {"max_attempts": 1, "delay": "5s", "max_duration": "1s"},
    "timeout": {"value": "10s"},
}


class Untouchable:
    """A scope, or an oracle about types, that nobody may ask for more than which one it is."""

    id = "app.Client"
    is_class = True
    ancestors = ("app.Client", "builtins.object")

    def __getattr__(self, name: str) -> NoReturn:
        raise AssertionError(name)


def applied(line: int, policy: str) -> Applied:
    at = At("app.py", line, 2, line, 20)
    return Applied(Declaration(policy, {name: Slot((value,), at) for name, value in WRITTEN[policy].items()}, at), at)


def test_rules_that_are_remembered_by_policies_look_at_nothing_else() -> None:
    """They are asked no more about functions with equal policies, so nothing else may decide what they find."""
    decorators = tuple(applied(line, policy) for line, policy in enumerate(WRITTEN, 1))
    at = At("app.py", 9, 9, 9, 13)
    definition = Definition("app.Client.find", "find", "app.Client", Kind.METHOD, at, decorators=decorators)
    around: Any = Untouchable()
    element = Element(definition, around)
    context = Context(FRONT_ENDS["mypy"], around)
    usable = [rule for rule in all_rules().values() if rule.needs in context.provides and Element in rule.views]
    remembered = {rule.code: list(rule.check(element, context)) for rule in usable if rule.code not in LOOKING_AROUND}
    assert {"R4C-TB-001", "R4C-OR-005", "R4C-CMP-004"} <= remembered.keys()
    assert remembered["R4C-TB-001"]
