"""What differs between synchronous and asynchronous calls; everything else is written once, over these.

The synchronous port never suspends, so a coroutine that uses it runs to its end without an event loop.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextvars import Token, copy_context
from inspect import isawaitable
from typing import Any, Protocol, TypeVar, cast

from ..clock import Clock, Scheduler, ThreadSignal
from ..events import Channel
from ..policies.machines.bulkhead import Entry
from ..policies.machines.rate_limiter import RateLimiterMachine
from ..policies.machines.timeout import DEADLINE, Deadline, leave_deadline
from ..policies.machines.waits import enter, enter_async, permit, permit_async
from .head_start import HeadStart
from .outcome import Outcome
from .workers import Workers

T = TypeVar("T")
Body = Callable[["Port"], Coroutine[Any, Any, Outcome]]


class Port(Protocol):
    """How a call is run, waits, and ends in time."""

    @property
    def leave_deadline(self) -> Callable[[Token[Deadline | None]], object]:
        """What undoes `keep_deadline`, with its token."""

    async def run(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome:
        """Call the function; whatever it raises is the outcome."""

    async def wait(self, nanoseconds: int, deadline: int | None) -> None:
        """Let time pass."""

    async def enter(self, entry: Entry, longest: int, deadline: int | None) -> bool:
        """Get a slot of a bulkhead."""

    async def permit(self, limiter: RateLimiterMachine, channel: Channel, deadline: int | None) -> int | None:
        """Get a permit of a rate limiter; see `waits.permit`."""

    async def limited(
        self, body: Body, limit: int, began: int, *, offload: bool, instance_id: str, head: HeadStart | None
    ) -> tuple[Outcome | None, bool]:
        """Run for no longer than `limit` from `began` on: the outcome, None if there is none in time, and whether it
        came too late.

        `instance_id` is the one that sets the limit; `head` tells of a call that the limit has watched already.
        """


class SyncPort:
    """Calls in the caller's thread."""

    # A built-in function: no signal is looked at before it has done its work.
    leave_deadline = staticmethod(DEADLINE.reset)

    def __init__(self, clock: Clock, scheduler: Scheduler, workers: Workers) -> None:
        self._clock = clock
        self._scheduler = scheduler
        self._workers = workers

    async def run(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome:
        try:
            return Outcome(function(*args, **kwargs))
        except BaseException as failure:
            return Outcome(failure=failure)

    async def wait(self, nanoseconds: int, deadline: int | None) -> None:
        self._scheduler.wait(nanoseconds, deadline=deadline)

    async def enter(self, entry: Entry, longest: int, deadline: int | None) -> bool:
        return enter(entry, longest, self._clock, self._scheduler, deadline)

    async def permit(self, limiter: RateLimiterMachine, channel: Channel, deadline: int | None) -> int | None:
        return permit(limiter, self._clock, self._scheduler, channel, deadline)

    async def limited(
        self, body: Body, limit: int, began: int, *, offload: bool, instance_id: str, head: HeadStart | None
    ) -> tuple[Outcome | None, bool]:
        if offload:
            return self._offloaded(body, limit, instance_id), False
        outcome = await body(self)
        try:
            return outcome, outcome.failure is None and self._clock.monotonic_ns() > began + limit
        finally:
            del outcome

    def _offloaded(self, body: Body, limit: int, instance_id: str) -> Outcome | None:
        """The thread goes on after the time is over, with whatever it holds."""
        found: list[Outcome] = []
        signal = ThreadSignal()
        context = copy_context()

        def work() -> None:
            try:
                found.append(context.run(driven, body(self)))
            except BaseException as failure:
                found.append(Outcome(failure=failure))
            finally:
                signal.set()

        refusal = self._workers.submit(work, instance_id)
        if refusal is not None:
            return Outcome(failure=refusal, own=True)
        self._workers.settle(signal)
        if not signal.is_set:
            self._scheduler.wait(limit, signal=signal)
        return found[0] if signal.is_set else None


class AsyncPort:
    """Calls in a task of the running event loop."""

    leave_deadline = staticmethod(leave_deadline)

    def __init__(self, clock: Clock, scheduler: Scheduler) -> None:
        self._clock = clock
        self._scheduler = scheduler

    async def run(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome:
        try:
            result = function(*args, **kwargs)
            if isawaitable(result):
                result = await result
            return Outcome(result)
        except BaseException as failure:
            return Outcome(failure=failure)

    async def wait(self, nanoseconds: int, deadline: int | None) -> None:
        await self._scheduler.wait_async(nanoseconds, deadline=deadline)

    async def enter(self, entry: Entry, longest: int, deadline: int | None) -> bool:
        return await enter_async(entry, longest, self._clock, self._scheduler, deadline)

    async def permit(self, limiter: RateLimiterMachine, channel: Channel, deadline: int | None) -> int | None:
        return await permit_async(limiter, self._clock, self._scheduler, channel, deadline)

    async def limited(
        self, body: Body, limit: int, began: int, *, offload: bool, instance_id: str, head: HeadStart | None
    ) -> tuple[Outcome | None, bool]:
        import asyncio

        from .timers import alarm

        task = asyncio.current_task()
        if task is None:
            msg = "an asynchronous call with a timeout has to run in a task of asyncio"
            raise RuntimeError(msg)
        before, fired = task.cancelling(), False
        if head is not None and head.cancelling is not None:
            before, fired = head.cancelling, head.fired

        def fire() -> None:
            nonlocal fired
            fired = True
            task.cancel()

        remaining = began + limit - self._clock.monotonic_ns()
        stop = _nothing if fired else alarm(self._scheduler, max(0, remaining), fire)
        try:
            outcome = await body(self)
        except asyncio.CancelledError as cancelled:
            outcome = Outcome(failure=cancelled)
        finally:
            stop()
        try:
            if not fired:
                return outcome, False
            if task.uncancel() > before and isinstance(outcome.failure, asyncio.CancelledError):
                # Somebody further out cancelled too, and wins.
                return outcome, False
            if isinstance(outcome.failure, asyncio.CancelledError):
                return None, False
            return outcome, outcome.failure is None
        finally:
            del outcome


def _nothing() -> None:
    return None


def driven(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never suspends."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return cast("T", stop.value)
    coroutine.close()
    msg = "a synchronous call suspended"
    raise RuntimeError(msg)
