"""What `build()` knows beyond the facts themselves: real types, and the objects behind names."""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Final, ForwardRef, TypeVar

from ..facts import Definition, Ref, Scope, TypeFact, Value
from ..policies.fallback import FallbackHandler
from .annotations import NOT_KNOWN, type_fact
from .assignability import assignable, bindings
from .definitions import Definitions
from .scopes import ClassScope

_RESULT: Final = FallbackHandler.__parameters__[0]  # type: ignore[attr-defined]


class LiveTypes:
    """The oracle of `build()`. `objects` are the classes and functions behind the names in facts."""

    def __init__(self, definitions: Definitions, objects: Mapping[str, object]) -> None:
        self._definitions = definitions
        self._objects = objects

    def assignable(self, source: TypeFact, target: TypeFact) -> bool | None:
        """Whether a value of `source` may stand where `target` is expected; None if that cannot be told."""
        return assignable(source.handle, target.handle)

    def handler_result(self, handler: Value) -> TypeFact | None:
        """T of a `FallbackHandler[T]` class, through any number of generic bases."""
        cls = self._objects.get(handler.name) if isinstance(handler, Ref) else None
        if not isinstance(cls, type) or FallbackHandler not in cls.__mro__:
            return None
        found = bindings(cls, FallbackHandler).get(_RESULT, NOT_KNOWN)
        return None if found is NOT_KNOWN or isinstance(found, TypeVar | str | ForwardRef) else type_fact(found)

    def class_scope(self, ref: Ref) -> Scope | None:
        """The scope of a class that was given to a policy."""
        cls = self._objects.get(ref.name)
        return ClassScope(self._definitions, cls) if isinstance(cls, type) else None

    def definition(self, ref: Ref) -> Definition | None:
        """A function that was given to a policy."""
        function = self._objects.get(ref.name)
        found = self._definitions.function(function) if isinstance(function, FunctionType) else None
        return found if isinstance(found, Definition) else None
