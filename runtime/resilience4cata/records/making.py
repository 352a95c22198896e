"""How records are made: the part of `dataclasses` that the project uses, and nothing else of it.

Annotations have to be texts, as `from __future__ import annotations` makes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

R = TypeVar("R")

_NOTHING: Final = object()
"""No default, or no argument."""

_FIELDS: Final = "__record_fields__"


class Field(NamedTuple):
    """A field: what it holds if nothing is given, and where it takes part."""

    name: str
    default: object
    default_factory: Any
    init: bool
    repr: bool
    compare: bool


def field(
    *,
    default: object = _NOTHING,
    default_factory: object = _NOTHING,
    init: bool = True,
    repr: bool = True,
    compare: bool = True,
) -> Field:
    """A field that is not like others; the class gives it its name."""
    return Field("", default, default_factory, init, repr, compare)


def fields(record: Any) -> tuple[Field, ...]:
    """The fields of a record, or of a class of records: inherited ones first."""
    found: tuple[Field, ...] = record.__record_fields__
    return found


def replace(record: R, /, **changes: object) -> R:
    """A record like this one but for the changes. Raises TypeError for a field that it does not have."""
    same = {each.name: getattr(record, each.name) for each in fields(record) if each.init and each.name not in changes}
    return type(record)(**same, **changes)


def dataclass(
    *, frozen: bool = False, slots: bool = False, eq: bool = True, order: bool = False
) -> Callable[[type[R]], type[R]]:
    """Make records of the objects of a class. What the class defines itself stays as it is.

    Objects can be hashed if they are frozen and compared by value, as with the standard decorator.
    """

    def make(made: type[R]) -> type[R]:
        own = _own_fields(made)
        every = {each.name: each for base in reversed(made.__mro__) for each in vars(base).get(_FIELDS, ())} | own
        members: dict[str, object] = {
            _FIELDS: tuple(every.values()),
            "__match_args__": tuple(each.name for each in every.values() if each.init),
            "__repr__": _repr,
        }
        if eq:
            members["_compared"] = _getter([each.name for each in every.values() if each.compare])
            members["__eq__"] = _eq
            members["__hash__"] = _hash if frozen else None
        if order:
            members |= {"__lt__": _lt, "__le__": _le, "__gt__": _gt, "__ge__": _ge}
        if slots:
            members["__slots__"] = tuple(own)
        record = _made_anew(made, members, without=own)
        if "__init__" not in vars(made):
            of_class: Any = record
            of_class.__init__ = _late_init(of_class)
        return record

    return make


def sealed(made: type[R]) -> type[R]:
    """Refuse at run time, too, what type checkers refuse: writing to frozen records, which need slots for it.

    For values that users hold. Making one takes twice as long.
    """
    of_class: Any = made
    of_class.__setattr__ = _refuse_to_write
    of_class.__delattr__ = _refuse_to_delete
    if made.__reduce__ is object.__reduce__:
        of_class.__reduce__ = _reduced
    return made


def _own_fields(made: type) -> dict[str, Field]:
    found = {}
    for name, annotation in made.__annotations__.items():
        if not annotation.startswith("ClassVar"):
            given = vars(made).get(name, _NOTHING)
            found[name] = (given if isinstance(given, Field) else field(default=given))._replace(name=name)
    return found


def _made_anew(made: type[R], members: dict[str, object], without: Iterable[str]) -> type[R]:
    """The class with these members besides its own: slots can only be had when a class is made."""
    dropped = {*without, "__dict__", "__weakref__"}
    members |= {name: value for name, value in vars(made).items() if name not in dropped}
    metaclass: Any = type(made)
    again: type[R] = metaclass(made.__name__, made.__bases__, members)
    again.__qualname__ = made.__qualname__
    return again


def _late_init(made: Any) -> Callable[..., None]:
    """What stands for `__init__` until the first object of the class is made.

    It knows its class, since threads that make first objects at once come here when `__init__` is another already.
    """

    def late_init(self: object, /, *arguments: object, **named: object) -> None:
        compiled = made.__init__ = _compiled_init(made)
        compiled(self, *arguments, **named)

    return late_init


def _compiled_init(made: Any) -> Callable[..., None]:
    is_sealed = made.__setattr__ is _refuse_to_write
    parameters, body, names = ["self", "/"], ["pass"], {"_NOTHING": _NOTHING}
    for each in fields(made):
        name, value = each.name, each.name
        if each.default_factory is not _NOTHING:
            names[f"_new_{name}"] = each.default_factory
            parameters += [f"{name}=_NOTHING"] if each.init else []
            value = f"_new_{name}() if {name} is _NOTHING else {name}" if each.init else f"_new_{name}()"
        elif each.default is not _NOTHING:
            names[f"_default_{name}"] = each.default
            parameters += [f"{name}=_default_{name}"] if each.init else []
            value = name if each.init else f"_default_{name}"
        elif each.init:
            parameters.append(name)
        else:
            continue
        if is_sealed:
            names[f"_set_{name}"] = getattr(made, name).__set__
        body.append(f"_set_{name}(self, {value})" if is_sealed else f"self.{name} = {value}")
    namespace: dict[str, Callable[..., None]] = {}
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body), names, namespace)
    return namespace["__init__"]


def _refuse_to_write(self: object, name: str, value: object) -> NoReturn:
    msg = f"cannot assign to field {name!r}"
    raise AttributeError(msg)


def _refuse_to_delete(self: object, name: str) -> NoReturn:
    msg = f"cannot delete field {name!r}"
    raise AttributeError(msg)


def _reduced(self: Any) -> tuple[Any, ...]:
    return _restored, (type(self), tuple(getattr(self, each.name) for each in fields(self)))


def _restored(made: type, values: tuple[object, ...]) -> object:
    """A record as it was when it was copied or pickled."""
    record: object = object.__new__(made)
    for each, value in zip(fields(made), values, strict=True):
        getattr(made, each.name).__set__(record, value)
    return record


def _getter(names: list[str]) -> attrgetter[Any]:
    # Without fields to compare, all objects of the class are equal.
    return attrgetter(*names) if names else attrgetter("__class__")


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({shown})"


def _eq(self: Any, other: Any) -> Any:
    return self._compared(self) == self._compared(other) if type(self) is type(other) else NotImplemented


def _hash(self: Any) -> int:
    return hash(self._compared(self))


def _lt(self: Any, other: Any) -> Any:
    return self._compared(self) < self._compared(other) if type(self) is type(other) else NotImplemented


def _le(self: Any, other: Any) -> Any:
    return self._compared(self) <= self._compared(other) if type(self) is type(other) else NotImplemented


def _gt(self: Any, other: Any) -> Any:
    return self._compared(self) > self._compared(other) if type(self) is type(other) else NotImplemented


def _ge(self: Any, other: Any) -> Any:
    return self._compared(self) >= self._compared(other) if type(self) is type(other) else NotImplemented
