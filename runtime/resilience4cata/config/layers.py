"""What stands on an element itself: layers 5 to 7, as writes from the weakest to the strongest.

Composed policies, their family keys, what is written directly, class level before method level; bases before
subclasses. A write of UNKNOWN to every attribute says that something unseen may stand there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ..facts import (
    UNKNOWN,
    Applied,
    Composed,
    Declaration,
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
from ..records import dataclass, replace
from .origin import Doubt, Given, Layer, Origin, unknown

SettingKey = tuple[str, str]
"""Policy and attribute."""

UNGUARDED: Final = "resilience4cata.unguarded"
INHERITED: Final = "resilience4cata.inherit_policies"


class Write(NamedTuple):
    """One value for one attribute; `attribute` "" stands for all of the policy, `policy` "" for all policies.

    `given` is None where the policy is declared and nothing more is said.
    """

    policy: str
    attribute: str
    given: Given | None


class _Level(NamedTuple):
    composed: Layer
    family: Layer
    direct: Layer


_CLASS: Final = _Level(Layer.CLASS_COMPOSED, Layer.CLASS_FAMILY, Layer.CLASS_DIRECT)
_METHOD: Final = _Level(Layer.METHOD_COMPOSED, Layer.METHOD_FAMILY, Layer.METHOD_DIRECT)


KeyOwner = tuple[str, str, str, str | None]
"""What a key sets an attribute of: kind and name as in `Setting`, policy and profile."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What elements are resolved against, indexed once for a project: elements by id, keys by what they set."""

    project: Project
    elements: Mapping[str, Element]
    keys: Mapping[KeyOwner, Sequence[tuple[str, Key]]]
    families: Mapping[str, Sequence[tuple[Setting, Key]]]

    @classmethod
    def of(cls, project: Project) -> Surroundings:
        keys: defaultdict[KeyOwner, list[tuple[str, Key]]] = defaultdict(list)
        families: defaultdict[str, list[tuple[Setting, Key]]] = defaultdict(list)
        for file in project.files:
            for key in file.keys:
                meaning = key.meaning
                if isinstance(meaning, Setting):
                    owner = (meaning.kind, meaning.name, meaning.policy, meaning.profile)
                    keys[owner].append((meaning.attribute, key))
                    if meaning.kind == "family":
                        families[meaning.name].append((meaning, key))
        elements: dict[str, Element] = {}
        for element in project.elements:
            elements.setdefault(element.definition.id, element)
        return cls(project, elements, dict(keys), dict(families))


def writes_of(element: Element, around: Surroundings) -> list[Write]:
    """What layers 5 to 7 write for an element; for a class, what its undecorated public methods get."""
    writes: list[Write] = []
    if not element.classes_known:
        writes.append(_anything(Origin(Layer.CLASS_DIRECT, "an unknown class")))
    if element.definition.kind is Kind.CLASS:
        return [*writes, *_class_level(element, element.body.ancestors if element.body else None, around)]
    if element.scope.is_class:
        if _guarded_by_class(element):
            writes += _class_level(around.elements.get(element.scope.id), element.scope.ancestors, around)
        if not element.definition.accessor:
            # Under the name of a property stands what its getter overrides.
            writes += _inherited(element, around)
    return [*writes, *_on(element, _METHOD, around)]


def _guarded_by_class(element: Element) -> bool:
    foreign = {d.name for d in element.definition.decorators if isinstance(d, Foreign)}
    return not element.definition.name.startswith("_") and UNGUARDED not in foreign


def _class_level(own: Element | None, ancestors: tuple[str, ...] | None, around: Surroundings) -> Iterator[Write]:
    if ancestors is None:
        yield _anything(Origin(Layer.CLASS_DIRECT, "an unknown base class"))
        ancestors = (own.definition.id,) if own is not None else ()
    declared: set[str] = set()
    for name in reversed(ancestors):
        # An element that is looked at by itself is in no project.
        itself = own if own is not None and own.definition.id == name else None
        element = around.elements.get(name, itself)
        if element is not None:
            for write in _on(element, _CLASS, around):
                declared.add(write.policy)
                yield write
    # Also keys of a class that writes no policies: it has those that it inherits.
    for name in reversed(ancestors):
        yield from _keys(name, Layer.CLASS_KEY, declared, around)


def _inherited(element: Element, around: Surroundings) -> Iterator[Write]:
    """Policies of the definitions that this one implements, or takes over explicitly."""
    ancestors = element.scope.ancestors
    takes_over = any(isinstance(d, Foreign) and d.name == INHERITED for d in element.definition.decorators)
    if ancestors is None:
        if takes_over:
            yield _anything(Origin(Layer.METHOD_DIRECT, "an unknown base class"))
        return
    overridden = [around.elements.get(f"{base}.{element.definition.name}") for base in reversed(ancestors[1:])]
    for base in overridden:
        if base is not None and (base.definition.is_contract or takes_over):
            yield from _on(base, _METHOD, around)


