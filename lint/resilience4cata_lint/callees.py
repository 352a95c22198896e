"""What a call in a body calls: functions of the project, methods found on classes, and names outside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from resilience4cata.facts import Definition, Kind, ParameterKind
from resilience4cata.facts.familiar import GROUPS
from resilience4cata.records import dataclass

from .objects import ClassObject, External, FunctionObject, Object, Where
from .outside import helper_name
from .symbols import Assigned, Defined, FunctionFacts, Imported
from .terms import Attribute, Call, Path, Term

if TYPE_CHECKING:
    from .world import World

# Attributes that lead to objects that lead to objects; nobody writes longer chains, and classes may go in circles.
_LONGEST_CHAIN: Final = 8


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the project; `exact` tells that it is of none of its subclasses."""

    cls: ClassObject
    exact: bool


class Callee(NamedTuple):
    """What is called: its full name, and the function if it is one of the project."""

    name: str
    definition: Definition | None = None


_Found = Object | Instance | Callee | None
_SEVERAL: Final = (ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD)


class Callees:
    """Resolves the calls of functions. What is not certain is None."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._attributes: dict[ClassObject, dict[str, list[tuple[Term, FunctionObject]]]] = {}
        self._depth = 0

    def of(self, term: Term, function: FunctionObject) -> Callee | None:
        """What `term` names where it is called in the body of `function`."""
        found = self._object(term, function)
        if isinstance(found, Callee):
            return found
        if isinstance(found, FunctionObject):
            return Callee(found.id, self._world.definitions.function(found))
        if isinstance(found, ClassObject):
            return Callee(found.id)
        return Callee(found.name) if isinstance(found, External) else None

    def cls(self, term: Term, function: FunctionObject) -> ClassObject | External | None:
        """The class or the object outside that `term` names in the body of `function`."""
        found = self._object(term, function)
        return found if isinstance(found, ClassObject | External) else None

    def _object(self, term: Term, function: FunctionObject) -> _Found:
        if self._depth > _LONGEST_CHAIN:
            return None
        self._depth += 1
        try:
            match term:
                case Path():
                    return self._path(term, function)
                case Attribute():
                    return self._attribute(self._object(term.base, function), term.name)
                case Call():
                    return self._made(self._object(term.function, function))
            return None
        finally:
            self._depth -= 1

    def _path(self, term: Path, function: FunctionObject) -> _Found:
        first, *rest = term.parts
        found = self._local(first, function)
        where = Where(function.file, function.facts.body, deferred=True)
        if found is None and rest and not self._is_own(first, function):
            found = self._made_by_name(first, where)
        if found is None:
            return self._world.names.path(term, where)
        for name in rest:
            found = self._attribute(found, name)
        return found

    def _is_own(self, name: str, function: FunctionObject) -> bool:
        """Whether a name is bound in a function, this one or one around it."""
        scope: int | None = function.facts.body
        scopes = function.file.scopes
        while scope is not None and scopes[scope].kind != "module":
            if scopes[scope].kind == "function" and name in scopes[scope].bindings:
                return True
            scope = scopes[scope].parent
        return False

    def _local(self, name: str, function: FunctionObject) -> _Found:
        """What a local name holds that is bound once: the instance itself, or an object that the body makes.

        None if it is no such name.
        """
        facts = function.facts
        bindings = function.file.scopes[facts.body].bindings.get(name, ())
        if len(bindings) != 1:
            return None
        owner = self._world.owner(function)
        if owner is not None and name == _first_parameter(facts):
            kind = self._world.definitions.function(function).kind
            return Instance(owner, exact=False) if kind in (Kind.METHOD, Kind.CLASS_METHOD) else None
        made = [value for made, value in facts.does.made if made == name]
        return self._declared_locally(name, function) or (self._object(made[0], function) if len(made) == 1 else None)

    def _declared_locally(self, name: str, function: FunctionObject) -> Instance | None:
        """What a parameter or a local name is annotated to hold."""
        facts = function.facts
        annotation = function.file.scopes[facts.body].declared.get(name)
        if annotation is not None:
            return self._of_type(annotation, Where(function.file, facts.body, deferred=True))
        types = [p.annotation for p in facts.parameters if p.name == name and p.kind not in _SEVERAL]
        where = Where(function.file, facts.scope, deferred=True)
        return self._of_type(types[0], where) if types and types[0] is not None else None

    def _of_type(self, annotation: Term, where: Where) -> Instance | None:
        """An object that an annotation describes, which may be of a subclass."""
        cls = self._world.annotations.cls(annotation, where)
        return None if cls is None or self._world.hierarchy.may_be_replaced(cls) else Instance(cls, exact=False)

    def decorator(self, term: Term, where: Where) -> str:
        """The name of a decorator that a method of an object is, where the object is made in sight; or ""."""
        if not isinstance(term, Path) or len(term.parts) < 2:
            return ""
        found = self._made_by_name(term.parts[0], where)
        for name in term.parts[1:]:
            found = self._attribute(found, name)
        return found.name if isinstance(found, External | Callee) else ""

    def _made_by_name(self, name: str, where: Where) -> _Found:
        """What a name of a module holds that is bound once, to the value of a call; imports are followed."""
        if self._depth > _LONGEST_CHAIN:
            return None
        module = where.file.scopes[0]
        bindings, annotation = module.bindings.get(name, ()), module.declared.get(name)
        if annotation is not None and not any(isinstance(binding.to, Imported | Defined) for binding in bindings):
            declared = self._of_type(annotation, Where(where.file, 0, deferred=True))
            if declared is not None:
                return declared
        to = bindings[0].to if len(bindings) == 1 else None
        if isinstance(to, Defined) and to.kind == "function":
            return self._made_of(where.file.functions[to.index], where)
        if isinstance(to, Assigned) and isinstance(to.value, Call):
            return self._made(self._world.values.evaluate(to.value.function, Where(where.file, 0, deferred=True)))
        file = self._world.module(to.module) if isinstance(to, Imported) and to.name is not None else None
        if file is None or not isinstance(to, Imported) or to.name is None:
            return None
        self._depth += 1
        try:
            return self._made_by_name(to.name, Where(file, 0))
        finally:
            self._depth -= 1

    def _made_of(self, function: FunctionFacts, where: Where) -> _Found:
        """What the outermost decorator makes of a function, where it is known to make something else of it."""
        if not function.decorators:
            return None
        term = function.decorators[0]
        called = term.function if isinstance(term, Call) else term
        found = self._world.values.evaluate(called, Where(where.file, function.scope))
        self._depth += 1
        try:
            name = self.decorator(called, where) or (helper_name(found.name) if isinstance(found, External) else "")
        finally:
            self._depth -= 1
        return External(GROUPS[name]) if name in GROUPS else None

    def _made(self, called: _Found) -> _Found:
        """What a call gives: an object of the class that is called."""
        if isinstance(called, ClassObject):
            return None if self._world.hierarchy.may_be_replaced(called) else Instance(called, exact=True)
        return External(f"{called.name}()") if isinstance(called, External) else None

    def _attribute(self, owner: _Found, name: str) -> _Found:
        if isinstance(owner, Instance):
            return self._of_instance(owner, name)
        if owner is None or isinstance(owner, Callee):
            return None
        if isinstance(owner, External) and owner.name.endswith("()"):
            return External(f"{owner.name}.{name}")
        return self._world.names.attribute(owner, name)

    def _of_instance(self, owner: Instance, name: str) -> _Found:
        found = self._world.class_scope(owner.cls).lookup(name)
        if isinstance(found, Definition) and found.kind is not Kind.OTHER:
            # What is abstract says nothing of what is called in its place.
            overridden = not owner.exact and (found.abstract or self._is_overridden(owner.cls, name, found))
            return None if overridden or found.kind is Kind.PROPERTY else Callee(found.id, found)
        return self._declared(owner, name) or (self._assigned(owner, name) if found is None else None)

    def _declared(self, owner: Instance, name: str) -> Instance | None:
        """What an attribute is annotated to hold, in the body of the class or of a method, its own or of a base."""
        for cls in self._world.hierarchy.order(owner.cls):
            if not isinstance(cls, ClassObject) or self._world.hierarchy.is_patched(cls, name):
                return None
            scope = cls.file.scopes[cls.facts.body]
            if name in scope.declared:
                return self._of_type(scope.declared[name], Where(cls.file, cls.facts.body, deferred=True))
            if name in scope.bindings:
                return None
            types = [(t, method) for method in self._methods(cls) for n, t in method.facts.does.declared if n == name]
            if types:
                annotation, method = types[0]
                return self._of_type(annotation, Where(cls.file, method.facts.body, deferred=True))
        return None

    def _is_overridden(self, cls: ClassObject, name: str, found: Definition) -> bool:
        below = self._world.hierarchy.subclasses(cls)
        return any(self._world.class_scope(other).lookup(name) != found for other in below)

    def _assigned(self, owner: Instance, name: str) -> _Found:
        """What an attribute holds that methods of the class, its bases and subclasses set in one place only."""
        below = () if owner.exact else self._world.hierarchy.subclasses(owner.cls)
        classes = [node for node in (*self._world.hierarchy.order(owner.cls), *below) if isinstance(node, ClassObject)]
        setting = [given for cls in classes for given in self._set_by(cls).get(name, ())]
        return self._object(*setting[0]) if len(setting) == 1 else None

    def _set_by(self, cls: ClassObject) -> dict[str, list[tuple[Term, FunctionObject]]]:
        if cls not in self._attributes:
            found: dict[str, list[tuple[Term, FunctionObject]]] = {}
            for method in self._methods(cls):
                for name, value in method.facts.does.attributes:
                    found.setdefault(name, []).append((value, method))
            self._attributes[cls] = found
        return self._attributes[cls]

    def _methods(self, cls: ClassObject) -> Iterator[FunctionObject]:
        for index, facts in enumerate(cls.file.functions):
            if facts.scope == cls.facts.body:
                yield self._world.function_object(cls.file, index)


def _first_parameter(facts: FunctionFacts) -> str | None:
    first = facts.parameters[0] if facts.parameters else None
    return first.name if first is not None and first.kind <= ParameterKind.POSITIONAL_OR_KEYWORD else None
