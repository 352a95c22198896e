"""Which files of a project may have to do with us, told at a price that nobody notices.

A file concerns us if it names the library, or imports something of its own project, which may lead to us. Only for such
a file is the linter itself imported.
"""

# Paths stay texts, as everywhere in the linter.
# ruff: noqa: PTH100, PTH120

from __future__ import annotations

import os
import re
import sys
from typing import Final

from . import gate
from .options import Options, load

_IMPORTED: Final = re.compile(rb"(?:\bfrom\s+|\bimport\s+|,\s*)(\.|[^\W\d]\w*)")
_STANDARD: Final = frozenset(name.encode() for name in sys.stdlib_module_names)


class Concern:
    """Answers for one process, and finds the options of the project that a file belongs to, once for each folder."""

    def __init__(self) -> None:
        self._options: dict[str, Options] = {}
        self._names: dict[str, frozenset[bytes]] = {}

    def has(self, filename: str, data: bytes) -> bool:
        """Whether a file with these bytes concerns us. Raises UsageError if the project's settings are wrong."""
        if gate.mentions(data):
            return True
        imported = _foreign_imports(data)
        if not imported:
            return False
        options = self.options(filename)
        return options.is_project and (b"." in imported or not imported.isdisjoint(self._names_below(options.root)))

    def options(self, filename: str) -> Options:
        """The options of the file's project. Raises UsageError if they are wrong."""
        folder = os.path.dirname(os.path.abspath(filename))
        if folder not in self._options:
            self._options[folder] = load([filename])
        return self._options[folder]

    def _names_below(self, root: str) -> frozenset[bytes]:
        """Every name that a module or package of the project may have, and a few more."""
        if root not in self._names:
            found: set[str] = set()
            for _, folders, files in os.walk(root):
                folders[:] = [name for name in folders if name.isidentifier() and name != "node_modules"]
                found.update(folders)
                found.update(name.partition(".")[0] for name in files if name.endswith((".py", ".pyi")))
            self._names[root] = frozenset(map(os.fsencode, found))
        return self._names[root]


def _foreign_imports(data: bytes) -> frozenset[bytes]:
    """First names of the modules that are imported and not Python's own; a dot for relative ones. Rather too many."""
    found = (name for line in gate.import_lines(data) for name in _IMPORTED.findall(line))
    return frozenset(found) - _STANDARD
