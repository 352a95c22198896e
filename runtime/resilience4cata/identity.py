"""Which code this is, for caches whose content depends on it."""

# Paths are texts: this is a part of every run of the linter.
# ruff: noqa: PTH123

import hashlib
import os
from collections.abc import Iterable, Iterator


def own_version(folders: Iterable[str | os.PathLike[str]]) -> str:
    """All source files of some packages in one word of 32 hexadecimal digits, which changes with any of them."""
    digest = hashlib.blake2b(digest_size=16)
    for each in folders:
        folder = os.fspath(each)
        for path in sorted(_sources(folder)):
            with open(path, "rb", buffering=0) as file:
                content = file.read()
            for part in (path.removeprefix(folder).replace(os.sep, "/").encode(), content):
                digest.update(len(part).to_bytes(8, "big"))
                digest.update(part)
    return digest.hexdigest()


def _sources(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield entry.path
            elif entry.is_dir():
                yield from _sources(entry.path)
