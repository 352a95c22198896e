"""The folders in which front ends see mutants."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .mutant import Mutant
from .sources import SHOP


def copy_shop(folder: Path) -> Path:
    """A copy of the correct shop in a folder that does not exist yet."""
    return shutil.copytree(SHOP, folder, ignore=shutil.ignore_patterns(".r4c_cache", ".mypy_cache", "__pycache__"))


def write(folder: Path, mutant: Mutant) -> None:
    """Write what the mutant changes."""
    for path, content in mutant.files.items():
        (folder / path).write_text(content, encoding="utf-8", newline="")


@contextmanager
def mutated(folder: Path, mutant: Mutant) -> Iterator[None]:
    """A copy of the shop is this mutant for a while."""
    before = {path: (folder / path).read_bytes() for path in mutant.files if (folder / path).exists()}
    write(folder, mutant)
    try:
        yield
    finally:
        for path in mutant.files:
            if path in before:
                (folder / path).write_bytes(before[path])
            else:
                (folder / path).unlink()
