"""The threads that offloaded functions run on: a bounded number, made when they are first needed."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Final

from ..clock import Scheduler, SystemScheduler, ThreadSignal
from ..errors import BulkheadFullError

if TYPE_CHECKING:
    from concurrent.futures import Executor

# Where time stands still, work gets this long of real time before its limit is taken to be over.
_GRACE: Final = 0.25


class Workers:
    """At most `limit` functions at a time run on the executor; what comes on top is refused."""

    def __init__(self, limit: int, scheduler: Scheduler, executor: Executor | None = None) -> None:
        self.limit = limit
        self._real = isinstance(scheduler, SystemScheduler)
        self._executor = executor
        self._running = 0
        self._lock = Lock()

    def submit(self, work: Callable[[], None]) -> BulkheadFullError | None:
        """Run `work` on a thread; the error to raise if all are busy."""
        with self._lock:
            if self._running >= self.limit:
                msg = f"all {self.limit} worker threads for offloaded calls are busy (offload.max-workers)"
                return BulkheadFullError(msg, policy="timeout")
            self._running += 1

        def run() -> None:
            try:
                work()
            finally:
                with self._lock:
                    self._running -= 1

        try:
            self._threads().submit(run)
        except BaseException:
            with self._lock:
                self._running -= 1
            raise
        return None

    def settle(self, signal: ThreadSignal) -> None:
        """With a clock of a test, let the thread come as far as it does by itself."""
        if not self._real:
            signal.wait(_GRACE)

    def _threads(self) -> Executor:
        executor = self._executor
        if executor is None:
            from concurrent.futures import ThreadPoolExecutor

            made = ThreadPoolExecutor(self.limit, thread_name_prefix="resilience4cata-offload")
            with self._lock:
                if self._executor is None:
                    self._executor = made
                executor = self._executor
        return executor
