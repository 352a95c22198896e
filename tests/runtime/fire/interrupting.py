"""Interrupts at every point of a call, and whatever a garbage collector or event loop would complain of."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from typing import Any


class Interrupted:
    """Awaits a coroutine, and calls `interrupt` when it has suspended for the time number `at`, counted from 0.

    With `late` the interrupt comes when what it waits for has ended, but before it goes on.
    """

    def __init__(
        self, coroutine: Coroutine[Any, Any, Any], at: int, interrupt: Callable[[], object], *, late: bool
    ) -> None:
        self.coroutine = coroutine
        self.at = at
        self.interrupt = interrupt
        self.late = late
        self.reached = False

    def __await__(self) -> Generator[Any, Any, Any]:
        inner = self.coroutine.__await__()
        step: Callable[[], Any] = lambda: next(inner)  # noqa: E731
        for number in range(10_000):
            try:
                waits_for = step()
            except StopIteration as stop:
                return stop.value
            if number == self.at:
                self._interrupt_soon(waits_for)
            try:
                yield waits_for
            except BaseException as error:
                step = lambda error=error: inner.throw(error)  # type: ignore[misc]  # noqa: E731
            else:
                step = lambda: next(inner)  # noqa: E731
        raise AssertionError

    def _interrupt_soon(self, waits_for: asyncio.Future[Any] | None) -> None:
        self.reached = True
        if self.late and waits_for is not None:
            waits_for.add_done_callback(lambda _: self.interrupt())
        else:
            asyncio.get_running_loop().call_soon(self.interrupt)


@contextmanager
def no_complaints() -> Iterator[None]:
    """Nothing is reported as never awaited, never retrieved, or raised where nobody could catch it."""
    complaints: list[object] = []
    before = sys.unraisablehook
    sys.unraisablehook = lambda report: complaints.append(report.exc_value)
    try:
        yield
        gc.collect()
    finally:
        sys.unraisablehook = before
    assert [] == complaints


def run(main: Awaitable[Any]) -> Any:
    """Run in an event loop that reports nothing."""

    async def watched() -> Any:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: reports.append(context))
        return await main

    reports: list[object] = []
    with no_complaints():
        result = asyncio.run(watched())
    assert [] == reports
    return result
