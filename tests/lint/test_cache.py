"""The cache: it changes how long a check takes, and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from resilience4cata_lint import commands, extract, files
from resilience4cata_lint.single import Checker
from tests.lint.cached_project import check, entries, make_project, uncached
from tests.lint.faulty_modules import CLIENT, POLICIES
from tests.lint.folder import write


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project, in the working folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    make_project()
    return folder


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are parsed from here on."""
    paths: list[str] = []
    real = extract.extract

    def noted(path: str, *rest: Any) -> object:
        paths.append(path)
        return real(path, *rest)

    monkeypatch.setattr(extract, "extract", noted)
    return paths


def refuse_to_check(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> int:
        msg = "a check was made"
        raise AssertionError(msg)

    monkeypatch.setattr(commands, "check", fail)


FORMATS = ("full", "concise", "json", "github", "gitlab", "sarif", "junit")


@pytest.mark.parametrize("name", FORMATS)
def test_the_first_and_the_second_run_say_what_an_uncached_one_says(name: str) -> None:
    """Byte for byte, in each format."""
    expected = uncached("--format", name)
    assert 1 == expected[0]
    assert [expected, expected] == [check("--format", name), check("--format", name)]


def test_nothing_is_checked_again_if_nothing_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second run only looks whether all is as it was."""
    expected = check()
    refuse_to_check(monkeypatch)
    assert expected == check()


@pytest.mark.parametrize("arguments", [["--ignore", "FB"], ["acme"], ["--exit-zero"], ["--statistics"], ["--no-color"]])
def test_other_arguments_are_another_run(arguments: list[str]) -> None:
    """What was found with other options is of no use."""
    check()
    assert uncached(*arguments) == check(*arguments)


def test_another_working_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are shown from where the run is made, whoever filled the cache."""
    check()
    monkeypatch.chdir("acme")
    expected = uncached("..")
    assert "client.py" in expected[1]
    assert "acme/client.py" not in expected[1]
    assert [expected, expected] == [check(".."), check("..")]


def test_a_moved_project_keeps_its_facts(here: Path, monkeypatch: pytest.MonkeyPatch, parsed: list[str]) -> None:
    """Paths in the cache count from the project's folder."""
    expected = check()
    moved = shutil.move(here, here.parent / "moved")
    monkeypatch.chdir(moved)
    parsed.clear()
    assert expected == check()
    assert ["acme/broken.py"] == parsed


def test_only_what_changed_is_parsed(parsed: list[str]) -> None:
    """Facts of the other files are kept; what cannot be parsed has none."""
    check()
    assert ["acme/broken.py", "acme/client.py", "acme/policies.py", "acme/user.py"] == sorted(parsed)
    parsed.clear()
    write("acme/client.py", CLIENT.replace("2 s", "3 s"))
    assert uncached("acme/client.py") == check("acme/client.py")
    parsed.clear()
    check("--statistics")
    assert ["acme/broken.py"] == parsed


def replace_keeping_times() -> None:
    """Another content of the same length, with the times of the old one."""
    before = Path("acme/client.py").stat()
    write("acme/client.py", CLIENT.replace("find_fallbak", "find_fallbac"))
    os.utime("acme/client.py", ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES: dict[str, Callable[[], object]] = {
    "a file changed": lambda: write("acme/client.py", CLIENT.replace("2 s", "2s")),
    "a file changed and looks the same": replace_keeping_times,
    "a file that another one imports changed": lambda: write("acme/policies.py", POLICIES.replace("5s", "2s")),
    "a file is gone": lambda: Path("acme/policies.py").unlink(),
    "a new file": lambda: write("acme/other.py", CLIENT),
    "a new folder": lambda: write("acme/deep/other.py", CLIENT),
    "a file that did not matter now does": lambda: write("acme/plain.py", CLIENT),
    "a file was fixed": lambda: write("acme/broken.py", "x = 1\n"),
    "a package is none any more": lambda: Path("acme/__init__.py").unlink(),
    "a folder was renamed": lambda: Path("acme").rename("acne"),
    "an option": lambda: write("pyproject.toml", '[tool.r4c]\nignore = ["FB"]\n'),
    "an excluded folder": lambda: write("pyproject.toml", '[tool.r4c]\nexclude = ["acme"]\n'),
    "a configuration file": lambda: write("resilience4cata.toml", ""),
    "a further configuration file": lambda: write("resilience4cata.properties", "resilience4cata.x = 1\n"),
    "no configuration file": lambda: Path("resilience4cata.toml").unlink(),
    "a file of variables": lambda: write(".env", "RESILIENCE4CATA_INSTANCES_X_RETRY_DELAY=1,5s\n"),
    "another project inside": lambda: write("acme/pyproject.toml", "[project]\n"),
    "a folder is a tool's": lambda: write("acme/pyvenv.cfg", ""),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_noticed(change: str) -> None:
    """Whatever a result depends on: after it changed, the cache gives what a run without it gives."""
    before = check()
    CHANGES[change]()
    expected = uncached()
    assert before != expected or change in {"a folder is a tool's", "another project inside"}
    assert expected == check()


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_something_old_is_noticed(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same where files were left alone for long, so that they are known by their stamps."""
    monkeypatch.setattr(files, "_SETTLED_NS", -(1 << 62))
    before = check()
    CHANGES[change]()
    assert uncached() == check()
    assert 1 == before[0]


@pytest.mark.parametrize("rules", [".gitignore", "acme/.gitignore", ".git/info/exclude"])
def test_what_git_ignores_is_noticed(rules: str) -> None:
    """Rules of git's that appear or change leave other files out."""
    subprocess.run(["git", "init", "-q"], check=True)
    check()
    write(rules, "client.py\n")
    expected = uncached()
    assert "client.py" not in expected[1]
    assert expected == check()


def test_a_file_that_changes_while_it_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read is not taken for what is there now."""
    real = extract.extract

    def changing(path: str, *rest: Any) -> object:
        found = real(path, *rest)
        if path == "acme/client.py":
            replace_keeping_times()
        return found

    monkeypatch.setattr(extract, "extract", changing)
    first = check()
    monkeypatch.setattr(extract, "extract", real)
    assert "find_fallbak" in first[1]
    assert "find_fallbac'" in uncached()[1]
    assert uncached() == check()


@pytest.mark.parametrize("hours", [-1000, 1000])
def test_a_clock_that_is_wrong(hours: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock far ahead of the files' or far behind makes no change go unnoticed."""
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now + hours * 3_600_000_000_000)
    check()
    replace_keeping_times()
    assert uncached() == check()


def test_a_wrong_option_is_not_remembered() -> None:
    """A run that failed is made again."""
    write("pyproject.toml", "[tool.r4c]\nnonsense = 1\n")
    assert [2, 2] == [check()[0], check()[0]]
    assert [] == entries()


def test_output_file_is_written_each_time() -> None:
    """A run that changes files is made again."""
    check("--output-file", "out.txt")
    Path("out.txt").unlink()
    check("--output-file", "out.txt")
    assert uncached()[1] == Path("out.txt").read_text(encoding="utf-8")


def test_warnings_are_said_again() -> None:
    """Standard error is remembered too."""
    write("notes.txt", "")
    expected = uncached("notes.txt")
    assert "notes.txt is neither Python nor configuration" in expected[2]
    assert [expected, expected] == [check("notes.txt"), check("notes.txt")]


def test_no_cache_leaves_nothing() -> None:
    """`--no-cache` neither reads nor writes."""
    uncached()
    assert not Path(".r4c_cache").exists()


def test_without_a_project_there_is_no_folder() -> None:
    """Where no `pyproject.toml` says that a project is here, nothing is left behind."""
    Path("pyproject.toml").unlink()
    check()
    assert not Path(".r4c_cache").exists()


def test_a_folder_by_name() -> None:
    """`--cache-dir` says where."""
    expected = check("--cache-dir", "elsewhere")
    assert 4 == len(entries("elsewhere"))
    assert not Path(".r4c_cache").exists()
    assert expected == check("--cache-dir", "elsewhere")


def test_gone_files_are_forgotten() -> None:
    """The cache does not grow with files that are not there any more."""
    check()
    before = {path.name for path in entries() if path.name.startswith("facts-")}
    Path("acme/client.py").unlink()
    write("acme/policies.py", POLICIES.replace("5s", "6s"))
    check()
    after = {path.name for path in entries() if path.name.startswith("facts-")}
    assert (3, 2) == (len(before), len(after))
    assert after < before


def test_old_runs_are_forgotten() -> None:
    """Of many different runs the latest are kept."""
    for number in range(20):
        check("--ignore", "FB", "--jobs", str(number + 1))
    assert 16 == sum(path.name.startswith("run-") for path in entries())


def test_a_cache_that_cannot_be_written() -> None:
    """Where there is no folder to be had, the check is made without."""
    write(".r4c_cache", "")
    expected = uncached()
    assert [expected, expected] == [check(), check()]


def test_flake8_uses_it(parsed: list[str]) -> None:
    """The facts are those of `r4c check`."""
    check()
    parsed.clear()
    lines = CLIENT.splitlines(keepends=True)
    assert ["R4C-DU-001", "R4C-FB-002"] == sorted(d.code for d in Checker().check("acme/client.py", lines))
    assert ["acme/broken.py"] == parsed


def test_runs_at_the_same_time() -> None:
    """Processes that fill one cache together all say the same, and leave no half of anything."""
    expected = uncached()
    command = [sys.executable, "-c", "import sys; from resilience4cata_lint.cli import main; sys.exit(main())", "check"]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") for _ in range(4)]
    outputs = [run.communicate()[0] for run in runs]
    assert [expected[1]] * 4 == outputs
    assert [] == list(Path(".r4c_cache").glob("*/*.tmp"))
    assert expected == check()
