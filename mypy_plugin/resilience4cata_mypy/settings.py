"""The project's settings for the plugin: `[tool.r4c]` of the pyproject.toml that it shares with the linter.

[tool.r4c]
config-files = ["resilience4cata.toml"]     # every source of templates; without it R4C-CFG-001 stays silent
templates = ["external"]                    # made in code, by builder.config("external", …)
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NoReturn

from mypy.options import Options

from resilience4cata.facts import At, ConfigFile, Project, Template
from resilience4cata.records import dataclass

_PYPROJECT: Final = "pyproject.toml"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the plugin knows besides the code.

    `root` is the folder of the project, `project` holds the templates (closed if `config-files` lists all sources),
    `digest` changes with everything that was read. `problem` says what is wrong with the settings, if anything; nothing
    else is in them then.
    """

    root: Path
    project: Project
    digest: str = ""
    problem: str = ""


class _WrongSettingsError(Exception):
    """The settings say something that cannot be meant."""


def load(options: Options) -> Settings:
    """The settings beside mypy's own configuration file, else in the working folder."""
    try:
        return _load(options)
    except _WrongSettingsError as error:
        return Settings(Path.cwd(), Project(), _digest([str(error).encode()]), str(error))


def _load(options: Options) -> Settings:
    beside = Path(options.config_file).absolute().parent if options.config_file else Path.cwd()
    path = next((p for folder in (beside, Path.cwd()) if (p := folder / _PYPROJECT).is_file()), None)
    if path is None:
        return Settings(beside, Project())
    table = _table(path)
    files = [_config_file(path, name) for name in _names(path, table, "config-files")]
    named = tuple(Template(name, At("")) for name in _names(path, table, "templates"))
    closed = "config-files" in table
    if not closed:
        return Settings(path.parent, Project())
    from resilience4cata.config.tree import templates_of

    read = tuple(file for file, _ in files)
    project = Project(templates=(*templates_of(read), *named), files=read, templates_closed=True)
    return Settings(path.parent, project, _digest(data for _, data in files) + _digest(n.name.encode() for n in named))


def _table(path: Path) -> dict[str, object]:
    data = path.read_bytes()
    # Most projects have no such table, and parsing is not free.
    if b"r4c" not in data:
        return {}
    import tomllib

    try:
        tool = tomllib.loads(data.decode("utf-8-sig")).get("tool", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        _refuse(path, f"cannot be read as TOML: {error}")
    table = tool.get("r4c", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        _refuse(path, "tool.r4c is not a table")
    return table


def _names(path: Path, table: dict[str, object], key: str) -> list[str]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        _refuse(path, f"tool.r4c.{key} is not a list of texts")
    return value


def _config_file(pyproject: Path, name: str) -> tuple[ConfigFile, bytes]:
    from resilience4cata.config.sources import read, shown_path

    path = pyproject.parent / name
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        _refuse(pyproject, f"tool.r4c.config-files: cannot read {name}: {reason}")
    return read(shown_path(path), data), data


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()[:16]


def _refuse(path: Path, reason: str) -> NoReturn:
    msg = f"{path.name}: error: {reason}"
    raise _WrongSettingsError(msg)
