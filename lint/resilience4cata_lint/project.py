"""Where the project is that paths belong to. Nothing heavy is imported here: each run begins with it."""

# Paths stay the texts they were given as: making objects of thousands of them costs more than reading the files.
# ruff: noqa: PTH109, PTH118, PTH120

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from . import files

PYPROJECT: Final = "pyproject.toml"


def common_folder(paths: Sequence[str]) -> str:
    """The deepest folder that holds all paths, absolute."""
    folders = [path if files.is_folder(path) else os.path.dirname(path) for path in map(os.path.abspath, paths)]
    try:
        return os.path.commonpath(folders or [os.getcwd()])
    except ValueError:  # different drives
        return folders[0]


def nearest(folder: str) -> str | None:
    """The `pyproject.toml` in `folder` or next above it; below the working folder its path counts from there."""
    while True:
        candidate = os.path.join(folder, PYPROJECT)
        if files.is_file(candidate):
            return candidate.removeprefix(os.path.join(os.getcwd(), ""))
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