def _on(element: Element, level: _Level, around: Surroundings) -> Iterator[Write]:
    """Composed policies, their family keys, then what is written directly."""
    definition = element.definition
    if not definition.decorators_known:
        yield _anything(Origin(level.direct, f"a decorator on {definition.id}", definition.at))
    composed = [a.policy for a in element.policies if isinstance(a.policy, Composed)]
    yield from _merged([_flat(policy, level, around) for policy in composed])
    for applied in element.policies:
        if isinstance(applied.policy, Declaration):
            yield from _direct(
                applied.policy, Origin(level.direct, f"@{applied.policy.policy} on {definition.id}", applied.at)
            )


def with_bases(element: Element, around: Surroundings) -> Iterator[Element]:
    """The element, and the known ones whose policies it may have as well: classes around it, and what it overrides."""
    yield element
    is_class = element.definition.kind is Kind.CLASS
    scope = element.body if is_class else element.scope
    if scope is not None and scope.is_class:
        for base in scope.ancestors or (scope.id,):
            for id in (base,) if is_class else (base, f"{base}.{element.definition.name}"):
                if id in around.elements:
                    yield around.elements[id]


def _direct(declaration: Declaration, origin: Origin) -> Iterator[Write]:
    """A declaration's slots; a policy that writes nothing is still declared."""
    yield Write(declaration.policy, "", None if declaration.closed else unknown(origin, Doubt.OPTIONS))
    for name, slot in declaration.slots.items():
        at = slot.at if slot.at.line else origin.at
        value = slot.value if slot.certain else UNKNOWN
        yield Write(declaration.policy, name, Given(value, replace(origin, at=at), slot))


def _flat(composed: Composed, level: _Level, around: Surroundings) -> list[Write]:
    """A composed policy: what its members bring, beaten by what it writes itself, beaten by the keys of its family."""
    name = composed.name.value
    title = name if isinstance(name, str) else "..."
    origin = Origin(level.composed, title, composed.at)
    writes = _merged([_flat(m, level, around) for m in composed.members if isinstance(m, Composed)])
    if not composed.closed or any(isinstance(member, Unknown) for member in composed.members):
        writes.insert(0, _anything(origin, Doubt.MEMBERS))
    for member in composed.members:
        if isinstance(member, Declaration):
            writes += _direct(member, origin)
    declared = {write.policy for write in writes}
    if isinstance(name, str):
        writes += _keys(name, level.family, declared, around)
    elif any(around.families):
        writes += (Write(policy, "", unknown(origin, Doubt.NAME)) for policy in declared if policy)
    return writes


def _merged(several: list[list[Write]]) -> list[Write]:
    """Composed policies side by side: an attribute that two of them write differently is not known (R4C-CMP-004)."""
    if len(several) < 2:
        return [write for writes in several for write in writes]
    merged = [write for writes in several for write in writes if not write.attribute]
    lasts = [{(w.policy, w.attribute): w for w in writes if w.attribute} for writes in several]
    for key in dict.fromkeys(key for last in lasts for key in last):
        *others, final = [last[key] for last in lasts if key in last]
        alike = all(_value_of(other) == _value_of(final) for other in others)
        if not alike and final.given is not None:
            final = Write(*key, replace(final.given, value=UNKNOWN, doubt=Doubt.DISAGREEMENT))
        merged.append(final)
    return merged


def _value_of(write: Write) -> Value:
    return write.given.value if write.given else UNKNOWN


def _keys(name: str, layer: Layer, declared: Iterable[str], around: Surroundings) -> Iterator[Write]:
    """Family or class keys, for policies that are declared: a key tunes, it never adds."""
    allowed = set(declared)
    for meaning, key in around.families.get(name, ()):
        if meaning.policy in allowed:
            yield Write(meaning.policy, meaning.attribute, Given(key.value, Origin(layer, key.text, key.at)))


def _anything(origin: Origin, doubt: Doubt = Doubt.POLICIES) -> Write:
    return Write("", "", unknown(origin, doubt))


def applied_with(element: Element, has: Callable[[Declaration], bool]) -> Applied | None:
    """The decorator on the element that brings a declaration of this kind, the direct one if there are several."""
    direct = [a for a in element.policies if isinstance(a.policy, Declaration) and has(a.policy)]
    within = [a for a in element.policies if any(map(has, declarations_in(a.policy)))]
    return next(iter((*direct, *within)), None)
