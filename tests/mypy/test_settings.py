"""`[tool.r4c]`: which templates exist, and what a wrong setting leads to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mypy.running import Result, mypy, write

PROGRAM = """\
from resilience4cata import retry, timeout

a = retry(config="external")
b = retry(config="externl")
c = timeout(config="made-in-code")
"""
UNKNOWN = (
    "app.py:4:18:4:26: error: retry(config=\"externl\"): no template named 'externl' found; did you mean 'external'?"
)


def result(folder: Path, cache: Path, settings: str | None, **files: str) -> Result:
    written = {"app.py": PROGRAM} | {name.replace("_", "."): text for name, text in files.items()}
    write(folder, written | ({"pyproject.toml": settings} if settings is not None else {}))
    return mypy(folder, "app.py", cache=cache)


@pytest.mark.parametrize("settings", [None, "", "[tool.r4c]\nselect = ['FB']\n", "[tool]\nother = 1 # r4c\n"])
def test_silent_where_sources_are_not_listed(settings: str | None, tmp_path: Path, cache: Path) -> None:
    """Without `config-files` there may be templates anywhere."""
    assert [] == result(tmp_path, cache, settings).messages


def test_templates_of_files_and_of_code(tmp_path: Path, cache: Path) -> None:
    """Templates come from the files of every format, and from the list of those made in code."""
    settings = '[tool.r4c]\nconfig-files = ["one.properties", "two.toml"]\ntemplates = ["made-in-code"]\n'
    properties = "resilience4cata.configs.external.retry.delay=1s\n"
    found = result(tmp_path, cache, settings, one_properties=properties, two_toml="[resilience4cata.configs.other]\n")
    assert [f"{UNKNOWN}  [R4C-CFG-001]"] == found.messages


def test_silent_where_a_file_cannot_be_read_in_full(tmp_path: Path, cache: Path) -> None:
    """A broken file may hold any template; the linter says what is wrong with it."""
    settings = '[tool.r4c]\nconfig-files = ["one.toml"]\n'
    assert [] == result(tmp_path, cache, settings, one_toml="[resilience4cata.configs.\n").messages


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ('[tool.r4c]\nconfig-files = "a.toml"\n', "tool.r4c.config-files is not a list of texts"),
        ("[tool.r4c]\nconfig-files = [1]\n", "tool.r4c.config-files is not a list of texts"),
        ("[tool.r4c]\ntemplates = true\n", "tool.r4c.templates is not a list of texts"),
        ('[tool.r4c]\nconfig-files = ["missing.toml"]\n', "cannot read missing.toml: No such file or directory"),
        ("[tool]\nr4c = 1\n", "tool.r4c is not a table"),
        ("[tool.r4c\n", "cannot be read as TOML"),
    ],
)
def test_a_wrong_setting_is_an_error_at_the_start(settings: str, reason: str, tmp_path: Path, cache: Path) -> None:
    """mypy does not run with settings that say something else than was meant, and shows no traceback."""
    found = result(tmp_path, cache, settings)
    assert 2 == found.status
    assert reason in found.output
    assert "Traceback" not in found.output
