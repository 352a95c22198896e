"""How rules judge effective settings: for each element, under each choice of profiles, and said once.

A rule gives a judge, which looks at what counts for one element under one choice. What is wrong without any profile is
reported as it is; what is wrong under a profile alone names it, at the line of the value that the profile gives. Where
all values come from elsewhere (a template, a class) the elements that have them share one finding. A class stands for
its methods, but for those that are tuned one by one. What is wrong with a composed policy, whoever uses it, is reported
where that is made; so is, where the whole project is known, what rests on it and goes wrong for several that use it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from ..config.instances import guarded_by
from ..config.layers import INHERITED, SettingKey, with_bases
from ..config.origin import Layer
from ..config.profiles import Choice, Prospects, Settled, choices
from ..config.resolve import active_profiles, element_id
from ..diagnostics import Context, Fault, Needs
from ..facts import (
    UNKNOWN,
    Applied,
    At,
    Composed,
    Element,
    Foreign,
    Key,
    Kind,
    Project,
    Setting,
    Unknown,
    Value,
    declarations_in,
)
from .alone import Alone
from .cases import Case, Given, Verdict, are_together, given_on, words_of
from .gathering import Gathered, Place, place_of
from .guarding import is_misplaced

Judge = Callable[[Settled], Iterable[Verdict]]


Plausible = Callable[[Value], bool]
"""Whether a value could be part of what is wrong."""


def effective_faults(
    view: Element | Composed,
    context: Context,
    judge: Judge,
    needed: Collection[SettingKey],
    plausible: Plausible = lambda value: True,
    *,
    of_composed: bool = False,
    apart: bool = False,
) -> Iterator[Fault]:
    """What `judge` finds about an element, or about a composed policy by itself.

    It is asked only where somebody may have written a `plausible` value for all settings that are `needed`, since most
    elements need not be resolved then. `of_composed` tells that the rule looks at composed policies, too, so that what
    is wrong with one of them is nothing new on an element. It must rest on what is there, never on what is missing:
    whoever uses a composed policy may bring that. `apart` tells that what is wrong with one call or table alone is said
    by other means.
    """
    bench = context.memo.get(effective_faults)
    if bench is None:
        bench = context.memo[effective_faults] = _Bench(context)
    question = _Question(judge, tuple(needed), plausible, of_composed, apart)
    if isinstance(view, Composed):
        yield from (case.fault() for case in bench.flaws(view, question))
    else:
        yield from bench.faults(view, question)


class _Question(NamedTuple):
    judge: Judge
    needed: tuple[SettingKey, ...]
    plausible: Plausible
    of_composed: bool
    apart: bool


class _Bench:
    """Judges all elements of a project at once, since some of their faults are one."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._project = context.project
        self._active = active_profiles(context.project) if Needs.PROCESS in context.provides else None
        self._prospects = Prospects(context.project, self._choices(context))
        self._keys = _keys_by_place(context.project)
        self._outlooks: dict[int, tuple[Element, list[tuple[Choice, Settled]]]] = {}
        self._found: dict[Judge, dict[Place, list[Fault]]] = {}
        self._elsewhere = _written_elsewhere(context.project)
        self._written = {*self._elsewhere, *_written_on(context.project.elements)}
        self._flaws: dict[tuple[Judge, int], tuple[Composed, list[Case]]] = {}
        self._tuned = tuple(_tuned_alone(context.project))

    def _choices(self, context: Context) -> tuple[Choice, ...]:
        if self._active is not None:
            return tuple(dict.fromkeys(((), self._active)))
        return choices(self._project) if Needs.FILES in context.provides else ((),)

    def faults(self, element: Element, question: _Question) -> Iterable[Fault]:
        """The answers about one element."""
        missing = {setting for setting in question.needed if setting not in self._written}
        if missing and not missing.issubset(_written_on([element])):
            return ()
        if question.judge not in self._found:
            everything = sorted(self._project.elements, key=lambda e: e.definition.at)
            self._found[question.judge] = dict(self._judged(everything, question, self._tuned))
        found, place = self._found[question.judge], place_of(element)
        if place not in found:
            found |= self._judged([element], question)
        return found[place]

    def flaws(self, composed: Composed, question: _Question) -> list[Case]:
        """The answers about a composed policy that hold whoever uses it, but for those about one of its members."""
        key = question.judge, id(composed)
        if key not in self._flaws:
            # Kept together, as below.
            self._flaws[key] = composed, list(self._own_flaws(composed, question))
        return self._flaws[key][1]

    def _own_flaws(self, composed: Composed, question: _Question) -> Iterator[Case]:
        alone = Alone.of(composed)
        if self._is_worth_asking(alone, question):
            within = [flaw for m in composed.members if isinstance(m, Composed) for flaw in self.flaws(m, question)]
            for case in self._cases(alone, question):
                # What files and templates say alone is told once in any case.
                if any(given.is_on_element for given in case.deciding) and not any(map(case.is_same, within)):
                    yield case

    def _is_flaw(self, case: Case, question: _Question) -> bool:
        """Whether the fault is one of a composed policy, and told there."""
        elements = with_bases(case.element, self._prospects.around)
        applied = (applied.policy for element in elements for applied in element.policies)
        composed = (policy for policy in applied if isinstance(policy, Composed))
        return any(case.is_same(flaw) for policy in composed for flaw in self._all_flaws(policy, question))

    def _all_flaws(self, composed: Composed, question: _Question) -> Iterator[Case]:
        yield from self.flaws(composed, question)
        for member in composed.members:
            if isinstance(member, Composed):
                yield from self._all_flaws(member, question)

    def _judged(
        self, elements: Iterable[Element], question: _Question, tuned: Iterable[tuple[Element, Element]] = ()
    ) -> Mapping[Place, list[Fault]]:
        gathered = Gathered(by_composed=not question.of_composed and Needs.PROJECT in self._context.provides)
        for element in elements:
            gathered.judged(element)
            for case in self._cases_of(element, question):
                gathered.add(case, element)
        for element, source in tuned:
            for case in self._cases_of_tuned(element, source, question):
                gathered.add(case, source)
        return gathered.faults()

    def _cases_of(self, element: Element, question: _Question) -> Iterator[Case]:
        for case in self._cases(element, question) if self._is_worth_asking(element, question) else ():
            # Elements share what they are told, so that one in a wrong place must not speak for others.
            if is_misplaced(element, self._context):
                return
            if not (question.of_composed and self._is_flaw(case, question)):
                yield case

    def _cases_of_tuned(self, element: Element, source: Element, question: _Question) -> Iterator[Case]:
        """What is wrong with a method by what tunes it alone, and not with what it has its policies from."""
        tuned = [case for case in self._cases_of(element, question) if any(map(_is_of_one, case.given))]
        known = list(self._cases(source, question)) if tuned else []
        return (case for case in tuned if not any(map(case.is_same, known)))

    def _is_worth_asking(self, element: Element, question: _Question) -> bool:
        if any(isinstance(d, Foreign) and d.name == INHERITED for d in element.definition.decorators):
            return True
        if question.apart and not self._may_be_apart(element, question):
            return False
        for setting in question.needed:
            written = (*_values_on(element, setting), *self._elsewhere.get(setting, ()))
            if not any(map(question.plausible, written)):
                return False
        return _is_called(element)

    def _may_be_apart(self, element: Element, question: _Question) -> bool:
        """Whether the values may come from different places, as far as that can be told without resolving them."""
        if any(setting in self._elsewhere for setting in question.needed):
            return True
        written = (declaration.slots for applied in element.policies for declaration in declarations_in(applied.policy))
        ours = [{attribute in slots for _, attribute in question.needed} for slots in written]
        return any(len(kinds) > 1 for kinds in ours)

    def _cases(self, element: Element, question: _Question) -> Iterator[Case]:
        verdicts = {choice: (settled, list(question.judge(settled))) for choice, settled in self._outlook(element)}
        kinds = {choice: {verdict.kind for verdict in found} for choice, (_, found) in verdicts.items()}
        seen: set[tuple[object, At]] = set()
        for choice, (settled, found) in verdicts.items():
            for verdict in found:
                is_plain = bool(choice) and verdict.kind in kinds[()]
                if is_plain or (self._active is not None and verdict.kind not in kinds[self._active]):
                    continue
                case = self._case(element, verdict, settled, choice)
                counts = not element.definition.abstract or all(given.is_on_element for given in case.given)
                is_told = question.apart and are_together(case.deciding, self._keys)
                if counts and not is_told and (verdict.kind, case.at) not in seen:
                    seen.add((verdict.kind, case.at))
                    yield case

    def _outlook(self, element: Element) -> list[tuple[Choice, Settled]]:
        # Kept together with the element, or another one could get its id.
        if id(element) not in self._outlooks:
            self._outlooks[id(element)] = element, list(self._prospects.of(element))
        return self._outlooks[id(element)][1]

    def _case(self, element: Element, verdict: Verdict, settled: Settled, choice: Choice) -> Case:
        deciding = [self._given(element, setting, settled, verdict) for setting in verdict.deciding]
        beside = [s for s in verdict.related if settled.values[s].origin.layer is not Layer.BUILT_IN]
        related = [self._given(element, setting, settled, verdict) for setting in beside]
        profiles = tuple(p for p in choice if any(g.effective.origin.profile == p for g in (*deciding, *related)))
        of_profile = [given for given in deciding if given.effective.origin.profile in profiles]
        on_element = [given for given in deciding if given.is_on_element]
        first = max(of_profile or on_element or deciding, key=lambda given: given.at)
        rest = [given for given in (*deciding, *related) if given is not first]
        return Case(element, verdict, (first, *rest), profiles or choice, tuple(deciding))

    def _given(self, element: Element, setting: SettingKey, settled: Settled, verdict: Verdict) -> Given:
        policy, attribute = setting
        effective = settled.values[setting]
        slot = effective.slot
        place = slot.at if slot is not None and slot.at.line else effective.origin.at
        for applied in element.policies:
            written = (d for d in declarations_in(applied.policy) if d.policy == policy)
            declaration = next((d for d in written if slot is not None and d.slots.get(attribute) is slot), None)
            if declaration is not None:
                names = tuple(a for p, a in verdict.deciding if p == policy)
                if isinstance(element, Alone):
                    return Given(setting, effective, *element.place(declaration, place, names), True, place)
                return given_on(element, setting, effective, applied, place, names)
        key = self._keys.get(place)
        if key is not None:
            return Given(setting, effective, key.value_at, key.text, False, key.value_at)
        at = place if place.source else element.definition.at
        return Given(setting, effective, at, words_of(setting, effective), False, at)


