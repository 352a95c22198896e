"""Facts of files as earlier runs read them, so that a file is parsed again only if its bytes changed."""

# Paths stay texts, as everywhere in the linter.
# ruff: noqa: PTH100, PTH118, PTH120

from __future__ import annotations

import os
import sys
from functools import cached_property
from typing import TYPE_CHECKING, Final

from . import files
from .store import Store, digest

if TYPE_CHECKING:
    from .locate import Module
    from .options import Options
    from .symbols import FileFacts

_FACTS: Final = "facts-"


def open_cache(options: Options, folder: str | None = None) -> Cache | None:
    """The cache in `folder`, or beside the project's configuration; None where there is neither."""
    if folder is None and not options.is_project:
        return None
    return Cache(folder or os.path.join(options.root, files.FOLDER), options.root)


def _version() -> str:
    """What facts depend on besides the file: this code, and the parser of the running Python."""
    import resilience4cata
    from resilience4cata.identity import own_version

    folders = [os.path.dirname(path) for path in (str(resilience4cata.__file__), __file__)]
    return digest(own_version(folders).encode(), sys.version.encode())


class Cache:
    """The facts of the files of one project; paths count from `root`, so that the project may be moved."""

    def __init__(self, folder: str, root: str) -> None:
        self._folder = folder
        self._root = root
        self._used: set[str] = set()
        self._is_new = False

    @cached_property
    def _store(self) -> Store:
        # Most runs over files that have nothing to do with us never get here.
        return Store(self._folder, _version())

    def get(self, path: str, data: bytes, module: Module, shown: str) -> FileFacts | None:
        """The facts of a file with these bytes, if they were kept."""
        name = self._name(path)
        self._used.add(name)
        kept = self._store.load(name)
        if not isinstance(kept, dict) or kept.get("of") != self._content(data, module):
            return None
        from .codec import decode

        try:
            return decode(kept.get("facts"), shown)
        except ValueError:
            return None

    def put(self, path: str, data: bytes, module: Module, facts: FileFacts) -> None:
        """Keep the facts of a file with these bytes."""
        from .codec import encode

        self._is_new = True
        value = {"path": self._relative(path), "of": self._content(data, module), "facts": encode(facts)}
        self._store.save(self._name(path), value)

    def forget_gone(self) -> None:
        """Remove what was kept of files that are not there any more, once the run has asked for all that it needs."""
        if self._is_new:
            unasked = [name for name in self._store.names(_FACTS) if name not in self._used]
            self._store.remove([name for name in unasked if not self._is_there(name)])

    def _is_there(self, name: str) -> bool:
        kept = self._store.load(name)
        path = kept.get("path") if isinstance(kept, dict) else None
        return isinstance(path, str) and files.is_file(os.path.join(self._root, path))

    def _relative(self, path: str) -> str:
        absolute = os.path.abspath(path)
        below = os.path.join(self._root, "")
        return absolute.removeprefix(below).replace(os.sep, "/") if absolute.startswith(below) else absolute

    def _name(self, path: str) -> str:
        return _FACTS + digest(os.fsencode(self._relative(path)))

    @staticmethod
    def _content(data: bytes, module: Module) -> str:
        return digest(data, module.name.encode(errors="surrogateescape"), b"package" if module.is_package else b"")
