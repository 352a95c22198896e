"""Running functions through layers, and pipelines that stand for themselves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ParamSpec, TypeVar, cast

from ..stand_ins import is_coroutine_function
from .head_start import HeadStart
from .instances import Surroundings
from .ports import AsyncPort, SyncPort, driven
from .shape import binder_of
from .slow import Call, Layer

P = ParamSpec("P")
T = TypeVar("T")


class Pipeline:
    """Policies without a decorator: `call` and `acall` run any function through them."""

    def __init__(self, name: str, layers: Callable[[], tuple[Layer, ...]], runner: Runner) -> None:
        """`layers` gives those that count at the time of a call."""
        self.name = name
        self._layers = layers
        self._runner = runner

    def call(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a synchronous function.

        Raises TypeError, before any policy, for arguments that do not fit, and for a coroutine function, of which only
        the creation of the coroutine would be guarded.
        """
        if is_coroutine_function(function):
            name = getattr(function, "__qualname__", function)
            msg = f"'{name}' is a coroutine function: run it by 'await pipeline.acall(...)'"
            raise TypeError(msg)
        return cast("T", self._runner.call(self._layers(), function, args, kwargs))

    async def acall(self, function: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call an asynchronous function and await it."""
        return cast("T", await self._runner.acall(self._layers(), function, args, kwargs))

    def __repr__(self) -> str:
        return f"<Pipeline {self.name!r}>"


class Runner:
    """Runs functions through layers."""

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self._sync = SyncPort(around.clock, around.scheduler, around.workers)
        self._async = AsyncPort(around.clock, around.scheduler)
        # Bound once, since every guarded function has one of them.
        self._ways: tuple[Callable[..., Any], Callable[..., Any]] = self.call, self.acall

    def way(self, *, asynchronous: bool) -> Callable[..., Any]:
        """`call` or `acall`."""
        return self._ways[asynchronous]

    def call(
        self,
        layers: tuple[Layer, ...],
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        receiver: object = None,
        head: HeadStart | None = None,
    ) -> Any:
        call = Call(layers, function, args, dict(kwargs), binder_of(function), receiver, head)
        outcome = driven(call.inside(0, self._sync))
        if outcome.failure is None:
            return outcome.result
        try:
            raise outcome.failure
        finally:
            # The traceback holds this frame: without this the exception would hold itself.
            del outcome, call

    async def acall(
        self,
        layers: tuple[Layer, ...],
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        receiver: object = None,
        head: HeadStart | None = None,
    ) -> Any:
        call = Call(layers, function, args, dict(kwargs), binder_of(function), receiver, head)
        outcome = await call.inside(0, self._async)
        if outcome.failure is None:
            return outcome.result
        try:
            raise outcome.failure
        finally:
            del outcome, call
