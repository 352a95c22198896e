"""`[tool.r4c]`: which templates exist, and what a wrong setting leads to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mypy.running import CONFIGURATION, Result, mypy, write

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


LIST = "must be a list of texts, as in "


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (
            '[tool.r4c]\nconfig-file = ["a.toml"]\n',
            "pyproject.toml: error: unknown key 'config-file' in [tool.r4c]; did you mean 'config-files'?",
        ),
        (
            '[tool.r4c]\nconfig-files = "a.toml"\n',
            f'pyproject.toml: error: config-files in [tool.r4c] {LIST}config-files = ["…"]',
        ),
        (
            "[tool.r4c]\nconfig-files = [1]\n",
            f'pyproject.toml: error: config-files in [tool.r4c] {LIST}config-files = ["…"]',
        ),
        ("[tool.r4c]\ntemplates = true\n", f'pyproject.toml: error: templates in [tool.r4c] {LIST}templates = ["…"]'),
        ("[tool.r4c]\nselect = 1\n", f'pyproject.toml: error: select in [tool.r4c] {LIST}select = ["…"]'),
        (
            '[tool.r4c]\nconfig-files = ["missing.toml"]\n',
            "pyproject.toml: error: config-files in [tool.r4c]: cannot read missing.toml: No such file or directory",
        ),
        ("[tool]\nr4c = 1\n", "pyproject.toml: error: tool.r4c must be a table"),
        (
            "[tool.r4c\n",
            "pyproject.toml: error: cannot be read as TOML: Expected ']' at the end of a table declaration",
        ),
        (
            '[tool.r4c]\nconfig-files = ["broken.toml"]\n',
            "broken.toml:1:26: error: configuration cannot be read: invalid initial character for a key part",
        ),
        (
            '[tool.r4c]\nconfig-files = ["broken.yaml"]\n',
            "broken.yaml:2:1: error: configuration cannot be read: ",
        ),
    ],
)
def test_a_wrong_setting_is_an_error_at_the_start(settings: str, problem: str, tmp_path: Path, cache: Path) -> None:
    """mypy does not run with settings that say something else than was meant, or with half of a configuration."""
    broken = {"broken_toml": "[resilience4cata.configs.\n", "broken_yaml": "resilience4cata: [\n"}
    found = result(tmp_path, cache, settings, **broken)
    assert (2, True) == (found.status, found.output.startswith(problem)), found.output
    assert "Traceback" not in found.output


def test_all_files_that_cannot_be_read_are_told(tmp_path: Path, cache: Path) -> None:
    """Whoever repairs one of them need not start again to hear of the next."""
    settings = '[tool.r4c]\nconfig-files = ["b.toml", "a.properties"]\n'
    found = result(tmp_path, cache, settings, b_toml="x\n", a_properties="resilience4cata.x = \\u1\n")
    assert (
        2,
        [
            "b.toml:1:2: error: configuration cannot be read: expected '=' after a key in a key/value pair",
            "a.properties:1:21: error: configuration cannot be read: malformed \\uXXXX escape",
        ],
    ) == (found.status, found.output.splitlines()[:2])


LISTED = '[tool.r4c]\nconfig-files = ["a.toml"]\n'
TEMPLATE = "[resilience4cata.configs.external.retry]\nmax-attempts = 3\n"


def unknown(path: str) -> str:
    return f"{path}{UNKNOWN.removeprefix('app.py')}  [R4C-CFG-001]"


@pytest.mark.parametrize("beside_mypy", [False, True])
def test_the_nearest_project_counts(beside_mypy: bool, tmp_path: Path, cache: Path) -> None:
    """As for the linter it is the pyproject.toml above a file that tells, wherever mypy's configuration stands."""
    files = {"service/src/app.py": PROGRAM.replace("made-in-code", "external")}
    files |= {"service/pyproject.toml": LISTED, "service/a.toml": TEMPLATE}
    write(tmp_path, files | ({"pyproject.toml": "[tool.r4c]\nconfig-files = []\n"} if beside_mypy else {}))
    assert [unknown("service/src/app.py")] == mypy(tmp_path, cache=cache).messages


def test_projects_side_by_side(tmp_path: Path, cache: Path) -> None:
    """Each file is judged by the settings of its own project, also where a run looks at several."""
    write(tmp_path, {"one/first.py": PROGRAM.replace("made-in-code", "external"), "two/second.py": PROGRAM})
    write(tmp_path, {"one/pyproject.toml": LISTED, "one/a.toml": TEMPLATE, "two/pyproject.toml": "[project]\n"})
    assert [unknown("one/first.py")] == mypy(tmp_path, cache=cache).messages


def test_settings_of_what_is_imported_from_elsewhere_do_not_count(tmp_path: Path, cache: Path) -> None:
    """A library beside the project does not end its run."""
    write(tmp_path / "library", {"lib.py": PROGRAM, "pyproject.toml": "[tool.r4c]\nzzz = 1\n"})
    write(tmp_path / "project", {"app.py": "import lib\n\nlib.a\n"})
    ini = CONFIGURATION.replace("mypy_path = $MYPY_CONFIG_FILE_DIR", "mypy_path = ../library")
    (tmp_path / "project" / "mypy.ini").write_text(ini)
    found = mypy(tmp_path / "project", "app.py", cache=cache)
    assert (0, []) == (found.status, found.messages)


def test_a_wrong_setting_is_an_error_in_a_warm_run(tmp_path: Path) -> None:
    """Nothing is read anew then but the settings."""
    first = result(tmp_path, tmp_path / "cache", LISTED, a_toml=TEMPLATE.replace("external", "made-in-code"))
    assert 2 == len(first.messages)
    found = result(tmp_path, tmp_path / "cache", LISTED.replace("files", "file"))
    assert (2, ["pyproject.toml: error: unknown key 'config-file' in [tool.r4c]; did you mean 'config-files'?"]) == (
        found.status,
        found.messages,
    )


def test_a_file_of_another_name_is_shown_by_it(tmp_path: Path) -> None:
    """What a warm run shows is where things stand now, though nothing but the name of a file has changed."""
    program = """\
from resilience4cata import retry, timeout

@retry(config="external")
@timeout("1h")
def f() -> None: ...
"""
    text = '[resilience4cata.configs.external.retry]\nmax-duration = "1m"\n'
    write(tmp_path, {"app.py": program, "pyproject.toml": LISTED, "a.toml": text})
    before = mypy(tmp_path, "app.py", cache=tmp_path / "cache").messages
    (tmp_path / "a.toml").rename(tmp_path / "z.toml")
    write(tmp_path, {"pyproject.toml": LISTED.replace("a.toml", "z.toml")})
    warm = mypy(tmp_path, "app.py", cache=tmp_path / "cache").messages
    assert [message for message in before if "a.toml:2:" in message]
    assert [message.replace("a.toml:2:", "z.toml:2:") for message in before] == warm
