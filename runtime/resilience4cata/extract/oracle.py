"""What `build()` knows beyond the facts themselves: real types, and the objects behind names."""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import ForwardRef, TypeVar, Union

from ..facts import Body, Definition, Ref, Scope, TypeFact, Value
from .annotations import NOT_KNOWN, type_fact
from .assignability import assignable, bindings
from .definitions import Definitions
from .scopes import ClassScope
from .values import full_name


class LiveTypes:
    """The oracle of `build()`. `objects` are the classes and functions behind the names in facts."""

    def __init__(self, definitions: Definitions, objects: Mapping[str, object]) -> None:
        self._definitions = definitions
        self._objects = objects

    def assignable(self, source: TypeFact, target: TypeFact) -> bool | None:
        """Whether a value of `source` may stand where `target` is expected; None if that cannot be told."""
        return assignable(source.handle, target.handle)

    def type_argument(self, value: Value, base: str) -> TypeFact | None:
        """T of a class that is a `base[T]`, through any number of generic bases."""
        cls = self._objects.get(value.name) if isinstance(value, Ref) else None
        generic = next((c for c in cls.__mro__ if full_name(c) == base), None) if isinstance(cls, type) else None
        parameters = getattr(generic, "__parameters__", ())
        if not isinstance(cls, type) or generic is None or not parameters:
            return None
        found = bindings(cls, generic).get(parameters[0], NOT_KNOWN)
        return None if found is NOT_KNOWN or isinstance(found, TypeVar | str | ForwardRef) else type_fact(found)

    def optional(self, type: TypeFact) -> TypeFact | None:
        """The type of which None is a value, too."""
        return type_fact(Union[type.handle, None])  # noqa: UP007 - not every live type has `|`

    def class_scope(self, ref: Ref) -> Scope | None:
        """The scope of a class that was given to a policy."""
        cls = self._objects.get(ref.name)
        return ClassScope(self._definitions, cls) if isinstance(cls, type) else None

    def definition(self, ref: Ref) -> Definition | None:
        """A function that was given to a policy."""
        function = self._objects.get(ref.name)
        found = self._definitions.function(function) if isinstance(function, FunctionType) else None
        return found if isinstance(found, Definition) else None

    def body(self, definition: Definition) -> Body | None:
        """Never known here: objects do not tell."""
        return None
