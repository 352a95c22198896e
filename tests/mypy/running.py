"""Running mypy with the plugin, in a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Self

from resilience4cata_mypy.cache import FOLDERS

CONFIGURATION = """\
[mypy]
strict = True
plugins = resilience4cata_mypy
mypy_path = $MYPY_CONFIG_FILE_DIR
explicit_package_bases = True
show_column_numbers = True
show_error_end = True
color_output = False
"""


class Result(NamedTuple):
    """What mypy said: its messages without the summary, all output, and its exit status."""

    messages: list[str]
    output: str
    status: int


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write files, and the configuration of mypy unless there is one."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.stat().st_mtime if path.exists() else None
        path.write_text(text, encoding="utf-8")
        if before is not None:
            # mypy compares sizes and whole seconds, and takes a file that agrees in both for unchanged.
            later = max(before + 1, path.stat().st_mtime)
            os.utime(path, (later, later))
    if not (folder / "mypy.ini").exists():
        (folder / "mypy.ini").write_text(CONFIGURATION, encoding="utf-8")


def mypy(folder: Path, *arguments: str, cache: Path | None = None, plugin: Path | None = None) -> Result:
    """Run mypy in a folder; all Python files there, unless the arguments name some. Fails on an INTERNAL ERROR.

    `plugin` is a folder with another copy of the packages.
    """
    if not any(argument.endswith(".py") for argument in arguments):
        arguments = (*arguments, *sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py")))
    place = ["--cache-dir", str(cache)] if cache is not None else []
    return _run([sys.executable, "-m", "mypy", *place, *arguments], folder, plugin)


class Daemon:
    """A mypy daemon of its own; use it as a context manager, which stops it."""

    def __init__(self, folder: Path, cache: Path, plugin: Path | None = None) -> None:
        self._folder = folder
        self._cache = cache
        self._plugin = plugin

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._call("stop")

    def run(self) -> Result:
        """`dmypy run` over all files, starting the daemon if need be."""
        files = sorted(path.relative_to(self._folder).as_posix() for path in self._folder.rglob("*.py"))
        return self._call("run", "--", "--cache-dir", str(self._cache), *files)

    def _call(self, *arguments: str) -> Result:
        status = str(self._folder / "dmypy.json")
        return _run(
            [sys.executable, "-m", "mypy.dmypy", "--status-file", status, *arguments], self._folder, self._plugin
        )


def _run(command: list[str], folder: Path, plugin: Path | None) -> Result:
    # Settings of whoever runs the tests must not count.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MYPY")}
    if plugin is not None:
        environment["PYTHONPATH"] = str(plugin)
    result = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )
    output = result.stdout + result.stderr
    assert "INTERNAL ERROR" not in output, output
    messages = [line for line in result.stdout.splitlines() if ": error: " in line or ": note: " in line]
    return Result(messages, output, result.returncode)


def copy_cache(source: Path, target: Path) -> Path:
    """A copy of a cache that may be changed."""
    shutil.copytree(source, target)
    return target


def copy_plugin(target: Path) -> Path:
    """A copy of the rules and the plugin that may be changed."""
    for folder in FOLDERS:
        shutil.copytree(folder, target / folder.name, ignore=shutil.ignore_patterns("__pycache__"))
    return target
