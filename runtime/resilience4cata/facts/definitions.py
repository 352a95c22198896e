"""Functions, methods and classes, and where their names are looked up."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, IntEnum
from typing import Protocol

from ..records import dataclass, field
from .policies import Applied, Declaration, Decorator
from .values import UNKNOWN, At, Ref, Unknown


@dataclass(frozen=True, slots=True)
class TypeFact:
    """A type as a front end knows it: `text` to show, `handle` for that front end's own oracle.

    `classes` are the classes it names (a union names several); None when that is not known. `absent` is the first name
    in it that does not exist at run time, "" if all may.
    """

    text: str
    handle: object = field(default=None, compare=False)
    classes: tuple[Ref, ...] | None = None
    absent: str = ""


class ParameterKind(IntEnum):
    """The five kinds of `inspect.Parameter`, in their order."""

    POSITIONAL_ONLY = 0
    POSITIONAL_OR_KEYWORD = 1
    VAR_POSITIONAL = 2
    KEYWORD_ONLY = 3
    VAR_KEYWORD = 4


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter; `type` is None if it is not annotated or the annotation is not known (`annotated` tells which)."""

    name: str
    kind: ParameterKind
    required: bool = True
    type: TypeFact | None = None
    annotated: bool = True


@dataclass(frozen=True, slots=True)
class Signature:
    """How a definition is called: without `self` or `cls`. `result` is the awaited type for an async definition."""

    parameters: tuple[Parameter, ...]
    result: TypeFact | None = None


class Kind(Enum):
    """What a name is bound to."""

    FUNCTION = "function"
    METHOD = "method"
    STATIC_METHOD = "static method"
    CLASS_METHOD = "class method"
    PROPERTY = "property"
    CLASS = "class"
    OTHER = "value"


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, method, class or other name, as it is defined.

    `id` is the full dotted name, `owner` the id of the class or module whose body holds it. `signature` is None when it
    is not known (decorated by something foreign that may change it). `is_async` means that calling it gives an
    awaitable, `coroutine` that it is written with `async def`, whatever its decorators make of it. `at` is the name in
    the definition's first line. `abstract` includes every method of a Protocol without a body. `future` is the class of
    the future that a plain `def` is annotated to return. `replaces` is the place of an earlier definition of the name
    in the same body, which nobody sees any more. `works_alone` tells that the body does something and asks nothing for
    an attribute of its own name (`super().find()`); False where bodies are not looked at. `of_protocol` tells of a
    decorated method that it stands in the body of a Protocol, with a body of its own or without. `result_varies` tells
    of the implementation of overloads that they promise other results than its own annotation. `accessor` tells of the
    setter or deleter of a property that its id means the getter, if that is guarded too.
    """

    id: str
    name: str
    owner: str
    kind: Kind
    at: At
    signature: Signature | None = None
    is_async: bool | None = False
    yields: bool | None = False
    abstract: bool = False
    decorators: tuple[Decorator, ...] = ()
    decorators_known: bool = True
    future: Ref | None = None
    replaces: At | None = None
    coroutine: bool = False
    works_alone: bool = False
    of_protocol: bool = False
    result_varies: bool = False
    accessor: bool = False

    @property
    def is_contract(self) -> bool:
        """Whether its policies are those of every implementation: an abstract method, or one of a Protocol."""
        return self.abstract or self.of_protocol


class Scope(Protocol):
    """Where names are looked up: a class together with its bases, or a module, or a function's locals."""

    @property
    def id(self) -> str: ...

    @property
    def is_class(self) -> bool: ...

    @property
    def ancestors(self) -> tuple[str, ...] | None:
        """Full names of the resolution order, itself first; None for a module or when a base is not known.

        A named tuple has "typing.NamedTuple" among them and a typed dictionary "typing.TypedDict", which Python's own
        resolution order does not show.
        """

    def lookup(self, name: str) -> Definition | Unknown | None:
        """What `name` (unmangled) finds here or on a base; None if it is certainly absent."""

    def names(self) -> Sequence[str]:
        """Names of functions and methods that a suggestion may offer, own ones and inherited ones."""

    def public_methods(self) -> Sequence[Definition] | Unknown:
        """Methods that a class-level policy guards: defined in this body, name without a leading underscore."""

    def subclasses(self) -> Sequence[Scope]:
        """Known direct and indirect subclasses; there may be more."""


@dataclass(frozen=True, slots=True)
class LocalScope:
    """The names in a function: what they are bound to when it runs is not known."""

    id: str

    @property
    def is_class(self) -> bool:
        return False

    @property
    def ancestors(self) -> tuple[str, ...] | None:
        return None

    def lookup(self, name: str) -> Definition | Unknown | None:
        return UNKNOWN

    def names(self) -> Sequence[str]:
        return ()

    def public_methods(self) -> Sequence[Definition] | Unknown:
        return UNKNOWN

    def subclasses(self) -> Sequence[Scope]:
        return ()


@dataclass(frozen=True, slots=True)
class Element:
    """A definition that carries policies, and where it stands. For a class, `body` is its own scope.

    `classes_known` is False where a class around it, or one of its bases, may carry policies that nobody can see, and
    `order_known` where one of these may be an order.
    """

    definition: Definition
    scope: Scope
    body: Scope | None = None
    classes_known: bool = True
    order_known: bool = True

    @property
    def policies(self) -> tuple[Applied, ...]:
        return tuple([d for d in self.definition.decorators if isinstance(d, Applied)])


@dataclass(frozen=True, slots=True)
class Written:
    """A declaration and where it stands: on an element (its id), or within something (`resilience_policy("x")`)."""

    declaration: Declaration
    element: str = ""
    within: str = ""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A source file that cannot be read or parsed; `reason` is lower case, without a final stop."""

    at: At
    reason: str
