"""Counting from many threads without a lock."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import repeat
from operator import length_hint
from typing import Final

_LIMIT: Final = sys.maxsize


class Counter:
    """A number that only grows, exact from any number of threads.

    `tick` adds one. It is the bound `__next__` of an iterator, which runs as one step under the interpreter's lock; an
    iterator over None makes no object, unlike `itertools.count`. What is left in it tells how often it ticked.
    """

    __slots__ = ("_ticks", "tick")

    def __init__(self) -> None:
        self._ticks = repeat(None, _LIMIT)
        self.tick: Callable[[], None] = self._ticks.__next__

    @property
    def value(self) -> int:
        return _LIMIT - length_hint(self._ticks)

    def gave(self, tick: object) -> bool:
        """Whether `tick` is that of this very counter, by identity: bound methods of equal objects are equal."""
        return getattr(tick, "__self__", None) is self._ticks


class Permits:
    """A number of permits that are taken from any number of threads without a lock.

    `take` takes one, or raises StopIteration.
    """

    __slots__ = ("_left", "take")

    def __init__(self, number: int) -> None:
        self._left = repeat(None, number)
        self.take: Callable[[], None] = self._left.__next__

    @property
    def left(self) -> int:
        return length_hint(self._left)
