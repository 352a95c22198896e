"""How rules judge effective settings: for each element, under each choice of profiles, and said once.

A rule gives a judge, which looks at what counts for one element under one choice. What is wrong without any profile is
reported as it is; what is wrong under a profile alone names it, at the line of the value that the profile gives. Where
all values come from elsewhere (a template, a class) the elements that have them share one finding.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..config.layers import INHERITED, SettingKey, applied_with
from ..config.origin import Effective, Layer
from ..config.profiles import Choice, Prospects, Settled, choices
from ..config.resolve import active_profiles
from ..diagnostics import Context, Fault, Needs, Related
from ..facts import (
    UNKNOWN,
    Applied,
    At,
    Composed,
    Declaration,
    Element,
    Foreign,
    Key,
    Kind,
    Project,
    Setting,
    Slot,
    Unknown,
    Value,
)
from ..schema import POLICIES
from .places import named
from .words import listed, on, show, spell


class Verdict(NamedTuple):
    """What is wrong: a message, and the settings that decide it, of which the last one written is reported.

    `related` settings belong to the reason and are shown beside, `words` are those that an edit is about.
    """

    message: str
    values: Mapping[str, object]
    deciding: tuple[SettingKey, ...]
    related: tuple[SettingKey, ...] = ()
    help: str = ""
    words: tuple[str, ...] = ()

    @property
    def kind(self) -> object:
        """What stays the same whatever the values are."""
        return self.message, self.deciding


Judge = Callable[[Settled], Iterable[Verdict]]


Plausible = Callable[[Value], bool]
"""Whether a value could be part of what is wrong."""


def effective_faults(
    element: Element,
    context: Context,
    judge: Judge,
    needed: Collection[SettingKey],
    plausible: Plausible = lambda value: True,
) -> Iterator[Fault]:
    """What `judge` finds about an element.

    It is asked only where somebody may have written a `plausible` value for all settings that are `needed`, since most
    elements need not be resolved then.
    """
    bench = context.memo.get(effective_faults)
    if bench is None:
        bench = context.memo[effective_faults] = _Bench(context)
    yield from bench.faults(element, _Question(judge, tuple(needed), plausible))


class _Question(NamedTuple):
    judge: Judge
    needed: tuple[SettingKey, ...]
    plausible: Plausible


@dataclass(frozen=True, slots=True)
class _Given:
    """A value that counts: where it is written, the words for that, and whether that is on the element itself."""

    setting: SettingKey
    effective: Effective
    at: At
    subject: str
    is_on_element: bool
    written_at: At

    @property
    def text(self) -> str:
        policy, attribute = self.setting
        name = policy if attribute in POLICIES[policy].positional else attribute
        return f"{name} is {show(self.effective.value)}"


@dataclass(frozen=True, slots=True)
class _Case:
    """A verdict on one element and the values that it rests on, the one to point at first.

    `profiles` are those without which nothing would be wrong.
    """

    element: Element
    verdict: Verdict
    given: tuple[_Given, ...]
    profiles: Choice

    @property
    def at(self) -> At:
        return self.given[0].at

    @property
    def is_on_element(self) -> bool:
        return self.given[0].is_on_element

    def fault(self, others: Collection[_Case] = ()) -> Fault:
        """The fault, which `others` have as well."""
        first, *rest = self.given
        id = self.element.definition.id
        message, values = self.verdict.message, dict(self.verdict.values)
        related = [Related(first.written_at, first.text)] if first.written_at != first.at else []
        related += [Related(given.written_at, given.text) for given in rest]
        if not self.is_on_element:
            message += ", on {element}"
            values["element"] = f"{id} and {len(others)} more" if others else id
            related.append(Related(_place_on(self.element, first.setting[0]), f"it counts for {id}"))
        if self.profiles:
            message += ", with {profiles}"
            word = "profile" if len(self.profiles) == 1 else "profiles"
            values["profiles"] = f"{word} {listed(self.profiles)}"
        seen = [r for r in dict.fromkeys(related) if r.at.line and r.at != first.at]
        return Fault(
            first.at,
            first.subject,
            message,
            values,
            help=self.verdict.help,
            related=tuple(seen),
            words=self.verdict.words,
        )


class _Bench:
    """Judges all elements of a project at once, since some of their faults are one."""

    def __init__(self, context: Context) -> None:
        self._project = context.project
        self._active = active_profiles(context.project) if Needs.PROCESS in context.provides else None
        self._prospects = Prospects(context.project, self._choices(context))
        self._keys = _keys_by_place(context.project)
        self._outlooks: dict[int, tuple[Element, list[tuple[Choice, Settled]]]] = {}
        self._found: dict[Judge, dict[_Place, list[Fault]]] = {}
        self._elsewhere = _written_elsewhere(context.project)

    def _choices(self, context: Context) -> tuple[Choice, ...]:
        if self._active is not None:
            return tuple(dict.fromkeys(((), self._active)))
        return choices(self._project) if Needs.FILES in context.provides else ((),)

    def faults(self, element: Element, question: _Question) -> Iterable[Fault]:
        """The answers about one element."""
        if question.judge not in self._found:
            everything = sorted(self._project.elements, key=lambda e: e.definition.at)
            self._found[question.judge] = self._judged(everything, question)
        found, place = self._found[question.judge], _place_of(element)
        if place not in found:
            found |= self._judged([element], question)
        return found[place]

    def _judged(self, elements: Iterable[Element], question: _Question) -> dict[_Place, list[Fault]]:
        found: dict[_Place, list[Fault]] = {}
        shared: dict[tuple[At, str, Choice], list[_Case]] = {}
        own: set[tuple[At, str]] = set()
        for element in elements:
            faults = found.setdefault(_place_of(element), [])
            for case in self._cases(element, question.judge) if self._is_worth_asking(element, question) else ():
                if case.is_on_element:
                    own.add((case.at, case.verdict.message))
                    faults.append(case.fault())
                else:
                    shared.setdefault((case.at, case.verdict.message, case.profiles), []).append(case)
        for (at, message, _), (first, *others) in shared.items():
            # What stands on a class is that class's fault, not that of its methods.
            if (at, message) not in own:
                found[_place_of(first.element)].append(first.fault(others))
        return found

    def _is_worth_asking(self, element: Element, question: _Question) -> bool:
        if any(isinstance(d, Foreign) and d.name == INHERITED for d in element.definition.decorators):
            return True
        for setting in question.needed:
            written = (*_values_on(element, setting), *self._elsewhere.get(setting, ()))
            if not any(map(question.plausible, written)):
                return False
        return _is_called(element)

    def _cases(self, element: Element, judge: Judge) -> Iterator[_Case]:
        verdicts = {choice: (settled, list(judge(settled))) for choice, settled in self._outlook(element)}
        kinds = {choice: {verdict.kind for verdict in found} for choice, (_, found) in verdicts.items()}
        seen: set[tuple[object, At]] = set()
        for choice, (settled, found) in verdicts.items():
            for verdict in found:
                is_plain = bool(choice) and verdict.kind in kinds[()]
                if is_plain or (self._active is not None and verdict.kind not in kinds[self._active]):
                    continue
                case = self._case(element, verdict, settled, choice)
                counts = not element.definition.abstract or all(given.is_on_element for given in case.given)
                if counts and (verdict.kind, case.at) not in seen:
                    seen.add((verdict.kind, case.at))
                    yield case

    def _outlook(self, element: Element) -> list[tuple[Choice, Settled]]:
        # Kept together with the element, or another one could get its id.
        if id(element) not in self._outlooks:
            self._outlooks[id(element)] = element, list(self._prospects.of(element))
        return self._outlooks[id(element)][1]

    def _case(self, element: Element, verdict: Verdict, settled: Settled, choice: Choice) -> _Case:
        deciding = [self._given(element, setting, settled, verdict) for setting in verdict.deciding]
        beside = [s for s in verdict.related if settled.values[s].origin.layer is not Layer.BUILT_IN]
        related = [self._given(element, setting, settled, verdict) for setting in beside]
        profiles = tuple(p for p in choice if any(g.effective.origin.profile == p for g in (*deciding, *related)))
        of_profile = [given for given in deciding if given.effective.origin.profile in profiles]
        on_element = [given for given in deciding if given.is_on_element]
        first = max(of_profile or on_element or deciding, key=lambda given: given.at)
        rest = [given for given in (*deciding, *related) if given is not first]
        return _Case(element, verdict, (first, *rest), profiles or choice)

    def _given(self, element: Element, setting: SettingKey, settled: Settled, verdict: Verdict) -> _Given:
        policy, attribute = setting
        effective = settled.values[setting]
        slot = effective.slot
        place = slot.at if slot is not None and slot.at.line else effective.origin.at
        for applied in element.policies:
            if slot is not None and _holds(applied.policy, policy, attribute, slot):
                names = (a for p, a in verdict.deciding if p == policy)
                return _on_element(element, setting, effective, applied, place, names)
        key = self._keys.get(place)
        if key is not None:
            return _Given(setting, effective, key.value_at, key.text, False, key.value_at)
        at = place if place.source else element.definition.at
        return _Given(setting, effective, at, _elsewhere(setting, effective), False, at)


_Place = tuple[str, At]


def _place_of(element: Element) -> _Place:
    return element.definition.id, element.definition.at


def _keys_by_place(project: Project) -> Mapping[At, Key]:
    keys = [key for file in project.files for key in file.keys]
    return {at: key for key in keys for at in (key.at, key.value_at)}


def _written_elsewhere(project: Project) -> Mapping[SettingKey, list[Value]]:
    """All that is written for each setting other than on the element itself."""
    found: dict[SettingKey, list[Value]] = {}
    for file in project.files:
        for key in file.keys:
            if isinstance(key.meaning, Setting):
                found.setdefault((key.meaning.policy, key.meaning.attribute), []).append(key.value)
    inherited = (e for e in project.elements if e.definition.kind is Kind.CLASS or e.definition.abstract)
    policies: list[object] = [applied.policy for element in inherited for applied in element.policies]
    policies += project.defaults
    policies += (declaration for template in project.templates for declaration in template.declarations)
    policies += (declaration for override in project.overrides for declaration in override.declarations)
    for policy in policies:
        for declaration in _declarations(policy):
            for name, slot in declaration.slots.items():
                found.setdefault((declaration.policy, name), []).extend(slot.values)
    return found


def _values_on(element: Element, setting: SettingKey) -> Iterator[Value]:
    policy, attribute = setting
    for applied in element.policies:
        for declaration in _declarations(applied.policy):
            if declaration.policy == policy and attribute in declaration.slots:
                yield from declaration.slots[attribute].values


def _declarations(policy: object) -> Iterator[Declaration]:
    """A policy, or the members of a composed one."""
    if isinstance(policy, Declaration):
        yield policy
    elif isinstance(policy, Composed):
        for member in policy.members:
            yield from _declarations(member)


def _is_called(element: Element) -> bool:
    """Whether anything is called with the element's own settings: those of a class count for methods without any."""
    methods = element.body.public_methods() if element.body is not None else UNKNOWN
    if element.definition.kind is not Kind.CLASS or isinstance(methods, Unknown):
        return True
    return any(not any(isinstance(d, Applied) for d in method.decorators) for method in methods)


