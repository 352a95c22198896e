"""Where names are looked up: classes with their bases, modules, and locals of functions."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Final

from resilience4cata.facts import NOWHERE, UNKNOWN, At, Definition, Foreign, Kind, ParameterKind, TypeFact, Unknown
from resilience4cata.records import replace

from .candidates import of_library
from .names import unmangled
from .objects import ClassObject, FunctionObject, Where
from .outside import MISSING, find
from .symbols import Assigned, Binding, Defined, FileFacts, Imported
from .terms import Constant, Display, Path, Term, root_of

if TYPE_CHECKING:
    from .world import World

_CALLABLE_KINDS: Final = (Kind.FUNCTION, Kind.METHOD, Kind.STATIC_METHOD, Kind.CLASS_METHOD)

Found = Definition | Unknown | None


class _Body:
    """One scope of one file, without what stands around it."""

    def __init__(self, world: World, file: FileFacts, scope: int) -> None:
        self._world = world
        self._file = file
        self._scope = scope

    def own(self, name: str) -> Found:
        """What the scope itself binds the name to; None if nothing."""
        bindings = self._file.scopes[self._scope].bindings.get(name, ())
        if not bindings:
            return UNKNOWN if self._may_be_slot(name) else None
        # A definition repeated in one body: the last one counts. In a branch, nobody knows.
        last = bindings[-1]
        if last.conditional or any(binding.anytime for binding in bindings):
            return UNKNOWN
        found = self._definition(name, last)
        if isinstance(found, Definition) and len(bindings) > 1:
            return replace(found, replaces=self._replaced(name, bindings), result_varies=self._varies(bindings))
        return found

    def _varies(self, bindings: Sequence[Binding]) -> bool:
        """Whether the last definition implements overloads that promise other results than its own annotation."""
        functions = [function for binding in bindings if (function := self._function(binding)) is not None]
        overloads = [function for function in functions[:-1] if self._is_overload(function)]
        return any(self._result(overload) != self._result(functions[-1]) for overload in overloads)

    def _is_overload(self, function: FunctionObject) -> bool:
        decorators = self._world.definitions.function(function).decorators
        return any(isinstance(d, Foreign) and d.name == "typing.overload" for d in decorators)

    def _result(self, function: FunctionObject) -> TypeFact | None:
        where = Where(function.file, function.facts.scope, deferred=True)
        return self._world.annotations.fact(function.facts.result, where)

    def _replaced(self, name: str, bindings: Sequence[Binding]) -> At | None:
        """Where the definition stands that the last one certainly makes unreachable."""
        functions = [self._function(binding) for binding in bindings]
        earlier, last = functions[-2:]
        if earlier is None or last is None or any(binding.conditional for binding in bindings[-2:]):
            return None
        # `@name.setter` and `@name.register` go on with what stands above.
        if any(root_of(decorator) == name for decorator in last.facts.decorators):
            return None
        definition = self._world.definitions.function(earlier)
        # A foreign decorator may have kept the function elsewhere: a route, an overload.
        return definition.at if definition.signature is not None else None

    def _function(self, binding: Binding) -> FunctionObject | None:
        if not isinstance(binding.to, Defined):
            return None
        found = self._world.names.bound(self._file, self._scope, binding)
        return found if isinstance(found, FunctionObject) else None

    def _may_be_slot(self, name: str) -> bool:
        """Whether `__slots__` makes a descriptor of that name, or cannot be read."""
        bindings = self._file.scopes[self._scope].bindings.get("__slots__", ())
        texts = (_texts(binding.to.value) if isinstance(binding.to, Assigned) else None for binding in bindings)
        return any(known is None or name in known for known in texts)

    def _definition(self, name: str, binding: Binding) -> Definition | Unknown:
        to = binding.to
        if isinstance(to, Assigned) and isinstance(to.value, Constant | Display):
            at = self._file.at(to.value.span)
            owner = self._file.scope_id(self._scope)
            return Definition(f"{owner}.{name}", name, owner, Kind.OTHER, at)
        alias = isinstance(to, Assigned) and isinstance(to.value, Path)
        if not isinstance(to, Defined | Imported) and not alias:
            return UNKNOWN
        found = self._world.names.bound(self._file, self._scope, binding)
        if isinstance(found, FunctionObject):
            definition = self._world.definitions.function(found)
            if isinstance(to, Defined):
                return definition
            inside = self._file.scopes[self._scope].kind == "class"
            return _bound(definition, name) if inside else replace(definition, name=name)
        if isinstance(found, ClassObject):
            return self._world.definitions.cls(found)
        return UNKNOWN

    def functions(self) -> Iterator[Definition]:
        """The functions and methods that the scope defines, in the order they are written."""
        for name in self._file.scopes[self._scope].bindings:
            found = self.own(name)
            if isinstance(found, Definition) and found.kind in _CALLABLE_KINDS and found.name == name:
                yield found


class ClassScope:
    """A class of the project together with its bases."""

    is_class: Final = True

    def __init__(self, world: World, cls: ClassObject) -> None:
        self._world = world
        self._cls = cls

    @property
    def id(self) -> str:
        return self._cls.id

    @property
    def ancestors(self) -> tuple[str, ...] | None:
        return self._world.hierarchy.ancestors(self._cls)

    def lookup(self, name: str) -> Found:
        hierarchy = self._world.hierarchy
        open_before = False
        for node in hierarchy.order(self._cls):
            if not isinstance(node, ClassObject):
                found = _outside(node, name)
                if found is not None:
                    return found
                continue
            own_name = unmangled(name, node.facts.name)
            if hierarchy.is_patched(node, name) or hierarchy.is_patched(node, own_name):
                return UNKNOWN
            own = _Body(self._world, node.file, node.facts.body).own(own_name)
            if own is not None:
                return UNKNOWN if open_before else own
            open_before = open_before or hierarchy.may_have_more(node) or _answers_for_any(node)
        return UNKNOWN if open_before or hierarchy.may_be_added(name) else None

    def names(self) -> Sequence[str]:
        found: dict[str, None] = {}
        for node in self._world.hierarchy.order(self._cls):
            if isinstance(node, ClassObject):
                functions = _Body(self._world, node.file, node.facts.body).functions()
                found.update(dict.fromkeys(function.name for function in functions))
        return tuple(found)

    def public_methods(self) -> Sequence[Definition] | Unknown:
        facts = self._cls.file.scopes[self._cls.facts.body]
        body = _Body(self._world, self._cls.file, self._cls.facts.body)
        methods: list[Definition] = []
        for name, bindings in facts.bindings.items():
            if name.startswith("_"):
                continue
            found = body.own(name)
            if isinstance(found, Unknown):
                if self._may_be_method(bindings):
                    return UNKNOWN
            elif found is not None and found.kind in _CALLABLE_KINDS:
                methods.append(found)
        if not methods and self._world.hierarchy.may_have_more(self._cls):
            return UNKNOWN
        return tuple(methods)

    def _may_be_method(self, bindings: Sequence[Binding]) -> bool:
        if "enum.Enum" in (self.ancestors or ()):
            return any(isinstance(binding.to, Defined) for binding in bindings)
        # An annotated name is a field.
        return not all(_is_field(binding) for binding in bindings)

    def subclasses(self) -> Sequence[ClassScope]:
        return tuple(self._world.class_scope(cls) for cls in self._world.hierarchy.subclasses(self._cls))


class BodyScope:
    """A module, or the locals of a function with what stands around them."""

    is_class: Final = False
    ancestors: Final = None

    def __init__(self, world: World, file: FileFacts, scope: int) -> None:
        self._world = world
        self._file = file
        self._scope = scope

    @property
    def id(self) -> str:
        return self._file.scope_id(self._scope)

    def lookup(self, name: str) -> Found:
        for scope in self._around():
            found = _Body(self._world, self._file, scope).own(name)
            if found is not None:
                return found
            if self._file.scopes[scope].open:
                return UNKNOWN
        if "__getattr__" in self._file.scopes[0].bindings or hasattr(builtins, name):
            return UNKNOWN
        star = self._world.names.star_may_have(self._file, name)
        if isinstance(star, FunctionObject):
            return self._world.definitions.function(star)
        return None if star is None else UNKNOWN

    def _around(self) -> Iterator[int]:
        scope: int | None = self._scope
        while scope is not None:
            if self._file.scopes[scope].kind != "class":
                yield scope
            scope = self._file.scopes[scope].parent

    def names(self) -> Sequence[str]:
        found: dict[str, None] = {}
        for scope in self._around():
            functions = _Body(self._world, self._file, scope).functions()
            found.update(dict.fromkeys(function.name for function in functions))
        return tuple(found)

    def public_methods(self) -> Sequence[Definition]:
        return ()

    def subclasses(self) -> Sequence[ClassScope]:
        return ()


def _bound(definition: Definition, name: str) -> Definition | Unknown:
    """A function that a class body gives another name: a plain one becomes a method, and takes the instance first."""
    if definition.kind is Kind.METHOD:
        return replace(definition, name=name)
    signature = definition.signature
    if definition.kind is not Kind.FUNCTION or signature is None or not signature.parameters:
        return UNKNOWN
    first, *rest = signature.parameters
    if first.kind > ParameterKind.POSITIONAL_OR_KEYWORD:
        return UNKNOWN
    return replace(definition, name=name, kind=Kind.METHOD, signature=replace(signature, parameters=tuple(rest)))


def _texts(value: Term) -> tuple[str, ...] | None:
    """The texts of a display or of one text; None if there is anything else."""
    items = value.items if isinstance(value, Display) else (value,)
    texts = [item.value for item in items if isinstance(item, Constant) and isinstance(item.value, str)]
    return tuple(texts) if len(texts) == len(items) else None


def _answers_for_any(cls: ClassObject) -> bool:
    """Whether instances of the class have whatever is asked for."""
    return any(name in cls.file.scopes[cls.facts.body].bindings for name in ("__getattr__", "__getattribute__"))


def _is_field(binding: Binding) -> bool:
    return isinstance(binding.to, Assigned) and binding.to.annotated


def _outside(node: str, name: str) -> Found:
    """What a class outside the project has under the name: a method of ours, UNKNOWN, or certainly nothing (None)."""
    if node.startswith("?"):
        return UNKNOWN
    if node in ("typing.NamedTuple", "typing.TypedDict"):
        return UNKNOWN if name.startswith("_") else None
    cls = find(node)
    if cls is MISSING:
        return UNKNOWN
    if "__getattr__" in vars(cls):
        return UNKNOWN
    member = vars(cls).get(name)
    if of_library(node) and isinstance(member, FunctionType):
        abstract = bool(getattr(member, "__isabstractmethod__", False))
        return Definition(f"{node}.{name}", name, node, Kind.METHOD, NOWHERE, abstract=abstract)
    return UNKNOWN if name in vars(cls) else None


__all__ = ["BodyScope", "ClassScope"]
