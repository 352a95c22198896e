"""What is drawn on a terminal: excerpts, colours, links."""

from __future__ import annotations

import re
from typing import Any

import pytest

from .calls import FAULTY, write


def test_drawing(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the source, the carets under the exact span, and no colours where they are not wanted."""
    write("acme.py", FAULTY)
    monkeypatch.setenv("FORCE_COLOR", "1")
    code, out, _ = run("check", "--no-color", "--select", "FB")
    drawn = out.splitlines()
    assert 1 == code
    assert [
        "acme.py:9:6  error  R4C-FB-002 (missing-fallback) [*]",
        ' 8 │     @timeout("2 s")',
        ' 9 │     @fallback(method="find_fallbak")',
        "   │      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "10 │     def find(self, id: str) -> User:",
        '   @fallback(method="find_fallbak") on acme.UserClient.find:',
        "   no method named 'find_fallbak' found",
        "   help: did you mean 'find_fallback'?",
        "   expected: def find_fallbak(self, id: str[, error: Exception]) -> User",
        "",
    ] == [plain(line) for line in drawn[:-2]]
    assert re.fullmatch(r"Found 1 error in 1 file \(checked 1 file in \d+\.\d\ds\)", plain(drawn[-2]))
    assert "[*] 1 fixable with --fix" == plain(drawn[-1])


def test_drawing_on_a_narrow_terminal(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words are wrapped below their beginning, source is cut, and nothing is filled up with blanks."""
    write("acme.py", FAULTY)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "45")
    lines = [plain(line) for line in run("check", "--no-color", "--select", "FB")[1].splitlines()]
    assert [
        '   @fallback(method="find_fallbak") on',
        "   acme.UserClient.find:",
        "   no method named 'find_fallbak' found",
        "   help: did you mean 'find_fallback'?",
        "   expected: def find_fallbak(self, id: str[,",
        "   error: Exception]) -> User",
    ] == lines[5:11]
    assert [] == [line for line in lines[1:-2] if line != line.rstrip() or len(line) > 45]


def plain(text: str) -> str:
    """The text without escape sequences for weight."""
    for code in ("0", "1", "2"):
        text = text.replace(f"\x1b[{code}m", "")
    return text


def test_colours_and_links(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code is a link to its page."""
    write("acme.py", FAULTY)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    out = run("check", "--select", "DU")[1]
    assert "\x1b[1;31merror\x1b[0m" in out
    assert ";https://resilience4cata.readthedocs.io/en/rules/R4C-DU-001.html\x1b\\" in out


def test_no_color(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """`NO_COLOR` is honoured, also beside `FORCE_COLOR`."""
    write("acme.py", FAULTY)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;31m" not in run("check")[1]
