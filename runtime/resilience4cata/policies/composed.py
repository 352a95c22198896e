"""Policies that belong together under one name."""

from __future__ import annotations

import sys
from typing import Any

from .declaration import Decorator, Policy, Site


class ComposedPolicy(Decorator):
    """Several policies applied as one: `external_call = resilience_policy("external-call", retry(), timeout("2s"))`.

    `name` is the key of the whole family in configuration (`external-call/timeout/value=3s`), `members` are policies
    and composed policies in the order they were written. Nothing is checked here: `build()` reports every mistake at
    once.
    """

    def __init__(self, name: str, *members: Policy | ComposedPolicy) -> None:
        frame: Any = sys._getframe(1)
        self.name = name
        self.members = members
        self.site = Site(frame.f_code, frame.f_lasti)

    def _without_target(self) -> str:
        # The words of R4C-CMP-008.
        return f'resilience_policy("{self.name}"): a composed policy is applied without parentheses; remove ()'

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposedPolicy) and (self.name, self.members) == (other.name, other.members)

    def __hash__(self) -> int:
        return hash((self.name, self.members))

    def __repr__(self) -> str:
        return f"resilience_policy({', '.join(map(repr, (self.name, *self.members)))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return ComposedPolicy, (self.name, *self.members)


resilience_policy = ComposedPolicy
