"""The threads that offloaded functions run on: a bounded number, made when they are first needed."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
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
        self._is_ours = executor is None
        self._running = 0
        # Reentrant, since the collector or a signal may run code that offloads at any point.
        self.lock = RLock()

    def resize(self, limit: int) -> None:
        """Let `limit` functions run at a time from now on; those that run already go on, whatever their number."""
        with self.lock:
            if limit == self.limit:
                return
            self.limit = limit
            # The threads of an executor are counted once; its successor is made when one is needed.
            retired, self._executor = (self._executor, None) if self._is_ours else (None, self._executor)
        if retired is not None:
            retired.shutdown(wait=False)

    def submit(self, work: Callable[[], None], instance_id: str = "") -> BulkheadFullError | None:
        """Run `work` on a thread, for the timeout `instance_id`; the error to raise if all are busy."""
        with self.lock:
            if self._running >= self.limit:
                threads = f"all {self.limit} worker threads for offloaded calls are busy (offload.max-workers)"
                msg = f"no thread for '{instance_id}': {threads}"
                return BulkheadFullError(msg, instance_id=instance_id, policy="timeout")
            self._running += 1

        def run() -> None:
            try:
                work()
            finally:
                with self.lock:
                    self._running -= 1

        try:
            self._start(run)
        except BaseException:
            with self.lock:
                self._running -= 1
            raise
        return None

    def _start(self, run: Callable[[], None]) -> None:
        executor = self._threads()
        try:
            executor.submit(run)
        except RuntimeError:
            # Retired between the two steps: its successor takes the work.
            if executor is self._executor:
                raise
            self._start(run)

    def renew_after_fork(self) -> None:
        """Begin anew in a child process, where no thread of the executor exists; one that was given is its owner's."""
        self._running = 0
        if self._is_ours:
            self._executor = None

    def settle(self, signal: ThreadSignal) -> None:
        """With a clock of a test, let the thread come as far as it does by itself."""
        if not self._real:
            signal.wait(_GRACE)

    def _threads(self) -> Executor:
        executor = self._executor
        if executor is None:
            from concurrent.futures import ThreadPoolExecutor

            with self.lock:
                executor = self._executor
                if executor is None:
                    # It starts no thread yet; the limit is the one that counts now.
                    executor = ThreadPoolExecutor(self.limit, thread_name_prefix="resilience4cata-offload")
                    self._executor = executor
        return executor
