"""`per-file-ignores` of `[tool.r4c]`: rules that do not count in some files.

    [tool.r4c.per-file-ignores]
    "tests" = ["FB", "R4C-CMP-005"]
    "*_pb2.py" = ["ALL"]

Patterns mean what those of `exclude` mean: without a slash one name on the way to the file, with a slash the path from
the project's folder or the beginning of it.
"""

# Paths stay texts, as everywhere in the linter.
# ruff: noqa: PTH100, PTH118, PTH206

from __future__ import annotations

import os

from . import files
from .discover import Excluded
from .options import Options
from .selection import codes_of


class PerFile:
    """Answers for one project. Raises UsageError for a word that means no rule."""

    def __init__(self, options: Options) -> None:
        self._root = options.root
        self._ignored = [
            (Excluded([pattern.removeprefix("**/")], options.root), codes_of(words, f'per-file-ignores."{pattern}"'))
            for pattern, words in options.per_file_ignores
        ]
        self._known: dict[str, frozenset[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._ignored)

    def ignores(self, path: str, code: str) -> bool:
        """Whether a rule does not count in the file at `path` (relative to the working folder, or absolute)."""
        return bool(self._ignored) and code in self._of(path)

    def _of(self, path: str) -> frozenset[str]:
        if path not in self._known:
            steps = steps_to(path, self._root)
            fitting = (codes for fits, codes in self._ignored if any(map(fits, steps)))
            self._known[path] = frozenset().union(*fitting)
        return self._known[path]


def steps_to(path: str, root: str) -> list[str]:
    """The folders of the project at `root` that hold a file, and the file."""
    absolute = os.path.abspath(path)
    if not files.is_below(absolute, root):
        return [absolute]
    names = os.path.relpath(absolute, root).split(os.sep)
    return [os.path.join(root, *names[: end + 1]) for end in range(len(names))]
