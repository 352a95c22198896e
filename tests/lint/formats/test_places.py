"""Paths in reports, and reports from the command line."""

import os
from pathlib import Path

import pytest

from resilience4cata_lint.output import FORMATS
from resilience4cata_lint.output.places import in_repository, uri


def test_from_a_folder_of_the_repository(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shown paths count from the working folder, those of reports from the top of the repository."""
    (here / "services" / "users").mkdir(parents=True)
    monkeypatch.chdir("services/users")
    path_of = in_repository()
    shown = ["a.py", "../b.py", "../../c.py", "../../../d.py", str(here / "e.py"), "C:/f.py"]
    outside = (here.parent / "d.py").as_posix()
    assert ["services/users/a.py", "services/b.py", "c.py", outside, "e.py", "C:/f.py"] == list(map(path_of, shown))


def test_without_a_repository(here: Path) -> None:
    """Then they count from the working folder."""
    (here / ".git").rmdir()
    assert ["a/b.py", (here.parent / "c.py").as_posix()] == list(map(in_repository(), ["a/b.py", "../c.py"]))


def repositories(*folders: str) -> None:
    for folder in folders:
        Path(folder, ".git").mkdir(parents=True)


def test_from_outside(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is checked from somewhere else counts from the top of its repository, also if the file alone is named."""
    (here / ".git").rmdir()
    repositories("code/shop")
    (here / "else").mkdir()
    for folder, shown in (("", "code/shop/src/a.py"), ("else", "../code/shop/src/a.py")):
        monkeypatch.chdir(here / folder)
        paths = [shown, str(here / "code" / "shop" / "src" / "a.py")]
        for checked in ([], [str(here / "code" / "shop")], [str(here / "code")]):
            assert ["src/a.py"] * 2 == list(map(in_repository(checked), paths))


def test_several_repositories(here: Path) -> None:
    """Each file counts from the top of its own, and what is in none from the working folder."""
    (here / ".git").rmdir()
    repositories("shop", "stock")
    shown = ["shop/a.py", "stock/src/a.py", "scripts/a.py", "../a.py"]
    expected = ["a.py", "src/a.py", "scripts/a.py", (here.parent / "a.py").as_posix()]
    assert expected == list(map(in_repository(["shop", "stock", "."]), shown))


def test_a_repository_within_another(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A submodule belongs to the repository that is checked, from wherever; checked itself, it is one of its own."""
    (here / ".git").rmdir()
    repositories("whole", "whole/part")
    assert ["part/a.py"] == [in_repository(["whole"])("whole/part/a.py")]
    assert ["a.py"] == [in_repository(["whole/part"])("whole/part/a.py")]
    monkeypatch.chdir("whole")
    assert ["part/a.py"] * 2 == [in_repository(checked)("part/a.py") for checked in (["."], ["part"])]


@pytest.mark.parametrize("name", ["github", "gitlab", "sarif", "junit"])
def test_reports_from_outside(name: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each of these formats counts so, also what lies in configuration."""
    from resilience4cata_lint.cli import main

    (here / ".git").rmdir()
    repositories("x/shop")
    (here / "x" / "shop" / "resilience4cata.properties").write_text("resilience4cata.defaults.retry.delya=1s\n")
    assert 1 == main(["check", str(here / "x" / "shop"), "--format", name])
    out = capsys.readouterr().out
    assert (True, False) == ("resilience4cata.properties" in out, "shop/resilience4cata.properties" in out)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/b.py", "a/b.py"),
        ("a b/ñ.py", "a%20b/%C3%B1.py"),
        ("a:b.py", "a%3Ab.py"),
        ("a\\b.py", "a%5Cb.py"),
        ("a\udcff.py", "a%FF.py"),
        ("/tmp/a b.py", "file:///tmp/a%20b.py"),
        ("C:/a b/c.py", "file:///C:/a%20b/c.py"),
        ("~/%41[1].py", "~/%2541%5B1%5D.py"),
    ],
)
def test_uri(path: str, expected: str) -> None:
    """Percent-encoded in UTF-8; whole paths with their scheme."""
    assert expected == uri(path)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_from_the_command_line(name: str, here: Path) -> None:
    """Written to a file in UTF-8, whatever the encoding of the terminal is."""
    from resilience4cata_lint.cli import main

    source = 'from resilience4cata import timeout\n\n\n@timeout("2 s")\ndef año(ñ: int) -> None: ...\n'
    (here / "año.py").write_text(source, encoding="utf-8")
    code = main(["check", "--format", name, "--output-file", "report"])
    text = (here / "report").read_text(encoding="utf-8")
    assert (1, True) == (code, "R4C-DU-001" in text and text.endswith("\n"))
    assert os.linesep == "\n" or b"\r" not in (here / "report").read_bytes()
