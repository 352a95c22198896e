"""Other processes that help with a run, where that pays.

They are new Pythons that run `helping.py` and are spoken to by pipes: unlike `fork`, that works on every system and
beside threads, and unlike `multiprocessing` it needs no main module that can be imported again. They inherit no folder
to import from but those of the installation (`-P`), whatever lies in the working folder.

What goes through the pipes is plain data, which `marshal` writes and reads faster than anything else.
"""

from __future__ import annotations

import marshal
import os
import sys
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, Final, Self

from . import files

if TYPE_CHECKING:
    from threading import Thread
    from types import TracebackType

# `-m` would import a good deal more.
_PROGRAM: Final = f"from {__package__}.helping import serve; serve()"

# What a message begins with, so that something else is not taken for one, and how many bytes tell its length.
_MARK: Final = b"r4c1"
_LENGTH: Final = 8

# Seconds.
_PATIENCE: Final = 1.0


class HelperFailed(Exception):
    """A helper gave no answer; whatever it was asked to do is still to be done."""


class Team:
    """The helpers of a run, which are started when they are needed, and leave with the `with` block.

    `jobs` is the most processes, this one included; None for as many as there are processors.
    """

    def __init__(self, jobs: int | None = 1) -> None:
        self.most = _processors() if jobs is None else jobs
        self._helpers: list[Helper] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for helper in self._helpers:
            helper.dismiss()
        self._helpers.clear()

    def helpers(self, number: int) -> list[Helper]:
        """So many helpers, none of which is at work; fewer if no more are to be had, or would be too many."""
        self._helpers = [helper for helper in self._helpers if not helper.has_failed]
        number = min(number, self.most - 1)
        with suppress(OSError):
            while len(self._helpers) < number:
                self._helpers.append(Helper())
        return self._helpers[: max(number, 0)]


class Helper:
    """A process that does one thing after another. Raises OSError if there is no way to have one."""

    def __init__(self) -> None:
        import subprocess

        command = [sys.executable or "", "-P", "-c", _PROGRAM]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        self._telling: Thread | None = None
        self.has_failed = False

    def ask(self, work: str, *arguments: Any) -> None:
        """Let it do something; `answer` has to be called before it is asked for something else."""
        from threading import Thread

        # It needs a while to start and to listen, in which this process does its own part.
        message = marshal.dumps((work, arguments, files.noting_since()))
        self._telling = Thread(target=self._tell, args=(message,), daemon=True)
        self._telling.start()

    def answer(self) -> Any:
        """What came of it. Raises HelperFailed."""
        assert self._process.stdout is not None
        try:
            result, notes = marshal.loads(hear(self._process.stdout))
            files.take_over(notes)
        except (OSError, EOFError, ValueError, TypeError, AttributeError) as error:
            self.dismiss()
            raise HelperFailed from error
        return result

    def dismiss(self) -> None:
        """Let it go; it may be in the middle of something that nobody needs any more."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.has_failed = True
        self._process.kill()
        self._process.stdout.close()
        self._process.wait()
        if self._telling is not None:
            # It ends with the process, unless that has left others behind which hold the pipe and never read.
            self._telling.join(_PATIENCE)
            if self._telling.is_alive():
                return
        with suppress(OSError):
            self._process.stdin.close()

    def _tell(self, message: bytes) -> None:
        assert self._process.stdin is not None
        # If it has ended, its answer will be missing.
        with suppress(OSError):
            say(self._process.stdin, message)


def say(stream: IO[bytes], message: bytes) -> None:
    """Send a message. Raises OSError."""
    stream.write(_MARK + len(message).to_bytes(_LENGTH, "big"))
    stream.write(message)
    stream.flush()


def hear(stream: IO[bytes]) -> bytes:
    """The next message.

    Raises EOFError if there is none, or not all of it, ValueError if it is something else, OSError if the stream cannot
    be read.
    """
    head = _exactly(stream, len(_MARK) + _LENGTH)
    if not head.startswith(_MARK):
        raise ValueError(head)
    return _exactly(stream, int.from_bytes(head[len(_MARK) :], "big"))


def _exactly(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data


def _processors() -> int:
    available = getattr(os, "sched_getaffinity", None)
    return len(available(0)) if available is not None else os.cpu_count() or 1
