"""The folder `.r4c_cache`, which keeps what would take time to find out again.

What is in it may be cut off, of another version, written by another run at this moment, or made by somebody who means
harm. So entries are JSON behind a checksum, which no content can make run code; an entry is written whole or not at
all; what cannot be read counts as not there, and what cannot be written is left out. Nothing here ever fails.
"""

# Paths stay texts, as everywhere in the linter.
# ruff: noqa: PTH103, PTH105, PTH107, PTH112, PTH116, PTH118, PTH123

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any, Final

_TAG: Final = (
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This folder holds a cache of r4c. It may be removed at any time; see https://bford.info/cachedir/\n"
)
_SUFFIX: Final = ".json"
_UNFINISHED: Final = ".tmp"
_LARGEST: Final = 1 << 28
_DAYS_NS: Final = 86_400 * 1_000_000_000
_LATEST_NS: Final = 30 * _DAYS_NS
_DIGITS: Final = 32


def digest(*parts: bytes) -> str:
    """A name for content: 32 hexadecimal digits. Parts are not mixed up."""
    import hashlib

    made = hashlib.blake2b(digest_size=_DIGITS // 2)
    for part in parts:
        made.update(len(part).to_bytes(8, "big"))
        made.update(part)
    return made.hexdigest()


class Store:
    """Entries by name, in one folder of `root` for each `version`: what another version wrote is never looked at."""

    def __init__(self, root: str, version: str) -> None:
        self._root = root
        self._folder = os.path.join(root, version)
        self._writable: bool | None = None

    def load(self, name: str) -> Any:
        """What was saved under a name; None if nothing was, or it is damaged."""
        import json

        try:
            with open(self._path(name), "rb") as file:
                if os.fstat(file.fileno()).st_size > _LARGEST:
                    return None
                checksum, _, text = file.read().partition(b"\n")
            return json.loads(text) if checksum.decode() == digest(text) else None
        except (OSError, ValueError, RecursionError, MemoryError):
            return None

    def save(self, name: str, value: object) -> None:
        """Keep plain data: numbers, texts, None, and lists and dictionaries of them."""
        import json

        if not self._prepared():
            return
        unfinished = os.path.join(self._folder, f"{name}.{os.getpid()}.{time.monotonic_ns()}{_UNFINISHED}")
        try:
            # Texts that are no Unicode (lone surrogates) could come back changed.
            text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
            with open(unfinished, "xb") as file:
                file.write(digest(text).encode() + b"\n" + text)
            os.replace(unfinished, self._path(name))
        except (OSError, ValueError, RecursionError):
            with suppress(OSError):
                os.remove(unfinished)

    def remove(self, names: Collection[str]) -> None:
        """Forget these entries."""
        for name in names:
            with suppress(OSError):
                os.remove(self._path(name))

    def names(self, prefix: str) -> list[str]:
        """The names that begin so, those saved last first."""
        found = [
            (written, name) for written, name in self._listed() if name.startswith(prefix) and name.endswith(_SUFFIX)
        ]
        return [name.removesuffix(_SUFFIX) for _, name in sorted(found, reverse=True)]

    def _listed(self) -> Iterator[tuple[int, str]]:
        with suppress(OSError), os.scandir(self._folder) as entries:
            for entry in entries:
                with suppress(OSError):
                    yield entry.stat().st_mtime_ns, entry.name

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name + _SUFFIX)

    def _prepared(self) -> bool:
        """Whether there is a folder to write to; made, and tidied up, when it is first needed."""
        if self._writable is None:
            try:
                if not os.path.isdir(self._folder):
                    os.makedirs(self._folder)
                    self._describe()
                self._tidy_up()
                self._writable = True
            except OSError:
                self._writable = False
        return self._writable

    def _describe(self) -> None:
        """Tell git and programs for backups that nothing here is of value."""
        for name, text in ((".gitignore", "*\n"), ("CACHEDIR.TAG", _TAG)):
            with suppress(FileExistsError), open(os.path.join(self._root, name), "x", encoding="ascii") as file:
                file.write(text)

    def _tidy_up(self) -> None:
        """Remove what runs that were killed left behind, and folders of versions that nobody has used for long."""
        now = time.time_ns()
        for written, name in list(self._listed()):
            if name.endswith(_UNFINISHED) and now - written > _DAYS_NS:
                with suppress(OSError):
                    os.remove(os.path.join(self._folder, name))
        with os.scandir(self._root) as entries:
            versions = [entry.path for entry in entries if len(entry.name) == _DIGITS and entry.is_dir()]
        for folder in versions:
            if folder != self._folder and now - os.stat(folder).st_mtime_ns > _LATEST_NS:
                import shutil

                shutil.rmtree(folder, ignore_errors=True)
