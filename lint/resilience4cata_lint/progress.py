"""A progress bar for people who wait; runs that are soon over never show one, and never load what draws it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol, TextIO, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")

_PATIENCE: Final = 1.0
_PERIOD: Final = 0.1


class Watch(Protocol):
    """Gives each item of a sequence, and may show how far it is."""

    def __call__(self, items: Sequence[T], what: str, /) -> Iterable[T]:
        """`what` is being done with the items, as in "reading"."""


def unwatched(items: Sequence[T], what: str, /) -> Iterable[T]:
    """The items, for nobody."""
    return items


class Watched:
    """Goes through sequences and shows how far it is, from one second after it was made."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._due = clock() + _PATIENCE
        self._bar: Progress | None = None

    def __call__(self, items: Sequence[T], what: str, /) -> Iterator[T]:
        """Each of `items`; `what` is being done with them, as in "reading"."""
        task = None
        for done, item in enumerate(items):
            yield item
            now = self._clock()
            if now >= self._due:
                self._due = now + _PERIOD
                bar = self._shown()
                task = bar.add_task(what, total=len(items)) if task is None else task
                bar.update(task, completed=done + 1, refresh=True)
        if task is not None and self._bar is not None:
            self._bar.remove_task(task)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    def _shown(self) -> Progress:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import Progress

            # Without a thread of its own: there is something to draw only when something was done.
            self._bar = Progress(console=Console(file=self._stream), transient=True, auto_refresh=False)
            self._bar.start()
        return self._bar


@contextmanager
def watched() -> Iterator[Watch]:
    """What shows progress while the block runs, if somebody looks on: a terminal, and no machine that records it."""
    if not sys.stderr.isatty() or os.environ.get("CI") or os.environ.get("TERM") == "dumb":
        yield unwatched
        return
    shown = Watched(sys.stderr)
    try:
        yield shown
    finally:
        shown.close()
