"""Live values as facts."""

from __future__ import annotations

from datetime import timedelta
from enum import Enum
from types import BuiltinFunctionType, FunctionType
from typing import Any, Final

from ..facts import UNKNOWN, Interval, Items, Member, Ref, Value
from ..policies.recorded import is_a

_KINDS: Final[dict[type, Any]] = {tuple: "tuple", list: "list", set: "set", frozenset: "set"}
# Subclasses of these may stand for them, and what can be made a number may be meant as one.
_PLAIN: Final = (str, timedelta, tuple, list, set, frozenset, Enum)
_NUMERIC: Final = ("__float__", "__index__")
_OWN: Final = __name__.partition(".")[0]


def value_of(value: Any) -> Value:
    """A value as facts know it; UNKNOWN for what has no such form (handlers that are instances, lambdas, …)."""
    if value is None or type(value) in (bool, int, float, str):
        return value  # type: ignore[no-any-return]
    if is_a(value, type):
        return ref_of(value)
    if is_a(value, timedelta):
        return Interval((value.days * 86_400 + value.seconds) * 1_000_000_000 + value.microseconds * 1_000)
    if is_a(value, Enum):
        return _member(value)
    if type(value) in _KINDS:
        return _items(value)
    if is_a(value, (FunctionType, BuiltinFunctionType)) and value.__name__ != "<lambda>":
        return Ref(full_name(value), is_class=False)
    return UNKNOWN


def ref_of(cls: type) -> Ref:
    """A class with the full names of its resolution order."""
    return Ref(full_name(cls), is_class=True, ancestors=tuple(map(full_name, cls.__mro__)))


def handler_of(value: Any) -> Value:
    """A fallback handler as facts know it: also an object that can neither be made nor called."""
    found = value_of(value)
    if found is not UNKNOWN or callable(value):
        return found
    cls = ref_of(type(value))
    return Ref(f"{cls.name}()", is_class=False, ancestors=cls.ancestors)


def classifier_of(value: Any) -> Value:
    """A classifier as facts know it: also a lambda, and an object that cannot be asked."""
    asked = hasattr(type(value), "classify") or "classify" in getattr(value, "__dict__", ())
    return value_of(value) if asked else plain_of(value)


def plain_of(value: Any) -> Value:
    """A value that is no object of other people, as facts know it: also a lambda, and an object that is one."""
    found = value_of(value)
    kind = type(value)
    if found is not UNKNOWN or is_a(value, _PLAIN) or any(hasattr(kind, name) for name in _NUMERIC):
        return found
    if kind is FunctionType:
        return Ref(full_name(value), is_class=False)
    # Proxies and mocks have whatever they are asked for.
    answers = any(name in vars(base) for base in kind.__mro__[:-1] for name in ("__getattr__", "__getattribute__"))
    return UNKNOWN if answers else Ref(f"{full_name(kind)}()", is_class=False)


def full_name(named: Any) -> str:
    """`module.qualname` of a class or function."""
    module, name = getattr(named, "__module__", None), getattr(named, "__qualname__", None) or named.__name__
    return f"{known_as(module)}.{name}" if isinstance(module, str) else str(name)


def known_as(module: str) -> str:
    """The name by which people know a module: that of the program is another in processes that were spawned."""
    return "__main__" if module == "__mp_main__" else module


def _member(value: Enum) -> Value:
    kind = type(value)
    if kind.__module__.partition(".")[0] == _OWN:
        return Member(kind.__name__, value.name)
    # Enumerations of other people count as what they are underneath.
    if isinstance(value, str):
        return str(value.value)
    return int(value.value) if isinstance(value, int) else UNKNOWN


def _items(values: Any) -> Items:
    kind = _KINDS[type(values)]
    items = [value_of(value) for value in values]
    # Sets have no order; messages need one.
    return Items(tuple(sorted(items, key=repr) if kind == "set" else items), kind)
