"""Where calls of decorated callables enter their layers."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, Token
from functools import partial
from types import MethodType
from typing import Any, Final

from ..guards import Guard
from ..stand_ins import (
    Runs,
    calling,
    function_running,
    is_coroutine_function,
    leads_back,
    may_lead_back,
    weakly_called,
)
from .generate import quick_code
from .head_start import HeadStart
from .runner import Runner
from .shape import is_async
from .slow import Layer

# What is running its function within layers, the name of that method, and the object it was called on.
_RUNNING: Final[ContextVar[tuple[object, str, object] | None]] = ContextVar("resilience4cata_running", default=None)


def runs_for(
    guard: Guard, layers: tuple[Layer, ...], runner: Runner, *, is_method: bool, layers_lead_back: bool = True
) -> Runs:
    """What the wrapper of `guard` runs: its function within `layers`. Without layers, the function and nothing else.

    With `is_method`, the first argument of a call is the object, or the class, that it is called on. What layers hold
    may lead back to the wrapper, unless `layers_lead_back` denies it.
    """
    if not layers:
        return calling(guard.function, guard.function)
    function = guard.function
    if guard.overriding and is_method:
        function = announced(guard, guard.key, function)
    runs = _runs(guard.function, function, layers, runner, is_method=is_method, layers_lead_back=layers_lead_back)
    if guard.overridden and is_method:
        pipeline = function_running(guard.function, runs)
        runs = calling(guard.function, _unless_reached_by_super(guard, pipeline))
    return runs


def bound_call(
    function: Callable[..., Any], receiver: object, layers: Callable[[], tuple[Layer, ...]], runner: Runner
) -> Callable[..., Any]:
    """What runs a function, bound to its receiver if it has one, within the layers that count at the time of a call.

    A coroutine function where `function` gives an awaitable.
    """
    known: tuple[object, Callable[..., Any]] = (None, function)

    def current() -> Callable[..., Any]:
        nonlocal known
        found = layers()
        if found is not known[0]:
            known = found, _within(function, receiver, found, runner)
        return known[1]

    def call(*args: Any, **kwargs: Any) -> Any:
        return current()(*args, **kwargs)

    async def call_async(*args: Any, **kwargs: Any) -> Any:
        return await current()(*args, **kwargs)

    return call_async if is_async(function) else call


def _within(
    function: Callable[..., Any], receiver: object, layers: tuple[Layer, ...], runner: Runner
) -> Callable[..., Any]:
    """The function within these layers."""
    if not layers:
        return function
    if type(function) is not MethodType or function.__self__ is not receiver:
        return function_running(function, _runs(function, function, layers, runner, is_method=False))
    # The receiver must not be among the constants: the garbage collector does not look into code, and would keep it.
    plain = function.__func__
    return MethodType(function_running(plain, _runs(plain, plain, layers, runner, is_method=True)), receiver)


def _runs(
    like: Callable[..., Any],
    function: Callable[..., Any],
    layers: tuple[Layer, ...],
    runner: Runner,
    *,
    is_method: bool,
    layers_lead_back: bool = True,
) -> Runs:
    """What runs with the parameters of `like`: the quick way through the layers, or their own where there is none."""
    asynchronous = is_async(like)
    go_on = (_MethodPassage if is_method else _Passage)(function, layers, runner.way(asynchronous=asynchronous))
    is_coroutine = is_coroutine_function(like)
    # What is no coroutine function and yet gives an awaitable has no quick form.
    if is_coroutine == asynchronous:
        leads_back_itself = leads_back(like)
        is_apart = function is not like
        needs: tuple[Callable[..., Any], ...] = ()
        if may_lead_back(like) and (layers_lead_back or leads_back_itself or is_apart):
            needs = function, go_on
        called = weakly_called(function) if leads_back_itself or (needs and is_apart) else function
        continued = weakly_called(go_on) if needs else go_on
        code = quick_code(like, called, layers, continued, runner.around, is_coroutine=is_coroutine)
        if code is not None:
            return Runs(code, needs)
    return calling(like, partial(go_on, None))


class _Passage:
    """Lets the layers themselves run a call, from the head start on or, with None, from the beginning.

    Every guarded function has one, which is why it is not a function with variables of its own: that is larger.
    """

    __slots__ = ("__weakref__", "_function", "_layers", "_run")

    def __init__(self, function: Callable[..., Any], layers: tuple[Layer, ...], run: Callable[..., Any]) -> None:
        self._function = function
        self._layers = layers
        self._run = run

    def __call__(self, head: HeadStart | None, /, *args: Any, **kwargs: Any) -> Any:
        return self._run(self._layers, self._function, args, kwargs, None, head)


class _MethodPassage(_Passage):
    """The same for a method, whose first argument is the object or class that it is called on."""

    __slots__ = ()

    def __call__(self, head: HeadStart | None, receiver: Any, /, *args: Any, **kwargs: Any) -> Any:
        return self._run(self._layers, MethodType(self._function, receiver), args, kwargs, receiver, head)


def announced(origin: object, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A method's function, telling while it runs that what `super()` leads to belongs to the same logical call.

    `origin` is the guard that it belongs to, or whatever else runs it within layers; `name` that of the method.
    """

    def announce(receiver: Any, /, *args: Any, **kwargs: Any) -> Any:
        token = _RUNNING.set((origin, name, receiver))
        try:
            return function(receiver, *args, **kwargs)
        finally:
            _leave(token)

    async def announce_async(receiver: Any, /, *args: Any, **kwargs: Any) -> Any:
        token = _RUNNING.set((origin, name, receiver))
        try:
            return await function(receiver, *args, **kwargs)
        finally:
            _leave(token)

    return function_running(function, calling(function, announce_async if is_async(function) else announce))


def _unless_reached_by_super(guard: Guard, pipeline: Callable[..., Any]) -> Callable[..., Any]:
    """`pipeline`, but the function alone where an override that inherited its policies is running for this object.

    Whoever calls the method by its name gets the override, so that what arrives here came through `super()`.
    """
    function, name = guard.function, guard.key

    def look(receiver: Any, /, *args: Any, **kwargs: Any) -> Any:
        running = _RUNNING.get()
        if running is None:
            return pipeline(receiver, *args, **kwargs)
        origin, running_name, running_on = running
        same_call = running_on is receiver and running_name == name and origin is not guard
        return (function if same_call else pipeline)(receiver, *args, **kwargs)

    return look


def _leave(token: Token[Any]) -> None:
    try:
        _RUNNING.reset(token)
    except ValueError:
        # A coroutine that was never finished is closed in another context, whose value is not ours.
        return
