"""Files that no parser likes: each gets a clear finding or is passed over, and the run goes on."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from resilience4cata.diagnostics import Diagnostic
from resilience4cata_lint import files
from resilience4cata_lint.engine import Report, analyse
from resilience4cata_lint.options import load

FAULTY = """\
from resilience4cata import fallback


class Client:
    @fallback(method="find_fallbak")
    def find(self) -> int:
        return 1

    def find_fallback(self) -> int:
        return 1
"""


@pytest.fixture(autouse=True)
def here(here: Path) -> Path:
    Path("fine.py").write_text(FAULTY, encoding="utf-8")
    return here


def check(*paths: str) -> Report:
    report = analyse(paths or ["."], load(paths or ["."]))
    assert [] == report.failures
    return report


def shown(diagnostics: list[Diagnostic]) -> list[str]:
    """Place, code and message of each."""
    return [f"{d.place} {d.code} {d.message}" for d in diagnostics]


FINE = "fine.py:5:6 R4C-FB-002 no method named 'find_fallbak' found"


def beside(*expected: str) -> None:
    """The finding in `fine.py` is still there, and beside it only these."""
    assert sorted([*expected, FINE]) == sorted(shown(check().diagnostics))


def write(path: str, data: bytes) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(data)


def test_syntax_error() -> None:
    """Line and column are those of Python."""
    write("bad.py", b"import resilience4cata\ndef f(:\n    pass\n")
    beside("bad.py:2:7 R4C-SRC-001 cannot be checked: invalid syntax")


def test_syntax_error_elsewhere() -> None:
    """A file that has nothing to do with us is nobody's business here."""
    write("bad.py", b"def f(:\n")
    beside()


