"""The parameters of a plain function, as its own code has them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from sys import modules
from types import CodeType, FunctionType, MethodType
from typing import Any, Final

_ARGS: Final = 0x04  # inspect.CO_VARARGS
_KWARGS: Final = 0x08  # inspect.CO_VARKEYWORDS
_MAX_LAYERS: Final = 100

_MARKS: Final = (("_is_coroutine_mark", "inspect"), ("_is_coroutine", "asyncio.coroutines"))

ANY: Final = "*args, **kwargs"


def parameter_names(code: CodeType) -> tuple[str, ...]:
    """The names of all parameters, in the order of `co_varnames`: keyword-only ones before `*args`."""
    stars = bool(code.co_flags & _ARGS) + bool(code.co_flags & _KWARGS)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + stars]


def signature_text(code: CodeType) -> str | None:
    """The parameters as they are written, without defaults; None if they cannot be (`.0` of a comprehension)."""
    return _written(code, arguments=False)


def arguments_text(code: CodeType) -> str | None:
    """The arguments of a call that hands on all parameters as they came."""
    return _written(code, arguments=True)


def _written(code: CodeType, *, arguments: bool) -> str | None:
    names = parameter_names(code)
    if not all(name.isidentifier() for name in names):
        return None
    count = code.co_argcount
    keyword = names[count:][: code.co_kwonlyargcount]
    rest = list(names[count + code.co_kwonlyargcount :])
    parts = list(names[:count])
    if code.co_posonlyargcount and not arguments:
        parts.insert(code.co_posonlyargcount, "/")
    if code.co_flags & _ARGS:
        parts.append(f"*{rest.pop(0)}")
    elif keyword and not arguments:
        parts.append("*")
    parts += (f"{name}={name}" for name in keyword) if arguments else keyword
    parts += [f"**{name}" for name in rest]
    return ", ".join(parts)


def plain_function(function: Any) -> FunctionType | None:
    """The plain function that runs when a callable is called: in a partial, a bound method, or as `__call__`."""
    for _ in range(_MAX_LAYERS):
        kind = type(function)
        if kind is FunctionType:
            return function  # type: ignore[no-any-return]
        if kind is MethodType:
            function = function.__func__
        elif issubclass(kind, partial):
            function = function.func
        else:
            call: Callable[..., Any] | None = getattr(kind, "__call__", None)  # noqa: B004  # not whether, but what
            return call if type(call) is FunctionType else None
    return None


def is_marked_asynchronous(function: Any) -> bool:
    """Whether a callable says itself that it gives coroutines: what `inspect.markcoroutinefunction` has marked, and
    `AsyncMock`."""
    try:
        own = object.__getattribute__(function, "__dict__")
    except AttributeError:
        return False
    return any(name in own and own[name] is getattr(modules.get(module), name, None) for name, module in _MARKS)
