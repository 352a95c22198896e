"""Guarded functions together with their bodies, for rules that compare what a policy does with what is inside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..config.instances import guarded_by
from ..config.layers import SettingKey, applied_with
from ..config.origin import Effective
from ..config.resolve import Resolver, active_profiles
from ..diagnostics import Context, Fault, Finding, Severity
from ..facts import UNKNOWN, Applied, At, Body, Definition, Element, Project, Ref, Value, entries
from ..records import dataclass
from .places import named


@dataclass(frozen=True, slots=True)
class Guarded:
    """A function with the settings that count for it; `body` is what it does."""

    element: Element
    settings: Mapping[SettingKey, Effective]
    body: Body

    @property
    def definition(self) -> Definition:
        return self.element.definition

    @property
    def id(self) -> str:
        return self.definition.id

    def has(self, policy: str) -> bool:
        """Whether the policy is declared, and not switched off for certain."""
        return (policy, "enabled") in self.settings and self.value(policy, "enabled") is not False

    def value(self, policy: str, attribute: str) -> Value:
        """The value that counts as far as known sources tell, UNKNOWN also where the policy is not declared."""
        found = self.settings.get((policy, attribute))
        return UNKNOWN if found is None else found.as_known

    def types(self, policy: str, attribute: str) -> tuple[Ref, ...] | None:
        """The exception types of a list, None unless all of them are known."""
        values = entries(self.value(policy, attribute))
        known = tuple(value for value in values if isinstance(value, Ref) and value.ancestors is not None)
        return known if len(known) == len(values) else None

    def applied(self, policy: str) -> Applied | None:
        """The decorator on the function itself that brings the policy; None where it is one of its class."""
        return applied_with(self.element, lambda declaration: declaration.policy == policy)

    def at(self, policy: str) -> At:
        """Where the policy comes from, as near to the function as it is written."""
        applied = self.applied(policy)
        return applied.at if applied is not None else self.definition.at

    def subject(self, policy: str) -> str:
        """`@retry() on acme.payments.charge`."""
        applied = self.applied(policy)
        return f"@{named(applied) if applied is not None else f'{policy}()'} on {self.id}"


def guarded_bodies(context: Context) -> tuple[Guarded, ...]:
    """The guarded functions of a project whose bodies can be looked into, each body once."""
    found: tuple[Guarded, ...] | None = context.memo.get(guarded_bodies)
    if found is None:
        found = context.memo[guarded_bodies] = tuple(_guarded_bodies(context.project, context))
    return found


def guarded_by_place(context: Context) -> Mapping[At, Guarded]:
    """The same, by where their names stand."""
    found: Mapping[At, Guarded] | None = context.memo.get(guarded_by_place)
    if found is None:
        found = context.memo[guarded_by_place] = {each.definition.at: each for each in guarded_bodies(context)}
    return found


def _guarded_bodies(project: Project, context: Context) -> Iterator[Guarded]:
    resolver = Resolver.of(project, active_profiles(project))
    seen: set[At] = set()
    for element, source in guarded_by(project):
        at = element.definition.at
        body = context.oracle.body(element.definition) if at not in seen else None
        if body is not None and not is_misplaced(element, context) and not is_misplaced(source, context):
            seen.add(at)
            yield Guarded(element, resolver.resolve(element), body)


def is_misplaced(element: Element, context: Context) -> bool:
    """Whether the policies of an element do not guard its body: that of a generator, or as a place error says."""
    known: dict[int, tuple[Element, bool]] = context.memo.setdefault(is_misplaced, {})
    if id(element) not in known:
        # Kept together with the element, or another one could get its id.
        known[id(element)] = element, bool(element.definition.yields) or _has_place_error(element, context)
    return known[id(element)][1]


def _has_place_error(element: Element, context: Context) -> bool:
    # Imported late: the engine discovers this module.
    from . import all_rules

    places = (r for r in all_rules().values() if r.silences_element and r.needs in context.provides)
    return any(
        Finding(rule, fault).severity is Severity.ERROR
        for rule in places
        for fault in rule.check(element, context)
        if isinstance(fault, Fault)
    )
