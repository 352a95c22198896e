"""Paths as services show them: counted from the top of the repository, wherever the linter ran.

Shown paths count from the working folder and have forward slashes. The repository is the one that the working folder
lies in; for a file outside of it, the one of the checked folder that holds the file; else the one of the file. So a
submodule counts from the repository that is checked, and files of several repositories count each from its own top.
What lies in no repository counts from the working folder, and keeps its whole path outside of it.
"""

# Paths stay texts, as everywhere in the linter.
# ruff: noqa: PTH109, PTH117, PTH118, PTH120

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from resilience4cata.records import replace

from .. import files

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Diagnostic
    from resilience4cata.facts import At

_ABSOLUTE: Final = re.compile(r"/|[A-Za-z]:/")


def in_repository(checked: Iterable[str] = ()) -> Callable[[str], str]:
    """What gives for a shown path the one from the top of its repository; `checked` are the folders of the run."""
    here = os.getcwd()
    tops = list(filter(None, (_top(os.path.join(here, folder)) for folder in ("", *checked))))
    known: dict[str, str | None] = {}

    def top_of(path: str) -> str:
        for top in tops:
            if path.startswith(top):
                return top
        folder = os.path.dirname(path)
        if folder not in known:
            known[folder] = _top(folder)
        return known[folder] or _as_folder(here)

    def path_of(shown: str) -> str:
        # A drive is a path of Windows, also where the report is looked at elsewhere.
        if _ABSOLUTE.match(shown) and not os.path.isabs(shown):
            return shown
        path = os.path.normpath(os.path.join(here, shown)).replace(os.sep, "/")
        return path.removeprefix(top_of(path))

    return path_of


def in_report(diagnostic: Diagnostic, path_of: Callable[[str], str]) -> Diagnostic:
    """The finding with such paths in all its places, for texts that name them."""
    related = tuple(other._replace(at=_moved(other.at, path_of)) for other in diagnostic.related)
    return diagnostic._replace(at=_moved(diagnostic.at, path_of), related=related)


def _moved(at: At, path_of: Callable[[str], str]) -> At:
    return replace(at, source=path_of(at.source))


def _top(folder: str) -> str | None:
    """The folder of the repository that a folder lies in, with forward slashes and one at the end."""
    folder = os.path.normpath(folder)
    while not files.kind(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return _as_folder(folder)


def _as_folder(path: str) -> str:
    return path.replace(os.sep, "/").rstrip("/") + "/"


def uri(path: str) -> str:
    """A path as a URI: relative where the path is, `file:///…` otherwise, everything special percent-encoded."""
    encoded = quote(path, safe="/", errors="surrogateescape")
    if not _ABSOLUTE.match(path):
        return encoded
    drive, _, rest = path.partition("/")
    return f"file:///{drive}/{quote(rest, safe='/', errors='surrogateescape')}" if drive else f"file://{encoded}"
