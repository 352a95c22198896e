"""One run over everything that was recorded."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from copy import copy
from functools import cached_property
from itertools import chain
from types import ModuleType
from typing import Any, Final, NamedTuple

from ..facts import (
    NOWHERE,
    Applied,
    At,
    Composed,
    Declaration,
    Definition,
    Element,
    Foreign,
    Kind,
    LocalScope,
    Scope,
    Unknown,
    Written,
)
from ..guards import Guard, guards_in, moment
from ..policies.composed import ComposedPolicy
from ..policies.declaration import Decorator, Policy
from ..policies.recorded import Recorded, binding_removed, function_of, is_a, layers
from ..policies.recording import Application
from ..records import replace
from ..rules import views_of
from .declaring import declaring, with_classes
from .definitions import Definitions
from .locate import current_class, locate, out_of_reach, superseded
from .oracle import LiveTypes
from .places import Places
from .policies import PolicyFacts
from .scopes import ClassScope, ModuleScope
from .values import full_name, known_as

Chosen = Callable[[str], bool]


class Guarded(NamedTuple):
    """What a guard stands for: the facts, and the member of the class `owner`, or the function, that has its place.

    `reachable` is False where the name leads elsewhere by now.
    """

    element: Element | None
    member: object
    owner: type | None
    reachable: bool
    is_accessor: bool = False


_LIBRARY: Final = __name__.partition(".")[0]


class Extraction:
    """Facts of the declarations of the chosen modules.

    `chosen` answers for a module's name whether its declarations count. `exact` are the source files, as shown in
    places, that may be read for exact places.
    """

    def __init__(self, chosen: Chosen, exact: Collection[str] = ()) -> None:
        self._chosen = chosen
        self.moment = moment()
        self._recorded = Recorded()
        # Classes that are looked at, whatever their names lead to.
        self._beside: tuple[type, ...] = ()
        self.places = Places(exact)
        self._bound = tuple(_policies_of_modules(chosen))
        variables = {id(p): name for p, name in reversed(self._bound) if isinstance(p, ComposedPolicy)}
        self.policies = PolicyFacts(self.places, variables)
        self._definitions = Definitions(self._recorded, self.places, self.policies)
        self.elements = tuple(self._elements(self._recorded.anchors))
        self.views = tuple(self._views())
        # What runs may hold these facts for long, and functions are to die as if nobody had looked at them.
        self._recorded.release()
        self.places.release()

    def further(self, chosen: Chosen, modules: Collection[str]) -> Extraction | None:
        """The same with what was declared since, and with what `modules` declared, which were not chosen before.

        Only that is looked at; everything else stays as it is. None where it may change what is known already: then
        all of it has to be seen again. What functions make is left to `beside`.
        """
        made = copy(self)
        vars(made).pop("classes", None)
        made._chosen, made.moment, made._recorded = chosen, moment(), Recorded()
        anchors = [anchor for anchor in made._recorded.anchors if self._is_new(anchor, made._recorded, modules)]
        if any(_class_of(anchor, made._recorded) in self.classes for anchor in anchors):
            return None
        named = {_module_of(anchor) for anchor in anchors}
        bound = tuple(_policies_of_modules(lambda module: module in named and chosen(module)))
        self.policies.name({id(p): name for p, name in reversed(bound) if isinstance(p, ComposedPolicy)})
        self._definitions.recorded = made._recorded
        new = tuple(made._elements(anchors))
        known = {element.definition.id for element in self.elements}
        if any(element.definition.id in known for element in new):
            return None
        made.elements = (*self.elements, *new)
        made.views = (*self.views, *(view for element in new for view in views_of(element)))
        made._recorded.release()
        made.places.release()
        return made

    def beside(self, cls: type, chosen: Chosen) -> Extraction:
        """The same with what stands on a class, and on its bases, seen for itself: one that a function made, or whose
        name another class has by now.

        Such classes come and go, so what is known of the others does not hold them.
        """
        made = copy(self)
        made._chosen, made._beside, made.moment = chosen, cls.__mro__, moment()
        made._recorded = Recorded().with_forgotten() if out_of_reach(cls) else Recorded()
        made.policies = self.policies.further(self.places)
        made._definitions = Definitions(made._recorded, self.places, made.policies)
        members = [*cls.__mro__, *(member for base in cls.__mro__ for member in vars(base).values())]
        inside = {id(layer) for member in members for layer in layers(binding_removed(member))}
        made.elements = tuple(made._elements(a for a in made._recorded.anchors if id(a) in inside))
        made._recorded.release()
        made.places.release()
        return made

    def exactly(self, sources: Collection[str]) -> Extraction:
        """The same, but what it gives for guards has exact places in these source files."""
        made = copy(self)
        made.places = Places(sources)
        made.policies = self.policies.placed(made.places)
        made._definitions = Definitions(self._definitions.recorded, made.places, made.policies)
        made.elements = with_classes(self.elements, made._class_element, sources)
        return made

    @cached_property
    def classes(self) -> frozenset[type]:
        """The classes that elements stand in, and their bases."""
        scopes = (scope for element in self.elements for scope in (element.scope, element.body))
        return frozenset(base for s in scopes if isinstance(s, ClassScope) for base in s.cls.__mro__) - {object}

    @property
    def composed(self) -> tuple[Composed, ...]:
        """Every composed policy that was applied or is bound to a name."""
        return self.policies.composed

    @property
    def oracle(self) -> LiveTypes:
        """Answers questions about the types in these facts."""
        return self.oracle_for(self.policies)

    def oracle_for(self, policies: PolicyFacts) -> LiveTypes:
        """The same for further policies."""
        return LiveTypes(self._definitions, policies.objects)

    def guarded(self, guard: Guard) -> Guarded | None:
        """What a guard stands for; None where nothing of ours counts, or another guard around it runs everything."""
        if self._recorded.is_forgotten(guard.function):
            return self._with_forgotten().guarded(guard)
        found = self._in_class(guard)
        if found is None:
            located = locate(guard.function, self._recorded)
            if located is None:
                return None
            found = Guarded(None, located.value, located.owner, located.reachable, located.is_accessor)
        outermost = next(guards_in(binding_removed(found.member)), None)
        if guard is not outermost and guard.inner:
            return None
        return found._replace(element=self._element_of(guard, found))

    def local(self, guard: Guard, applied: tuple[Applied, ...]) -> Element:
        """What a guard without a name of its own stands for, with the policies that are `applied` to it."""
        wrapper = guard.wrapper
        definition = self._definitions.function(guard.function)
        if isinstance(definition, Unknown):
            name, module = wrapper.__name__, known_as(wrapper.__module__)
            definition = Definition(f"{module}.{wrapper.__qualname__}", name, module, Kind.FUNCTION, NOWHERE)
        foreign = (decorator for decorator in definition.decorators if isinstance(decorator, Foreign))
        return Element(replace(definition, decorators=(*applied, *foreign)), LocalScope(definition.owner))

    def declaring(self, element: Element) -> tuple[Element, ...]:
        """What gives an element its policies: itself, the classes around it, and contracts that it implements."""
        return tuple(declaring(element, self._definitions, self._class_element))

    def _with_forgotten(self) -> Extraction:
        made = copy(self)
        made._recorded = self._recorded.with_forgotten()
        made._definitions = Definitions(made._recorded, made.places, made.policies)
        return made

    def _in_class(self, guard: Guard) -> Guarded | None:
        made_in = guard.owner()
        if made_in is None:
            return None
        for owner in dict.fromkeys((current_class(made_in), made_in)):
            member = vars(owner).get(guard.key)
            if any(found is guard for found in guards_in(binding_removed(member))):
                return Guarded(None, member, owner, not superseded(owner))
        return None

    def _element_of(self, guard: Guard, found: Guarded) -> Element | None:
        if found.owner is None:
            function = self._definitions.function(found.member, certain=found.reachable)
            if isinstance(function, Unknown):
                return None
            return Element(function, self._surroundings(found.member, function))
        scope = ClassScope(self._definitions, found.owner)
        if not guard.inherited:
            key = guard.key or guard.function.__name__
            method = self._definitions.member(found.owner, key, found.member, is_accessor=found.is_accessor)
            return None if isinstance(method, Unknown) else Element(method, scope)
        inherited = scope.lookup(guard.key)
        if not isinstance(inherited, Definition):
            return None
        return Element(replace(inherited, id=f"{scope.id}.{guard.key}", owner=scope.id), scope)

    def _is_new(self, anchor: object, recorded: Recorded, modules: Collection[str]) -> bool:
        since = any(application.number > self.moment for application in recorded.all_on(anchor))
        return (since or _module_of(anchor) in modules) and not is_local(function_of(anchor) or anchor)

    def _elements(self, anchors: Iterable[object]) -> Iterator[Element]:
        by_id: dict[str, list[tuple[bool, Element]]] = {}
        seen: set[object] = set()
        for anchor in anchors:
            if not self._guarded(anchor) or not self._chosen(_module_of(anchor)):
                continue
            twin = self._twin(anchor)
            if twin not in seen:
                seen.add(twin)
                for in_place, element in self._element(anchor, seen):
                    by_id.setdefault(element.definition.id, []).append((in_place, element))
        for candidates in by_id.values():
            yield from _current(candidates)

    def _twin(self, anchor: object) -> object:
        """Equal for the many functions that one local `def` makes with the same policies, different otherwise."""
        function = function_of(anchor)
        if function is None or not is_local(function):
            return id(anchor)
        applications = self._recorded.all_on(anchor)
        places = tuple((id(a.code), a.instruction) for a in applications)
        try:
            return id(function.__code__), places, tuple(repr(a.policy) for a in applications)
        except Exception:
            return id(anchor)

    def _guarded(self, anchor: object) -> bool:
        return any(isinstance(a.policy, Decorator) for a in self._recorded.all_on(anchor))

    def _element(self, anchor: object, seen: set[object]) -> Iterator[tuple[bool, Element]]:
        """The element that `anchor` belongs to, if it has not been `seen` yet, and whether its name leads to it."""
        if isinstance(anchor, type):
            if anchor in self._beside or not superseded(anchor):
                yield True, self._class_element(anchor)
            return
        found = locate(anchor, self._recorded)
        # Policies above and below a foreign decorator are two anchors of one definition.
        if found is None or (found.owner, id(found.value)) in seen:
            return
        if found.owner is not None and not found.reachable and found.owner not in self._beside:
            return
        seen.add((found.owner, id(found.value)))
        if found.owner is not None:
            definition = self._definitions.member(found.owner, found.key, found.value, is_accessor=found.is_accessor)
            scope: Scope = ClassScope(self._definitions, found.owner)
        else:
            definition = self._definitions.function(found.value, certain=found.reachable)
            scope = self._surroundings(found.value, definition)
        if isinstance(definition, Definition) and any(isinstance(d, Applied) for d in definition.decorators):
            yield found.reachable, Element(definition, scope)

    def _class_element(self, cls: type) -> Element:
        body = ClassScope(self._definitions, cls if cls in self._beside else current_class(cls))
        definition = self._definitions.class_(cls)
        module = sys.modules.get(cls.__module__)
        scope: Scope = LocalScope(definition.owner)
        if not is_local(cls) and module is not None and "." not in cls.__qualname__:
            scope = ModuleScope(self._definitions, cls.__module__, vars(module))
        return Element(definition, scope, body)

    def _surroundings(self, value: object, definition: Definition | Unknown) -> Scope:
        function = function_of(value)
        if function is None or isinstance(definition, Unknown) or "." in function.__qualname__:
            return LocalScope(definition.owner if isinstance(definition, Definition) else "")
        return ModuleScope(self._definitions, function.__module__, function.__globals__)

    def _views(self) -> Iterator[object]:
        for element in self.elements:
            yield from views_of(element)
        shown = {a.at for element in self.elements for a in element.policies}
        for policy, _ in self._bound:
            if isinstance(policy, ComposedPolicy):
                self.policies.composed_policy(policy)
        yield from self.composed
        yield from self._elsewhere(shown)

    def _elsewhere(self, shown: set[At]) -> Iterator[Written]:
        """Policies that do not stand in a list of decorators: members of composed ones, and those bound to names.

        One call makes another policy each time where its arguments are those of a function around it.
        """
        made: dict[At, list[Written]] = {}

        def add(written: Written) -> None:
            alike = made.setdefault(written.declaration.at, [])
            if not any(written.declaration == other.declaration for other in alike):
                alike.append(written)

        for composed in self.composed:
            for member in composed.members:
                if isinstance(member, Declaration) and member.at not in shown:
                    within = composed.title if inside(member.at, composed.at) else ""
                    add(Written(member, within=within))
        loose = [self.policies.declaration(p) for p, _ in self._bound if isinstance(p, Policy)]
        applied = [a.policy for e in self.elements for a in e.policies]
        # What stands on something that is neither a function nor a class has no element, but attributes of its own.
        astray = [
            found.policy
            for a in self._recorded.all()
            if self._chosen(a.module) and _has_no_element(a) and (found := self.policies.applied(a)) is not None
        ]
        for declaration in (*loose, *applied, *astray):
            if isinstance(declaration, Declaration) and declaration.at not in shown:
                add(Written(declaration))
        yield from chain.from_iterable(made.values())


def extract(chosen: Chosen, exact: Collection[str] = ()) -> Extraction:
    """Facts of everything recorded so far in the modules that `chosen` accepts."""
    return Extraction(chosen, exact)


def is_local(definition: object) -> bool:
    """Whether a function or class was made by another function."""
    return "<locals>" in str(getattr(definition, "__qualname__", ""))


def _class_of(anchor: object, recorded: Recorded) -> type | None:
    """The class that an anchor is, or in whose body it stands."""
    if isinstance(anchor, type):
        return anchor
    found = locate(anchor, recorded)
    return found.owner if found is not None else None


def _has_no_element(application: Application) -> bool:
    anchor = application.anchor()
    return not is_a(anchor, type) and function_of(anchor) is None


def _module_of(anchor: object) -> str:
    core = function_of(anchor) or anchor
    return str(getattr(core, "__module__", ""))


def _current(candidates: list[tuple[bool, Element]]) -> Iterator[Element]:
    """Of several definitions with one id those that are in place, else the one recorded last (a reloaded module)."""
    reachable = [element for in_place, element in candidates if in_place]
    yield from reachable or [candidates[-1][1]]


def inside(inner: At, outer: At) -> bool:
    """Whether one call is written within another."""
    if inner.source != outer.source or not (inner.column and outer.column):
        return inner.source == outer.source and inner.line == outer.line
    start, end = (inner.line, inner.column), (inner.end_line, inner.end_column)
    return (outer.line, outer.column) <= start and end <= (outer.end_line, outer.end_column)


def _policies_of_modules(chosen: Chosen) -> Iterator[tuple[Decorator, str]]:
    """Every policy that is bound to a name of a chosen module, or of a class of it, with its full dotted name."""
    modules: dict[str, Any] = sys.modules  # they may be anything, None included
    for name, module in tuple(modules.items()):
        if is_a(module, ModuleType) and name.partition(".")[0] != _LIBRARY and chosen(name):
            namespace = vars(module)
            if any(_is_ours(value) for value in tuple(namespace.values())):
                yield from _policies_of(name, namespace, namespace.get("__file__"))


def _is_ours(value: Any) -> bool:
    """Whether a global shows that its module uses this library: the library itself, a policy, or the class of one."""
    kind = type(value)
    if kind is ModuleType:
        return str(value.__name__).partition(".")[0] == _LIBRARY
    return issubclass(kind, Decorator) or (kind is type and Decorator in value.__mro__)


def _policies_of(prefix: str, namespace: Mapping[str, Any], file: str | None) -> Iterator[tuple[Decorator, str]]:
    for key, value in tuple(namespace.items()):
        kind = type(value)
        if issubclass(kind, Decorator):
            # A policy that was made in another file is only imported here.
            if value.site is None or value.site.code.co_filename == file:
                yield value, f"{prefix}.{key}"
        elif issubclass(kind, type) and full_name(value) == f"{prefix}.{key}":
            yield from _policies_of(f"{prefix}.{key}", vars(value), file)
