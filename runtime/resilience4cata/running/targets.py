"""The fallbacks of an element, found in its class or given to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType, MethodType
from typing import Any

from ..extract.definitions import mangled
from ..extract.settings import PolicySettings
from ..pipeline.falling_back import Given, NotFound, Target, handler_target, is_handler, target_of
from ..policies.recorded import function_of

MakeHandler = Callable[[type], Any]


def method_targets(values: PolicySettings, owner: type, member: object, make_handler: MakeHandler) -> Iterator[Target]:
    """The fallbacks of `member`, which the class `owner` defines. Raises NotFound for a sibling that is not there."""
    original = function_of(member)
    if original is None:
        return
    is_method = not isinstance(member, staticmethod)
    for name in values["method"] or ():
        found = _sibling(owner, name)
        function = function_of(found) if found is not None else None
        if found is None or function is None:
            raise NotFound(name, f"{owner.__module__}.{owner.__qualname__}")
        takes_receiver = not isinstance(found, staticmethod)
        find = _finder(mangled(owner, name), owner)
        yield target_of(name, find, function, original, bound=takes_receiver, method=is_method)
    handler = values["handler"]
    if is_handler(handler):
        yield handler_target(make_handler(handler))
    elif handler is not None:
        yield _reference(handler, original, is_method=is_method)


def function_targets(values: PolicySettings, original: FunctionType, make_handler: MakeHandler) -> Iterator[Target]:
    """The fallbacks of a function that is no method: names are those of its module, looked up when they are needed.

    Raises NotFound for a name that the module does not have.
    """
    for name in values["method"] or ():
        function = function_of(original.__globals__.get(name))
        if function is None:
            raise NotFound(name, original.__module__)
        yield target_of(name, _global_finder(name, original), function, original)
    handler = values["handler"]
    if is_handler(handler):
        yield handler_target(make_handler(handler))
    elif handler is not None:
        yield _reference(handler, original, is_method=False)


def pipeline_targets(values: PolicySettings, make_handler: MakeHandler) -> Iterator[Target]:
    """The fallbacks of a pipeline. Raises NotFound for siblings, which it does not have."""
    for name in values["method"] or ():
        raise NotFound(name, "a pipeline, which has no siblings")
    handler = values["handler"]
    if is_handler(handler):
        yield handler_target(make_handler(handler))
    elif handler is not None:
        yield Target(getattr(handler, "__qualname__", repr(handler)), Given(handler), context=True)


def _sibling(owner: type, name: str) -> object:
    key = mangled(owner, name)
    return next((vars(base)[key] for base in owner.__mro__ if key in vars(base)), None)


def _finder(key: str, owner: type) -> Callable[[object], Callable[..., Any]]:
    """What is called for a receiver: its own, so that a subclass's override runs."""

    def find(receiver: object) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(owner if receiver is None else receiver, key)
        return found

    return find


def _global_finder(name: str, original: FunctionType) -> Callable[[object], Callable[..., Any]]:
    def find(_: object) -> Callable[..., Any]:
        found: Callable[..., Any] = original.__globals__[name]
        return found

    return find


def _reference(handler: Any, original: FunctionType, *, is_method: bool) -> Target:
    """A function given by reference. On a method it may be one of the class's body, which takes the receiver first."""
    name = str(getattr(handler, "__qualname__", repr(handler)))
    if type(handler) is not FunctionType:
        return Target(name, Given(handler), context=True)
    first = original.__code__.co_varnames[:1]
    if is_method and handler.__code__.co_argcount and handler.__code__.co_varnames[:1] == first:

        def bind(receiver: object) -> Callable[..., Any]:
            return MethodType(handler, receiver)

        return target_of(name, bind, handler, original, bound=True, method=True)
    return target_of(name, Given(handler), handler, original, method=is_method)
