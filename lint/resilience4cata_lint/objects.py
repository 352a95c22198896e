"""What a name or an expression turns out to be once files are linked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from resilience4cata.facts import Composed, Declaration, Unknown, Value
from resilience4cata.records import dataclass
from resilience4cata.schema import Unset

from .outside import MISSING, find
from .symbols import ClassFacts, FileFacts, FunctionFacts


class Where(NamedTuple):
    """Where an expression stands: the scope in which its names are looked up.

    `deferred` expressions are evaluated later than they are written (annotations), so they see all names of the scope.
    """

    file: FileFacts
    scope: int
    deferred: bool = False


@dataclass(frozen=True, slots=True)
class ModuleObject:
    """A module; `file` is None if it lies outside the project."""

    name: str
    file: FileFacts | None


@dataclass(frozen=True, slots=True, eq=False)
class ClassObject:
    """A class of the project. There is one object for each class."""

    file: FileFacts
    facts: ClassFacts

    @property
    def id(self) -> str:
        return self.file.full_name(self.facts.qualified)


@dataclass(frozen=True, slots=True, eq=False)
class FunctionObject:
    """A function of the project. There is one object for each function."""

    file: FileFacts
    facts: FunctionFacts

    @property
    def id(self) -> str:
        return self.file.full_name(self.facts.qualified)


@dataclass(frozen=True, slots=True)
class External:
    """Something outside the project, by the name it was reached by."""

    name: str


@dataclass(frozen=True, slots=True)
class Built:
    """A policy value of ours."""

    policy: Declaration | Composed


@dataclass(frozen=True, slots=True)
class Builder:
    """What `Resilience.builder()` and its methods return."""


@dataclass(frozen=True, slots=True)
class Running:
    """A `Resilience`: what a builder builds."""


@dataclass(frozen=True, slots=True)
class Known:
    """A value, or one of several."""

    values: tuple[Value | Unset, ...]


Object = ModuleObject | ClassObject | FunctionObject | External | Built | Builder | Running | Known | Unknown


def one_of(values: Iterable[Value | Unset]) -> Known:
    """Each of these values once. They are told apart by their texts, since True equals 1."""
    return Known(tuple({repr(value): value for value in values}.values()))


def same(left: Object, right: Object) -> bool:
    """Whether two objects are certainly the same thing."""
    if isinstance(left, ClassObject | FunctionObject) or isinstance(right, ClassObject | FunctionObject):
        return left is right
    if isinstance(left, ModuleObject) and isinstance(right, ModuleObject):
        return left.name == right.name
    if isinstance(left, External) and isinstance(right, External) and find(left.name) is not MISSING:
        return find(left.name) is find(right.name)
    # True equals 1 in Python; their texts differ.
    return type(left) is type(right) and repr(left) == repr(right)
