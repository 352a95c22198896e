"""IN: named instances, shared by everything that writes the same name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Final, NamedTuple

from ..config.equality import same
from ..config.layers import SettingKey, applied_with
from ..config.origin import Effective, Layer
from ..config.resolve import SELECTORS, Resolver, active_profiles, sources_known
from ..diagnostics import Action, Context, Fault, Needs, Offer, Related, Severity, rule
from ..facts import (
    Applied,
    At,
    Clash,
    Declaration,
    Element,
    Kind,
    Project,
    Slot,
    Unknown,
    Value,
    Written,
    declarations_in,
)
from ..schema import POLICIES
from .naming import FORM, repaired, well_formed
from .places import named
from .words import all_fail, show, spell, subject

_RESERVED: Final = frozenset({"default"})


class _Use(NamedTuple):
    """An element that uses a named instance of a policy, the place where it says so, and its settings."""

    element: Element
    at: At
    title: str
    settings: Mapping[SettingKey, Effective]

    @property
    def id(self) -> str:
        return self.element.definition.id


@rule("R4C-IN-001", "instance-settings-differ", view=(Project, Clash), needs=Needs.PROJECT)
def instance_settings_differ(view: Project | Clash, context: Context) -> Iterator[Fault]:
    """Everything that writes one name shares one instance, and an instance has one set of settings. If the users
    disagree, which settings counted would depend on who was called first."""
    if isinstance(view, Clash):
        yield _met(view, context.project)
        return
    resolver = Resolver.of(view, active_profiles(view))
    for (policy, name), uses in _uses(view, resolver).items():
        # A class and its methods may have the name from one place.
        first, *others = sorted(uses, key=lambda use: (use.at, use.id))
        for use in others:
            differences = _differences(policy, first, use)
            if differences and _may_coexist(first, use):
                yield _differing(name, use, first, differences)


def _differing(name: str, use: _Use, first: _Use | None, differences: Iterable[str]) -> Fault:
    return Fault(
        use.at,
        f"@{use.title} on {use.id}",
        "instance '{name}' has other settings on {other}: {differences}",
        {
            "name": name,
            "other": first.id if first is not None else "what was called before",
            "differences": "; ".join(differences),
        },
        help="give each its own name, or the same settings",
        related=(Related(first.at, f"'{name}' is also used here"),) if first is not None and first.at.line else (),
    )


def _met(clash: Clash, project: Project) -> Fault:
    """What a running program met."""
    resolver = Resolver.of(project, active_profiles(project))
    ours = resolver.resolve(clash.other)
    theirs = resolver.resolve(clash.first) if clash.first is not None else {}
    # Defaults that follow different neighbours are no difference of their own.
    own = [key for key in clash.different if not (_is_default(key, ours) and _is_default(key, theirs))]
    differences = [_met_difference(clash, key, ours, theirs) for key in own or clash.different]
    if clash.policy:
        use = _use(clash.other, clash.policy, project, ours)
        first = _use(clash.first, clash.policy, project, theirs) if clash.first is not None else None
        return _differing(clash.name, use, first, differences)
    return Fault(
        clash.other_at,
        f'pipeline("{clash.name}")',
        "a pipeline '{name}' exists already, with other settings: {differences}",
        {"name": clash.name, "differences": "; ".join(differences)},
        help="give each its own name, or the same settings",
        related=(Related(clash.first_at, "first made here"),) if clash.first_at.line else (),
    )


def _is_default(key: SettingKey, settings: Mapping[SettingKey, Effective]) -> bool:
    return key in settings and settings[key].origin.layer is Layer.BUILT_IN


def _met_difference(
    clash: Clash, key: SettingKey, ours: Mapping[SettingKey, Effective], theirs: Mapping[SettingKey, Effective]
) -> str:
    policy, attribute = key
    if not attribute:
        return f"{policy} is {'here' if any(policy == own for own, _ in ours) else 'there'} alone"
    title = attribute if clash.policy else f"{policy}.{attribute}"
    here, there = (show(found[key].value) if key in found else "..." for found in (ours, theirs))
    return f"{title} is {here} here and {there} there"


def _use(element: Element, policy: str, project: Project, settings: Mapping[SettingKey, Effective]) -> _Use:
    applied = _applied(element, policy, project)
    at = applied.at if applied is not None else element.definition.at
    return _Use(element, at, _title(applied) if applied is not None else policy, settings)


def _uses(project: Project, resolver: Resolver) -> Mapping[tuple[str, str], list[_Use]]:
    """The elements by policy and instance name."""
    found: dict[tuple[str, str], list[_Use]] = {}
    # Names stand in code alone. Most projects have few of them or none, and resolving everything takes its time.
    policies = (applied.policy for element in project.elements for applied in element.policies)
    if not any(d.writes("name") is not False for policy in policies for d in declarations_in(policy)):
        return found
    taken = {element.definition.id for element in project.elements}
    for element in project.elements:
        if not _stands_for_itself(element, taken):
            continue
        settings = resolver.resolve(element)
        for (policy, attribute), effective in settings.items():
            if attribute == "name" and isinstance(effective.value, str):
                found.setdefault((policy, effective.value), []).append(_use(element, policy, project, settings))
    return found


def _stands_for_itself(element: Element, taken: Iterable[str]) -> bool:
    """Whether anything is called with the element's own settings: a class counts for methods without policies of
    their own."""
    if element.definition.abstract:
        return False
    if element.definition.kind is not Kind.CLASS:
        return True
    methods = element.body.public_methods() if element.body is not None else ()
    return not isinstance(methods, Unknown) and any(method.id not in taken for method in methods)


def _applied(element: Element, policy: str, project: Project) -> Applied | None:
    """The decorator that brings the policy with its name, on the element, its class or a base."""
    classes = (element.body or element.scope).ancestors or (element.scope.id,)
    owners = [e for name in classes for e in project.elements if e.definition.id == name]
    for carrier in (element, *owners):
        applied = applied_with(carrier, lambda d: d.policy == policy and "name" in d.slots)
        applied = applied or applied_with(carrier, lambda d: d.policy == policy)
        if applied is not None:
            return applied
    return None


def _title(applied: Applied) -> str:
    return spell(applied.policy, "name") if isinstance(applied.policy, Declaration) else named(applied)


def _may_coexist(left: _Use, right: _Use) -> bool:
    """Whether both are certainly there at once: not two definitions of one name, nor locals of two functions."""
    local = any("<locals>" in use.id for use in (left, right))
    return left.id != right.id and not (local and left.element.definition.owner != right.element.definition.owner)


def _differences(policy: str, first: _Use, use: _Use) -> list[str]:
    """Every setting that certainly differs, with both values."""
    found = []
    for attribute in POLICIES[policy].attributes.values():
        ours, theirs = use.settings.get((policy, attribute.name)), first.settings.get((policy, attribute.name))
        if ours is None or theirs is None or attribute.name in SELECTORS:
            continue
        # Defaults that follow different neighbours are no difference of their own.
        if ours.origin.layer is theirs.origin.layer is Layer.BUILT_IN:
            continue
        if same(attribute, ours.value, theirs.value) is False:
            found.append(f"{attribute.name} is {show(ours.value)} here and {show(theirs.value)} there")
    return found


@rule("R4C-IN-002", "malformed-instance-name", view=Written)
def malformed_instance_name(written: Written, context: Context) -> Iterator[Fault]:
    """An instance name is part of configuration keys, of environment variables, and of every error and event. `default`
    would be taken for the defaults of all instances."""
    slot = written.declaration.slots.get("name")
    schema = POLICIES.get(written.declaration.policy)
    name = all_fail(slot, _refused) if slot is not None and schema is not None and schema.stateful else None
    if slot is None or name is None:
        return
    suggestions = tuple(other for other in repaired(name) if _refused(other) is None)
    yield Fault(
        slot.at,
        subject(written, "name"),
        "the instance name '{name}' is reserved" if name in _RESERVED else "malformed instance name '{name}'",
        {"name": name},
        suggestions=suggestions,
        expected="" if suggestions or name in _RESERVED else FORM,
    )


# An application imports what it needs; only the linter sees all who could use a name.
_WHOLE: Final = Needs.PROJECT | Needs.SOURCES


@rule(
    "R4C-IN-003",
    "name-of-template",
    view=Project,
    severity=Severity.WARNING,
    needs=_WHOLE | Needs.TEMPLATES,
    fix=Offer(Action.ARGUMENT, is_safe=False),
)
def name_of_template(project: Project, context: Context) -> Iterator[Fault]:
    """`name` says whose state is shared, `config` which template to start from. A name that only a template has, and
    that nobody shares, took the place of the other: the policy runs on defaults."""
    if not (project.closed and sources_known(project)):
        return
    templates = {template.name for template in project.templates}
    tuned = {override.name for override in project.overrides} | {*project.locked}
    for file in project.files:
        tuned.update(key.path[1] for key in file.keys if key.path[:1] == ("instances",) and len(key.path) > 1)
    for name, uses in _writers(project).items():
        if name in templates - tuned and len(uses) == 1:
            (declaration, slot, title) = uses[0]
            if declaration.writes("config") is False:
                yield Fault(
                    slot.at,
                    title,
                    "'{name}' is the name of a template, and nothing else shares an instance of that name",
                    {"name": name},
                    help=f'was config="{name}" meant?',
                    words=("name", "config"),
                )


def _writers(project: Project) -> Mapping[str, list[tuple[Declaration, Slot, str]]]:
    """The declarations that write each name, with the words for them; one in a composed policy counts for its users."""
    found: dict[str, list[tuple[Declaration, Slot, str]]] = {}
    users = Counter(id(a.policy) for element in project.elements for a in element.policies)
    places: set[At] = set()
    direct = ((a.policy, f"on {e.definition.id}") for e in project.elements for a in e.policies)
    within = ((member, f"in {composed.title}") for composed in project.composed for member in composed.members)
    for policy, where in (*direct, *within):
        slot = policy.slots.get("name") if isinstance(policy, Declaration) else None
        if slot is None or not isinstance(policy, Declaration) or not isinstance(slot.value, str) or slot.at in places:
            continue
        places.add(slot.at)
        shared = any(users[id(composed)] > 1 for composed in project.composed if policy in composed.members)
        title = f"{'@' if where.startswith('on ') else ''}{spell(policy, 'name')} {where}"
        found.setdefault(slot.value, []).extend([(policy, slot, title)] * (2 if shared else 1))
    return found


@rule(
    "R4C-IN-004",
    "breaker-of-strangers",
    view=Project,
    severity=Severity.WARNING,
    needs=_WHOLE,
    on_by_default=False,
)
def breaker_of_strangers(project: Project, context: Context) -> Iterator[Fault]:
    """Whoever shares a circuit breaker shares its failures. Functions of different parts of a program that call
    different services shut each other out."""
    for (policy, name), uses in _uses(project, Resolver.of(project, active_profiles(project))).items():
        # A class and its methods may have the name from one place.
        first, *others = sorted(uses, key=lambda use: (use.at, use.id))
        stranger = next((use for use in others if _are_strangers(first, use)), None)
        if policy == "circuit_breaker" and stranger is not None:
            yield Fault(
                stranger.at,
                f"@{stranger.title} on {stranger.id}",
                "the circuit breaker '{name}' also guards {other}, in another part of the code: "
                "the failures of one shut out the other",
                {"name": name, "other": first.id},
                help="give each its own name",
                related=(Related(first.at, f"'{name}' is also used here"),),
            )


def _are_strangers(left: _Use, right: _Use) -> bool:
    """Whether two users are defined in folders of which neither lies in the other."""
    ours, theirs = (PurePath(use.element.definition.at.source).parent for use in (left, right))
    return not (ours.is_relative_to(theirs) or theirs.is_relative_to(ours))


def _refused(value: Value) -> str | None:
    """The value if it is text but cannot be the name of an instance."""
    return value if isinstance(value, str) and (value in _RESERVED or not well_formed(value)) else None