def _tuned_alone(project: Project) -> Iterator[tuple[Element, Element]]:
    """The methods without policies of their own that keys or code tune, each with what it has its policies from.

    Keys of a class count for its methods; those of a class that writes no policies tune what it inherits.
    """
    keys = [key.meaning for file in project.files for key in file.keys if isinstance(key.meaning, Setting)]
    instances = {meaning.name for meaning in keys if meaning.kind == "instance"}
    instances.update(override.name for override in project.overrides)
    families = {meaning.name for meaning in keys if meaning.kind == "family"}
    if instances or families:
        for element, source in guarded_by(project):
            if element is not source and (element_id(element) in instances or element.scope.id in families):
                yield element, source


def _is_of_one(given: Given) -> bool:
    """Whether a value is that of one instance or of one class, rather than of all that have a policy."""
    return given.effective.origin.layer in (Layer.CLASS_KEY, Layer.INSTANCE, Layer.OVERRIDE, Layer.RECONFIGURED)


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
    inherited = (e for e in project.elements if e.definition.kind is Kind.CLASS or e.definition.is_contract)
    policies: list[object] = [applied.policy for element in inherited for applied in element.policies]
    policies += project.defaults
    policies += (declaration for template in project.templates for declaration in template.declarations)
    policies += (declaration for override in project.overrides for declaration in override.declarations)
    for policy in policies:
        for declaration in declarations_in(policy):
            for name, slot in declaration.slots.items():
                found.setdefault((declaration.policy, name), []).extend(slot.values)
    return found


def _written_on(elements: Iterable[Element]) -> Iterator[SettingKey]:
    for element in elements:
        for applied in element.policies:
            for declaration in declarations_in(applied.policy):
                for name in declaration.slots:
                    yield declaration.policy, name


def _values_on(element: Element, setting: SettingKey) -> Iterator[Value]:
    policy, attribute = setting
    for applied in element.policies:
        for declaration in declarations_in(applied.policy):
            if declaration.policy == policy and attribute in declaration.slots:
                yield from declaration.slots[attribute].values


def _is_called(element: Element) -> bool:
    """Whether anything is called with the element's own settings: those of a class count for methods without any."""
    methods = element.body.public_methods() if element.body is not None else UNKNOWN
    if element.definition.kind is not Kind.CLASS or isinstance(methods, Unknown):
        return True
    return any(not any(isinstance(d, Applied) for d in method.decorators) for method in methods)
