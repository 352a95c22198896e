"""Listeners given to a builder, or to what it built, as facts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import MethodType
from typing import Any, Final, NamedTuple

from ..facts import NOWHERE, Listener
from ..policies.declaration import Site
from ..policies.recorded import function_of
from .places import Places

_COROUTINE: Final = 0x80
_CALL: Final = "__call__"


class CodeListener(NamedTuple):
    """`.listener(callback)` as it was called; `method` is another one that takes a callback, `position` its place."""

    callback: Callable[[Any], object]
    site: Site
    method: str = "listener"
    position: int = 0


def listener_of(given: CodeListener, places: Places) -> Listener:
    """What is known of a callback: a function, a bound method, a partial, or an object that can be called."""
    callback: object = given.callback
    while isinstance(callback, partial):
        callback = callback.func
    if isinstance(callback, MethodType):
        callback = callback.__func__
    name = getattr(callback, "__name__", "") or type(callback).__name__
    function = function_of(callback) or function_of(getattr(type(callback), _CALL, None))
    return Listener(
        given.method,
        "" if name == "<lambda>" else name,
        bool(function.__code__.co_flags & _COROUTINE) if function is not None else None,
        places.argument(places.call(*given.site), "callback", given.position),
        places.function(function.__code__) if function is not None else NOWHERE,
    )
