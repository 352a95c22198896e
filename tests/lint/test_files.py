"""Notes of what was asked of the file system, and whether they still hold."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from resilience4cata_lint import files
from resilience4cata_lint.files import Notes, noting, unchanged

LINTER = Path(files.__file__).parent


@pytest.fixture(autouse=True)
def here(here: Path) -> Path:
    Path("file.py").write_bytes(b"x = 1\n")
    Path("folder").mkdir()
    Path("folder/inner.py").write_bytes(b"")
    return here


@pytest.fixture(params=["just written", "old"])
def age(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Whether files count as just written, so that their content is compared, or as old."""
    if request.param == "old":
        monkeypatch.setattr(files, "_SETTLED_NS", -(1 << 62))
    return str(request.param)


def noted(ask: Callable[[], object]) -> Notes:
    with noting() as notes:
        ask()
    return notes


def listed() -> object:
    return files.names("folder")


def make_a_folder_of_it() -> None:
    Path("folder/inner.py").unlink()
    Path("folder/inner.py").mkdir()


QUESTIONS: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
    "content": (lambda: files.read("file.py"), lambda: Path("file.py").write_bytes(b"y = 1\n")),
    "content of what is gone": (lambda: files.read("file.py"), lambda: Path("file.py").unlink()),
    "nothing to read": (lambda: files.depends_on("none.py"), lambda: Path("none.py").write_bytes(b"")),
    "first line": (lambda: files.first_line("file.py"), lambda: Path("file.py").write_bytes(b"#!python\n")),
    "a file that is there": (lambda: files.is_file("file.py"), lambda: Path("file.py").unlink()),
    "a file that is not": (lambda: files.is_file("none.py"), lambda: Path("none.py").write_bytes(b"")),
    "a folder": (lambda: files.is_folder("none"), lambda: Path("none").mkdir()),
    "a new name": (listed, lambda: Path("folder/other.py").write_bytes(b"")),
    "a hidden name": (listed, lambda: Path("folder/.env").write_bytes(b"")),
    "a name that is gone": (listed, lambda: Path("folder/inner.py").unlink()),
    "a name for something else": (listed, make_a_folder_of_it),
}


@pytest.mark.usefixtures("age")
@pytest.mark.parametrize("question", QUESTIONS)
def test_what_changed_is_noticed(question: str) -> None:
    """Notes hold until the answer would be another one."""
    ask, change = QUESTIONS[question]
    notes = noted(ask)
    assert notes
    assert unchanged(notes)
    change()
    assert not unchanged(notes)


@pytest.mark.usefixtures("age")
def test_what_came_and_went_is_passed_over() -> None:
    """Editors leave files while they work, and the run itself may make the folder of the cache."""
    notes = noted(listed)
    Path("folder/.inner.py.swp").write_bytes(b"")
    assert not unchanged(notes)
    Path("folder/.inner.py.swp").unlink()
    Path("folder/.r4c_cache").mkdir()
    assert unchanged(notes)


def test_a_file_that_was_only_touched() -> None:
    """One that was just written is known by its content, whatever its times are."""
    notes = noted(lambda: files.read("file.py"))
    os.utime("file.py", ns=(1, 1))
    assert unchanged(notes)


@pytest.mark.usefixtures("age")
def test_two_answers_to_one_question() -> None:
    """What changed between two looks of one run never holds, whichever was looked at."""

    def twice() -> None:
        files.read("file.py")
        Path("file.py").write_bytes(b"y = 2\n")
        files.read("file.py")

    assert not unchanged(noted(twice))


def test_nothing_is_noted_otherwise() -> None:
    """Who takes no notes pays nothing for them."""
    notes = noted(lambda: None)
    files.read("file.py")
    assert not files.is_noting()
    assert {} == notes


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 3_000_000])
def test_all_bytes_are_read(size: int) -> None:
    """Files of any size, whole."""
    content = bytes(range(256)) * (size // 256 + 1)
    Path("file.py").write_bytes(content[:size])
    assert content[:size] == files.read("file.py")


@pytest.mark.parametrize("claimed", [0, 3, 4, 100])
def test_files_whose_size_is_not_true(claimed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What grows or is made up by the system is read to its end."""
    monkeypatch.setattr(os, "fstat", lambda _: SimpleNamespace(st_size=claimed))
    assert b"x = 1\n" == files.read("file.py")


# Commands that change files, options of the command line, and what flake8 asks of its own, are no part of a run.
APART = {"files.py", "store.py", "replay.py", "cli.py", "concern.py", "init.py", "writing.py", "pages.py"}
DIRECT = re.compile(r"os\.(?:path\.(?:is(?:file|dir|link)|l?exists|getmtime)|listdir|walk)\(|\bopen\([^)]*\"rb?\"")


@pytest.mark.parametrize(
    "path", sorted(path for path in LINTER.rglob("*.py") if path.name not in APART), ids=lambda path: path.stem
)
def test_a_check_asks_here(path: Path) -> None:
    """A module that asks the file system itself would be answered from the cache when the answer has changed."""
    assert [] == DIRECT.findall(path.read_text(encoding="utf-8"))
