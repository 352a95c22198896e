"""What a process does that helps another: it is asked for work, answers, and ends when nobody asks any more."""

from __future__ import annotations

import gc
import marshal
import sys
from collections.abc import Sequence
from typing import Any

from . import files
from .shares import Plain, Share
from .team import hear, say


def serve() -> None:
    """Answer until the process at the other end is gone."""
    gc.disable()
    helping = Helping()
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            work, arguments, since = marshal.loads(hear(source))
        except EOFError:
            return
        notes: files.Notes = {}
        if since is None:
            result = getattr(helping, work)(*arguments)
        else:
            with files.noting(since) as notes:
                result = getattr(helping, work)(*arguments)
        say(target, marshal.dumps((result, notes)))


class Helping:
    """The kinds of work."""

    def __init__(self) -> None:
        self._share = Share(())

    def divided(self, paths: Sequence[str], room: int) -> Any:
        """Take a share, and what `Share.divided` says of it; `room` is how many bytes may be kept."""
        self._share = Share(paths, room)
        return self._share.divided()

    def admitted(self, exports: Sequence[Plain]) -> list[str]:
        """What `Share.admitted` says of the share that was taken."""
        return self._share.admitted(exports)

    def holding(self, words: Sequence[bytes]) -> list[list[str]]:
        """What `Share.holding` says of the share that was taken."""
        return self._share.holding(words)

    def facts(self, data: bytes) -> bytes:
        """The facts of files."""
        import pickle

        from .parallel import facts_of_each

        # It comes from a process of our own, through a pipe that nobody else has.
        tasks, cache = pickle.loads(data)
        return pickle.dumps(facts_of_each(tasks, cache), pickle.HIGHEST_PROTOCOL)
