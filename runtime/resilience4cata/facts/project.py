"""Everything together, and the oracle that knows types."""

from __future__ import annotations

from typing import Protocol

from ..records import dataclass
from .bodies import Body
from .configuration import ConfigFile, Override, Template
from .definitions import Definition, Element, Scope, TypeFact
from .policies import Composed, Declaration
from .values import At, Ref, Value


@dataclass(frozen=True, slots=True)
class Project:
    """Everything together, for rules that compare places. `closed` means that nothing else exists.

    `templates_closed` means that every source of templates is known, whether or not the code is. `defaults` are those
    set in code; `profiles` the ones that code activates, None if that is left to the files, and `profiles_at` their
    places as far as known. `overrides` and `locked` instances are those of code, `locked_at` the places of the latter
    where it is certain that they are locked. On the definitions in `uncertain` stand decorators that may or may not be
    policies. `used_templates` are those that code uses or might use, None if it may use any. `makes_handlers` tells
    that fallback handlers are made by something else than a plain call. `bounds_sockets` tells that code sets how long
    new sockets wait (`socket.setdefaulttimeout`).
    """

    elements: tuple[Element, ...] = ()
    composed: tuple[Composed, ...] = ()
    templates: tuple[Template, ...] = ()
    files: tuple[ConfigFile, ...] = ()
    closed: bool = False
    templates_closed: bool = False
    defaults: tuple[Declaration, ...] = ()
    profiles: tuple[str, ...] | None = None
    profiles_at: tuple[At, ...] = ()
    overrides: tuple[Override, ...] = ()
    locked: tuple[str, ...] = ()
    locked_at: tuple[At, ...] = ()
    uncertain: frozenset[str] = frozenset()
    makes_handlers: bool = False
    used_templates: frozenset[str] | None = None
    bounds_sockets: bool = False


class Oracle(Protocol):
    """Answers questions about types; None means that the front end cannot tell."""

    def assignable(self, source: TypeFact, target: TypeFact) -> bool | None:
        """Whether a value of type `source` may stand where `target` is expected."""

    def type_argument(self, value: Value, base: str) -> TypeFact | None:
        """T of a class that is a `base[T]`, of which `base` is the full name."""

    def optional(self, type: TypeFact) -> TypeFact | None:
        """The type of which None is a value, too."""

    def class_scope(self, ref: Ref) -> Scope | None:
        """The scope of the class that `ref` names, if it can be looked into."""

    def definition(self, ref: Ref) -> Definition | None:
        """The function that `ref` names, if it can be looked at."""

    def body(self, definition: Definition) -> Body | None:
        """What a function does, if its body can be looked into."""


class NoTypes:
    """The oracle that never knows."""

    def assignable(self, source: TypeFact, target: TypeFact) -> bool | None:
        return None

    def type_argument(self, value: Value, base: str) -> TypeFact | None:
        return None

    def optional(self, type: TypeFact) -> TypeFact | None:
        return None

    def class_scope(self, ref: Ref) -> Scope | None:
        return None

    def definition(self, ref: Ref) -> Definition | None:
        return None

    def body(self, definition: Definition) -> Body | None:
        return None
