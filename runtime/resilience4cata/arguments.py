"""What is given to the methods of the API, looked at where it is given: what cannot be meant is a TypeError at once.

`call` is the method as its callers write it: `listener()`.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import FunctionType
from typing import Final, cast

_LONGEST: Final = 60


def expect_text(call: str, what: str, *values: object) -> None:
    """Raise TypeError unless all values are texts; `what` says what each of them is."""
    for value in values:
        if not isinstance(value, str):
            raise refusal(call, f"{what} as text", value)


def expect_flag(call: str, value: object) -> None:
    """Raise TypeError unless the value is True or False."""
    if not isinstance(value, bool):
        raise refusal(call, "True or False", value)


def expect_callable(call: str, what: str, value: object) -> None:
    """Raise TypeError unless the value can be called."""
    if not callable(value):
        raise refusal(call, what, value)


def expect_methods(call: str, what: str, value: object, names: Iterable[str]) -> None:
    """Raise TypeError unless the value is an object that has these methods. A class has them for its objects alone."""
    for name in names:
        found = getattr(value, name, None)
        if not callable(found) or (isinstance(value, type) and _needs_object(value, name)):
            raise refusal(call, f"{what}, an object with {' and '.join(f'{name}()' for name in names)}", value)


def refusal(call: str, expected: str, value: object) -> TypeError:
    """The error for a value that is not what a call expects."""
    return TypeError(f"{call} expects {expected}, not {shown(value)}")


def shown(value: object) -> str:
    """A value as an error names it: `3`, `'no'`, `the class ManualClock`, `the function find`."""
    # Proxies answer isinstance() by running code of theirs, which may fail.
    if issubclass(type(value), type):
        return f"the class {cast('type', value).__qualname__}"
    if type(value) is FunctionType:
        return f"the function {value.__qualname__}"
    try:
        text = repr(value)
    except Exception:  # what cannot even say what it is
        text = ""
    return text if 0 < len(text) <= _LONGEST else f"an object of {type(value).__qualname__}"


def _needs_object(cls: type, name: str) -> bool:
    return next((type(vars(base)[name]) is FunctionType for base in cls.__mro__ if name in vars(base)), False)
