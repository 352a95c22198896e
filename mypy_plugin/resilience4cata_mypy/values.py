"""What the type of an expression tells about its value, and values written into types and read back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final

from mypy.nodes import Expression, RefExpr, TypeInfo, Var
from mypy.types import (
    CallableType,
    Instance,
    LiteralType,
    NoneType,
    ProperType,
    TupleType,
    UnionType,
    get_proper_type,
)

from resilience4cata.facts import UNKNOWN, Interval, Items, Member, Ref, Value
from resilience4cata.schema import Unset

_UNSET: Final = f"{Unset.__module__}.{Unset.__qualname__}"
_OURS: Final = f"{__name__.partition('_mypy')[0]}."
# Classes in functions get the line appended to their name: "acme.Broken@12".
_LINE_SUFFIX: Final = re.compile(r"@\d+")

Classes = dict[str, TypeInfo]
"""The classes behind the references that were made, for questions about their types."""


class Written:
    """The values that an argument may have: () if it is UNSET; `certain` is False if it may be UNSET."""

    __slots__ = ("certain", "values")

    def __init__(self, values: tuple[Value, ...], certain: bool = True) -> None:
        self.values = values
        self.certain = certain


def class_ref(info: TypeInfo, classes: Classes | None = None) -> Ref:
    """A reference to a class, with its resolution order as far as it is known."""
    ancestors = None if info.fallback_to_any else _ancestors(info)
    ref = Ref(full_name(info), True, ancestors)
    if classes is not None:
        classes[ref.name] = info
    return ref


def _ancestors(info: TypeInfo) -> tuple[str, ...]:
    names = [base.fullname for base in info.mro]
    return tuple(map(full_name, info.mro)) if any("@" in name for name in names) else tuple(names)


def full_name(info: TypeInfo) -> str:
    """The full dotted name of a class, as Python would show it."""
    name = info.fullname
    return _LINE_SUFFIX.sub("", name) if "@" in name else name


def of_final_type(typ: ProperType, classes: Classes) -> Value:
    """The value of a `Final` name, as far as its type tells."""
    if isinstance(typ, TupleType):
        return Items(tuple(of_final_type(get_proper_type(item), classes) for item in typ.items))
    if isinstance(typ, CallableType) and typ.is_type_obj():
        return class_ref(typ.type_object(), classes)
    return _single(typ)


def from_type(typ: ProperType) -> Written:
    """The values that an expression of this type may have."""
    if isinstance(typ, TupleType):
        return Written((Items(tuple(_single(get_proper_type(item)) for item in typ.items)),))
    alternatives = [get_proper_type(item) for item in typ.items] if isinstance(typ, UnionType) else [typ]
    set_ones = [item for item in alternatives if not _is_unset(item)]
    # By type as well, since True equals 1.
    values = tuple({(type(v), v): v for v in map(_single, set_ones)}.values())
    if any(value is UNKNOWN for value in values):
        values = (UNKNOWN,)
    return Written(values, certain=len(set_ones) == len(alternatives))


def _is_unset(typ: ProperType) -> bool:
    if isinstance(typ, LiteralType):
        typ = typ.fallback
    return isinstance(typ, Instance) and typ.type.fullname == _UNSET


def _single(typ: ProperType) -> Value:
    """The only value of a type, or UNKNOWN."""
    if isinstance(typ, Instance) and typ.last_known_value is not None:
        typ = typ.last_known_value
    if isinstance(typ, NoneType):
        return None
    if not isinstance(typ, LiteralType):
        return UNKNOWN
    enumeration = typ.fallback.type
    if enumeration.is_enum:
        ours = enumeration.fullname.startswith(_OURS)
        return Member(enumeration.name, str(typ.value)) if ours else UNKNOWN
    # The value of bytes is text, too.
    if isinstance(typ.value, str | int) and enumeration.fullname != "builtins.bytes":
        return typ.value
    return UNKNOWN


def is_unset(node: Expression) -> bool:
    """Whether an argument is the constant `UNSET` itself."""
    target = node.node if isinstance(node, RefExpr) else None
    typ = get_proper_type(target.type) if isinstance(target, Var) and target.is_final else None
    return typ is not None and _is_unset(typ)


def has_unknown(value: Value) -> bool:
    """Whether a value, or a part of it, is not known."""
    return any(map(has_unknown, value.items)) or not value.closed if isinstance(value, Items) else value is UNKNOWN


# ---------------------------------------------------------------- values as text, for literal types to hold


def encode(values: Iterable[Value]) -> str:
    """Values as one line of text, for `decode`."""
    return json.dumps([_to_json(value) for value in values], separators=(",", ":"))


def decode(text: str) -> tuple[Value, ...]:
    """The values that `encode` was given."""
    return tuple(_from_json(item) for item in json.loads(text))


def _to_json(value: Value) -> object:
    match value:
        case Interval(nanoseconds):
            return {"ns": nanoseconds}
        case Member(enum, name):
            return {"enum": enum, "member": name}
        case Ref(name, is_class, ancestors):
            return {"ref": name, "class": is_class, "ancestors": ancestors}
        case Items(items, kind, closed):
            return {"items": [_to_json(item) for item in items], "kind": kind, "closed": closed}
    return {} if value is UNKNOWN else value


def _from_json(data: Any) -> Value:
    match data:
        case {"ns": int(nanoseconds)}:
            return Interval(nanoseconds)
        case {"enum": str(enum), "member": str(name)}:
            return Member(enum, name)
        case {"ref": str(name), "class": is_class, "ancestors": ancestors}:
            return Ref(name, is_class, None if ancestors is None else tuple(ancestors))
        case {"items": list(items), "kind": kind, "closed": bool(closed)}:
            return Items(tuple(_from_json(item) for item in items), kind, closed)
        case str() | int() | float() | None:
            value: Value = data
            return value
    return UNKNOWN
