"""The slots of a bulkhead, shared by threads and tasks of any event loop.

The quick way takes a slot off a stack and puts it back, both single steps under the interpreter's lock:

    if bulkhead.waiting: ...                    # ask an `Entry`: nobody passes those who wait
    slot = bulkhead.free.pop()                  # IndexError: full
    ...                                         # the call
    bulkhead.free.append(slot)
    if bulkhead.waiting: bulkhead.serve()

Who puts a slot back looks at `waiting` afterwards, and who waits joins `waiting` before looking at `free`: one of the
two sees the other. A limit that was lowered is a debt: it stands before all who wait, and takes slots out for good.
"""

from __future__ import annotations

from collections import OrderedDict
from enum import Enum
from threading import RLock
from typing import Final, NamedTuple

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
# Not None: the quick way may compare it with 0, which is fastest between equal types.
_SLOT: Final = 1


class _Place(Enum):
    OUTSIDE = "outside"
    WAITING = "waiting"
    INSIDE = "inside"


class BulkheadMachine:
    """One bulkhead. Free slots and running calls together always equal the limit plus the debt."""

    __slots__ = ("__weakref__", "_debt", "_lock", "free", "settings", "waiting")

    def __init__(self, settings: BulkheadSettings) -> None:
        self.settings = settings
        self.free: list[int] = [_SLOT] * settings.max_concurrent
        # Ordered, and any of them may leave at any time.
        self.waiting: OrderedDict[Entry | _Debt, None] = OrderedDict()
        self._debt = 0
        self._lock = RLock()

    def entry(self) -> Entry:
        """The entry of one call."""
        return Entry(self)

    def serve(self) -> None:
        """Give free slots to the debt and then to those who have waited longest, and wake them."""
        with self._lock:
            served = self._serve_locked()
        self._wake(served)

    def reconfigure(self, settings: BulkheadSettings) -> None:
        """Go on with another limit. Nobody is turned out: entries wait until usage falls below a lower one."""
        with self._lock:
            more = settings.max_concurrent - self.settings.max_concurrent
            self.settings = settings
            if more < 0:
                self._debt -= more
                self.waiting[_DEBT] = None
                self.waiting.move_to_end(_DEBT, last=False)
            else:
                self.free.extend([_SLOT] * more)
            served = self._serve_locked()
        self._wake(served)

    def snapshot(self) -> BulkheadSnapshot:
        with self._lock:
            free, limit = len(self.free), self.settings.max_concurrent
            waiting = len(self.waiting) - (_DEBT in self.waiting)
            return BulkheadSnapshot(limit, limit + self._debt - free, free, waiting)

    def _take_locked(self) -> bool:
        try:
            self.free.pop()
        except IndexError:
            return False
        return True

    def _serve_locked(self) -> list[Entry]:
        served: list[Entry] = []
        # A call on the quick way may take the slot first: it came before anybody waited.
        while self.waiting and self._take_locked():
            first = next(iter(self.waiting), None)
            if first is _DEBT:
                self._debt -= 1
                if not self._debt:
                    del self.waiting[_DEBT]
            elif first is not None and first._admit_locked():
                served.append(first)
            else:
                # Its coroutine was collected just now.
                self.free.append(_SLOT)
        return served

    def _wake(self, served: list[Entry]) -> None:
        """Wake under no lock. What was given to a task of a closed loop goes to the next."""
        while served:
            lost = [entry for entry in served if not entry._wake()]
            if not lost:
                return
            with self._lock:
                for entry in lost:
                    # The task may have been closed in the meantime, and left by itself.
                    if entry._place is _Place.INSIDE:
                        entry._place = _Place.OUTSIDE
                        self.free.append(_SLOT)
                served = self._serve_locked()


class Entry:
    """One call's way through a bulkhead, for all but the quick way.

    `leave` belongs into a `finally` that encloses everything else: it undoes whatever was reached, once.
    """

    __slots__ = ("_bulkhead", "_place", "_signal")

    def __init__(self, bulkhead: BulkheadMachine) -> None:
        self._bulkhead = bulkhead
        self._place = _Place.OUTSIDE
        self._signal: Signal | None = None

    @property
    def inside(self) -> bool:
        """Whether the call has a slot."""
        return self._place is _Place.INSIDE

    def try_enter(self) -> bool:
        """Take a slot if one is free and nobody waits for it."""
        bulkhead = self._bulkhead
        with bulkhead._lock:
            if not bulkhead.waiting and bulkhead._take_locked():
                self._place = _Place.INSIDE
        return self.inside

    def join(self, signal: Signal) -> None:
        """Wait behind all others; `signal` is set when the call gets a slot, which may be at once."""
        bulkhead = self._bulkhead
        with bulkhead._lock:
            self._signal = signal
            self._place = _Place.WAITING
            bulkhead.waiting[self] = None
            served = bulkhead._serve_locked()
        bulkhead._wake(served)

    def settle(self) -> bool:
        """End the wait: whether the call has a slot. One that comes at the last moment counts."""
        with self._bulkhead._lock:
            if self._place is _Place.WAITING:
                del self._bulkhead.waiting[self]
                self._place = _Place.OUTSIDE
        return self.inside

    def leave(self) -> None:
        """Give back the slot, or the place in the queue. Nothing happens the second time."""
        bulkhead = self._bulkhead
        with bulkhead._lock:
            place, self._place = self._place, _Place.OUTSIDE
            if place is _Place.WAITING:
                del bulkhead.waiting[self]
            elif place is _Place.INSIDE:
                bulkhead.free.append(_SLOT)
            served = bulkhead._serve_locked()
        bulkhead._wake(served)

    def _admit_locked(self) -> bool:
        """Let it in if it still waits."""
        if self._place is not _Place.WAITING:
            return False
        self._bulkhead.waiting.pop(self, None)
        self._place = _Place.INSIDE
        return True

    def _wake(self) -> bool:
        return self._signal is None or self._signal.set()
