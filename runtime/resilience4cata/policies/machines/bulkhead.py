"""The slots of a bulkhead, shared by threads and tasks of any event loop.

The quick way takes a slot off a stack and puts it back, both single steps under the interpreter's lock:

    if bulkhead.waiting: ...                    # ask an `Entry`: nobody passes those who wait
    try:
        for slot in bulkhead.slots:             # IndexError: ask an `Entry`
            try:
                ...                             # the call
            finally:
                bulkhead.free.append(slot)
            break
    finally:
        if bulkhead.waiting: bulkhead.serve()

Taking the slot by `for` leaves no gap before the `try` in which an asynchronous exception could lose it.
Most bulkheads never see two calls at once: all slots but one are put on the stack by the first entry that finds none.
Who puts a slot back looks at `waiting` afterwards, and who waits joins `waiting` before looking at `free`: one of the
two sees the other. A limit that was lowered is a debt: it stands before all who wait, and takes slots out for good.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from enum import Enum
from threading import RLock
from typing import Any, Final, Literal, NamedTuple
from weakref import ref

from ...clock import Signal


class BulkheadSettings(NamedTuple):
    """Resolved attributes of a bulkhead; a `max_wait` of 0 refuses at once."""

    max_concurrent: int
    max_wait: int


class BulkheadSnapshot(NamedTuple):
    """A bulkhead at one moment. `running` may exceed the limit after it was lowered."""

    limit: int
    running: int
    free: int
    waiting: int


class _Debt(Enum):
    """What stands in the queue for slots that are to vanish."""

    DEBT = "debt"


_DEBT: Final = _Debt.DEBT
# Not None: `slots` compares it with 0, which is fastest between equal types.
_SLOT: Final = 1
# The queue of all bulkheads that nobody has waited for yet. Nothing is ever put in.
_NO_QUEUE: Final[OrderedDict[Any, None]] = OrderedDict()


class BulkheadMachine:
    """One bulkhead. Free slots, those that are not made yet, and running calls always equal the limit plus the debt."""

    __slots__ = ("__weakref__", "_debt", "_forks", "_queue", "_unmade", "free", "lock", "settings", "slots", "waiting")

    def __init__(self, settings: BulkheadSettings) -> None:
        self.settings = settings
        self.free: list[int] = [_SLOT] * min(1, settings.max_concurrent)
        self._unmade = settings.max_concurrent - len(self.free)
        # Calls `pop` and is never exhausted: what it would end at is not in the list.
        self.slots = iter(self.free.pop, 0)
        # Ordered, and any of them may leave at any time. Weak: an entry that is let go leaves by itself.
        self._queue: OrderedDict[ref[Entry] | _Debt, None] = _NO_QUEUE
        # The queue, once there has been one: False is found to be false in less time than an empty queue.
        self.waiting: OrderedDict[ref[Entry] | _Debt, None] | Literal[False] = False
        self._debt = 0
        self._forks = 0
        self.lock = RLock()

    def entry(self) -> Entry:
        """The entry of one call."""
        return Entry(self)

    def serve(self) -> None:
        """Give free slots to the debt and then to those who have waited longest, and wake them."""
        with self.lock:
            served = self._serve_locked()
        self._wake(served)

    def reconfigure(self, settings: BulkheadSettings) -> None:
        """Go on with another limit. Nobody is turned out: entries wait until usage falls below a lower one."""
        with self.lock:
            more = settings.max_concurrent - self.settings.max_concurrent
            self.settings = settings
            self._make_all_locked()
            if more < 0:
                self._debt -= more
                self._line_up_locked(_DEBT)
                self._queue.move_to_end(_DEBT, last=False)
            else:
                self.free.extend([_SLOT] * more)
            served = self._serve_locked()
        self._wake(served)

    def snapshot(self) -> BulkheadSnapshot:
        with self.lock:
            free, limit = len(self.free) + self._unmade, self.settings.max_concurrent
            waiting = len(self._queue) - (_DEBT in self._queue)
            return BulkheadSnapshot(limit, limit + self._debt - free, free, waiting)

    def renew_after_fork(self) -> None:
        """Begin anew in a child process: the calls and waits of other threads do not exist here, nor what they hold."""
        with self.lock:
            self._forks += 1
            self._debt = 0
            self._queue.clear()
            self._unmade = 0
            self.free[:] = [_SLOT] * self.settings.max_concurrent

    def _make_all_locked(self) -> None:
        """Put on the stack what was not needed so far."""
        free, made = self.free, [_SLOT] * self._unmade
        # The collector may run while a list is made, and come here before.
        if len(made) == self._unmade:
            self._unmade = 0
            free += made

    def _line_up_locked(self, last: ref[Entry] | _Debt) -> None:
        if self._queue is _NO_QUEUE:
            self._queue = OrderedDict()
        self.waiting = self._queue
        self._queue[last] = None

    def _serve_locked(self) -> list[Entry]:
        served: list[Entry] = []
        try:
            while self._queue:
                first = next(iter(self._queue), _DEBT)
                if first is _DEBT:
                    self._pay_locked()
                    continue
                entry = first()
                if entry is not None:
                    entry._take_locked()
                    if entry._signal is None:
                        # Its coroutine was collected just now, and has left.
                        entry._give_back_locked()
                    served.append(entry)
                self._queue.pop(first, None)
        except IndexError:
            # Full. A call on the quick way may have taken the last slot: it came before anybody waited.
            return served
        return served

    def _pay_locked(self) -> None:
        """Take a slot out for good. Raises IndexError if none is free."""
        if self._debt:
            for _ in self.slots:
                self._debt -= 1
                break
        if not self._debt:
            self._queue.pop(_DEBT, None)

    def _wake(self, served: list[Entry]) -> None:
        """Wake under no lock. What was given to a task of a closed loop goes to the next."""
        while served:
            lost = [entry for entry in served if not entry._wake()]
            if not lost:
                return
            with self.lock:
                for entry in lost:
                    # The task may have been closed in the meantime, and left by itself.
                    entry._give_back_locked()
                served = self._serve_locked()


class Entry:
    """One call's way through a bulkhead, for all but the quick way.

    `leave` belongs into a `finally` that encloses everything else: it undoes whatever was reached, once. An interrupt
    may come between any two steps, and before the first one of `leave`: a slot is the entry's own as soon as it is
    off the stack, since no signal is looked at between an iterator's step and the store of what it gave, and an entry
    that is let go leaves by itself.
    """

    __slots__ = ("__weakref__", "_bulkhead", "_forks", "_me", "_signal", "_slot")

    def __init__(self, bulkhead: BulkheadMachine) -> None:
        self._slot: int | None = None
        self._signal: Signal | None = None
        self._bulkhead = bulkhead
        self._forks = bulkhead._forks
        self._me = ref(self)

    def __del__(self) -> None:
        # An interrupt may have come before it had any attributes.
        if getattr(self, "_slot", None) is not None or getattr(self, "_signal", None) is not None:
            self.leave()

    @property
    def inside(self) -> bool:
        """Whether the call has a slot."""
        return self._slot is not None

    @property
    def has_waited(self) -> bool:
        """Whether the call stood in the queue."""
        return self._signal is not None

    def try_enter(self) -> bool:
        """Take a slot if one is free and nobody waits for it."""
        bulkhead = self._bulkhead
        with bulkhead.lock, suppress(IndexError):
            if not bulkhead.waiting:
                self._take_locked()
        return self.inside

    def join(self, signal: Signal) -> None:
        """Wait behind all others; `signal` is set when the call gets a slot, which may be at once."""
        bulkhead = self._bulkhead
        with bulkhead.lock:
            self._signal = signal
            bulkhead._line_up_locked(self._me)
            served = bulkhead._serve_locked()
        bulkhead._wake(served)

    def settle(self) -> bool:
        """End the wait: whether the call has a slot. One that comes at the last moment counts."""
        with self._bulkhead.lock:
            self._bulkhead._queue.pop(self._me, None)
        return self.inside

    def leave(self) -> None:
        """Give back the slot, or the place in the queue. Nothing happens the second time."""
        bulkhead = self._bulkhead
        with bulkhead.lock:
            if self._signal is not None:
                bulkhead._queue.pop(self._me, None)
                self._signal = None
            self._give_back_locked()
            served = bulkhead._serve_locked()
        bulkhead._wake(served)

    def _take_locked(self) -> None:
        """Take a slot, unless there is one already. Raises IndexError if none is free."""
        bulkhead = self._bulkhead
        if self._slot is not None:
            return
        try:
            for self._slot in bulkhead.slots:
                break
        except IndexError:
            bulkhead._make_all_locked()
            for self._slot in bulkhead.slots:
                break

    def _give_back_locked(self) -> None:
        slot, self._slot = self._slot, None
        if slot is not None and self._forks == self._bulkhead._forks:
            self._bulkhead.free.append(slot)

    def _wake(self) -> bool:
        return self._signal is None or self._signal.set()
