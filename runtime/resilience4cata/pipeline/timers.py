"""Timers of event loops: those of single calls, and one for all quick calls of an instance."""

from __future__ import annotations

import sys
from _thread import get_ident
from asyncio import AbstractEventLoop, Task, get_running_loop, tasks
from collections.abc import Callable
from typing import Any, Final

from ..clock import SECOND, Reading, Scheduler, in_nanoseconds

__all__ = ["FIND_TASK", "Task", "Timers", "Watch", "alarm", "get_ident", "get_running_loop", "task_of"]

# Each text finds `r4c_task`, None outside of tasks, and `r4c_watch`, the watch of its loop.
if sys.version_info >= (3, 12):
    task_of: Final = tasks.current_task
    FIND_TASK: Final = """\
r4c_loop = $loop()
r4c_task = $task(r4c_loop)
r4c_watch = $timers.watch
if r4c_watch.loop is not r4c_loop:
    r4c_watch = $timers.watch_of(r4c_loop)"""
else:
    # The public function is written in Python and takes longer than all the rest of a timeout. To ask for the running
    # loop takes a system call, as long as a third of it; that the loop at hand runs in this thread tells as much.
    task_of: Final[Callable[[AbstractEventLoop], Task[Any] | None]] = tasks._current_tasks.get  # type: ignore[attr-defined]
    FIND_TASK: Final = """\
r4c_watch = $timers.watch
if r4c_watch.host._thread_id != $thread():
    r4c_watch = $timers.watch_of($loop())
r4c_task = $task(r4c_watch.loop)"""

# Longer timers overflow in some selectors; nothing waits for that long.
_LONGEST: Final = 86_400 * 365


def alarm(scheduler: Scheduler, nanoseconds: int, fire: Callable[[], None]) -> Callable[[], object]:
    """Call `fire` later; what this returns takes it back.

    Schedulers of tests have alarms of their own, which follow their clock.
    """
    own: Callable[[int, Callable[[], None]], Callable[[], None]] | None = getattr(scheduler, "alarm", None)
    if own is not None:
        return own(nanoseconds, fire)
    return get_running_loop().call_later(min(nanoseconds / SECOND, _LONGEST), fire).cancel


class _Silent:
    """An event loop that does not tell where it runs, as those do that are not written in Python."""

    __slots__ = ()
    _thread_id = None


_SILENT: Final = _Silent()


class Timers:
    """The timeouts of one instance. Its calls have one limit, so that their deadlines come in the order of the calls.

    The quick way:

        ...                                             # `FIND_TASK`: the task, and the watch of its loop
        watch.running[number] = deadline, task          # `number` is of this call alone
        if not watch.is_set: watch.set(now)
        ...                                             # the call
        fired = number not in watch.running
        watch.running.pop(number, None)

    A call whose deadline comes is cancelled and no longer in `running`. All moments are those of one `Reading`.
    """

    __slots__ = ("_reading", "_scheduler", "_watches", "watch")

    def __init__(self, reading: Reading, scheduler: Scheduler) -> None:
        self._reading = reading
        self._scheduler = scheduler
        self._watches: dict[AbstractEventLoop, Watch] = {}
        self.watch = Watch(None, reading, scheduler)

    def watch_of(self, loop: AbstractEventLoop) -> Watch:
        """The watch of an event loop, which is at hand from now on."""
        found = self._watches.get(loop)
        if found is None:
            found = Watch(loop, self._reading, self._scheduler)
            # A new dict, since loops of other threads may be looked up meanwhile.
            known = {loop: watch for loop, watch in self._watches.copy().items() if not loop.is_closed()}
            self._watches = {**known, loop: found}
        self.watch = found
        return found


class Watch:
    """The calls that run in one event loop, in the order of their deadlines, and the timer for the first of them.

    The timer is not taken back when that call ends in time: it finds nothing to do, or is set for the next.
    `host._thread_id` is the thread that the loop runs in, None where the loop does not tell.
    """

    __slots__ = ("_now", "_scheduler", "host", "is_set", "loop", "running")

    def __init__(self, loop: AbstractEventLoop | None, reading: Reading, scheduler: Scheduler) -> None:
        self.loop = loop
        self.host: object = loop if hasattr(loop, "_thread_id") else _SILENT
        self.running: dict[int, tuple[float, Task[Any]]] = {}
        self.is_set = False
        self._now = reading.now
        self._scheduler = scheduler

    def set(self, now: float) -> None:
        """Wake up at the first deadline."""
        for deadline, _ in self.running.values():
            self.is_set = True
            alarm(self._scheduler, max(0, in_nanoseconds(deadline - now)), self._wake)
            return

    def _wake(self) -> None:
        self.is_set = False
        now = self._now()
        due = []
        for number, (deadline, task) in self.running.items():
            if in_nanoseconds(deadline - now) > 0:
                break
            due.append((number, task))
        for number, task in due:
            del self.running[number]
            task.cancel()
        self.set(now)
