"""What counts for one element, as far as it can be told without running anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from resilience4cata.config.description import BELOW_LAYERS, DescribedSetting, Description, description_of, in_words
from resilience4cata.config.layers import SettingKey, writes_of
from resilience4cata.config.origin import Effective, Given, Origin
from resilience4cata.config.profiles import Choice
from resilience4cata.config.resolve import SELECTORS, Resolver
from resilience4cata.diagnostics import Diagnostic, printable
from resilience4cata.facts import NOWHERE, UNKNOWN, Application, At, Definition, Element, Ref, entries
from resilience4cata.records import dataclass, field, replace
from resilience4cata.rules.places import named
from resilience4cata.rules.words import show

from .remarks import UNKNOWN_WORD, Remarks
from .targets import Target, place_of


class Outlook(NamedTuple):
    """The choices of profiles to look at, the main one first, and where that one is made (NOWHERE: on demand)."""

    choices: Sequence[Choice]
    at: At = NOWHERE


class Fallback(NamedTuple):
    """What is written in an attribute of `fallback`, and the function that it leads to."""

    attribute: str
    written: str
    to: Definition


@dataclass(frozen=True, slots=True)
class Described:
    """A target with what counts under the first of `choices`, and under each of the others if that differs.

    `methods` of a class are those that are guarded. `unseen` are
    places of policies that nobody can see.
    `activated_at` is where the profiles of the first choice are activated. `notes` are sentences in the language of
    `remarks`.
    """

    target: Target
    choices: tuple[tuple[Choice, Description], ...]
    fallbacks: tuple[Fallback, ...]
    methods: tuple[Description, ...]
    findings: tuple[Diagnostic, ...]
    unseen: tuple[Origin, ...]
    activated_at: At
    remarks: Remarks = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def main(self) -> Description:
        return self.choices[0][1]

    @property
    def is_bare(self) -> bool:
        """Whether nothing guards it, as far as can be seen."""
        return not self.main.layers and not self.methods and not self.unseen

    def heading(self) -> str:
        """The profiles under which the main description counts; nothing for none."""
        choice = self.choices[0][0]
        place = f" ({place_of(self.activated_at)})" if self.activated_at.line else ""
        return f"{self.remarks.with_profiles(choice)}{place}" if choice else ""

    def below(self) -> Mapping[SettingKey, Sequence[str]]:
        """What stands below each setting: where a fallback goes to, and what counts under other profiles."""
        found: dict[SettingKey, list[str]] = {BELOW_LAYERS: [heading] if (heading := self.heading()) else []}
        for attribute, _, to in self.fallbacks:
            found.setdefault(("fallback", attribute), []).append(f"-> {to.id} ({place_of(to.at)})")
        for choice, description in self.choices[1:]:
            words = self.remarks.with_profiles(choice)
            if description.way_in != self.main.way_in:
                found[BELOW_LAYERS].append(f"{words}: {description.way_in}")
            for key, setting in differences(self.main, description):
                found.setdefault(key, []).append(f"{words}: {setting}")
        return found

    def lines(self) -> Iterator[str]:
        """The plain text."""
        head = self.main.lines(self.below()) if self.main.layers else (self.main.id,)
        yield from map(printable, (*head, *self.tail()))

    def tail(self) -> Iterator[str]:
        """What comes after the settings: the guarded methods of a class, and notes."""
        if self.is_bare:
            yield f"  {self.remarks.text('bare')}"
        if self.methods:
            yield f"  {self.remarks.text('methods')}"
            yield from (f"    {method.id}: {method.way_in}" for method in self.methods)
        yield from (f"{self.remarks.text('note')}: {note}" for note in self.notes)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, fit for JSON: the description as `Description.as_dict` gives it, and what is known besides."""
        definition = self.target.element.definition
        return {
            **self.main.as_dict(),
            "name": definition.id,
            "kind": definition.kind.value,
            "path": definition.at.source,
            "line": definition.at.line,
            "profiles": [*self.choices[0][0]],
            "other_profiles": [
                {"profiles": [*choice], **description.as_dict()}
                for choice, description in self.choices[1:]
                if description.way_in != self.main.way_in or any(differences(self.main, description))
            ],
            "fallbacks": [
                {"attribute": attribute, "written": written, "name": to.id, "path": to.at.source, "line": to.at.line}
                for attribute, written, to in self.fallbacks
            ],
            "methods": [method.id for method in self.methods],
            "findings": [finding.as_dict() for finding in self.findings],
            "notes": [*self.notes],
        }


def differences(main: Description, other: Description) -> Iterator[tuple[SettingKey, DescribedSetting]]:
    """The settings of another description that are not those of the main one."""
    known = _by_key(main)
    for key, setting in _by_key(other).items():
        before = known.get(key)
        if before is None or str(before) != str(setting):
            yield key, setting