def test_no_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulated, since some users may read everything."""
    write("closed.py", b"")
    real = files.read

    def read(path: str) -> bytes:
        if path == "closed.py":
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(files, "read", read)
    beside("closed.py R4C-SRC-001 cannot be checked: permission denied")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="this user may read everything")
def test_really_no_permission() -> None:
    write("closed.py", b"")
    write("shut/inside.py", b"")
    Path("closed.py").chmod(0)
    Path("shut").chmod(0)
    try:
        beside(
            "closed.py R4C-SRC-001 cannot be checked: permission denied",
            "shut R4C-SRC-001 cannot be checked: permission denied",
        )
    finally:
        Path("shut").chmod(0o700)


def test_unreadable_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    write("shut/inside.py", b"")
    real = os.scandir

    def scandir(path: Any = None) -> Any:
        if path == "shut":
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    beside("shut R4C-SRC-001 cannot be checked: permission denied")


def test_latin_1() -> None:
    """Declared, it is read; columns count characters."""
    write("latin.py", b"# coding: latin-1\n" + FAULTY.replace('"find_fallbak"', '"é"').encode("latin-1"))
    beside("latin.py:6:6 R4C-FB-002 no method named 'é' found")


def test_latin_1_undeclared() -> None:
    write("latin.py", b"import resilience4cata\nx = '\xe9'\n")
    (found,) = [d for d in check().diagnostics if d.at.source == "latin.py"]
    assert ("R4C-SRC-001", True) == (found.code, found.message.startswith("cannot be checked: "))


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf" + FAULTY.encode(), FAULTY.replace("\n", "\r\n").encode()])
def test_mark_and_line_ends(data: bytes) -> None:
    """Neither moves a place."""
    write("other.py", data)
    beside("other.py:5:6 R4C-FB-002 no method named 'find_fallbak' found")


def test_null_characters() -> None:
    write("null.py", b"import resilience4cata\nx = '\0'\n")
    (found,) = [d for d in check().diagnostics if d.at.source == "null.py"]
    assert ("R4C-SRC-001", True) == (found.code, "null" in found.message)


def test_empty_file() -> None:
    write("empty.py", b"")
    beside()


def test_symlink_loop() -> None:
    """Each file is checked once."""
    Path("loop").symlink_to(".")
    Path("self").symlink_to("self")
    beside()


def test_long_file() -> None:
    """100,000 lines take seconds, not minutes."""
    body = "".join(f"def f{n}(a: int) -> int:\n    return a + {n}\n\n\n" for n in range(25_000))
    write("long.py", (body + FAULTY).encode())
    began = time.perf_counter()
    found = check("long.py").diagnostics
    took = time.perf_counter() - began
    assert ["long.py:100005:6 R4C-FB-002 no method named 'find_fallbak' found"] == shown(found)
    assert took < 60


@pytest.mark.parametrize("opening", ["(", "[", "{", "f("])
def test_deep_nesting_of_brackets(opening: str) -> None:
    """1,000 deep: Python says that it is too deep, and so do we."""
    closing = {"(": ")", "[": "]", "{": "}", "f(": ")"}[opening]
    write("deep.py", f"import resilience4cata\nx = {opening * 1000}1{closing * 1000}\n".encode())
    (found,) = [d for d in check().diagnostics if d.at.source == "deep.py"]
    assert ("R4C-SRC-001", True) == (found.code, found.message.startswith("cannot be checked: "))


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "-" * 1000 + "1\n",
        "x = " + "1 + " * 1000 + "1\n",
        "x = a" + ".b" * 1000 + "\n",
        "x = a" + "()" * 1000 + "\n",
        "".join("  " * n + "if x:\n" for n in range(90)) + "  " * 90 + "pass\n",
        "if x: pass\n" + "elif x: pass\n" * 1000,
    ],
)
def test_deep_nesting_of_other_kinds(source: str) -> None:
    """What Python accepts is either read or refused in words."""
    write("deep.py", f"from resilience4cata import retry\n{source}\n@retry(max_attempts=0)\ndef f(): ...\n".encode())
    found = [d for d in check().diagnostics if d.at.source == "deep.py"]
    assert [True] == [d.code in {"R4C-VA-001", "R4C-SRC-001"} for d in found]


def test_deep_nesting_inside_a_policy() -> None:
    nested = "(" * 150 + "3" + ")" * 150
    write("deep.py", f"from resilience4cata import retry\n@retry(max_attempts={nested})\ndef f(): ...\n".encode())
    beside()


def test_broken_toml() -> None:
    """A finding with its place, when it is the configuration."""
    write("resilience4cata.toml", b"[resilience4cata.defaults\n")
    (found,) = [d for d in check().diagnostics if d.at.source != "fine.py"]
    assert ("R4C-CFG-008", "resilience4cata.toml:1:26") == (found.code, found.place)


def test_folder_named_like_configuration() -> None:
    """A folder is no file, so there is none."""
    Path("resilience4cata.toml").mkdir()
    beside()


def test_listed_configuration_that_is_a_folder() -> None:
    write("pyproject.toml", b'[tool.r4c]\nconfig-files = ["conf.toml"]\n')
    Path("conf.toml").mkdir()
    beside("conf.toml R4C-CFG-008 configuration cannot be read: is a directory")


def test_folder_named_like_a_file() -> None:
    write("package.py/inner.py", FAULTY.encode())
    beside("package.py/inner.py:5:6 R4C-FB-002 no method named 'find_fallbak' found")


def test_names_with_blanks_and_unicode() -> None:
    write("mes données/été 1.py", FAULTY.encode())
    beside("mes données/été 1.py:5:6 R4C-FB-002 no method named 'find_fallbak' found")


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems take no such names")
@pytest.mark.parametrize(
    ("form", "expected"),
    [("full", b"caf\\udce9.py:5:6: error"), ("concise", b"caf\\udce9.py:5:6: error"), ("json", b'"caf\\udce9.py"')],
)
def test_names_that_are_no_text(form: str, expected: bytes) -> None:
    """Shown with escapes, in every format."""
    Path(os.fsdecode(b"caf\xe9.py")).write_bytes(FAULTY.encode())
    code = "import sys; from resilience4cata_lint.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "check", "--format", form]
    result = subprocess.run(command, capture_output=True, check=False)
    assert (1, b"", True) == (result.returncode, result.stderr, expected in result.stdout)


def test_file_that_vanishes() -> None:
    """Between walking and reading, or between checking and showing, anything may happen."""
    write("gone.py", b"")
    real = files.read

    def read(path: str) -> bytes:
        if path == "gone.py":
            Path(path).unlink()
        return real(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "read", read)
        beside("gone.py R4C-SRC-001 cannot be checked: no such file or directory")
