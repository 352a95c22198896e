"""Places, and values as they were written."""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal

from ..records import dataclass, replace, sealed


class Unknown(Enum):
    """The type of `UNKNOWN`, the value that nobody could determine."""

    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown.UNKNOWN


@sealed
@dataclass(frozen=True, slots=True, order=True)
class At:
    """A place: lines and columns count from 1, columns in characters, `end_column` is the first one after; 0 = not
    known.

    `source` is a path, `env NAME` for an environment variable, or `-X key` for an option of the interpreter.
    `attribute` names the part of a call that is meant where only the call's own place is known (live objects); a front
    end may look closer before it reports.
    """

    source: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    attribute: str = ""

    def inside(self, attribute: str) -> At:
        """The same place, narrowed to one attribute of the call that stands there."""
        return replace(self, attribute=attribute)


NOWHERE: Final = At("")


@dataclass(frozen=True, slots=True)
class Interval:
    """A `datetime.timedelta` as exact nanoseconds (negative ones included)."""

    nanoseconds: int


@dataclass(frozen=True, slots=True)
class Member:
    """A member of one of the library's enumerations: `Jitter.FULL`."""

    enum: str
    name: str


@dataclass(frozen=True, slots=True)
class Ref:
    """A class, function or other named object, by its full dotted name.

    `ancestors` are the full names of a class's method resolution order, itself first; None when it is no class or its
    bases are not all known (then `is_class` may still be known). An object of a class, which has no name, is called
    `acme.Handler()`, and has the ancestors of its class.
    """

    name: str
    is_class: bool | None = None
    ancestors: tuple[str, ...] | None = None

    @property
    def short(self) -> str:
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Items:
    """A tuple, list or set written in place; an open one (`closed=False`) has members that nobody knows."""

    items: tuple[Value, ...]
    kind: Literal["tuple", "list", "set"] = "tuple"
    closed: bool = True


Value = str | int | float | bool | None | Interval | Member | Ref | Items | Unknown


def entries(value: Value) -> tuple[Value, ...]:
    """The members of a list; a single value is a list of one."""
    return value.items if isinstance(value, Items) else (value,)


def refs_in(value: Value) -> tuple[Ref, ...]:
    """The classes and functions in a list that are known."""
    return tuple([entry for entry in entries(value) if isinstance(entry, Ref)])


def all_refs(value: Value) -> tuple[Ref, ...] | None:
    """The classes and functions in a list; None if it has, or may have, other members."""
    refs = refs_in(value)
    is_open = isinstance(value, Items) and not value.closed
    return refs if not is_open and len(refs) == len(entries(value)) else None


@dataclass(frozen=True, slots=True)
class Slot:
    """One attribute as it was written: the values it may have, and where.

    `certain` is False when it may or may not be written (`**options` known to hold it in one branch).
    """

    values: tuple[Value, ...]
    at: At
    certain: bool = True

    @property
    def value(self) -> Value:
        """The only value, or UNKNOWN."""
        return self.values[0] if len(self.values) == 1 else UNKNOWN
