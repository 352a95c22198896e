"""What functions do: the calls in a body, what catches their failures, and what makes them again.

Nested functions, lambdas and classes are bodies of their own: what they do happens at another time.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ..records import dataclass
from .values import At, Ref, Unknown

if TYPE_CHECKING:
    from .definitions import Definition


@dataclass(frozen=True, slots=True)
class Call:
    """A call in a body.

    `callee` is the full name of what is called: the id of a function or class of the project, or a name outside
    ("requests.get"). What an instance has is named after the call that made it ("requests.Session().get").
    `definition` is the function, if it is one of the project. `keywords` are the names of arguments and `positional` is
    the number of others; with `open` there may be more of both (`*args`, `**options`). `given` are parameters of the
    function that are handed on as they are. `loops` and `tries` are the loops and `try` bodies around the call, as
    indices into those of the body. `awaited`, `returned` and `entered` tell what happens to its value at once, the last
    one that a `with` enters it or that it is run through. `keyed` tells that the call carries, or may carry, an
    idempotency key.
    """

    callee: str | Unknown
    at: At
    definition: Definition | None = None
    keywords: tuple[str, ...] = ()
    positional: int = 0
    open: bool = False
    given: tuple[str, ...] = ()
    loops: tuple[int, ...] = ()
    tries: tuple[int, ...] = ()
    awaited: bool = False
    returned: bool = False
    entered: bool = False
    keyed: bool = False


class Effect(Enum):
    """What becomes of a failure that a handler has caught."""

    SWALLOWED = "swallowed"
    CONVERTED = "converted"
    RAISED_AGAIN = "raised again"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Handler:
    """One `except` of a `try`. `types` are what it catches, `BaseException` if it names nothing.

    `raised` is the exception type that takes the place of a failure that is CONVERTED.
    """

    types: tuple[Ref | Unknown, ...]
    effect: Effect
    at: At
    raised: Ref | None = None


@dataclass(frozen=True, slots=True)
class Try:
    """A `try` with handlers. `all_of_it` tells that nothing of the body that may fail stands outside, other than in
    handlers; `leaves` that it ends the loop or the function where nothing failed."""

    handlers: tuple[Handler, ...]
    at: At
    all_of_it: bool = False
    leaves: bool = False
    loops: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Loop:
    """A `for` or `while`, or a comprehension."""

    at: At


@dataclass(frozen=True, slots=True)
class Body:
    """What a function does. `returns_calls` tells that it returns nothing but what the calls marked as returned give.

    `consumed` are the parameters that it certainly runs through or reads, without those that it may begin again.
    """

    calls: tuple[Call, ...] = ()
    tries: tuple[Try, ...] = ()
    loops: tuple[Loop, ...] = ()
    returns_calls: bool = False
    consumed: frozenset[str] = frozenset()
