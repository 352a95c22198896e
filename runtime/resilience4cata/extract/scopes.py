"""Where names are looked up at run time: classes with their real bases, modules, and locals that are gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import EnumType
from types import FunctionType
from typing import Any, TypeVar, is_typeddict

from ..facts import UNKNOWN, Definition, Scope, Signature, TypeFact, Unknown
from ..policies.recorded import defines, function_of, is_a, is_inherited
from ..records import replace
from .annotations import NOT_KNOWN
from .assignability import bindings, substituted
from .definitions import Definitions, mangled, unmangled
from .typetext import text_of
from .values import full_name, known_as


class ClassScope:
    """A class together with its bases."""

    is_class = True

    def __init__(self, definitions: Definitions, cls: type) -> None:
        self._definitions = definitions
        self._cls = cls
        self.id = full_name(cls)
        self.ancestors: tuple[str, ...] | None = tuple(map(full_name, cls.__mro__)) + _special_forms(cls)

    @property
    def cls(self) -> type:
        """The class itself."""
        return self._cls

    def lookup(self, name: str) -> Definition | Unknown | None:
        """What `name`, written in this class, finds on it or on a base; else what a base keeps private under it."""
        for private_to in (self._cls, None):
            for base in self._cls.__mro__:
                key = mangled(private_to or base, name)
                if defines(base, key):
                    found = self._definitions.member(base, key, vars(base)[key])
                    return found if isinstance(found, Unknown) else self._specialised(found, base)
        # That of enumerations, before Python 3.12, knows their members and nothing else.
        classes = (base for c in (self._cls, type(self._cls)) for base in c.__mro__ if base is not EnumType)
        dynamic = any("__getattr__" in vars(base) for base in classes)
        return UNKNOWN if dynamic else None

    def names(self) -> Sequence[str]:
        """Methods of this class and its bases, without special ones and without private ones of bases."""
        found: dict[str, None] = {}
        for base in self._cls.__mro__:
            for key, value in vars(base).items():
                name = unmangled(self._cls, key)
                private_to_base = unmangled(base, key) != key and base is not self._cls
                if not private_to_base and not _special(name) and _is_method(value) and not is_inherited(value):
                    found[name] = None
        return tuple(found)

    def public_methods(self) -> Sequence[Definition] | Unknown:
        """The methods of this body whose names have no leading underscore, `@unguarded` ones included."""
        return tuple(self._own_methods())

    def subclasses(self) -> Sequence[Scope]:
        """All subclasses that exist now."""
        found: dict[str, type] = {}
        for cls in _below(self._cls):
            found[full_name(cls)] = cls
        return tuple(ClassScope(self._definitions, cls) for cls in found.values())

    def _own_methods(self) -> Iterator[Definition]:
        for key, value in vars(self._cls).items():
            if not key.startswith("_") and _is_method(value) and not is_inherited(value):
                method = self._definitions.member(self._cls, key, value)
                if not isinstance(method, Unknown):
                    yield method

    def _specialised(self, found: Definition, base: type) -> Definition:
        """A method of a generic base with the types that this class gives for the base's parameters."""
        given = bindings(self._cls, base) if found.signature is not None else {}
        if not given or found.signature is None:
            return found
        parameters = tuple(replace(p, type=_given(p.type, given)) for p in found.signature.parameters)
        return replace(found, signature=Signature(parameters, _given(found.signature.result, given)))


class ModuleScope:
    """The globals of a module."""

    is_class = False
    ancestors: tuple[str, ...] | None = None

    def __init__(self, definitions: Definitions, name: str, names: Mapping[str, Any]) -> None:
        self._definitions = definitions
        self._globals = names
        self.id = known_as(name)

    def lookup(self, name: str) -> Definition | Unknown | None:
        """The global of that name."""
        if name not in self._globals:
            return UNKNOWN if "__getattr__" in self._globals else None
        return self._definitions.function(self._globals[name], name=name)

    def names(self) -> Sequence[str]:
        """The functions that the module defines itself."""
        return tuple(
            name
            for name, value in tuple(self._globals.items())
            if not _special(name)
            and (function := function_of(value)) is not None
            and known_as(str(function.__module__)) == self.id
        )

    def public_methods(self) -> Sequence[Definition] | Unknown:
        return ()

    def subclasses(self) -> Sequence[Scope]:
        return ()


def _below(cls: type) -> Iterator[type]:
    subclasses: Callable[[type], list[type]] = type.__subclasses__
    seen: set[int] = set()
    waiting = list(subclasses(cls))
    while waiting:
        subclass = waiting.pop(0)
        if id(subclass) not in seen:
            seen.add(id(subclass))
            yield subclass
            waiting.extend(subclasses(subclass))


def _special_forms(cls: type) -> tuple[str, ...]:
    """Bases that are written but leave no trace in the resolution order."""
    if is_typeddict(cls):
        return ("typing.TypedDict",)
    return ("typing.NamedTuple",) if issubclass(cls, tuple) and hasattr(cls, "_fields") else ()


def _given(fact: TypeFact | None, given: Mapping[object, object]) -> TypeFact | None:
    if fact is None or fact.handle is NOT_KNOWN or isinstance(fact.handle, type):
        return fact
    handle = substituted(fact.handle, given)
    if handle is fact.handle:
        return fact
    text = fact.text if handle is NOT_KNOWN or isinstance(handle, TypeVar) else text_of(handle)
    return TypeFact(text, handle)


def _is_method(value: object) -> bool:
    if is_a(value, (FunctionType, staticmethod, classmethod)):
        return True
    return function_of(value) is not None and not is_a(value, property) and callable(value)


def _special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")
