"""Counting from many threads without a lock."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import repeat
from operator import length_hint
from typing import Final

_LIMIT: Final = sys.maxsize


class Counter:
    """A number that only grows, exact from any number of threads.

    Each step of `ticks` adds one, as one step under the interpreter's lock: `for _ in ticks: break` is quicker than any
    call. An iterator over None makes no object, unlike `itertools.count`. What is left in it tells how often it ticked.
    """

    __slots__ = ("ticks",)

    def __init__(self) -> None:
        self.ticks: Iterator[None] = repeat(None, _LIMIT)

    def tick(self) -> None:
        """Add one."""
        next(self.ticks)

    @property
    def value(self) -> int:
        return _LIMIT - length_hint(self.ticks)


def permits(number: int) -> Iterator[None]:
    """A number of permits that are taken from any number of threads without a lock.

    `for _ in permits` takes one, and passes on where none is left; `length_hint` tells how many there are.
    """
    return repeat(None, number)
