"""What only Windows does: its paths, held against its rules for them on any system, and what it refuses."""

# Texts are what is tested.
# ruff: noqa: PTH118

from __future__ import annotations

import ntpath
import os
import re
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from resilience4cata_lint import discover, files, inputs, locate, options, per_file
from resilience4cata_lint.discover import Walk
from resilience4cata_lint.options import Options
from resilience4cata_lint.writing import write as replace_file

from .folder import write


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths of Windows; the working folder is `C:\\work`, and no file exists."""
    names = {"sep": "\\", "altsep": "/", "curdir": ".", "pardir": "..", "getcwd": lambda: "C:\\work"}
    system = SimpleNamespace(path=ntpath, **names)
    for module in (files, locate, options, per_file):
        monkeypatch.setattr(module, "os", system)
    monkeypatch.setattr(os, "getcwd", system.getcwd)
    monkeypatch.setattr(files, "kind", lambda path: "")
    monkeypatch.setattr(locate, "_UNCLEAN", re.compile(""))


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("shop\\stock.py", "shop/stock.py"),
        ("shop/stock.py", "shop/stock.py"),
        ("C:\\work\\shop\\stock.py", "shop/stock.py"),
        ("c:\\WORK\\shop\\stock.py", "shop/stock.py"),
        ("C:\\worker\\stock.py", "C:/worker/stock.py"),
        ("..\\stock.py", "../stock.py"),
        ("D:\\shop\\stock.py", "D:/shop/stock.py"),
    ],
)
def test_shown(path: str, shown: str) -> None:
    """Slashes lean forward, and a drive may be written in either case."""
    assert shown == locate.Shown()(path)


@pytest.mark.usefixtures("windows")
def test_shown_within_a_project_on_another_drive() -> None:
    """No relative path leads to another drive, also not for who works inside the project."""
    assert "D:/shop/stock.py" == locate.Shown("C:\\")("D:\\shop\\stock.py")
    assert "../shop/stock.py" == locate.Shown("C:\\")("C:\\shop\\stock.py")


@pytest.mark.usefixtures("windows")
def test_relative() -> None:
    assert "stock.py" == locate.relative("c:\\WORK\\stock.py", "C:\\work")
    assert "D:\\shop\\stock.py" == locate.relative("D:\\shop\\stock.py", "C:\\work")


@pytest.mark.usefixtures("windows")
def test_module_of_a_file_given_in_another_case() -> None:
    """A namespace package counts from a known root, however that is written."""
    found = locate.Modules(["C:\\work"]).of("c:\\WORK\\shop\\stock.py")
    assert ("shop.stock", "c:\\WORK") == (found.name, found.root)


@pytest.mark.usefixtures("windows")
def test_steps_to_a_file() -> None:
    """Patterns fit what lies in the project, whatever the case of its drive."""
    expected = ["C:\\work\\shop", "C:\\work\\shop\\stock.py"]
    assert expected == per_file.steps_to("c:\\work\\shop\\stock.py", "C:\\work")
    assert ["D:\\shop\\stock.py"] == per_file.steps_to("D:\\shop\\stock.py", "C:\\work")


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("config/production.toml", "C:\\work\\config\\production.toml"),
        ("D:/shared/production.toml", "D:\\shared\\production.toml"),
    ],
)
def test_listed_names(name: str, path: str) -> None:
    """Settings are shared between systems: forward slashes mean the same everywhere, and a drive stays one."""
    assert path == options.path_named("C:\\work", name)


def test_one_file_by_two_names(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was given in another case is not read a second time as a part of the project around it."""
    write("work/shop/stock.py")
    write("work/shop/prices.py")
    if not (here / "WORK").exists():
        # A link and a rule stand for what Windows does by itself.
        (here / "WORK").symlink_to(here / "work")
        monkeypatch.setattr(os.path, "normcase", str.lower)
    monkeypatch.chdir(here / "work")
    project = Options(str(here / "work"), is_project=True)
    found = inputs.gather([str(here / "WORK" / "shop" / "stock.py")], project)
    expected = [str(here / "WORK" / "shop" / "stock.py")], [os.path.join("shop", "prices.py")]
    assert expected == (found.given, found.context)


def test_disks_without_numbers(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where files have no numbers, their paths tell them apart, and links lead nowhere twice all the same."""
    write("a/x.py")
    write("b/y.py")
    (here / "b" / "again").symlink_to(here / "a")
    (here / "z.py").symlink_to(here / "a" / "x.py")
    asked = os.stat

    def numberless(path: str) -> os.stat_result:
        mode, _, *rest = asked(path)
        return os.stat_result((mode, 0, *rest))

    walk = Walk()
    monkeypatch.setattr(os, "stat", numberless)
    walk.add(".")
    found = walk.finish().files
    monkeypatch.undo()
    assert [Path("a/x.py"), Path("b/y.py")] == list(map(Path, found))


def test_a_program_in_the_working_folder_is_not_run(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever checks foreign code does not run it: Windows looks for programs in the working folder first."""
    write("git", "#!/bin/sh\n: > was_run\n")
    (here / "git").chmod(0o700)
    (here / ".git").mkdir()
    monkeypatch.setenv("PATH", os.pathsep.join(("", ".")))
    assert frozenset() == discover.ignored_by_git(["a.py"])
    assert not (here / "was_run").exists()


def test_nothing_is_left_of_a_file_that_could_not_be_replaced(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows neither replaces nor removes a file that may not be written to."""
    (here / "a.txt").write_bytes(b"old")
    (here / "a.txt").chmod(0o400)
    remove = os.unlink

    def refuse(source: str, target: str) -> None:
        raise PermissionError(13, "Access is denied", target)

    def remove_writable(path: str) -> None:
        if not Path(path).stat().st_mode & stat.S_IWUSR:
            raise PermissionError(13, "Access is denied", path)
        remove(path)

    monkeypatch.setattr(os, "replace", refuse)
    monkeypatch.setattr(os, "unlink", remove_writable)
    with pytest.raises(PermissionError):
        replace_file(str(here / "a.txt"), b"new")
    assert [("a.txt", b"old")] == [(path.name, path.read_bytes()) for path in here.iterdir()]
