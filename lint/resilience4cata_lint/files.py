"""What a check learns from the file system, it learns here, so that it can be told whether it would learn it again.

While notes are taken (`noting`), each question is put down with a stamp of its answer; `unchanged` asks them all again,
which takes one call of the system for each.

A stamp is the size, the inode and the times of a file. The time of its last change of any kind (`ctime`) cannot be set
by programs, so that a file which was changed and given its old time of modification is noticed. Two changes within one
tick of the clock could still look alike. So what changed shortly before it was read is known by its content instead, as
is everything on Windows, which has no such time.
"""

# Paths stay the texts they were given as: making objects of thousands of them costs more than reading the files.
# ruff: noqa: PTH100, PTH116, PTH118, PTH123

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

Notes = dict[str, Any]
"""Answers by question, which is a letter and a path. All of it is plain data: numbers, texts, and lists of them."""

FOLDER: Final = ".r4c_cache"
"""What the cache of a project is called."""

SOURCE: Final = (".py", ".pyi", ".pyw")
"""How the names of Python files end."""

ENVIRONMENT: Final = ".env"
"""How the names of files that give variables to processes begin, or end."""

WORKFLOWS: Final = (".github", "workflows")
"""The one hidden folder that is looked into."""

_FLAGS: Final = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)

# Most files are read at once; to ask for the size first would take longer than to read until there is no more.
_CHUNK: Final = 1 << 15
_LARGE_CHUNK: Final = 1 << 22

# No file system that is in use has a coarser clock. It is also what clocks of other machines may be late by.
_SETTLED_NS: Final = 2_000_000_000

_contents: Mapping[str, bytes] = {}
_notes: Notes | None = None
_began_ns = 0


@contextmanager
def noting(since: int | None = None) -> Iterator[Notes]:
    """Take notes of all that is asked here; they are complete when the block ends.

    `since` is when another process began to take the notes that these are for, in nanoseconds.
    """
    global _notes, _began_ns  # noqa: PLW0603 - they belong to the process, as do its working folder and its files
    notes: Notes = {}
    _notes, _began_ns = notes, time.time_ns() if since is None else since
    try:
        yield notes
    finally:
        _notes = None


@contextmanager
def holding(contents: Mapping[str, bytes]) -> Iterator[None]:
    """Take these contents, by path, for those of the files; what is noted meanwhile would not be true."""
    global _contents  # noqa: PLW0603 - like the notes
    before, _contents = _contents, {canonical(path): data for path, data in contents.items()}
    try:
        yield
    finally:
        _contents = before


def canonical(path: str) -> str:
    """The absolute path, for comparing: on Windows, names that differ in case are one."""
    return os.path.normcase(os.path.abspath(path))


def is_below(path: str, folder: str) -> bool:
    """Whether a path lies in a folder, or is the folder."""
    return os.path.join(canonical(path), "").startswith(os.path.join(canonical(folder), ""))


def is_holding() -> bool:
    """Whether contents stand for those of files."""
    return bool(_contents)


def is_noting() -> bool:
    """Whether notes are taken."""
    return _notes is not None


def noting_since() -> int | None:
    """When notes began to be taken, in nanoseconds; None where they are not."""
    return None if _notes is None else _began_ns


def take_over(notes: Notes) -> None:
    """Note what another process has noted meanwhile."""
    for question, answer in notes.items():
        _note(question, answer)


def read(path: str) -> bytes:
    """All bytes of a file; raises OSError. Plain system calls, which for small files cost half of what `open` does."""
    if _contents and (held := _contents.get(canonical(path))) is not None:
        return held
    try:
        descriptor = os.open(path, _FLAGS)
        try:
            # The stamp is taken first: a file that changes from now on no longer fits it.
            status = os.fstat(descriptor) if _notes is not None else None
            data = os.read(descriptor, _CHUNK)
            if data and (more := os.read(descriptor, _CHUNK)):
                data = _whole(descriptor, [data, more])
        finally:
            os.close(descriptor)
    except OSError:
        if _notes is not None:
            _note("s" + path, _stamp_at(path))
        raise
    if status is not None:
        _note("r" + path, _stamp(status) if _is_settled(status) else _digest(data))
    return data


