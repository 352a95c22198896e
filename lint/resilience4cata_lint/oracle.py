"""What the linter knows about types: only what the names of built-in types say for certain."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from resilience4cata.facts import Body, Definition, Ref, Scope, TypeFact, Value

from .annotations import Shape

if TYPE_CHECKING:
    from .world import World

_PLAIN: Final = frozenset(
    f"builtins.{name}"
    for name in [
        "NoneType",
        "bool",
        "bytes",
        "complex",
        "dict",
        "float",
        "frozenset",
        "int",
        "list",
        "set",
        "str",
        "tuple",
    ]
)

_WIDER: Final = {
    "builtins.bool": frozenset({"builtins.int", "builtins.float", "builtins.complex"}),
    "builtins.int": frozenset({"builtins.float", "builtins.complex"}),
    "builtins.float": frozenset({"builtins.complex"}),
}


_EXCEPTIONS: Final = {
    f"builtins.{name}": cls
    for name, cls in vars(builtins).items()
    if isinstance(cls, type) and issubclass(cls, BaseException) and not issubclass(cls, BaseExceptionGroup)
}


class LintTypes:
    """The linter's oracle; without a `world` it only compares types."""

    def __init__(self, world: World | None = None) -> None:
        self._world = world

    @property
    def world(self) -> World | None:
        """All files of the run together, if there are any."""
        return self._world

    def assignable(self, source: TypeFact, target: TypeFact) -> bool | None:
        """Whether a value of `source` may stand where `target` is expected; None unless that is certain."""
        ours, theirs = source.handle, target.handle
        if not isinstance(ours, Shape) or not isinstance(theirs, Shape):
            return None
        return _assignable(ours, theirs)

    def type_argument(self, value: Value, base: str) -> TypeFact | None:
        """Never known here: a type argument says nothing certain without a type checker."""
        return None

    def optional(self, type: TypeFact) -> TypeFact | None:
        """Never known here, since it is only asked about type arguments."""
        return None

    def class_scope(self, ref: Ref) -> Scope | None:
        """The scope of a class of the project."""
        return None if self._world is None else self._world.scope_of(ref.name)

    def definition(self, ref: Ref) -> Definition | None:
        """A function of the project."""
        return None if self._world is None else self._world.definition_of(ref.name)

    def body(self, definition: Definition) -> Body | None:
        """The body of a function of the project."""
        function = None if self._world is None else self._world.definitions.object_of(definition)
        return None if self._world is None or function is None else self._world.bodies.of(function)


def _assignable(source: Shape | None, target: Shape | None) -> bool | None:
    if source is None or target is None:
        return None
    if source.members:
        return _all(_assignable(member, target) for member in source.members)
    if target.members:
        return _any(_assignable(source, member) for member in target.members)
    if target.name == "builtins.object":
        return True
    if source.name == target.name:
        return True if source == target or not target.arguments else _arguments(source, target)
    ours, theirs = _EXCEPTIONS.get(source.name), _EXCEPTIONS.get(target.name)
    if ours is not None and theirs is not None:
        return issubclass(ours, theirs)
    # An object may be anything: what takes one type alone does not take it.
    is_known = ours is not None or source.name in _PLAIN or source.name == "builtins.object"
    if not is_known or (theirs is None and target.name not in _PLAIN):
        return None
    return target.name in _WIDER.get(source.name, frozenset())


def _arguments(source: Shape, target: Shape) -> bool | None:
    """Two generics of one class: only a fixed number of elements that do not fit is certain."""
    if source.name != "builtins.tuple" or not source.arguments:
        return None
    if Shape("...") in (*source.arguments, *target.arguments):
        return None
    if len(source.arguments) != len(target.arguments):
        return False
    return _all(_assignable(ours, theirs) for ours, theirs in zip(source.arguments, target.arguments, strict=True))


def _all(answers: Iterable[bool | None]) -> bool | None:
    known = list(answers)
    return False if False in known else None if None in known else True


def _any(answers: Iterable[bool | None]) -> bool | None:
    known = list(answers)
    return True if True in known else None if None in known else False
