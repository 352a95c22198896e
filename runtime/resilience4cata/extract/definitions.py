"""Functions, methods and classes as facts."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from types import FunctionType
from typing import Any, Final

from ..facts import UNKNOWN, At, Decorator, Definition, Foreign, Kind, Signature, Unknown
from ..policies.recorded import Recorded, context_manager_maker, function_of, is_a, is_abstract, layers
from ..policies.recording import Application, Mark
from ..records import replace
from ..signature import is_marked_asynchronous
from .annotations import results_vary, returned_future, returns_awaitable, signature_of
from .places import Places
from .policies import PolicyFacts
from .values import full_name

_ASYNC: Final = 0x80 | 0x100 | 0x200  # coroutine, iterable coroutine, asynchronous generator
_YIELDS: Final = 0x20 | 0x200  # generator, asynchronous generator
_ITERABLE_COROUTINE: Final = 0x100

_WRAPPERS: Final[tuple[tuple[type, str, Kind], ...]] = (
    (staticmethod, "builtins.staticmethod", Kind.STATIC_METHOD),
    (classmethod, "builtins.classmethod", Kind.CLASS_METHOD),
    (property, "builtins.property", Kind.PROPERTY),
    (functools.cached_property, "functools.cached_property", Kind.PROPERTY),
)
_CACHE: Final = type(functools.lru_cache(lambda: None))
_KEEP_SIGNATURE: Final = frozenset(
    {
        "abc.abstractmethod",
        "builtins.classmethod",
        "builtins.staticmethod",
        "resilience4cata.inherit_policies",
        "resilience4cata.unguarded",
    }
)


class Definitions:
    """Makes facts of live definitions, with the policies that were recorded on them."""

    def __init__(self, recorded: Recorded, places: Places, policies: PolicyFacts) -> None:
        self.recorded = recorded
        self.places = places
        self.policies = policies
        self._members: dict[tuple[int, str, int], Definition | Unknown] = {}
        self._alive: list[object] = []  # an id is only unique while its object lives

    def member(self, owner: type, key: str, value: Any, *, is_accessor: bool = False) -> Definition | Unknown:
        """What stands in the body of the class `owner` under `key`; UNKNOWN for callables of a kind not known here.

        With `is_accessor`, `value` is the setter or deleter of the property that stands there.
        """
        memo = (id(owner), key, id(value))
        found = self._members.get(memo)
        if found is None:
            name = unmangled(owner, key)
            owner_id = full_name(owner)
            # Made the getter of a property, it looks as one in all that is asked of it.
            whole = property(value) if is_accessor else value
            found = self._definition(f"{owner_id}.{name}", name, owner_id, whole, owner)
            if is_accessor and isinstance(found, Definition):
                found = replace(found, accessor=True)
            self._members[memo] = found
            self._alive.append((owner, value))
        return found

    def function(self, value: object, *, name: str | None = None, certain: bool = True) -> Definition | Unknown:
        """A function of a module, or local to a function; `certain` is False if more may stand above what is seen."""
        function = function_of(value)
        if function is None:
            return self._definition(name or "", name or "", "", value, None)
        definition_id = full_name(function)
        found = self._definition(definition_id, name or function.__name__, owner_of(definition_id), value, None)
        if isinstance(found, Unknown) or certain:
            return found
        return Definition(
            found.id,
            found.name,
            found.owner,
            found.kind,
            found.at,
            is_async=found.is_async,
            yields=found.yields,
            decorators=found.decorators,
            decorators_known=False,
        )

    def class_(self, cls: type) -> Definition:
        """A class, with the policies of the whole class."""
        class_id = full_name(cls)
        applied = (self.policies.applied(a) for a in self.recorded.on(cls))
        decorators = tuple(a for a in applied if a is not None)
        at = self.class_place(cls)
        return Definition(class_id, cls.__name__, owner_of(class_id), Kind.CLASS, at, decorators=decorators)

    def class_place(self, cls: type) -> At:
        """The name in a class statement, as far as known."""
        on_class = self.recorded.on(cls)
        methods = (function_of(value) for value in vars(cls).values())
        codes = [a.code for a in on_class] + [f.__code__ for f in methods if f is not None and _made_in(f, cls)]
        filename = codes[0].co_filename if codes else None
        at = self.places.class_name(filename, cls.__qualname__)
        if at.line or not on_class:
            return at
        return self.places.call(on_class[0].code, on_class[0].instruction)

    def _definition(self, id_: str, name: str, owner_id: str, value: Any, owner: type | None) -> Definition | Unknown:
        if is_a(value, type):
            return self.class_(value)
        function = function_of(value)
        if function is None:
            unclear = callable(value) or hasattr(type(value), "__get__")
            return UNKNOWN if unclear else Definition(id_, name, owner_id, Kind.OTHER, At(""))
        kind = _kind(value, owner)
        decorators = tuple(self._decorators(value, function))
        foreign = [d.name for d in decorators if isinstance(d, Foreign)]
        plain = all(foreign_name in _KEEP_SIGNATURE for foreign_name in foreign)
        bound = kind in (Kind.METHOD, Kind.CLASS_METHOD)
        flags = function.__code__.co_flags
        return Definition(
            id_,
            name,
            owner_id,
            kind,
            self.places.function(function.__code__),
            self._signature(function, owner, bound=bound) if plain else None,
            is_async=True if flags & _ASYNC or is_marked_asynchronous(function) else returns_awaitable(function),
            yields=bool(flags & _YIELDS) and not flags & _ITERABLE_COROUTINE,
            abstract=is_abstract(value, owner),
            decorators=decorators,
            of_protocol=owner is not None and vars(owner).get("_is_protocol") is True,
            future=returned_future(function, owner) if plain and not flags & _ASYNC else None,
            result_varies=results_vary(function),
        )

    def _signature(self, function: FunctionType, owner: type | None, *, bound: bool) -> Signature | None:
        return signature_of(function, owner, bound=bound, written=self.places.annotations(function.__code__))

    def _decorators(self, value: object, function: FunctionType) -> Iterator[Decorator]:
        """What stands on a definition, outermost first."""
        for layer in layers(value):
            for application in self.recorded.on_layer(layer):
                yield from self._ours(application)
            name = _foreign(layer)
            if layer is not function and name is not None:
                yield Foreign(name, self._foreign_place(name, function))
        if getattr(function, "__isabstractmethod__", False) or getattr(value, "__isabstractmethod__", False) is True:
            yield Foreign("abc.abstractmethod", self._foreign_place("abc.abstractmethod", function))

    def _ours(self, application: Application) -> Iterator[Decorator]:
        if isinstance(application.policy, Mark):
            at = self.places.call(application.code, application.instruction)
            yield Foreign(f"resilience4cata.{application.policy.name}", at)
        else:
            applied = self.policies.applied(application)
            if applied is not None:
                yield applied

    def _foreign_place(self, name: str | Unknown, function: FunctionType) -> At:
        last = name.rpartition(".")[2] if isinstance(name, str) else ""
        return self.places.decorator(function.__code__, last)


def mangled(cls: type, name: str) -> str:
    """The key under which a name written in the body of `cls` stands in its namespace."""
    if not name.startswith("__") or name.endswith("__"):
        return name
    prefix = cls.__name__.lstrip("_")
    return f"_{prefix}{name}" if prefix else name


def unmangled(cls: type, key: str) -> str:
    """A key of the namespace of `cls` as it is written in its body."""
    start = f"_{cls.__name__.lstrip('_')}"
    private = key.startswith(f"{start}__") and not key.endswith("__") and start != "_"
    return key[len(start) :] if private else key


def owner_of(definition_id: str) -> str:
    """The class, module or function whose body holds a definition."""
    return definition_id.rpartition(".")[0].removesuffix(".<locals>")


def _kind(value: object, owner: type | None) -> Kind:
    for layer in layers(value):
        for wrapper, _, kind in _WRAPPERS:
            if is_a(layer, wrapper):
                return kind
    return Kind.FUNCTION if owner is None else Kind.METHOD


def _foreign(layer: object) -> str | Unknown | None:
    """The decorator that made a layer; None for a layer that is the function itself."""
    for wrapper, name, _ in _WRAPPERS:
        if is_a(layer, wrapper):
            return name
    if is_a(layer, _CACHE):
        return "functools.lru_cache"
    if type(layer) is not FunctionType:
        return UNKNOWN
    return context_manager_maker(layer) or UNKNOWN


def _made_in(function: FunctionType, cls: type) -> bool:
    return function.__qualname__.rpartition(".")[0] == cls.__qualname__
