"""Which instances a project has: what keys of layers 6 to 9 can reach.

An instance belongs to a guarded function or method (`acme.payments.PaymentsClient#charge`), or is shared under a name
that code gives (`payments`). Guarded are decorated definitions, methods that a class-level policy covers, overrides of
abstract methods that carry policies, and overrides that take policies over.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

from ..facts import (
    NOWHERE,
    UNKNOWN,
    Composed,
    Definition,
    Element,
    Foreign,
    Kind,
    Project,
    Scope,
    Unknown,
    declarations_in,
)
from ..records import dataclass, replace
from .environment import Names
from .layers import INHERITED, UNGUARDED, writes_of
from .profiles import profile_of
from .resolve import Resolver, element_id

_METHODS = (Kind.METHOD, Kind.STATIC_METHOD, Kind.CLASS_METHOD)


@dataclass(frozen=True, slots=True)
class Instance:
    """A shared instance of one policy, and the elements that use it."""

    policy: str
    name: str
    elements: tuple[Element, ...]


class Instances:
    """Everything in a project that has an id. Nothing is worked out before it is asked for."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver

    @property
    def project(self) -> Project:
        return self.resolver.project

    @cached_property
    def elements(self) -> Mapping[str, tuple[Element, ...]]:
        """The guarded functions and methods by id; several of one id stand in branches, or were made in a function."""
        found: defaultdict[str, list[Element]] = defaultdict(list)
        for element in guarded(self.project):
            found[element_id(element) or ""].append(element)
        # Stable: what an id means is the last one of its elements.
        return {id: tuple(sorted(several, key=lambda e: not e.definition.accessor)) for id, several in found.items()}

    @cached_property
    def scopes(self) -> Mapping[str, Scope]:
        """The classes and modules that are known to the project because something in them, or above, is guarded."""
        found: dict[str, Scope] = {}
        for element in self.project.elements:
            for scope in (element.scope, element.body):
                if scope is not None:
                    found.setdefault(scope.id, scope)
                    found.update((below.id, below) for below in scope.subclasses() if below.id not in found)
        return found

    @cached_property
    def _shared(self) -> tuple[Mapping[str, tuple[Instance, ...]], bool]:
        """Shared instances by name, and whether there may be others."""
        found: defaultdict[tuple[str, str], list[Element]] = defaultdict(list)
        others = any(_is_open(element) for element in self.project.elements)
        for element in (e for several in self.elements.values() for e in several):
            for (policy, attribute), effective in self.resolver.resolve(element).items():
                if attribute == "name" and isinstance(effective.value, str):
                    found[policy, effective.value].append(element)
                others = others or (attribute == "name" and effective.value is UNKNOWN)
        for policy, name in _names_in(self.project.composed):
            found.setdefault((policy, name), [])
        by_name: defaultdict[str, list[Instance]] = defaultdict(list)
        for (policy, name), elements in found.items():
            by_name[name].append(Instance(policy, name, tuple(elements)))
        return {name: tuple(instances) for name, instances in by_name.items()}, not others

    @property
    def shared(self) -> Mapping[str, tuple[Instance, ...]]:
        """The shared instances by name, one for each policy that has it."""
        return self._shared[0]

    @property
    def names_known(self) -> bool:
        """Whether no other name can be in use."""
        return self._shared[1]

    def is_uncertain(self, owner: str, name: str) -> bool:
        """Whether policies that nobody can see may stand on a class, on its bases or on the method of that name."""
        uncertain = self.project.uncertain
        scope = self.scopes.get(owner)
        ancestors = scope.ancestors if scope is not None and scope.ancestors is not None else (owner,)
        ids = (*ancestors, *(f"{ancestor}.{name}" for ancestor in ancestors))
        return any(id in uncertain for id in ids)

    def declared(self, element: Element) -> frozenset[str] | None:
        """The policies that an element declares, at any level; None if there may be others."""
        writes = writes_of(element, self.resolver.around)
        return None if any(not write.policy for write in writes) else frozenset(write.policy for write in writes)

    def declared_by_class(self, scope: Scope) -> frozenset[str] | None:
        """The policies that stand on a class or on its bases; None if there may be others."""
        owner, _, name = scope.id.rpartition(".")
        return self.declared(Element(Definition(scope.id, name, owner, Kind.CLASS, NOWHERE), scope, scope))


