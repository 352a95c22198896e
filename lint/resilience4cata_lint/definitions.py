"""Functions and classes of a file as definitions: kind, signature, decorators."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from resilience4cata.facts import (
    UNKNOWN,
    Applied,
    At,
    Composed,
    Declaration,
    Decorator,
    Definition,
    Foreign,
    Kind,
    Parameter,
    ParameterKind,
    Ref,
    Signature,
    Unknown,
)
from resilience4cata.facts.familiar import future_of
from resilience4cata.records import replace

from .objects import Built, ClassObject, External, FunctionObject, Object, Where
from .outside import helper_name, policy_name
from .symbols import FunctionFacts, ParameterFacts
from .terms import Call, Constant, Path, Term, children

if TYPE_CHECKING:
    from .world import World

_PROPERTIES: Final = frozenset(
    {
        "abc.abstractproperty",
        "builtins.property",
        "enum.property",
        "functools.cached_property",
        "types.DynamicClassAttribute",
    }
)
_ACCESSORS: Final = frozenset({"setter", "deleter"})
_ABSTRACT: Final = frozenset(
    {"abc.abstractmethod", "abc.abstractproperty", "abc.abstractclassmethod", "abc.abstractstaticmethod"}
)
_STATIC: Final = frozenset({"builtins.staticmethod", "abc.abstractstaticmethod"})
_CLASS_BOUND: Final = frozenset({"builtins.classmethod", "abc.abstractclassmethod"})

# They leave parameters and result as they are written.
_TRANSPARENT: Final = (
    _STATIC
    | _CLASS_BOUND
    | frozenset(
        {
            "abc.abstractmethod",
            "resilience4cata.inherit_policies",
            "resilience4cata.unguarded",
            "typing.final",
            "typing.override",
        }
    )
)

_NAMING: Final = ("config", "name")

# Python binds these to the class without being told.
_IMPLICITLY_CLASS_BOUND: Final = frozenset({"__init_subclass__", "__class_getitem__"})


class Definitions:
    """Makes definitions, each once."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._functions: dict[FunctionObject, Definition] = {}
        self._classes: dict[ClassObject, Definition] = {}
        self._by_place: dict[At, FunctionObject] = {}
        self._open: set[FunctionObject] = set()

    def ref(self, function: FunctionObject) -> Ref | Unknown:
        """A function as a value; UNKNOWN if a decorator may have made something else of it."""
        if function in self._open:
            return UNKNOWN
        definition = self.function(function)
        plain = definition.kind in (Kind.FUNCTION, Kind.METHOD) and definition.signature is not None
        return Ref(definition.id, False) if plain else UNKNOWN

    def function(self, function: FunctionObject) -> Definition:
        """The definition of a function."""
        found = self._functions.get(function)
        if found is None:
            self._open.add(function)
            try:
                found = self._functions[function] = self._make(function)
                self._by_place[found.at] = function
            finally:
                self._open.discard(function)
        return found

    def original(self, function: FunctionObject) -> Definition:
        """The same for a function that carries policies: what implements overloads is called only as these allow."""
        found = self.function(function)
        bindings = function.file.scopes[function.facts.scope].bindings.get(function.facts.name, ())
        functions = (self._world.names.bound(function.file, function.facts.scope, binding) for binding in bindings)
        others = (f for f in functions if isinstance(f, FunctionObject) and f is not function)
        return replace(found, signature=None) if any(map(self._is_overload, others)) else found

    def _is_overload(self, function: FunctionObject) -> bool:
        return any(isinstance(d, Foreign) and d.name == "typing.overload" for d in self.function(function).decorators)

    def object_of(self, definition: Definition) -> FunctionObject | None:
        """The function that a definition was made of."""
        return self._by_place.get(definition.at)

    def cls(self, cls: ClassObject) -> Definition:
        """The definition of a class."""
        found = self._classes.get(cls)
        if found is None:
            facts, where = cls.file.scopes[cls.facts.scope], Where(cls.file, cls.facts.scope)
            found = self._classes[cls] = Definition(
                id=cls.id,
                name=cls.facts.name,
                owner=cls.file.full_name(facts.prefix.removesuffix(".<locals>")),
                kind=Kind.CLASS,
                at=cls.file.at(cls.facts.name_span),
                decorators=tuple(self._decorators(cls.facts.decorators, where)),
            )
        return found

    def _make(self, function: FunctionObject) -> Definition:
        facts, where = function.facts, Where(function.file, function.facts.scope)
        decorators = tuple(self._decorators(facts.decorators, where, facts.unbound))
        names = {d.name for d in decorators if isinstance(d, Foreign)}
        kind = self._kind(function, names)
        transparent = names <= _TRANSPARENT and kind is not Kind.PROPERTY
        deferred = where._replace(deferred=True)
        result = facts.result
        is_async: bool | None = True
        if not facts.is_async:
            result, is_async = self._world.annotations.awaited(facts.result, deferred)
        signature = None
        if transparent:
            parameters = (self._parameter(p, deferred) for p in _callable_with(facts, kind))
            signature = Signature(tuple(parameters), self._world.annotations.fact(result, deferred))
        return Definition(
            id=function.id,
            name=facts.name,
            owner=function.file.scope_id(facts.scope),
            kind=kind,
            at=function.file.at(facts.name_span),
            signature=signature,
            is_async=is_async if transparent or facts.yields else None,
            yields=facts.yields,
            abstract=self._is_abstract(function, names),
            decorators=decorators,
            coroutine=facts.is_async,
            of_protocol=bool(decorators) and self._is_of_protocol(function),
            works_alone=not (facts.delegates or facts.stub or facts.conditional),
            accessor=kind is Kind.PROPERTY and _goes_on_with_a_property(facts, _ACCESSORS),
            future=future_of(signature.result.classes) if is_async is None and signature and signature.result else None,
        )

    def _parameter(self, facts: ParameterFacts, where: Where) -> Parameter:
        type_ = self._world.annotations.fact(facts.annotation, where)
        return Parameter(facts.name, facts.kind, facts.required, type_, annotated=facts.annotation is not None)

    def _kind(self, function: FunctionObject, names: set[str | Unknown]) -> Kind:
        facts = function.facts
        if function.file.scopes[facts.scope].kind != "class":
            return Kind.FUNCTION
        if names & _PROPERTIES or _goes_on_with_a_property(facts, {"getter", *_ACCESSORS}):
            return Kind.PROPERTY
        if any(isinstance(name, str) and name.rpartition(".")[2] == "cached_property" for name in names):
            return Kind.PROPERTY
        if names & _STATIC:
            return Kind.STATIC_METHOD
        if names & _CLASS_BOUND or facts.name in _IMPLICITLY_CLASS_BOUND:
            return Kind.CLASS_METHOD
        return Kind.METHOD

    def _is_abstract(self, function: FunctionObject, names: set[str | Unknown]) -> bool:
        return bool(names & _ABSTRACT) or (function.facts.stub and self._is_of_protocol(function))

    def _is_of_protocol(self, function: FunctionObject) -> bool:
        owner = self._world.owner(function)
        return owner is not None and self._world.is_protocol(owner)

    def _decorators(self, terms: Sequence[Term], where: Where, unbound: Sequence[str] = ()) -> Iterator[Decorator]:
        scopes = where.file.scopes
        once = all(scopes[scope].kind != "function" for scope in self._around(where))
        for index, term in enumerate(terms):
            found = self._decorator(term, where)
            if isinstance(found, Applied):
                calls = tuple(self._calls_in(term, where)) if once else ()
                found = replace(found, calls=calls, unbound=unbound[index] if unbound else "")
            yield found

    def _around(self, where: Where) -> Iterator[int]:
        scope: int | None = where.scope
        while scope is not None:
            yield scope
            scope = where.file.scopes[scope].parent

    def _calls_in(self, term: Term, where: Where) -> Iterator[str]:
        """What the arguments of a policy call, but for those that choose an instance or a template by name."""
        for argument in term.arguments if isinstance(term, Call) else ():
            if argument.keyword not in _NAMING:
                yield from self._called(argument.value, where)

    def _called(self, term: Term, where: Where) -> Iterator[str]:
        if isinstance(term, Call):
            found = self._world.values.evaluate(term.function, where)
            name = helper_name(found.name) if isinstance(found, External) else ""
            yield name or self._world.bodies.callees.decorator(term.function, where)
        for child in children(term):
            yield from self._called(child, where)

    def _decorator(self, term: Term, where: Where) -> Decorator:
        at = where.file.at(term.span)
        found = self._world.values.evaluate(term, where)
        if isinstance(found, Built):
            return Applied(found.policy, at)
        if isinstance(found, External):
            policy = policy_name(found.name)
            if policy is not None:
                return Applied(Declaration(policy, {}, at, called=False), at)
        if isinstance(term, Call):
            called = self._world.values.evaluate(term.function, where)
            if isinstance(called, Built) and isinstance(called.policy, Composed) and not term.arguments:
                return Applied(called.policy, at, called_again=True)
            callee = self._world.bodies.callees.decorator(term.function, where)
            return Foreign(self._foreign_name(called), at, callee, _literal(term))
        return Foreign(self._foreign_name(found), at, self._world.bodies.callees.decorator(term, where))

    def _foreign_name(self, found: Object) -> str | Unknown:
        if isinstance(found, External):
            return helper_name(found.name)
        if isinstance(found, FunctionObject | ClassObject):
            return found.id
        return UNKNOWN


def _goes_on_with_a_property(facts: FunctionFacts, by: Collection[str]) -> bool:
    """Whether one of the decorators is `name.setter`, or another attribute of a property that is in `by`."""
    paths = [term.parts for term in facts.decorators if isinstance(term, Path)]
    return any(len(parts) > 1 and parts[-1] in by for parts in paths)


def _callable_with(facts: FunctionFacts, kind: Kind) -> Iterable[ParameterFacts]:
    """The parameters that a caller gives: without `self` and `cls`."""
    bound = kind in (Kind.METHOD, Kind.CLASS_METHOD)
    takes_first = bool(facts.parameters) and facts.parameters[0].kind <= ParameterKind.POSITIONAL_OR_KEYWORD
    return facts.parameters[1:] if bound and takes_first else facts.parameters


def _literal(call: Call) -> str:
    """The text that is the first argument of a method, `/users` in `@app.get("/users")`; or ""."""
    first = call.arguments[0].value if call.arguments else None
    is_method = isinstance(call.function, Path) and len(call.function.parts) > 1
    return first.value if is_method and isinstance(first, Constant) and isinstance(first.value, str) else ""
