"""Declaration values: what a policy is before anybody calls anything.

`retry(max_attempts=3)` is a frozen, comparable, printable value that knows what was written, where, and nothing else.
The same value decorates callables and classes, is composed with others, and stands in templates and pipelines.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import timedelta
from types import CodeType, MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, NoReturn, TypeVar

from ..schema import UNSET, PolicySchema, Unset
from ..suggestions import did_you_mean
from .applying import TARGETS, apply
from .spelling import as_code, meant

if TYPE_CHECKING:
    from collections.abc import Mapping

F = TypeVar("F", bound=Callable[..., Any])

Duration = str | timedelta
"""A string of the strict grammar ("250ms", "2s", "PT1M30S") or a non-negative timedelta."""

ExceptionTypes = type[Exception] | tuple[type[Exception], ...]
DeniedTypes = type[BaseException] | tuple[type[BaseException], ...]


class Site(NamedTuple):
    """The call that made a value: where it stands is worked out only when somebody asks."""

    code: CodeType
    instruction: int


_NO_TARGET: Final = object()


class Decorator:
    """Anything of ours that can be applied to a function, method or class."""

    site: Site | None = None

    if TYPE_CHECKING:

        def __call__(self, target: F, /) -> F:
            """Record that this policy stands on `target`, and give back what runs it there."""
            ...

    else:

        def __call__(self, target=_NO_TARGET, /):
            """Record that this policy stands on `target`, and give back what runs it there.

            Raises TypeError for what can neither be called nor lead to what is called; all else `build()` checks. A
            function becomes a wrapper with its signature, a class keeps its identity and gets wrappers as methods. A
            generator function gets one too, which stays a generator function, so that it is refused when it is called;
            so does what stands in a property, a static or class method. What else is not called comes back as it is.
            """
            if target is _NO_TARGET:
                # Python would name this method, which nobody has written.
                raise TypeError(self._without_target())
            return apply(self, target, sys._getframe(1))

    def _without_target(self) -> str:
        return f"{self!r} {TARGETS}"


class Policy(Decorator):
    """Base of the values that `circuit_breaker(…)`, `retry(…)` and the others return.

    `written` holds the attributes that were written, without any default. Raises TypeError, as a function would, for a
    parameter that the policy does not have.
    """

    schema: ClassVar[PolicySchema]
    written: Mapping[str, Any]

    if not TYPE_CHECKING:  # type checkers know the parameters from the fields

        def __init__(self, *args, **kwargs):
            schema = self.schema
            if args:
                if len(args) > len(schema.positional):
                    _refuse_positional(schema, args)
                kwargs = _with_positional(schema, args, kwargs)
            for name in kwargs:
                if name not in schema.attributes:
                    _refuse_name(schema, name)
            self._remember(kwargs, sys._getframe(1))

    def _remember(self, written: dict[str, Any], frame: Any) -> None:
        kept = {name: value for name, value in written.items() if value is not UNSET}
        object.__setattr__(self, "written", MappingProxyType(kept))
        object.__setattr__(self, "site", Site(frame.f_code, frame.f_lasti))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        msg = f"{self.schema.name}(...) is a value: make another one instead of setting '{name}'"
        raise AttributeError(msg)

    def __delattr__(self, name: str) -> NoReturn:
        self.__setattr__(name, None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and type(self) is type(other) and self._meant() == other._meant()

    def __hash__(self) -> int:
        return hash((type(self), frozenset(self._meant().items())))

    def _meant(self) -> dict[str, object]:
        """What was written, each value in the one form that all spellings of it share."""
        attributes = self.schema.attributes
        return {name: meant(attributes[name].kind, value) for name, value in self.written.items()}

    def __repr__(self) -> str:
        """The call as it is written in code."""
        positional = self.schema.positional
        parts = [as_code(v) if n in positional else f"{n}={as_code(v)}" for n, v in self.written.items()]
        return f"{self.schema.name}({', '.join(parts)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), dict(self.written))


def _rebuild(cls: type[Policy], written: dict[str, Any]) -> Policy:
    policy = cls.__new__(cls)
    object.__setattr__(policy, "written", MappingProxyType(written))
    return policy


def _with_positional(schema: PolicySchema, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    given = dict(zip(schema.positional, args, strict=False))
    for name in given:
        if name in kwargs:
            msg = f"{schema.name}() got multiple values for argument '{name}'"
            raise TypeError(msg)
    return given | kwargs


def _refuse_positional(schema: PolicySchema, args: tuple[Any, ...]) -> NoReturn:
    if len(args) == 1 and callable(args[0]):
        msg = f"@{schema.name} is written without parentheses: write @{schema.name}()"
        raise TypeError(msg)
    msg = f"{schema.name}() takes its attributes by name: {schema.name}({next(iter(schema.attributes))}=...)"
    raise TypeError(msg)


def _refuse_name(schema: PolicySchema, name: str) -> NoReturn:
    msg = f"{schema.name}() has no attribute '{name}'"
    suggestion = did_you_mean(name, schema.attributes)
    raise TypeError(f"{msg}; did you mean '{suggestion}'?" if suggestion else msg)


__all__ = ["UNSET", "Decorator", "DeniedTypes", "Duration", "ExceptionTypes", "Policy", "Site", "Unset"]
