"""A run that would say what it said before says it again, without being made.

What a run printed is kept, with notes of all that it asked the file system. If the command is the same, and the tool,
and all notes still hold, the answer is the same. So nothing of the linter is imported here but what reads the notes.
"""

# Paths stay texts, as everywhere in the linter.
# ruff: noqa: PTH109, PTH116, PTH118, PTH119, PTH120

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import Any, Final

from . import files
from .outcome import CLEAN, FOUND, TRACEBACK
from .project import PYPROJECT, common_folder, nearest
from .store import Store, digest

_RUN: Final = "run-"
_KEPT: Final = 16
_DRAWN: Final = ("FORCE_COLOR", TRACEBACK)
_READ: Final = ("NO_COLOR", "HOME", "XDG_CONFIG_HOME", "USERPROFILE")

# Options with which a run changes files, or reads what is in none.
_WRITES: Final = ("output_file", "update_baseline", "fix", "diff")


def replayed(parsed: argparse.Namespace, make: Callable[[], int]) -> int:
    """The exit code of `r4c check`, whose output is written: that of the run before if it holds, or of `make`."""
    folder = _folder(parsed) if _may_be_kept(parsed) else None
    if folder is None:
        return make()
    name = _RUN + digest(*_all_that_counts(parsed))
    store = Store(folder, _version())
    kept = store.load(name)
    if not _holds(kept):
        kept = _made(make)
        if kept["code"] in {CLEAN, FOUND}:
            store.save(name, kept)
            store.remove(store.names(_RUN)[_KEPT:])
    sys.stderr.write(kept["errors"])
    sys.stdout.write(kept["output"])
    return int(kept["code"])


def _holds(kept: Any) -> bool:
    """Whether this was made here, and still counts."""
    return (
        isinstance(kept, dict)
        and kept.get("code") in {CLEAN, FOUND}
        and isinstance(kept.get("output"), str)
        and isinstance(kept.get("errors"), str)
        and isinstance(kept.get("notes"), dict)
        and files.unchanged(kept["notes"])
    )


def _made(make: Callable[[], int]) -> dict[str, Any]:
    output, errors = io.StringIO(), io.StringIO()
    try:
        with files.noting() as notes, redirect_stdout(output), redirect_stderr(errors):
            code = make()
    except BaseException:
        # What was said before it failed is said nevertheless.
        sys.stderr.write(errors.getvalue())
        sys.stdout.write(output.getvalue())
        raise
    return {"code": code, "output": output.getvalue(), "errors": errors.getvalue(), "notes": notes}


def _may_be_kept(parsed: argparse.Namespace) -> bool:
    """Whether nothing but the files counts: not for standard input, nor for people, who see how long it took."""
    return (
        parsed.cache
        and "-" not in parsed.paths
        and not any(getattr(parsed, name, None) for name in _WRITES)
        and not any(os.environ.get(name) for name in _DRAWN)
        and not sys.stdout.isatty()
    )


def _folder(parsed: argparse.Namespace) -> str | None:
    """The folder of the cache: the one that is named, or beside the project's configuration."""
    if parsed.cache_dir is not None:
        return str(parsed.cache_dir)
    named = [path for path in parsed.config if os.path.basename(path) == PYPROJECT]
    pyproject = named[0] if named else nearest(common_folder(parsed.paths or [os.curdir]))
    return None if pyproject is None else os.path.join(os.path.dirname(pyproject), files.FOLDER)


def _all_that_counts(parsed: argparse.Namespace) -> Iterator[bytes]:
    """What the output depends on besides files: the command, where it runs, and its surroundings."""
    given = sorted((name, value) for name, value in vars(parsed).items() if not callable(value) and name != "parser")
    variables = [os.environ.get(name) for name in _READ]
    for part in (given, os.getcwd(), variables, sys.version, sys.executable, sys.stdout.encoding):
        yield repr(part).encode(errors="surrogatepass")
    # What can be imported decides which formats of configuration can be read.
    for folder in sys.path:
        with suppress(OSError):
            yield f"{folder}\0{os.stat(folder).st_mtime_ns}".encode(errors="surrogatepass")


def _version() -> str:
    """The tool's own files, by their stamps: faster than by their content, and they stay where they are."""
    from importlib.util import find_spec

    stamps: list[tuple[str, int, int, int]] = []
    stack = [os.path.dirname(__file__)]
    runtime = find_spec("resilience4cata")
    stack += list(runtime.submodule_search_locations or ()) if runtime is not None else []
    while stack:
        with os.scandir(stack.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    status = entry.stat()
                    stamps.append((entry.path, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
                elif entry.is_dir(follow_symlinks=False) and entry.name != "__pycache__":
                    stack.append(entry.path)
    return digest(repr(sorted(stamps)).encode(errors="surrogatepass"))
