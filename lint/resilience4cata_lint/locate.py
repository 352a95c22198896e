"""Where things are: how paths are shown, which module a file is, and which file a module is."""

# Paths stay the texts they were given as: making objects of thousands of them costs more than reading the files.
# ruff: noqa: PTH100, PTH109, PTH117, PTH118, PTH120

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from resilience4cata.records import dataclass

from . import files

_INITS = ("__init__.py", "__init__.pyi")

# What `normpath` would change: empty parts, dots, and on Windows slashes.
_UNCLEAN = re.compile(r"/\.{0,2}(/|$)") if os.sep == "/" else re.compile("")

# Ends of paths that name a folder by its place.
_NO_NAMES = ("", os.curdir, os.pardir)


def relative(path: str, start: str = os.curdir) -> str:
    """The path from a folder; the whole path where none leads there, to another drive of Windows."""
    try:
        return os.path.relpath(path, start)
    except ValueError:
        return os.path.abspath(path)


@dataclass(frozen=True, slots=True)
class Module:
    """A file as Python imports it: its dotted name, whether it is a package, and the folder that imports start from."""

    name: str
    is_package: bool
    root: str


class Modules:
    """Names of modules from paths, and back.

    A file's package is found upwards, as long as there is an `__init__.py`. Where the first folder has none, the file
    belongs to a namespace package or to none: its name then counts from the deepest known folder of `roots` (the
    project's, its `src`, the folders that were named), but never across a folder whose name could not be imported.
    """

    def __init__(self, roots: Iterable[str]) -> None:
        self._roots = frozenset(map(files.canonical, roots))
        self._is_package: dict[str, bool] = {}
        self._files: dict[tuple[str, str], str | None] = {}

    def of(self, path: str) -> Module:
        """The module at `path`. Never fails: a name that cannot be imported is still a name to show."""
        folder, file = os.path.split(os.path.abspath(path))
        stem = file.partition(".")[0] or file
        parts = [] if stem == "__init__" else [stem]
        root = folder
        if self.is_package(folder):
            while self.is_package(root) and os.path.dirname(root) != root:
                root, name = os.path.split(root)
                parts.insert(0, name)
        else:
            root, names = self._namespace(folder)
            parts[:0] = names
        return Module(".".join(parts) or stem, stem == "__init__", root)

    def is_package(self, folder: str) -> bool:
        """Whether the folder has an `__init__.py`."""
        known = self._is_package.get(folder)
        if known is None:
            known = any(files.is_file(os.path.join(folder, init)) for init in _INITS)
            self._is_package[folder] = known
        return known

    def file_of(self, name: str, roots: Sequence[str]) -> str | None:
        """The file of the module `name` below the first of `roots` that has it, or None."""
        return next(filter(None, (self._below(root, name) for root in roots)), None)

    def _below(self, root: str, name: str) -> str | None:
        key = root, name
        if key not in self._files:
            base = os.path.join(root, *name.split("."))
            candidates = (f"{base}.py", *(os.path.join(base, init) for init in _INITS), f"{base}.pyi")
            self._files[key] = next((path for path in candidates if files.is_file(path)), None)
        return self._files[key]

    def _namespace(self, folder: str) -> tuple[str, list[str]]:
        names: list[str] = []
        root = folder
        while os.path.normcase(root) not in self._roots:
            parent, name = os.path.split(root)
            if parent == root or not name.isidentifier():
                # Outside of every known root there is no way to tell where a namespace would begin.
                return (root, names) if name and not name.isidentifier() and self._within(root) else (folder, [])
            names.insert(0, name)
            root = parent
        return root, names

    def _within(self, folder: str) -> bool:
        return any(files.is_below(folder, root) for root in self._roots)


class Shown:
    """How paths are shown: relative to the working folder, with forward slashes.

    Outside of the working folder a path stays relative where it was given so, or where the working folder lies inside
    the project, and is absolute otherwise.
    """

    def __init__(self, project: str | None = None) -> None:
        self._here = os.getcwd()
        self._below = self._here.rstrip(os.sep) + os.sep
        self._inside = project is not None and files.is_below(self._here, project)
        self._folders: dict[str, str] = {}

    def __call__(self, path: str) -> str:
        folder, separator, name = path.rpartition(os.sep)
        # There are thousands of paths in a run, and few folders.
        if not separator or name in _NO_NAMES or (os.altsep and os.altsep in name):
            return self._shown(path)
        start = self._folders.get(folder)
        if start is None:
            start = self._folders[folder] = self._shown(path).removesuffix(name)
        return start + name

    def _shown(self, path: str) -> str:
        absolute = os.path.join(self._here, path)
        if _UNCLEAN.search(absolute):
            absolute = os.path.normpath(absolute)
        if absolute.startswith(self._below):
            absolute = absolute[len(self._below) :]
        elif self._inside or not os.path.isabs(path) or files.is_below(path, self._here):
            absolute = relative(absolute, self._here)
        return absolute.replace(os.sep, "/")
