"""Expressions of a source file, reduced to what a policy's arguments may consist of.

Terms are plain data: they are cached with a file's facts, and get their meaning only when files are linked. `syntax`
makes them of what `ast` reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from resilience4cata.records import dataclass, field

Span = tuple[int, int, int, int]
"""First line and column, last line and the column after it; from 1, in characters."""

Position = tuple[int, int]

NO_SPAN: Final[Span] = (0, 0, 0, 0)

# Deeper expressions are cut: nobody writes them, but parsers, pickle and our own recursion would all suffer.
MAX_DEPTH: Final = 80

# Python refuses to print longer integers, and messages print values.
_MAX_BITS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal whose value is one of the facts' own kinds."""

    value: str | int | float | bool | None
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Path:
    """A dotted name."""

    parts: tuple[str, ...]
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of something that is no dotted name."""

    base: Term
    name: str
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call; `stars` is 1 for `*value` and 2 for `**value`."""

    value: Term
    keyword: str | None = None
    stars: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """A call with its arguments in the order they are written."""

    function: Term
    arguments: tuple[Argument, ...] = ()
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Starred:
    """`*value` within a display."""

    value: Term
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Display:
    """A tuple, list or set written out."""

    kind: Literal["tuple", "list", "set"]
    items: tuple[Term, ...]
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Table:
    """A dictionary written out; the key is None for `**other`."""

    items: tuple[tuple[Term | None, Term], ...]
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Choice:
    """`first if … else second`."""

    first: Term
    second: Term
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Negative:
    """`-value`, where value is no number."""

    value: Term
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Subscript:
    """`base[items]`."""

    base: Term
    items: tuple[Term, ...]
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Either:
    """`left | right`, a union where a type is expected."""

    left: Term
    right: Term
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Sum:
    """`left + right`."""

    left: Term
    right: Term
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Lambda:
    """A function without a name."""

    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Named:
    """`(name := value)`: it is what the value is, but stands where the name does."""

    value: Term
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Opaque:
    """Anything else. `calls` are the outermost calls in it that are evaluated in the same scope."""

    calls: tuple[Term, ...] = ()
    span: Span = field(default=NO_SPAN, compare=False)


Term = (
    Constant
    | Path
    | Attribute
    | Call
    | Starred
    | Display
    | Table
    | Choice
    | Negative
    | Subscript
    | Either
    | Sum
    | Lambda
    | Named
    | Opaque
)


def bare(term: Term) -> Term:
    """What a term gives a name to; else the term."""
    while isinstance(term, Named):
        term = term.value
    return term


def number(value: object, span: Span) -> Term:
    """A numeric literal; what facts cannot hold or nobody could print is opaque."""
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return Opaque((), span)
    return Constant(value, span) if isinstance(value, int | float) else Opaque((), span)


def negated(operand: Term, span: Span) -> Term:
    """`-operand`."""
    if isinstance(operand, Constant) and isinstance(operand.value, int | float) and not isinstance(operand.value, bool):
        return Constant(-operand.value, span)
    return Negative(operand, span)


def calls_in(term: Term) -> tuple[Term, ...]:
    """The outermost calls in a term, itself if it is one."""
    return (term,) if isinstance(term, Call) else tuple(call for child in children(term) for call in calls_in(child))


def children(term: Term) -> Iterator[Term]:
    """The terms that a term consists of, in the order they are written."""
    match term:
        case Call():
            yield term.function
            yield from (argument.value for argument in term.arguments)
        case Attribute():
            yield term.base
        case Starred() | Negative() | Named():
            yield term.value
        case Display():
            yield from term.items
        case Subscript():
            yield term.base
            yield from term.items
        case Table():
            for key, value in term.items:
                if key is not None:
                    yield key
                yield value
        case Choice():
            yield term.first
            yield term.second
        case Either() | Sum():
            yield term.left
            yield term.right
        case Opaque():
            yield from term.calls
        case _:
            return


def root_of(term: Term) -> str | None:
    """The name that a callable expression begins with: `a` in `a.b(c)[d].e`."""
    while True:
        match term:
            case Path():
                return term.parts[0]
            case Attribute() | Subscript():
                term = term.base
            case Call():
                term = term.function
            case _:
                return None
