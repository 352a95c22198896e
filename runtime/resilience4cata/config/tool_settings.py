"""The table `[tool.r4c]` of a `pyproject.toml`: the settings of the static front ends, read and checked in one place.

Each front end uses those that concern it, but a key that is wrong is wrong for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..records import dataclass, field

LISTS: Final = ("config-files", "exclude", "extend-select", "ignore", "paths", "select", "templates")
BASELINE: Final = "baseline"
PER_FILE: Final = "per-file-ignores"
KEYS: Final = tuple(sorted((*LISTS, BASELINE, PER_FILE)))
"""Everything that the table may hold."""


class WrongSettingError(Exception):
    """The settings say something that cannot be meant, or cannot be read: in which file, and why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """What is written in the table: lists of texts by key, words for rules by pattern, and the path of a baseline."""

    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    baseline: str | None = None


def tool_settings(pyproject: str, data: bytes) -> ToolSettings:
    """The settings in the bytes of a file, which is called `pyproject` in errors.

    Raises WrongSettingError for a file that is no TOML, an unknown key, or a value of the wrong kind.
    """
    table = _table(pyproject, data)
    for key in table:
        if key not in KEYS:
            raise WrongSettingError(pyproject, _unknown_key(key))
    return ToolSettings(
        {key: _texts(pyproject, key, table[key]) for key in table if key in LISTS},
        _per_file(pyproject, table.get(PER_FILE)),
        _baseline(pyproject, table.get(BASELINE)),
    )


def tool_table(pyproject: str, data: bytes, name: str) -> object:
    """What stands under `tool.<name>`; None if nothing does. Raises WrongSettingError for a file that is no TOML."""
    import tomllib

    try:
        tool = tomllib.loads(data.decode("utf-8-sig")).get("tool")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WrongSettingError(pyproject, f"cannot be read as TOML: {error}") from error
    return tool.get(name) if isinstance(tool, dict) else None


def _table(pyproject: str, data: bytes) -> Mapping[str, object]:
    # Most projects say nothing here, and need no parser for that.
    table = tool_table(pyproject, data, "r4c") if b"r4c" in data else None
    if table is None:
        return {}
    if not isinstance(table, dict):
        raise WrongSettingError(pyproject, "tool.r4c must be a table")
    return table


def _per_file(pyproject: str, value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if value is None:
        return ()
    if not isinstance(value, dict):
        reason = f'{PER_FILE} in [tool.r4c] must be a table, as in {PER_FILE} = {{ "tests" = ["FB"] }}'
        raise WrongSettingError(pyproject, reason)
    return tuple((pattern, _texts(pyproject, f'{PER_FILE}."{pattern}"', words)) for pattern, words in value.items())


def _baseline(pyproject: str, value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not value:
        reason = f'{BASELINE} in [tool.r4c] must be a path, as in {BASELINE} = "r4c-baseline.json"'
        raise WrongSettingError(pyproject, reason)
    return value


def _texts(pyproject: str, key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise WrongSettingError(pyproject, f'{key} in [tool.r4c] must be a list of texts, as in {key} = ["…"]')
    return tuple(value)


def _unknown_key(key: str) -> str:
    from ..suggestions import did_you_mean

    suggestion = did_you_mean(key, KEYS)
    advice = f"did you mean '{suggestion}'?" if suggestion else f"known are: {', '.join(KEYS)}"
    return f"unknown key '{key}' in [tool.r4c]; {advice}"