def guarded(project: Project) -> Iterator[Element]:
    """Every guarded function and method, each definition once."""
    return (element for element, _ in guarded_by(project))


def guarded_by(project: Project) -> Iterator[tuple[Element, Element]]:
    """The same, each with the element that it has its policies from: itself, its class, or what it overrides."""
    own = [element for element in project.elements if element.definition.kind is not Kind.CLASS]
    yield from ((element, element) for element in own)
    taken = {element.definition.id for element in own}
    # One after another: what is wrapped again may be covered by a class.
    for element, source in chain(_covered(project), _taking_over(own), _wrapped_again(project, taken)):
        if element.definition.id not in taken:
            taken.add(element.definition.id)
            yield element, source


def _covered(project: Project) -> Iterator[tuple[Element, Element]]:
    """Methods of decorated classes and of their subclasses."""
    for cls in project.elements:
        if cls.body is not None:
            for scope in (cls.body, *cls.body.subclasses()):
                methods = scope.public_methods()
                if not isinstance(methods, Unknown):
                    yield from ((Element(method, scope), cls) for method in methods if _coverable(method))


def _coverable(method: Definition) -> bool:
    marks = {d.name for d in method.decorators if isinstance(d, Foreign)}
    return method.kind in _METHODS and not method.yields and UNGUARDED not in marks


def _taking_over(own: Sequence[Element]) -> Iterator[tuple[Element, Element]]:
    """Overrides that have the policies of what they implement, or ask for them."""
    for element in own:
        if element.scope.is_class:
            for scope in element.scope.subclasses():
                found = scope.lookup(element.definition.name)
                if isinstance(found, Definition) and found.owner == scope.id:
                    marks = {d.name for d in found.decorators if isinstance(d, Foreign)}
                    if element.definition.is_contract or INHERITED in marks:
                        yield Element(found, scope), element


def _wrapped_again(project: Project, known: set[str]) -> Iterator[tuple[Element, Element]]:
    """Guarded methods that a decorated class inherits: they are wrapped anew, under its own name."""
    for cls in project.elements:
        scope = cls.body
        if scope is None:
            continue
        for name in scope.names():
            found = None if name.startswith("_") else scope.lookup(name)
            if isinstance(found, Definition) and found.owner != scope.id and found.id in known and _coverable(found):
                yield Element(replace(found, id=f"{scope.id}.{name}", owner=scope.id), scope), cls


def _is_open(element: Element) -> bool:
    """Whether more policies may stand on an element, or methods in it, than are known."""
    unknown_methods = element.body is not None and isinstance(element.body.public_methods(), Unknown)
    return unknown_methods or not element.definition.decorators_known


def _names_in(composed: Sequence[Composed]) -> Iterator[tuple[str, str]]:
    for declaration in (d for policy in composed for d in declarations_in(policy)):
        name = declaration.value("name")
        if isinstance(name, str):
            yield declaration.policy, name


def names_of(project: Project) -> Names:
    """The names that variables may hold: those that code and files declare."""
    instances = Instances(Resolver.of(project))
    keys = [key for file in project.files for key in file.keys]
    told = {override.name for override in project.overrides} | {*project.locked}
    return Names(
        templates=frozenset(template.name for template in project.templates),
        instances=frozenset(id for id in instances.elements if "<locals>" not in id)
        | told
        | frozenset(instances.shared),
        profiles=frozenset(profile for key in keys if (profile := profile_of(key)) is not None)
        | frozenset(project.profiles or ()),
        budgets=frozenset(key.path[1] for key in keys if key.path[:1] == ("budgets",) and len(key.path) > 2),
    )
