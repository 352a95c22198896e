"""Paths as services show them: counted from the top of the repository, wherever the linter ran.

Shown paths count from the working folder and have forward slashes. What lies outside of the repository keeps its whole
path.
"""

# Paths stay texts, as everywhere in the linter.
# ruff: noqa: PTH109, PTH117, PTH118, PTH120

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Final
from urllib.parse import quote

from .. import files

_ABSOLUTE: Final = re.compile(r"/|[A-Za-z]:/")


def in_repository(here: str | None = None) -> Callable[[str], str]:
    """What gives for a shown path the one from the top of the repository that holds `here` (the working folder)."""
    here = os.getcwd() if here is None else here
    top = _top(here)

    def path_of(shown: str) -> str:
        # A drive is a path of Windows, also where the report is looked at elsewhere.
        if _ABSOLUTE.match(shown) and not os.path.isabs(shown):
            return shown
        path = os.path.normpath(os.path.join(here, shown)).replace(os.sep, "/")
        return path.removeprefix(top) if path.startswith(top) else path

    return path_of


def _top(here: str) -> str:
    """The repository's folder, else `here`, with forward slashes and one at the end."""
    folder = here
    while not files.kind(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            folder = here
            break
        folder = parent
    return folder.replace(os.sep, "/").rstrip("/") + "/"


def uri(path: str) -> str:
    """A path as a URI: relative where the path is, `file:///…` otherwise, everything special percent-encoded."""
    encoded = quote(path, safe="/", errors="surrogateescape")
    if not _ABSOLUTE.match(path):
        return encoded
    drive, _, rest = path.partition("/")
    return f"file:///{drive}/{quote(rest, safe='/', errors='surrogateescape')}" if drive else f"file://{encoded}"
