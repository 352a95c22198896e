"""The values of attributes: how code spells them, and which spellings mean the same."""

from __future__ import annotations

from datetime import timedelta
from enum import Enum

from ..schema import AttributeKind

_SINGLE_OR_SEVERAL = (AttributeKind.EXCEPTIONS, AttributeKind.METHODS)


def meant(kind: AttributeKind, value: object) -> object:
    """A value in the one form that all spellings of it share: "60s" and "1m", a single type and a tuple of it.

    What is no value of its kind stays as it is, and `True` is no number.
    """
    if kind is AttributeKind.DURATION and isinstance(value, str | timedelta):
        from ..durations import nanoseconds

        try:
            return "nanoseconds", nanoseconds(value)
        except ValueError:
            return value
    if kind in _SINGLE_OR_SEVERAL and not isinstance(value, tuple):
        return (value,)
    return (bool, value) if isinstance(value, bool) else value


def as_code(value: object) -> str:
    """A value as an expression, as far as it has one: `"2s"` is `'2s'`, a class its full name, a member `Jitter.FULL`.

    Names are full, since two classes may share the last one.
    """
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, type):
        module = value.__module__
        return value.__qualname__ if module == "builtins" else f"{module}.{value.__qualname__}"
    if type(value) is tuple:
        shown = ", ".join(map(as_code, value))
        return f"({shown},)" if len(value) == 1 else f"({shown})"
    return repr(value)
