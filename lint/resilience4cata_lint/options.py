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
from collections.abc import Mapping, Sequence
from typing import Final

from resilience4cata.records import dataclass, replace

from . import files
from .outcome import UsageError
from .project import PYPROJECT, common_folder, nearest

__all__ = ["PYPROJECT", "Options", "UsageError", "load"]

DEFAULT_NAMES: Final = tuple(f"resilience4cata.{suffix}" for suffix in ("toml", "properties", "yaml", "yml"))
_LISTS: Final = ("config-files", "exclude", "extend-select", "ignore", "paths", "select", "templates")
_BASELINE: Final = "baseline"
_PER_FILE: Final = "per-file-ignores"
_KEYS: Final = tuple(sorted((*_LISTS, _BASELINE, _PER_FILE)))


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
    if pyproject is None:
        return Options(common, config_files=_existing(common))
    root = os.path.dirname(os.path.abspath(pyproject))
    try:
        data = files.read(pyproject)
    except OSError as error:
        msg = f"cannot read {pyproject}: {error.strerror}"
        raise UsageError(msg) from error
    return _interpret(_table(pyproject, data), pyproject, root, _found_files(pyproject, data, root, common))


def path_named(folder: str, name: str) -> str:
    """The path that a file names, which counts from the folder of that file and has forward slashes on every system."""
    return os.path.join(folder, name.replace("/", os.sep))


def _existing(folder: str) -> tuple[str, ...]:
    return tuple(path for name in DEFAULT_NAMES if files.is_file(path := os.path.join(folder, name)))


def _found_files(pyproject: str, data: bytes, root: str, common: str) -> tuple[str, ...]:
    # A folder that is checked may carry its own configuration without being a project.
    found = dict.fromkeys((*_existing(root), *_existing(common)))
    if b"resilience4cata" in data and _has_table(pyproject, data):
        found[os.path.abspath(pyproject)] = None
    return tuple(found)


def _parse(pyproject: str, data: bytes) -> Mapping[str, object]:
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        msg = f"{pyproject}: cannot be read as TOML: {error}"
        raise UsageError(msg) from error


def _tool(parsed: Mapping[str, object], name: str) -> object:
    tool = parsed.get("tool")
    return tool.get(name) if isinstance(tool, dict) else None


def _has_table(pyproject: str, data: bytes) -> bool:
    try:
        return _tool(_parse(pyproject, data), "resilience4cata") is not None
    except UsageError:
        # What is wrong with it is then a finding with its place.
        return True


def _table(pyproject: str, data: bytes) -> Mapping[str, object]:
    # Most projects say nothing here, and need no parser for that.
    if b"r4c" not in data:
        return {}
    table = _tool(_parse(pyproject, data), "r4c")
    if table is None:
        return {}
    if not isinstance(table, dict):
        msg = f"{pyproject}: tool.r4c must be a table"
        raise UsageError(msg)
    return table


def _interpret(table: Mapping[str, object], pyproject: str, root: str, found: tuple[str, ...]) -> Options:
    for key in table:
        if key not in _KEYS:
            raise UsageError(_unknown_key(pyproject, key))
    lists = {key: _strings(pyproject, key, table[key]) for key in table if key in _LISTS}
    named = lists.get("config-files")
    files = found if named is None else tuple(path_named(root, name) for name in named)
    return Options(
        root=root,
        is_project=True,
        config_files=files,
        names_files=named is not None,
        exclude=lists.get("exclude", ()),
        templates=lists.get("templates", ()),
        select=lists.get("select"),
        extend_select=lists.get("extend-select", ()),
        ignore=lists.get("ignore", ()),
        per_file_ignores=_per_file(pyproject, table.get(_PER_FILE)),
        paths=tuple(path_named(root, name) for name in lists.get("paths", ())),
        baseline=_baseline(pyproject, root, table.get(_BASELINE)),
    )


def _per_file(pyproject: str, value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if value is None:
        return ()
    if not isinstance(value, dict):
        msg = f'{pyproject}: {_PER_FILE} in [tool.r4c] must be a table, as in {_PER_FILE} = {{ "tests" = ["FB"] }}'
        raise UsageError(msg)
    return tuple((pattern, _strings(pyproject, f'{_PER_FILE}."{pattern}"', words)) for pattern, words in value.items())


def _baseline(pyproject: str, root: str, value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not value:
        msg = f'{pyproject}: {_BASELINE} in [tool.r4c] must be a path, as in {_BASELINE} = "r4c-baseline.json"'
        raise UsageError(msg)
    return path_named(root, value)


def _unknown_key(pyproject: str, key: str) -> str:
    from resilience4cata.suggestions import did_you_mean

    suggestion = did_you_mean(key, _KEYS)
    advice = f"did you mean '{suggestion}'?" if suggestion else f"known are: {', '.join(_KEYS)}"
    return f"{pyproject}: unknown key '{key}' in [tool.r4c]; {advice}"


def _strings(pyproject: str, key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        msg = f'{pyproject}: {key} in [tool.r4c] must be a list of texts, as in {key} = ["…"]'
        raise UsageError(msg)
    return tuple(value)