def first_line(path: str) -> bytes:
    """The first line of a file, as far as it is of any use; raises OSError."""
    with open(path, "rb") as file:
        line = file.readline(256)
    if _notes is not None:
        _note("f" + path, line.decode("latin-1"))
    return line


def _whole(descriptor: int, parts: list[bytes]) -> bytes:
    """All of a file of which this was read so far."""
    while parts[-1]:
        parts.append(os.read(descriptor, _LARGE_CHUNK))
    return b"".join(parts)


def depends_on(path: str) -> None:
    """Note a file, or that there is none, which somebody else will read, such as git."""
    if _notes is not None:
        with suppress(OSError):
            read(path)


def kind(path: str) -> str:
    """What is there: "folder", "file", "other", or "" for nothing."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        found = ""
    else:
        found = "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "other"
    if _notes is not None:
        _note("k" + path, found)
    return found


def is_file(path: str) -> bool:
    """Whether a regular file is there."""
    return kind(path) == "file"


def is_folder(path: str) -> bool:
    """Whether a folder is there."""
    return kind(path) == "folder"


def entries(folder: str, status: os.stat_result) -> list[os.DirEntry[str]]:
    """What is in a folder, whose `status` was asked for before; raises OSError."""
    with os.scandir(folder) as found:
        listed = list(found)
    if _notes is not None:
        _note("l" + folder, [_stamp(status) if _is_settled(status) else [], _names(listed)])
    return listed


def names(folder: str) -> list[str]:
    """The names of what is in a folder; raises OSError."""
    return [entry.name for entry in entries(folder, os.stat(folder))]


def unchanged(notes: Notes) -> bool:
    """Whether all questions would be answered the same way now. Never fails, whatever the notes are."""
    try:
        return all(_CHECKS[question[0]](question[1:], answer) for question, answer in notes.items())
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False


def _note(question: str, answer: object) -> None:
    """Put an answer down. Two different ones to one question, because a file changed meanwhile, never hold again."""
    if _notes is not None and _notes.setdefault(question, answer) != answer:
        _notes[question] = None


def _is_settled(status: os.stat_result) -> bool:
    return os.name != "nt" and max(status.st_mtime_ns, status.st_ctime_ns) < _began_ns - _SETTLED_NS


def _stamp(status: os.stat_result) -> list[int]:
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def _stamp_at(path: str) -> list[int]:
    try:
        return _stamp(os.stat(path))
    except OSError:
        return []


def _digest(data: bytes) -> str:
    import hashlib

    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _names(listed: Sequence[os.DirEntry[str]]) -> str:
    """All names with their kinds, but for the cache itself, which may be made meanwhile."""
    seen = (entry for entry in listed if entry.name != FOLDER)
    names = (f"{entry.name}\0{entry.is_dir(follow_symlinks=False):d}{entry.is_symlink():d}" for entry in seen)
    return _digest("\0".join(sorted(names)).encode(errors="surrogateescape"))


def _same_content(path: str, answer: Any) -> bool:
    if isinstance(answer, str):
        return _digest(read(path)) == answer
    return bool(answer == _stamp(os.stat(path)))


def _same_names(folder: str, answer: Any) -> bool:
    stamp, names = answer
    if stamp and stamp == _stamp(os.stat(folder)):
        return True
    with os.scandir(folder) as found:
        return bool(names == _names(list(found)))


_CHECKS: Final[dict[str, Callable[[str, Any], bool]]] = {
    "f": lambda path, answer: bool(first_line(path).decode("latin-1") == answer),
    "k": lambda path, answer: bool(kind(path) == answer),
    "l": _same_names,
    "r": _same_content,
    "s": lambda path, answer: bool(_stamp_at(path) == answer),
}
