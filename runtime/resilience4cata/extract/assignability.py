"""Whether one live type may stand in for another. What is not certain is None: a false alarm is worse than silence."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Final, ForwardRef, Literal, NewType, NoReturn, TypeVar, Union

from .annotations import NOT_KNOWN

_PROMOTIONS: Final[Mapping[type, tuple[type, ...]]] = {int: (float, complex), bool: (float, complex), float: (complex,)}
_COVARIANT: Final = frozenset(
    {"Collection", "Container", "Iterable", "Iterator", "Reversible", "Sequence", "frozenset"}
)
_ONE_ARGUMENT: Final = frozenset({list, set, frozenset})


def assignable(source: object, target: object) -> bool | None:
    """Whether a value of the live type `source` may stand where `target` is expected."""
    source, target = _plain(source), _plain(target)
    if _open(source) or _open(target):
        return None
    if target is object or source in (NoReturn, typing.Never):
        return True
    if (members := _members(source)) is not None:
        return _all(assignable(member, target) for member in members)
    if (members := _members(target)) is not None:
        return _any(assignable(source, member) for member in members)
    if typing.get_origin(source) is Literal:
        return _all(_literal(value, target) for value in typing.get_args(source))
    if typing.get_origin(target) is Literal:
        return None
    if isinstance(source, NewType):
        # What is not assignable by its supertype may be by itself.
        return True if source is target or assignable(source.__supertype__, target) else None
    return _classes(source, target)


def bindings(cls: type, base: type) -> Mapping[object, object]:
    """What `cls` gives for the type parameters of its base, over any number of hops; {} if nothing is known."""
    for written in vars(cls).get("__orig_bases__", cls.__bases__):
        origin = typing.get_origin(written) or written
        if not isinstance(origin, type) or base not in origin.__mro__:
            continue
        parameters = getattr(origin, "__parameters__", ())
        here = dict(zip(parameters, typing.get_args(written), strict=False))
        if origin is base:
            return here
        return {parameter: substituted(given, here) for parameter, given in bindings(origin, base).items()}
    return {}


def substituted(type_: object, given: Mapping[object, object]) -> object:
    """`type_` with its type variables replaced; NOT_KNOWN if that cannot be done."""
    if isinstance(type_, TypeVar):
        return given.get(type_, type_)
    parameters = getattr(type_, "__parameters__", ())
    if not given or not parameters or isinstance(type_, type):
        return type_
    try:
        return type_[tuple(given.get(parameter, parameter) for parameter in parameters)]  # type: ignore[index]
    except TypeError:
        return NOT_KNOWN


def _plain(type_: object) -> object:
    if type_ is None:
        return NoneType
    return typing.get_args(type_)[0] if typing.get_origin(type_) is Annotated else type_


def _open(type_: object) -> bool:
    return type_ is NOT_KNOWN or type_ is Any or isinstance(type_, TypeVar | str | ForwardRef)


def _members(type_: object) -> tuple[object, ...] | None:
    return typing.get_args(type_) if typing.get_origin(type_) in (Union, UnionType) else None


def _literal(value: object, target: object) -> bool | None:
    if typing.get_origin(target) is not Literal:
        return assignable(type(value), target)
    return any(type(value) is type(other) and value == other for other in typing.get_args(target))


def _classes(source: object, target: object) -> bool | None:
    ours, theirs = (typing.get_origin(t) or t for t in (source, target))
    if not isinstance(ours, type) or not isinstance(theirs, type):
        return None
    related = _subclass(ours, theirs)
    if not related:
        return related
    given, wanted = typing.get_args(source), typing.get_args(target)
    if not wanted or (given == wanted and ours is theirs):
        return True
    if ours is theirs is tuple:
        return _tuples(given, wanted)
    if theirs.__name__ in _COVARIANT and len(given) == len(wanted) == 1 and ours in _ONE_ARGUMENT | {theirs}:
        return assignable(given[0], wanted[0])
    return None


def _tuples(given: tuple[object, ...], wanted: tuple[object, ...]) -> bool | None:
    if wanted[1:] == (Ellipsis,):
        members = given[:1] if given[1:] == (Ellipsis,) else given
        return _all(assignable(member, wanted[0]) for member in members)
    if given[1:] == (Ellipsis,) or not given:
        return None
    if len(given) != len(wanted):
        return False
    return _all(assignable(ours, theirs) for ours, theirs in zip(given, wanted, strict=True))


def _subclass(ours: type, theirs: type) -> bool | None:
    """Whether `ours` is a subclass; None where Python's answer does not settle the question."""
    typed_dictionary = typing.is_typeddict(ours) or typing.is_typeddict(theirs)
    if theirs in ours.__mro__ or any(theirs in _PROMOTIONS.get(base, ()) for base in ours.__mro__):
        return True if ours is theirs or not typed_dictionary else None
    # Protocols are structural and typed dictionaries are no real classes: a no means nothing there.
    if getattr(theirs, "_is_protocol", False) or typed_dictionary:
        return None
    # A class that derives from Any, or from a mock, is compatible with everything.
    if any(base.__name__ == "Any" or base.__module__ == "unittest.mock" for base in ours.__mro__):
        return None
    try:
        return issubclass(ours, theirs)
    except Exception:
        return None


def _all(answers: Iterable[bool | None]) -> bool | None:
    found = list(answers)
    if False in found:
        return False
    return None if None in found else True


def _any(answers: Iterable[bool | None]) -> bool | None:
    found = list(answers)
    if True in found:
        return True
    return None if None in found else False
