"""Running functions through layers, and pipelines that stand for themselves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import FunctionType, MethodType
from typing import Any, Final, ParamSpec, TypeVar, cast

from ..arguments import expect_callable
from ..stand_ins import is_coroutine_function
from .creating import COROUTINE, may_work_later, what_creates
from .head_start import HeadStart
from .instances import Surroundings
from .ports import AsyncPort, SyncPort, driven
from .shape import binder_of
from .slow import Call, Layer

P = ParamSpec("P")
T = TypeVar("T")

_PLAIN: Final = (FunctionType, MethodType)


class Pipeline:
    """Policies without a decorator: `call` and `acall` run any function through them."""

    def __init__(
        self,
        name: str,
        layers: Callable[[], tuple[Layer, ...]],
        runner: Runner,
        refuse: Callable[[FunctionType], None],
    ) -> None:
        """`layers` gives those that count at the time of a call. `refuse` raises DefinitionError for a function whose
        call only makes a generator or a context manager."""
        self.name = name
        self._layers = layers
        self._runner = runner
        self._refuse = refuse

    def call(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a synchronous function.

        Raises, before any policy, TypeError for what is no function, for arguments that do not fit and for a coroutine
        function, of which only the creation of the coroutine would be guarded; DefinitionError for a function that
        makes a generator or a context manager.
        """
        if may_work_later(function):
            if is_coroutine_function(function):
                name = getattr(function, "__qualname__", function)
                msg = f"'{name}' is a coroutine function: run it by 'await pipeline.acall(...)'"
                raise TypeError(msg)
            self._refuse_creation(function)
        elif type(function) is not FunctionType:
            expect_callable("call()", "a function and its arguments", function)
        return cast("T", self._runner.call(self._layers(), function, args, kwargs))

    async def acall(self, function: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call an asynchronous function and await it.

        Raises, before any policy, TypeError for what is no function and for arguments that do not fit; DefinitionError
        for a function that makes a generator or a context manager.
        """
        # The quick answer for nearly everything that is awaited: an `async def`, bound or not.
        code = getattr(function, "__code__", None) if type(function) in _PLAIN else None
        if code is None or not code.co_flags & COROUTINE:
            expect_callable("acall()", "a function and its arguments", function)
            if may_work_later(function):
                self._refuse_creation(function)
        return cast("T", await self._runner.acall(self._layers(), function, args, kwargs))

    def _refuse_creation(self, function: Callable[..., object]) -> None:
        plain = what_creates(function)
        if plain is not None:
            self._refuse(plain)

    def __repr__(self) -> str:
        return f"<Pipeline {self.name!r}>"


class Runner:
    """Runs functions through layers. The arguments by name are those of the call, and its own from then on."""

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
        kwargs: dict[str, Any],
        receiver: object = None,
        head: HeadStart | None = None,
    ) -> Any:
        call = Call(layers, function, args, kwargs, binder_of(function), receiver, head)
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
        kwargs: dict[str, Any],
        receiver: object = None,
        head: HeadStart | None = None,
    ) -> Any:
        call = Call(layers, function, args, kwargs, binder_of(function), receiver, head)
        outcome = await call.inside(0, self._async)
        if outcome.failure is None:
            return outcome.result
        try:
            raise outcome.failure
        finally:
            del outcome, call
