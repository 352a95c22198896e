"""The rule core: every rule, discovered from the modules of this package, and the engine that runs them.

A rule module holds one family; its rules are the module's `Rule` objects. Nothing has to be listed anywhere.
"""

from __future__ import annotations

import pkgutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module

from ..diagnostics import Context, Finding, Needs, Rule, Severity, in_order
from ..facts import Applied, Declaration, Element, Written


@cache
def all_rules() -> Mapping[str, Rule]:
    """Every rule by its code, in the order of codes."""
    found: dict[str, Rule] = {}
    for module in pkgutil.iter_modules(__path__):
        for value in vars(import_module(f"{__name__}.{module.name}")).values():
            if isinstance(value, Rule) and found.setdefault(value.code, value) is not value:
                msg = f"two rules have the code {value.code}"
                raise RuntimeError(msg)
    return dict(sorted(found.items()))


@cache
def _rules_by_view() -> Mapping[type, tuple[Rule, ...]]:
    by_view: defaultdict[type, list[Rule]] = defaultdict(list)
    for rule in all_rules().values():
        for view in rule.views:
            by_view[view].append(rule)
    return {view: tuple(rules) for view, rules in by_view.items()}


def find_rule(code_or_name: str) -> Rule | None:
    """A rule by its code ("R4C-FB-002", also "fb-2") or name ("missing-fallback")."""
    wanted = code_or_name.strip().lower()
    rules = all_rules()
    return rules.get(full_code(wanted)) or next((r for r in rules.values() if r.name == wanted), None)


def full_code(text: str) -> str:
    """A code as it is printed: "R4C-FB-002" for "FB-002" and "fb-2". Other texts only get the prefix."""
    short = text.strip().upper().removeprefix("R4C-")
    family, dash, number = short.partition("-")
    return f"R4C-{family}{dash}{number.zfill(3) if number.isdecimal() else number}"


def check(views: Iterable[object], context: Context) -> list[Finding]:
    """Run every rule over the views it looks at, as far as the context provides what it needs.

    Returns findings in order of place, without those that a place error on the same element makes pointless and those
    that another finding on the same spot subsumes.
    """
    return that_count(all_findings(views, context))


def that_count(findings: list[Finding]) -> list[Finding]:
    """What is left of `all_findings`, as `check` returns it."""
    return list(in_order(_without_subsumed(findings)))


def all_findings(views: Iterable[object], context: Context, codes: frozenset[str] | None = None) -> list[Finding]:
    """What each rule by itself finds; with `codes`, only these are asked."""
    rules = _usable_rules(context.provides.value, codes)
    found: list[Finding] = []
    for view in views:
        asked = rules.get(type(view), ())
        element = _element_of(view) if asked else ""
        for rule in asked:
            faults = rule.check(view, context)
            found += [f if isinstance(f, Finding) else Finding(rule, f, element) for f in faults]
    return found


@cache
def _usable_rules(provides: int, codes: frozenset[str] | None) -> Mapping[type, tuple[Rule, ...]]:
    """The rules by view whose needs are met. By number, since flags are slow to compare and a check asks very often."""
    provided = Needs(provides)
    return {
        view: tuple(r for r in rules if r.needs in provided and (codes is None or r.code in codes))
        for view, rules in _rules_by_view().items()
    }


def _element_of(view: object) -> str:
    if isinstance(view, Element):
        return view.definition.id
    return view.element if isinstance(view, Written) else ""


def _without_subsumed(findings: list[Finding]) -> Iterator[Finding]:
    # A definition may stand twice under one id (an override in a branch), so the spot is part of the key.
    silenced = {f.element for f in findings if f.rule.silences_element and f.severity is Severity.ERROR and f.element}
    subsumed = {(code, f.element, f.fault.at) for f in findings for code in f.rule.subsumes}
    for finding in findings:
        if finding.element in silenced and not finding.rule.silences_element:
            continue
        if (finding.rule.code, finding.element, finding.fault.at) not in subsumed:
            yield finding


def views_of(element: Element) -> Iterator[object]:
    """The views that an element gives: itself, and each policy written directly on it."""
    yield element
    yield from written_on(element.definition.id, element.policies)


def written_on(element: str, policies: Iterable[Applied]) -> Iterator[Written]:
    """The views of those policies that are written on the element itself, which is given by its id."""
    for applied in policies:
        policy = applied.policy
        # What is defined elsewhere (a composed policy, a policy in a variable) is checked there, not wherever it is
        # used.
        if isinstance(policy, Declaration) and policy.at == applied.at:
            yield Written(policy, element=element)
