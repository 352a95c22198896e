"""The project's own settings for the linter: `[tool.r4c]` of a `pyproject.toml`.

One run has one project: that of the nearest `pyproject.toml` upwards from the folder that all checked paths share.
Settings of other projects further down do not count in that run; check them one by one if they differ.

    [tool.r4c]
    config-files = ["resilience4cata.toml", "config/production.properties"]
    exclude = ["generated", "tools/old"]
    templates = ["external"]            # made where the linter cannot see it
    select = ["FB", "R4C-DU-001"]
    extend-select = ["DU-006"]
    ignore = ["implausible-pair"]
    paths = ["src", "tools"]            # what `r4c check` looks at if it is not told
    baseline = "r4c-baseline.json"

    [tool.r4c.per-file-ignores]
    "tests" = ["FB"]

Without `config-files`, the files `resilience4cata.toml`, `.properties`, `.yaml` and `.yml` beside the `pyproject.toml`
(or, without one, in the folder that is checked) are read if they exist, and the tables `[tool.resilience4cata]` of the
`pyproject.toml` itself.
"""

# Paths stay the texts they were given as: making objects of thousands of them costs more than reading the files.
# ruff: noqa: PTH100, PTH118, PTH120

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from resilience4cata.config.tool_settings import ToolSettings, WrongSettingError, tool_settings, tool_table
from resilience4cata.records import dataclass, replace

from . import files
from .outcome import UsageError
from .project import PYPROJECT, common_folder, nearest

__all__ = ["PYPROJECT", "Options", "UsageError", "load"]

DEFAULT_NAMES: Final = tuple(f"resilience4cata.{suffix}" for suffix in ("toml", "properties", "yaml", "yml"))


@dataclass(frozen=True, slots=True)
class Options:
    """What `[tool.r4c]` says, or what holds without it.

    `root` is the project's folder, `is_project` whether a `pyproject.toml` says so. `config_files` are paths of the
    configuration that is read; `names_files` tells whether they were listed rather than found. `paths` and `baseline`
    are whole paths, `per_file_ignores` holds words for rules by pattern.
    """

    root: str
    is_project: bool = False
    config_files: tuple[str, ...] = ()
    names_files: bool = False
    exclude: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    paths: tuple[str, ...] = ()
    baseline: str | None = None

    @property
    def chooses_rules(self) -> bool:
        """Whether it says anything about which rules count."""
        return self.select is not None or bool(self.extend_select or self.ignore or self.per_file_ignores)

    def with_files(self, files: Sequence[str]) -> Options:
        """The same, reading also these configuration files, which are then known to be all."""
        return replace(self, config_files=(*self.config_files, *files), names_files=True)


def load(paths: Sequence[str], pyproject: str | None = None) -> Options:
    """The options for a run over `paths`, from the nearest `pyproject.toml` or the one that is named.

    Raises UsageError if that file cannot be read or its table is wrong.
    """
    common = common_folder(paths)
    if pyproject is None:
        pyproject = nearest(common)
    places = _own_places(common, paths)
    if pyproject is None:
        return Options(common, config_files=_existing(*places))
    root = os.path.dirname(os.path.abspath(pyproject))
    try:
        data = files.read(pyproject)
    except OSError as error:
        msg = f"cannot read {pyproject}: {error.strerror}"
        raise UsageError(msg) from error
    return _interpret(_read(pyproject, data), root, _found_files(pyproject, data, root, places))


def path_named(folder: str, name: str) -> str:
    """The path that a file names, which counts from the folder of that file and has forward slashes on every system."""
    return os.path.join(folder, name.replace("/", os.sep))


def _own_places(common: str, paths: Sequence[str]) -> tuple[str, ...]:
    """Where configuration of what is checked may be: a folder carries its own without being a project.

    That of several folders would be mixed up, so it is that of the folder around them then. Files that are named beside
    the one folder change nothing.
    """
    folders = {os.path.abspath(path) for path in paths if files.is_folder(path)}
    return tuple(dict.fromkeys((common, *folders))) if len(folders) == 1 else (common,)


def _existing(*folders: str) -> tuple[str, ...]:
    places = (os.path.join(folder, name) for folder in folders for name in DEFAULT_NAMES)
    return tuple(path for path in places if files.is_file(path))


def _found_files(pyproject: str, data: bytes, root: str, places: Sequence[str]) -> tuple[str, ...]:
    found = dict.fromkeys(_existing(root, *places))
    if b"resilience4cata" in data and _has_table(pyproject, data):
        found[os.path.abspath(pyproject)] = None
    return tuple(found)


def _has_table(pyproject: str, data: bytes) -> bool:
    try:
        return tool_table(pyproject, data, "resilience4cata") is not None
    except WrongSettingError:
        # What is wrong with it is then a finding with its place.
        return True


def _read(pyproject: str, data: bytes) -> ToolSettings:
    try:
        return tool_settings(pyproject, data)
    except WrongSettingError as error:
        raise UsageError(str(error)) from error


def _interpret(settings: ToolSettings, root: str, found: tuple[str, ...]) -> Options:
    lists = settings.lists
    named = lists.get("config-files")
    return Options(
        root=root,
        is_project=True,
        config_files=found if named is None else tuple(path_named(root, name) for name in named),
        names_files=named is not None,
        exclude=lists.get("exclude", ()),
        templates=lists.get("templates", ()),
        select=lists.get("select"),
        extend_select=lists.get("extend-select", ()),
        ignore=lists.get("ignore", ()),
        per_file_ignores=settings.per_file_ignores,
        paths=tuple(path_named(root, name) for name in lists.get("paths", ())),
        baseline=None if settings.baseline is None else path_named(root, settings.baseline),
    )
