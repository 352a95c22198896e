"""Which names of which modules lead to the library, as far as the files read so far tell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .gate import Export

if TYPE_CHECKING:
    from .extract import FileFacts


class Exports:
    """Grows as files are read."""

    def __init__(self) -> None:
        self._known: set[tuple[str, str]] = set()

    def add(self, files: Iterable[tuple[str, FileFacts]]) -> list[Export]:
        """What these files, given with their paths, newly export."""
        new: list[Export] = []
        for path, file in files:
            names = frozenset(name for name in file.exports if (file.module, name) not in self._known)
            if names:
                self._known.update((file.module, name) for name in names)
                new.append(Export(path, file.module, names))
        return new
