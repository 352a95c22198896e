"""Facts of many files at once, with more than one process where that pays.

Other processes are new Pythons that run this module and are spoken to by pipes: unlike `fork`, that works on every
system and beside threads, and unlike `multiprocessing` it needs no main module that can be imported again. They inherit
no folder to import from but those of the installation (`-P`), whatever lies in the working folder.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

from .progress import Watch, unwatched

if TYPE_CHECKING:
    from resilience4cata.facts import Unreadable

    from .cache import Cache
    from .extract import FileFacts
    from .locate import Module

    Result = FileFacts | Unreadable | Exception

# A process that starts costs as much as parsing this many bytes; with less than twice that it does not pay.
_WORTH: Final = 400_000


class Task(NamedTuple):
    """A file to parse: where it is, how it is shown, what is in it, and which module it is."""

    path: str
    shown: str
    data: bytes
    module: Module


def extract_each(
    tasks: Sequence[Task], cache: Cache | None, jobs: int | None, watch: Watch = unwatched
) -> list[Result]:
    """The facts of each file, or what the extractor failed with, in the order of the tasks; `cache` gets them too.

    `jobs` is the most processes, this one included; None for as many as there are processors.
    """
    if not tasks:
        return []
    most = _processors() if jobs is None else jobs
    shares = _shares(tasks, min(most, 1 + sum(len(task.data) for task in tasks) // _WORTH))
    # All start at once; the first share is done here.
    workers = [_start([tasks[index] for index in share], cache) for share in shares[1:]]
    results: dict[int, Result] = {}
    for share, worker in zip(shares, (None, *workers), strict=True):
        found = worker.answer(len(share)) if worker is not None else None
        if found is None:
            found = _made([tasks[index] for index in share], cache, watch)
        results.update(zip(share, found, strict=True))
    return [results[index] for index in range(len(tasks))]


def _processors() -> int:
    available = getattr(os, "sched_getaffinity", None)
    return len(available(0)) if available is not None else os.cpu_count() or 1


def _shares(tasks: Sequence[Task], number: int) -> list[list[int]]:
    """The tasks divided so that each share has about as many bytes; the first is that of this process."""
    shares: list[list[int]] = [[] for _ in range(max(number, 1))]
    sizes = [0] * len(shares)
    for index in sorted(range(len(tasks)), key=lambda index: -len(tasks[index].data)):
        least = sizes.index(min(sizes))
        shares[least].append(index)
        sizes[least] += len(tasks[index].data)
    return [share for number, share in enumerate(shares) if share or not number]


def _made(tasks: Sequence[Task], cache: Cache | None, watch: Watch = unwatched) -> list[Result]:
    from . import extract

    results: list[Result] = []
    for task in watch(tasks, "parsing"):
        try:
            facts = extract.extract(task.shown, task.data, task.module.name, task.module.is_package)
            if cache is not None and isinstance(facts, extract.FileFacts):
                cache.put(task.path, task.data, task.module, facts)
            results.append(facts)
        except Exception as error:
            results.append(error)
    return results


class _Worker:
    """A process at work on its tasks. Raises OSError if there is no way to have one."""

    def __init__(self, tasks: Sequence[Task], cache: Cache | None) -> None:
        import subprocess
        from threading import Thread

        command = [sys.executable or "", "-P", "-m", f"{__package__}.parallel"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        # It needs a while to start and to take its tasks, in which this process does its own.
        self._feeding = Thread(target=self._feed, args=(tasks, cache), daemon=True)
        self._feeding.start()

    def _feed(self, tasks: Sequence[Task], cache: Cache | None) -> None:
        import pickle

        assert self._process.stdin is not None
        # If it has ended, its answer says nothing, and the work is done here.
        with suppress(OSError), self._process.stdin as stream:
            pickle.dump((tasks, cache), stream, pickle.HIGHEST_PROTOCOL)

    def answer(self, expected: int) -> list[Result] | None:
        """What it found; None if it failed."""
        import pickle

        assert self._process.stdout is not None
        with self._process.stdout as stream:
            data = stream.read()
        self._feeding.join()
        if self._process.wait() != 0:
            return None
        try:
            # It comes from a process of our own, through a pipe that nobody else has.
            found: list[Result] = pickle.loads(data)
        except Exception:
            return None
        return found if len(found) == expected else None


def _start(tasks: Sequence[Task], cache: Cache | None) -> _Worker | None:
    try:
        return _Worker(tasks, cache)
    except OSError:
        return None


def _work(source: BinaryIO, target: BinaryIO) -> None:
    """A worker's whole life: read tasks, write results."""
    import gc
    import pickle

    gc.disable()
    tasks, cache = pickle.load(source)
    target.write(pickle.dumps(_made(tasks, cache), pickle.HIGHEST_PROTOCOL))
    target.flush()


if __name__ == "__main__":
    _work(sys.stdin.buffer, sys.stdout.buffer)
