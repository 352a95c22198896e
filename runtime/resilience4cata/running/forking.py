"""Child processes that are forked: what they inherit, and what they do not.

A child's memory is a copy of its parent's, in which only the thread that forked goes on. Every `Resilience` goes on in
it: windows, states, cycles and budgets are those of the moment of the fork, and from then on each process has its own.
What only other threads could give back is free again: slots of bulkheads, probes of half-open circuit breakers, threads
for offloaded calls. A call that forks holds no slot in the child.

All locks are taken before a fork, so that no other thread holds one, or has changed something only by half.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from typing import Any, Final, Protocol
from weakref import ref

from .. import activation, guards


class Forked(Protocol):
    """What goes on in child processes."""

    def locks(self) -> Iterator[AbstractContextManager[Any]]:
        """All locks, those first within which others are taken."""

    def renew_after_fork(self) -> None:
        """Give back, in a child process, what other threads held."""


_known: Final[set[ref[Forked]]] = set()
_held: Final = ExitStack()


def renew_in_children(what: Forked) -> None:
    """Let something go on in every child process that is forked from now on, as long as it lives."""
    _known.add(ref(what, _known.discard))


def _all() -> list[Forked]:
    return [found for reference in list(_known) if (found := reference()) is not None]


def _hold() -> None:
    _held.enter_context(guards.lock)
    _held.enter_context(activation.lock)
    for found in _all():
        for lock in found.locks():
            _held.enter_context(lock)


def _let_go() -> None:
    # Another thread may hold everything for a fork of its own as soon as the last lock is free.
    _held.pop_all().close()


def _go_on_in_child() -> None:
    _let_go()
    activation.renew_after_fork()
    for found in _all():
        found.renew_after_fork()


# Not there on Windows, which does not fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_go_on_in_child)
