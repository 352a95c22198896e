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
