"""Which files have anything to do with us, told from their bytes, since parsing them all would take minutes.

A file matters if it names the library, or if it imports a name that another file of the project got from us: a composed
policy, a re-exported decorator, a class that carries policies. The second kind is found round by round, until a round
adds nothing. Errors here are on the safe side: a file too many is parsed in vain, and then says nothing.
"""

# Paths stay the texts they were given as: making objects of thousands of them costs more than reading the files.
# ruff: noqa: PTH118, PTH119, PTH120

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

MARK: Final = b"resilience4cata"

_WORD: Final = re.compile(rb"\w+")
_FROM_PACKAGE: Final = re.compile(rb"\bfrom[ \t\\\r\n]*\.+[ \t\\\r\n]*import\b")

# Up to this many words are looked for in each file one by one.
_FEW: Final = 8


def mentions(data: bytes) -> bool:
    """Whether a file names the library."""
    return MARK in data


def import_lines(data: bytes) -> Iterator[bytes]:
    """The import statements of a file, roughly: each up to its line's end or closing parenthesis.

    Finding the word first and looking at its line afterwards is ten times as fast as a regular expression over
    everything.
    """
    position = data.find(b"import")
    while position >= 0:
        start = data.rfind(b"\n", 0, position) + 1
        end = _line_end(data, position)
        # A statement continued with a backslash begins further up.
        while start and data[max(start - 3, 0) : start].endswith((b"\\\n", b"\\\r\n")):
            start = data.rfind(b"\n", 0, start - 1) + 1
        line = data[start:end]
        if b"(" in line and b")" not in line:
            closing = data.find(b")", end)
            end = closing + 1 if closing >= 0 else len(data)
            line = data[start:end]
        if not line.lstrip().startswith(b"#"):
            yield line
        position = data.find(b"import", max(end, position + 6))


def _line_end(data: bytes, position: int) -> int:
    end = data.find(b"\n", position)
    while end > 0 and data[max(end - 2, 0) : end].endswith((b"\\", b"\\\r")):
        end = data.find(b"\n", end + 1)
    return end if end >= 0 else len(data)


class Imports(NamedTuple):
    """What a file's import statements say: their words, and whether there is a star or a `from . import …`."""

    words: frozenset[bytes]
    star: bool
    from_package: bool

    @classmethod
    def of(cls, data: bytes) -> Imports:
        text = b"\n".join(import_lines(data))
        return cls(frozenset(_WORD.findall(text)), b"*" in text, _FROM_PACKAGE.search(text) is not None)


class Export(NamedTuple):
    """A file, its module, and the names in it that lead to us."""

    path: str
    module: str
    names: frozenset[str]


class Memory:
    """What one gate learns of files, for the next: the words that were looked for, the files that are near to any
    export so far, and their imports.
    """

    def __init__(self) -> None:
        self.words: set[bytes] = set()
        self.near: set[str] = set()
        self.imports: dict[str, Imports] = {}


class Gate:
    """Lets files through that import one of some exports. Each gate is shown all files that none has let through."""

    def __init__(self, exports: Iterable[Export], memory: Memory) -> None:
        self._names: dict[bytes, set[bytes]] = {}
        self._everything: set[bytes] = set()
        self._memory = memory
        folders: set[str] = set()
        words: set[bytes] = set()
        for export in exports:
            tail = os.fsencode(export.module.rpartition(".")[2])
            encoded = {name.encode() for name in export.names}
            self._names.setdefault(tail, set()).update(encoded)
            self._everything |= encoded
            if "." in export.module or os.path.basename(export.path).startswith("__init__."):
                folders.add(os.path.dirname(export.path))
            else:
                words.add(tail)
        few = self._few(folders)
        words |= {os.fsencode(os.path.basename(folder)) for folder in few}
        self._below = tuple(os.path.join(folder, "") for folder in few)
        self._everywhere = "" in few or len(words) > _FEW
        self._words = () if self._everywhere else tuple(words - memory.words)
        memory.words.update(self._words)

    @staticmethod
    def _few(folders: set[str]) -> set[str]:
        """At most a few folders that hold all of these."""
        while len(folders) > _FEW:
            folders = {os.path.dirname(folder) for folder in folders}
        return folders

    def admitted(self, paths: Sequence[str], data_of: Callable[[str], bytes]) -> list[str]:
        """The files that import a module which exports something of ours, and name what it exports."""
        return [path for path in self._near(paths, data_of) if self._imports_ours(path, data_of(path))]

    def _near(self, paths: Sequence[str], data_of: Callable[[str], bytes]) -> list[str]:
        """The files that can import such a module: outside of its package they have to say the package's name."""
        near = self._memory.near
        if self._everywhere:
            near.update(paths)
        else:
            near.update(path for path in paths if path.startswith(self._below))
            for word in self._words:
                near.update(path for path in paths if path not in near and word in data_of(path))
        return [path for path in paths if path in near]

    def _imports_ours(self, path: str, data: bytes) -> bool:
        imports = self._memory.imports.get(path)
        if imports is None:
            imports = self._memory.imports[path] = Imports.of(data)
        tails = imports.words & self._names.keys()
        if tails and (imports.star or any(name in data for tail in tails for name in self._names[tail])):
            return True
        return imports.from_package and (imports.star or not self._everything.isdisjoint(imports.words))