def _by_key(description: Description) -> Mapping[SettingKey, DescribedSetting]:
    return {(setting.policy, setting.attribute): setting for setting in description.settings}


def described(
    target: Target, outlook: Outlook, diagnostics: Iterable[Diagnostic], remarks: Remarks, *, known: bool
) -> Described:
    """All about a target. `known` tells whether all sources of templates are."""
    plain = target.part.instances.resolver
    resolvers = [Resolver(plain.around, choice, plain.locked) for choice in outlook.choices]
    always = _said_somewhere(target.element, resolvers)
    found = [(r.profiles, description_of(target.element, r, _shown, remarks.reason, always)) for r in resolvers]
    methods = tuple(description_of(method, resolvers[0], _shown) for method in _methods(target))
    concerning = tuple(_concerning(target, resolvers, diagnostics))
    fallbacks = tuple(_fallbacks(target, resolvers[0]))
    writes = writes_of(target.element, plain.around)
    unseen = tuple(write.given.origin for write in writes if not write.policy and write.given is not None)
    made = Described(target, tuple(found), fallbacks, methods, concerning, unseen, outlook.at, remarks)
    return replace(made, notes=tuple(_notes(made, resolvers[0], known=known)))


def _shown(given: Effective | Given) -> str:
    if given.value is UNKNOWN:
        return UNKNOWN_WORD
    try:
        return in_words(given.value)
    except ValueError:
        # A running program has no such value, since it was refused: a length of less than nothing.
        return show(given.value)


def _said_somewhere(element: Element, resolvers: Sequence[Resolver]) -> frozenset[SettingKey]:
    """Settings that have a value under one choice at least."""
    found = [resolver.resolve(element) for resolver in resolvers]
    return frozenset(key for effective in found for key, value in effective.items() if value.value is not None)


def _methods(target: Target) -> Iterator[Element]:
    """The guarded methods that a class has, its own and inherited ones."""
    scope = target.element.body
    for name in scope.names() if scope is not None else ():
        assert scope is not None
        found = scope.lookup(name)
        if isinstance(found, Definition):
            elements = target.part.instances.elements
            several = elements.get(f"{scope.id}#{name}") or elements.get(f"{found.owner}#{found.name}") or ()
            yield from several[-1:]


def _fallbacks(target: Target, resolver: Resolver) -> Iterator[Fallback]:
    """Where the fallback goes to: methods by name, or a function of the project that handles the failure."""
    element, oracle = target.element, target.part.context.oracle
    effective = resolver.resolve(element)
    scope = element.body if element.body is not None else element.scope
    for attribute in ("method", "handler"):
        value = effective[key].value if (key := ("fallback", attribute)) in effective else None
        for item in entries(value):
            found = scope.lookup(item) if isinstance(item, str) else None
            if isinstance(item, Ref):
                found = oracle.definition(item)
            if isinstance(found, Definition) and found.at.line:
                yield Fallback(attribute, in_words(item), found)


def _concerning(
    target: Target, resolvers: Sequence[Resolver], diagnostics: Iterable[Diagnostic]
) -> Iterator[Diagnostic]:
    """The findings at the element, at its decorators, at whatever gives it a value, and those that name it."""
    element = target.element
    places = [element.definition.at, *(decorator.at for decorator in element.definition.decorators)]
    for resolver in resolvers:
        for effective in resolver.resolve(element).values():
            places += [effective.origin.at, *(given.origin.at for given in effective.shadowed)]
    for finding in diagnostics:
        names = f"{finding.subject} {finding.message}".replace(",", " ").replace(":", " ").split()
        if element.definition.id in names or any(_is_at(finding.at, place) for place in places):
            yield finding


def _is_at(at: At, place: At) -> bool:
    return at.source == place.source and 0 < place.line <= at.line <= max(place.line, place.end_line)


def _notes(made: Described, resolver: Resolver, *, known: bool) -> Iterator[str]:
    remarks, target = made.remarks, made.target
    element = target.element
    if target.inherited_as:
        yield remarks.text("inherited", name=target.inherited_as, owner=element.definition.owner)
    for origin in made.unseen:
        yield remarks.text("unseen", origin=origin.text)
    for view in target.part.views:
        if isinstance(view, Application) and view.target == element.definition.id and not view.function:
            yield remarks.text("applied", policy=named(view.applied), place=place_of(view.applied.at))
    for (policy, attribute), effective in resolver.resolve(element).items():
        if attribute == SELECTORS[0] and effective.value is UNKNOWN:
            yield remarks.text("instance", policy=policy)
    if not known and made.main.layers:
        yield remarks.text("sources")
    if made.findings:
        codes = ", ".join(dict.fromkeys(finding.code for finding in made.findings))
        path = made.findings[0].at.source
        key = "finding" if len(made.findings) == 1 else "findings"
        yield remarks.text(key, count=len(made.findings), codes=codes, path=path)