def _holds(policy: Declaration | Composed, name: str, attribute: str, slot: Slot) -> bool:
    """Whether a policy, or a member of it, is the one in which a slot is written."""
    if isinstance(policy, Declaration):
        return policy.policy == name and policy.slots.get(attribute) is slot
    members = (member for member in policy.members if isinstance(member, Declaration | Composed))
    return any(_holds(member, name, attribute, slot) for member in members)


def _on_element(
    element: Element, setting: SettingKey, effective: Effective, applied: Applied, place: At, attributes: Iterable[str]
) -> _Given:
    policy, id = applied.policy, element.definition.id
    is_direct = isinstance(policy, Declaration)
    subject = on(policy, id, *attributes) if isinstance(policy, Declaration) else f"@{named(applied)} on {id}"
    at = place if is_direct and policy.at == applied.at else applied.at
    return _Given(setting, effective, at, subject, True, place)


def _place_on(element: Element, policy: str) -> At:
    applied = applied_with(element, lambda declaration: declaration.policy == policy)
    return applied.at if applied is not None else element.definition.at


def _elsewhere(setting: SettingKey, effective: Effective) -> str:
    """The words for a value that code writes in another place."""
    policy, attribute = setting
    origin = effective.origin
    slot = effective.slot or Slot((effective.value,), origin.at)
    spelled = spell(Declaration(policy, {attribute: slot}, origin.at), attribute)
    match origin.layer:
        case Layer.CLASS_DIRECT | Layer.METHOD_DIRECT:
            return f"@{spelled} on {origin.name.rpartition(' on ')[2]}"
        case Layer.TEMPLATE:
            return f'{spelled} in config("{origin.name}")'
        case Layer.DEFAULTS:
            return f"{spelled} in defaults(...)"
        case Layer.OVERRIDE:
            return f'{spelled} in instance("{origin.name}")'
        case Layer.RECONFIGURED:
            return f'{spelled} in reconfigure("{origin.name}")'
    return f'{spelled} in resilience_policy("{origin.name}")'
