"""What goes to standard output: differences, and the repaired text of what came in."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from resilience4cata_lint.cli import main

from ..folder import write
from .repairing import Run
from .users import COUNTED, DIFF, RIGHT, UNSAFE, WRONG, read


def test_diff(run: Run) -> None:
    """What would be written, on standard output alone; exit 1, and nothing is written."""
    write("acme.py", WRONG)
    assert (1, DIFF, "Would repair 2 findings in 1 file.\n") == run("--diff")
    assert (0, DIFF, "Would repair 2 findings in 1 file.\n") == run("--diff", "--fix", "--exit-zero")
    assert WRONG == read()


def test_diff_of_nothing(run: Run) -> None:
    """What cannot be repaired is no matter of `--diff`."""
    write("acme.py", WRONG.replace("_nobdy", "missing").replace("2 s", "5"))
    assert (0, "", "Nothing would be repaired.\n") == run("--diff")


def test_diff_counts_unsafe(run: Run) -> None:
    """What only `--unsafe-fixes` would repair is counted, but for what the baseline holds."""
    write("acme.py", UNSAFE)
    assert "Would repair 1 finding in 1 file (1 more with --unsafe-fixes).\n" == run("--diff")[2]
    assert "Would repair 2 findings in 1 file.\n" == run("--diff", "--unsafe-fixes")[2]
    assert "Nothing would be repaired (1 with --unsafe-fixes).\n" == run("--diff", "--select", "DU")[2]
    run("--baseline", "known.json", "--update-baseline", "--select", "DU")
    assert "Would repair 1 finding in 1 file.\n" == run("--baseline", "known.json", "--diff")[2]


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("end", ["", "\n"], ids=["open", "closed"])
def test_diff_can_be_applied(run: Run, newline: str, end: str) -> None:
    """git makes of the file what `--fix` makes of it, also without a last line end."""
    wrong, right = (
        text.replace("self) -> str: ...\n", "self) -> 'Ñ': ...\n").removesuffix("\n").replace("\n", newline) + end
        for text in (WRONG, RIGHT)
    )
    write("acme.py", wrong)
    diff = run("--diff")[1]
    subprocess.run(["git", "apply", "-p0"], input=diff.encode(), check=True)
    assert right == read()


@pytest.mark.parametrize(
    ("start", "encoding", "newline"),
    [("", "utf-8", "\r\n"), ("\ufeff", "utf-8", "\n"), ("# coding: latin-1\n", "latin-1", "\n")],
)
def test_diff_of_bytes(capsysbinary: pytest.CaptureFixture[bytes], start: str, encoding: str, newline: str) -> None:
    """A patch has the bytes of the file: its line ends, its byte order mark, its encoding."""
    before, after = (
        (start + text.replace("class Users:", "class Users:  # café")).replace("\n", newline).encode(encoding)
        for text in (WRONG, RIGHT)
    )
    Path("acme.py").write_bytes(before)
    assert 1 == main(["check", "--diff"])
    patch = capsysbinary.readouterr().out
    subprocess.run(["git", "apply", "-p0"], input=patch, check=True)
    assert after == Path("acme.py").read_bytes()


class Terminal(io.StringIO):
    """Takes text alone."""

    def isatty(self) -> bool:
        return True


def test_diff_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal is given text, in colours that end with each line, unless they are not wanted."""
    write("acme.py", WRONG)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    assert 1 == main(["check", "--diff", "--no-cache"])
    shown = terminal.getvalue()
    colours = {"---": "1", "+++": "1", "@@": "36", "-": "31", "+": "32"}
    expected = [
        f"\x1b[{colour}m{line}\x1b[0m" if colour else line
        for line in DIFF.splitlines()
        for colour in [next((colour for start, colour in colours.items() if line.startswith(start)), "")]
    ]
    assert expected == shown.splitlines()
    for arguments, no_colour in ((["--no-color"], ""), ([], "1")):
        monkeypatch.setenv("NO_COLOR", no_colour)
        terminal = Terminal()
        monkeypatch.setattr(sys, "stdout", terminal)
        main(["check", "--diff", "--no-cache", *arguments])
        assert DIFF == terminal.getvalue()


# ---------------------------------------------------------------- standard input


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(WRONG.replace("\n", "\r\n").encode())))


@pytest.mark.usefixtures("given")
def test_stdin(run: Run) -> None:
    """The repaired source goes to standard output, the report to standard error."""
    expected = RIGHT.replace("\n", "\r\n")
    code, out, err = run("-", "--fix", "--stdin-filename", "acme.py")
    assert (0, expected, COUNTED) == (code, out.replace("\n", "\r\n") if "\r" not in out else out, err)
    assert [] == list(Path().iterdir())


@pytest.mark.usefixtures("given")
def test_stdin_diff(run: Run) -> None:
    code, out, err = run("-", "--diff", "--stdin-filename", "acme.py")
    assert (1, DIFF, "Would repair 2 findings in 1 file.\n") == (code, out.replace("\r\n", "\n"), err)


@pytest.mark.usefixtures("given")
@pytest.mark.parametrize("name", ["./acme.py", "{here}/acme.py", "shop/../acme.py"])
def test_stdin_under_another_name(run: Run, here: Path, name: str) -> None:
    """Whatever way the path is written, what came in comes out repaired, and the file is an editor's to write."""
    write("acme.py", WRONG)
    code, out, err = run("-", "--fix", "--stdin-filename", name.format(here=here))
    assert (0, RIGHT, COUNTED) == (code, out.replace("\r\n", "\n"), err)
    assert WRONG == read("acme.py")


def test_clean_stdin(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What needs no repair comes out as it went in."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x = 1")))
    assert (0, "x = 1", "All checks passed.\n") == run("-", "--fix")
