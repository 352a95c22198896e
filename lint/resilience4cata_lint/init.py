"""`r4c init`: adds what a project needs to be checked, shows the difference, and says what it added.

Files that exist keep their layout, and what they say already stays as it is: a second run finds nothing to do. What
cannot be added for certain is left to people, and said.
"""

# Paths stay the texts they were given as.
# ruff: noqa: PTH109, PTH113, PTH120, PTH123

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from typing import TYPE_CHECKING, Any, Final

from resilience4cata.records import dataclass

from .hooks import completed
from .locate import relative
from .options import UsageError
from .outcome import CLEAN
from .project import PYPROJECT, nearest
from .writing import write

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_PLUGIN: Final = "resilience4cata_mypy"
_STARTER: Final = "resilience4cata.toml"
_CONFIGURATION: Final = (
    "resilience4cata.toml",
    "resilience4cata.yaml",
    "resilience4cata.yml",
    "resilience4cata.properties",
)
_MARK: Final = "\ufeff"
_OTHER_MYPY: Final = ("mypy.ini", ".mypy.ini")
_PRE_COMMIT: Final = ".pre-commit-config.yaml"

_STARTER_TEXT: Final = """\
# Settings of resilience4cata: `r4c config check` checks them, `r4c describe` shows what counts where.

# For everything that does not say otherwise.
[resilience4cata.defaults]
retry = { max-attempts = 3, delay = "100ms" }

# A template; code starts from it with config="external".
[resilience4cata.configs.external]
timeout = { value = "2s" }
circuit-breaker = { failure-rate-threshold = 50, wait-in-open = "30s" }
"""


@dataclass(frozen=True, slots=True)
class Change:
    """What a file is to hold; `before` is None for one that does not exist. `what` says what was added."""

    path: str
    before: str | None
    after: str
    what: tuple[str, ...]


def run(parsed: argparse.Namespace) -> int:
    """`r4c init`. Raises UsageError where there is no project, or its file cannot be read."""
    changes = (*_changes(), *_hooks())
    advice = tuple(_advice())
    # All of it can be seen before anything is written.
    for change in changes:
        sys.stdout.writelines(_diff(change))
    sys.stdout.flush()
    for change in changes:
        if not parsed.dry_run:
            write(change.path, change.after.encode())
            for what in change.what:
                print(f"{change.path}: {what}")
    for line in advice:
        print(line)
    if not changes and not advice:
        print("nothing to do: the project is set up")
    return CLEAN


def _changes() -> Iterator[Change]:
    if not os.path.isfile(PYPROJECT):
        raise UsageError(_no_project())
    configuration = [name for name in _CONFIGURATION if os.path.isfile(name)]
    if not configuration:
        yield Change(_STARTER, None, _STARTER_TEXT, ("written, with a template to start from",))
    before = _read(PYPROJECT)
    newline = "\r\n" if "\r\n" in before else "\n"
    text = before.removeprefix(_MARK)
    document = _document(text.replace("\r\n", "\n"))
    what = tuple(_complete(document, configuration or [_STARTER]))
    if what:
        mark = _MARK * (text != before)
        yield Change(PYPROJECT, before, mark + document.as_string().replace("\n", newline), what)


def _no_project() -> str:
    above = nearest(os.path.dirname(os.getcwd()))
    where = "" if above is None else f", but there is {relative(above).replace(os.sep, '/')}"
    advice = "make one first (an empty file will do)" if above is None else "run 'r4c init' in that folder"
    return f"there is no {PYPROJECT} in this folder{where}: {advice}"


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        msg = f"cannot read {path}: {getattr(error, 'strerror', None) or error}"
        raise UsageError(msg) from error


def _document(text: str) -> TOMLDocument:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        msg = f"cannot read {PYPROJECT}: {error}"
        raise UsageError(msg) from error


def _complete(document: TOMLDocument, configuration: Sequence[str]) -> Iterator[str]:
    """Add what is missing to the project's file; each addition in words."""
    import tomlkit

    tool: Any = document.get("tool", {})
    if "mypy" in tool and _add_plugin(tool["mypy"]):
        yield f"added {_PLUGIN} to the plugins of mypy"
    if "r4c" not in tool:
        table = tomlkit.table()
        table["config-files"] = list(configuration)
        if "tool" not in document:
            document["tool"] = tomlkit.table(is_super_table=True)
        document["tool"]["r4c"] = table
        yield "added [tool.r4c]"


def _add_plugin(mypy: Any) -> bool:
    """Add our plugin to mypy's, which are given as a list or as one text with commas; False if it is there."""
    plugins = mypy.get("plugins", [])
    if isinstance(plugins, str):
        names = [word.strip() for word in plugins.split(",") if word.strip()]
        if _PLUGIN not in names:
            mypy["plugins"] = ", ".join((*names, _PLUGIN))
        return _PLUGIN not in names
    if _PLUGIN in plugins:
        return False
    if "plugins" not in mypy:
        mypy["plugins"] = [_PLUGIN]
    else:
        plugins.append(_PLUGIN)
    return True


def _hooks() -> Iterator[Change]:
    """The hooks added to those of pre-commit, where the project has some and their file can be completed."""
    if not os.path.isfile(_PRE_COMMIT):
        return
    before = _read(_PRE_COMMIT)
    after = completed(before)
    if after is not None and after != before:
        yield Change(_PRE_COMMIT, before, after, ("added the hooks r4c and r4c-project",))


def _diff(change: Change) -> Iterator[str]:
    before = (change.before or "").replace("\r\n", "\n").splitlines(keepends=True)
    after = change.after.replace("\r\n", "\n").splitlines(keepends=True)
    lines = unified_diff(before, after, change.path if change.before is not None else "/dev/null", change.path)
    return (line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _advice() -> Iterator[str]:
    """What is left to people."""
    for name in _OTHER_MYPY:
        if os.path.isfile(name) and _PLUGIN not in _read(name):
            yield f"{name}: add '{_PLUGIN}' to 'plugins' under [mypy]"
    if os.path.isfile(_PRE_COMMIT) and completed(_read(_PRE_COMMIT)) is None:
        yield f"{_PRE_COMMIT}: add the hooks 'r4c' and 'r4c-project' (see the guide on pre-commit)"
