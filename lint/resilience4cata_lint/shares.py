"""The files of a run as bytes, divided among processes: who names us, who imports what is ours, who has a word in it.

Reading thousands of files takes most of a run in which few of them matter. Each process reads a share of them once,
keeps what it can, and is asked about it several times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from . import discover, files
from .gate import Export, Gate, Memory, mentions
from .progress import Watch, unwatched
from .team import Helper, HelperFailed, Team

Plain: TypeAlias = tuple[str, str, list[str]]
"""An `Export` as plain data: path, module, names."""

# Bytes of files that are kept to look at again; what does not fit is read again.
_KEEP: Final = 1 << 26

# So many files are read in the time that a process takes to start.
_HEAD_START: Final = 2_500


class Share:
    """Some of the files, in order; `overrides` holds sources that are in no file, `room` is the most bytes to keep."""

    def __init__(self, paths: Sequence[str], room: int = _KEEP, overrides: Mapping[str, bytes] | None = None) -> None:
        self._paths = paths
        self._room = room
        self._overrides = overrides or {}
        self._kept: dict[str, bytes] = {}
        self._rest: list[str] = []
        self._memory = Memory()

    def divided(self, watch: Watch = unwatched) -> tuple[list[str], list[tuple[str, str]]]:
        """Read everything: the files that name us, and those that cannot be read, with the reason."""
        mattering: list[str] = []
        unreadable: list[tuple[str, str]] = []
        overrides, kept, read = self._overrides, self._kept, files.read
        for path in watch(self._paths, "reading"):
            try:
                data = overrides[path] if path in overrides else read(path)
            except OSError as error:
                unreadable.append((path, discover.reason_of(error)))
                continue
            if mentions(data):
                mattering.append(path)
            else:
                self._rest.append(path)
                if len(data) > self._room:
                    continue
            self._room -= len(data)
            kept[path] = data
        return mattering, unreadable

    def admitted(self, exports: Sequence[Plain]) -> list[str]:
        """The files that import some of these, of those that did not matter yet; from now on they do."""
        gate = Gate([Export(path, module, frozenset(names)) for path, module, names in exports], self._memory)
        admitted = gate.admitted(self._rest, self.data)
        if admitted:
            taken = frozenset(admitted)
            self._rest = [path for path in self._rest if path not in taken]
        return admitted

    def holding(self, words: Sequence[bytes]) -> list[list[str]]:
        """The files that have each of these in them."""
        found: list[list[str]] = [[] for _ in words]
        for path in self._paths:
            data = self.data(path)
            for word, paths in zip(words, found, strict=True):
                if word in data:
                    paths.append(path)
        return found

    def data(self, path: str) -> bytes:
        """What is in a file; nothing if it is gone."""
        data = self._overrides.get(path) if path in self._overrides else self._kept.get(path)
        if data is None:
            try:
                return files.read(path)
            except OSError:
                return b""
        return data


class Shares:
    """All files, in order, each looked at by one process of the team."""

    def __init__(self, paths: Sequence[str], overrides: Mapping[str, bytes], team: Team, watch: Watch) -> None:
        # What is in no file, other processes cannot read.
        number = 1 if overrides or files.is_holding() else 1 + len(paths) // (2 * _HEAD_START)
        helpers = team.helpers(number - 1)
        room = _KEEP // (len(helpers) + 1)
        # While others start, this process reads as many files more.
        each = max(0, len(paths) - _HEAD_START) // (len(helpers) + 1)
        own = len(paths) - each * len(helpers)
        starts = range(own, len(paths), each or 1)
        self._lent = [_Lent(paths[s : s + each], room, h) for s, h in zip(starts, helpers, strict=False)]
        self._own = Share(paths[:own], room, overrides)
        self._watch = watch

    def divided(self) -> tuple[list[str], list[tuple[str, str]]]:
        """What `Share.divided` says of all of them."""
        for lent in self._lent:
            lent.begin()
        mattering, unreadable = self._own.divided(self._watch)
        for lent in self._lent:
            more, failed = lent.answer()
            mattering += more
            unreadable += failed
        return mattering, unreadable

    def admitted(self, exports: Sequence[Export]) -> list[str]:
        """What `Share.admitted` says of all of them."""
        plain = [(export.path, export.module, sorted(export.names)) for export in exports]
        return [path for paths in self._each("admitted", plain) for path in paths]

    def holding(self, words: Sequence[bytes]) -> list[list[str]]:
        """What `Share.holding` says of all of them."""
        shares = self._each("holding", list(words))
        return [[path for paths in parts for path in paths] for parts in zip(*shares, strict=True)]

    def data(self, path: str) -> bytes:
        """What is in a file; nothing if it is gone."""
        return self._own.data(path)

    def _each(self, work: str, argument: object) -> list[Any]:
        for lent in self._lent:
            lent.ask(work, argument)
        return [getattr(self._own, work)(argument), *(lent.answer() for lent in self._lent)]


class _Lent:
    """A share that a helper looks at; if the helper fails, this process does."""

    def __init__(self, paths: Sequence[str], room: int, helper: Helper) -> None:
        self._paths = list(paths)
        self._room = room
        self._helper = helper
        self._share: Share | None = None
        self._asked: tuple[str, tuple[object, ...]] = ("divided", ())

    def begin(self) -> None:
        """Hand it over, and ask what `Share.divided` says."""
        self._helper.ask("divided", self._paths, self._room)

    def ask(self, work: str, argument: object) -> None:
        """Ask for what a method of `Share` says; `answer` has to be called before the next question."""
        self._asked = (work, (argument,))
        if self._share is None:
            self._helper.ask(work, argument)

    def answer(self) -> Any:
        """What it says."""
        work, arguments = self._asked
        if self._share is None:
            try:
                return self._helper.answer()
            except HelperFailed:
                self._share = Share(self._paths, self._room)
                if work != "divided":
                    self._share.divided()
        return getattr(self._share, work)(*arguments)
