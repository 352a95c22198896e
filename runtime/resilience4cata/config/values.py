"""Values as they stand in files, turned into the facts that code would give for them.

Text becomes what the attribute's kind asks for; what cannot be turned stays as it is, and rules refuse it.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable
from enum import Enum
from typing import Final

from .. import errors
from ..facts import UNKNOWN, Items, Member, Ref, Value
from ..schema import POLICIES, Attribute, AttributeKind

_INTEGER: Final = re.compile(r"-?[0-9]{1,4000}")
_NUMBER: Final = re.compile(r"-?[0-9]{1,4000}(?:\.[0-9]+)?")
_BOOLEANS: Final = {"true": True, "false": False}

# Public names of classes whose own `__module__` says otherwise; importing asyncio for them would cost too much.
_MOVED: Final = {
    "asyncio.CancelledError": ("asyncio.exceptions.CancelledError", ("builtins.BaseException",)),
    "asyncio.exceptions.CancelledError": ("asyncio.exceptions.CancelledError", ("builtins.BaseException",)),
    "concurrent.futures.CancelledError": (
        "concurrent.futures._base.CancelledError",
        ("concurrent.futures._base.Error", "builtins.Exception", "builtins.BaseException"),
    ),
}
_ALIASES: Final = {
    "asyncio.TimeoutError": "TimeoutError",
    "concurrent.futures.TimeoutError": "TimeoutError",
    "socket.timeout": "TimeoutError",
    "socket.error": "OSError",
}


def coerce(attribute: Attribute, value: Value, *, textual: bool) -> Value:
    """The value as a declaration in code would hold it. `textual` formats have nothing but text."""
    if isinstance(value, Items) and attribute.kind in _LISTS:
        return Items(tuple(_item(attribute, item) for item in value.items), "tuple", value.closed)
    if not isinstance(value, str):
        return value
    if attribute.kind in _LISTS:
        return _split(attribute, value)
    if attribute.kind in _TEXTUAL:
        return _TEXTUAL[attribute.kind](value) if textual else value
    if attribute.kind is AttributeKind.MEMBER:
        return _member(attribute.members, value)
    return _reference(value) if attribute.kind is AttributeKind.CLASSIFIER else value


def _integer(text: str) -> Value:
    return int(text) if _INTEGER.fullmatch(text) else text


def _number(text: str) -> Value:
    if not _NUMBER.fullmatch(text):
        return text
    return float(text) if "." in text else int(text)


def _boolean(text: str) -> Value:
    return _BOOLEANS.get(text, text)


_TEXTUAL: Final[dict[AttributeKind, Callable[[str], Value]]] = {
    AttributeKind.INTEGER: _integer,
    AttributeKind.NUMBER: _number,
    AttributeKind.BOOLEAN: _boolean,
}
_LISTS: Final = frozenset({AttributeKind.EXCEPTIONS, AttributeKind.LAYERS})


def _split(attribute: Attribute, text: str) -> Value:
    """`A, B` as a tuple; a single word alone is no list, and nothing at all stays an empty text."""
    words = [word.strip() for word in text.split(",")]
    if len(words) == 1 and attribute.kind is AttributeKind.EXCEPTIONS:
        return _item(attribute, text.strip()) if text.strip() else text
    return Items(tuple(_item(attribute, word) for word in words)) if text.strip() else text


def _item(attribute: Attribute, value: Value) -> Value:
    if not isinstance(value, str):
        return value
    return _member(_layers(), value) if attribute.kind is AttributeKind.LAYERS else _reference(value)


def _layers() -> type[Enum] | None:
    """The enumeration of layers, known here only through the default of the attribute that lists them."""
    default = POLICIES["order"].attributes["layers"].default if "order" in POLICIES else ()
    return type(default[0]) if isinstance(default, tuple) and default else None


def _member(members: type[Enum] | None, text: str) -> Value:
    return Member(members.__name__, text) if members is not None and text in members.__members__ else text


def _reference(text: str) -> Value:
    """A dotted path as a reference, with its ancestors where it names a builtin or one of our own errors."""
    if not all(part.isidentifier() for part in text.split(".")):
        return text
    if text in _MOVED:
        name, bases = _MOVED[text]
        return Ref(name, True, (name, *bases, "builtins.object"))
    module, _, name = text.rpartition(".")
    name = _ALIASES.get(text, name if module in ("", "builtins") else "")
    if name:
        return reference_to(getattr(builtins, name, None), text)
    own = module in ("resilience4cata", "resilience4cata.errors")
    return reference_to(getattr(errors, text.rpartition(".")[2], None) if own else None, text)


def reference_to(thing: object, otherwise: str) -> Ref:
    """The reference to a live class, or one by name alone."""
    if not isinstance(thing, type):
        return Ref(otherwise)
    names = tuple(f"{cls.__module__}.{cls.__qualname__}" for cls in thing.__mro__)
    return Ref(names[0], True, names)


def from_toml(value: object) -> Value:
    """What `tomllib` gives, as a fact: dates become their text, what has no counterpart is UNKNOWN."""
    if isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list):
        return Items(tuple(from_toml(item) for item in value), "list")
    return UNKNOWN if isinstance(value, dict) else str(value)
