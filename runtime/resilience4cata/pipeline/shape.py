"""How a callable is called: whether its arguments fit, what they are called, and whether it is asynchronous."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from types import CodeType, FunctionType, MethodType
from typing import Any, Final

from ..signature import is_marked_asynchronous, parameter_names, plain_function, signature_text

_ARGS: Final = 0x04
_ITERABLE_COROUTINE: Final = 0x100  # made by types.coroutine

_PLAIN: Final = (FunctionType, MethodType, type)
# Newer versions of Python let a partial leave a gap for a later argument.
_PLACEHOLDER: Final = getattr(functools, "Placeholder", None)

Binder = Callable[..., dict[str, Any]]


def binder_of(function: Callable[..., Any]) -> Binder | None:
    """A function of the same parameters that returns them by name, or raises the TypeError of a call that does not fit.

    The shape comes from the object's own code, since `__wrapped__` and `__signature__` may tell of another function.
    None for what is no plain Python function.
    """
    plain = function.__func__ if isinstance(function, MethodType) else function
    if type(plain) is not FunctionType:
        return None
    signature = signature_text(plain.__code__)
    if signature is None:
        return None
    made = FunctionType(_code(signature), {}, plain.__name__, plain.__defaults__)
    made.__kwdefaults__ = plain.__kwdefaults__
    made.__qualname__ = plain.__qualname__
    return MethodType(made, function.__self__) if isinstance(function, MethodType) else made


def fits(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Whether a callable takes these arguments, where a plain Python function tells: within a partial, or as the
    `__call__` of an object. True where nothing tells."""
    while type(function) is partial:
        args, kwargs = (*function.args, *args), {**function.keywords, **kwargs}
        function = function.func
    if _PLACEHOLDER is not None and any(value is _PLACEHOLDER for value in args):
        return True
    call = None if issubclass(type(function), _PLAIN) else getattr(type(function), "__call__", None)  # noqa: B004
    binder = binder_of(MethodType(call, function) if type(call) is FunctionType else function)
    if binder is None:
        return True
    try:
        binder(*args, **kwargs)
    except TypeError:
        return False
    return True


@lru_cache(maxsize=512)
def _code(signature: str) -> CodeType:
    namespace: dict[str, Any] = {}
    exec(f"def call({signature}): return locals()", namespace)
    code: CodeType = namespace["call"].__code__
    return code


def given(binder: Binder, arguments: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Bound arguments as a call gives them, defaults included: what a fallback gets."""
    plain = binder.__func__ if isinstance(binder, MethodType) else binder
    code: CodeType = plain.__code__
    names = parameter_names(code)
    first = 1 if isinstance(binder, MethodType) else 0
    args = [arguments[name] for name in names[first : code.co_argcount]]
    kwargs = {name: arguments[name] for name in names[code.co_argcount :][: code.co_kwonlyargcount]}
    rest = list(names[code.co_argcount + code.co_kwonlyargcount :])
    if code.co_flags & _ARGS:
        args += arguments[rest.pop(0)]
    for name in rest:
        kwargs |= arguments[name]
    return tuple(args), kwargs


def by_name(binder: Binder, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Bound arguments without the object that a method was called on."""
    if not isinstance(binder, MethodType):
        return dict(arguments)
    code: CodeType = binder.__func__.__code__
    return {name: value for name, value in arguments.items() if name != code.co_varnames[0]}


def is_async(function: Any) -> bool:
    """Whether calling gives an awaitable: by what it is made of, by how it is marked, else by what it is annotated to
    return."""
    plain = plain_function(function)
    if plain is None:
        return False
    from inspect import iscoroutinefunction

    if iscoroutinefunction(plain) or is_marked_asynchronous(function) or is_marked_asynchronous(plain):
        return True
    return bool(plain.__code__.co_flags & _ITERABLE_COROUTINE) or _annotated(plain)


def _annotated(function: FunctionType) -> bool:
    annotation = getattr(function, "__annotations__", {}).get("return")
    if isinstance(annotation, str):
        try:
            annotation = eval(annotation, function.__globals__)
        except Exception:  # a name that is not there at run time says nothing
            return False
    from collections.abc import Awaitable

    origin = getattr(annotation, "__origin__", annotation)
    return isinstance(origin, type) and issubclass(origin, Awaitable)
