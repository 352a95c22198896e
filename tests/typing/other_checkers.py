"""What plain types give the users of other type checkers: `make test-checkers` runs ty and pyrefly over this folder.

The tables of `guides/type-checkers.md` say the same.

mypy and pyright are held to the ignore comments in `misuse.py` by `tests/test_typing.py`. The others read these
comments differently, so they get a copy without them, and must report the same lines.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mypy.running import mypy, write

FOLDER = Path(__file__).parent
BIN = Path(sys.executable).parent
COMMANDS = {
    "ty": ("ty", "check", "--python", sys.executable, "--output-format", "concise"),
    # Without a preset of its own it takes over whatever mypy's configuration allows.
    "pyrefly": (
        *("pyrefly", "check", "--preset", "default", "--python-interpreter-path", sys.executable),
        *("--output-format", "min-text"),
    ),
}
# Neither of them is known to refuse these; a line that is refused after all belongs into the documentation's table.
ACCEPTED: dict[str, list[str]] = {"ty": [], "pyrefly": ["@retry()", "@unguarded"]}

_IGNORE = re.compile(r"  # type: ignore\[.*")
_ERROR = re.compile(r"(?:^|\s)(?:\S*/)?(?P<file>\w+\.py):(?P<line>\d+):\d+", re.MULTILINE)


def errors(tool: str, *files: Path) -> set[int]:
    """The lines with errors. Fails if the tool itself cannot run."""
    command = [str(BIN / COMMANDS[tool][0]), *COMMANDS[tool][1:], *map(str, files)]
    # Elsewhere, so that settings of this project do not count.
    result = subprocess.run(command, cwd=files[0].parent, capture_output=True, text=True, encoding="utf-8", check=False)
    assert result.returncode in {0, 1}, result.stdout + result.stderr
    return {
        int(found["line"])
        for line in result.stdout.splitlines()
        if "error" in line.lower()
        for found in _ERROR.finditer(line)
    }


@pytest.mark.parametrize("tool", COMMANDS)
def test_what_is_decorated_keeps_its_type(tool: str, tmp_path: Path) -> None:
    """No error in code that uses the library as it is meant."""
    checked = tmp_path / "signatures.py"
    checked.write_text((FOLDER / "signatures.py").read_text(encoding="utf-8"), encoding="utf-8")
    assert set() == errors(tool, checked)


@pytest.mark.parametrize("tool", COMMANDS)
def test_misuse_is_refused(tool: str, tmp_path: Path) -> None:
    """Every line that mypy and pyright refuse is refused, but for those that are listed."""
    lines = (FOLDER / "misuse.py").read_text(encoding="utf-8").splitlines()
    plain = [_IGNORE.sub("", line) for line in lines]
    checked = tmp_path / "misuse.py"
    checked.write_text("\n".join(plain) + "\n", encoding="utf-8")
    wrong = {number for number, line in enumerate(lines, 1) if _IGNORE.search(line)}
    found = errors(tool, checked)
    assert set() == found - wrong
    assert ACCEPTED[tool] == [plain[number - 1].strip() for number in sorted(wrong - found)]


DOCUMENTATION = FOLDER.parents[1] / "docs"
# A line that stands for each row of the table, in `misuse.py` for the first ones and in `unseen.py` for the others.
BY_TYPES = (
    ("retry(max_atempts=3)", 'retry(max_attempts="3")', "resilience_policy()"),
    ("timeout(2)", "timeout(2.5)"),
    ('retry(retry_on=(OSError, "ValueError"))',),
    ("@retry",),
    ("@external_call()",),
    ('resilience_policy("external-call", "retry")',),
    ("def apply(self, context: FallbackContext) -> str:", "def classify(self, result: int | None,"),
    ('function("a")',),
    ("@unguarded", "@retry()"),
)
BY_THE_PLUGIN = (
    ('timeout("5 s")',),
    ("retry(max_attempts=0)",),
    ('@fallback(method="missing")', '@fallback(method="other")'),
    ('retry(config="missing")',),
    ("@slow",),
    ("@fallback(handler=Texts)", "@retry(classifier=JudgesTexts)"),
)


def unseen() -> tuple[str, set[int]]:
    """`unseen.py`, and the lines of it that are at fault."""
    text = (FOLDER / "unseen.py").read_text(encoding="utf-8")
    return text, {number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# here")}


@pytest.mark.parametrize("tool", COMMANDS)
def test_what_no_type_can_tell(tool: str, tmp_path: Path) -> None:
    """These faults are none to a type checker, so that it says nothing at all."""
    checked = tmp_path / "unseen.py"
    checked.write_text(unseen()[0], encoding="utf-8")
    assert set() == errors(tool, checked)


def test_the_plugin_tells(tmp_path: Path) -> None:
    """The plugin reports each of them."""
    text, wrong = unseen()
    write(tmp_path, {"unseen.py": text, "pyproject.toml": "[tool.r4c]\nconfig-files = []\n"})
    messages = [message for message in mypy(tmp_path, cache=tmp_path / "cache").messages if ": error: " in message]
    assert wrong == {int(message.split(":")[1]) for message in messages}
    assert all("[R4C-" in message for message in messages)


@pytest.mark.parametrize(("language", "yes"), [("en", "yes"), ("es", "sí")])
def test_the_documentation_says_so(language: str, yes: str) -> None:
    """In both languages the table has a row for each kind of fault, with what the tests above have found."""
    page = (DOCUMENTATION / language / "guides" / "type-checkers.md").read_text(encoding="utf-8")
    rows = [line.strip("|").split("|")[1:] for line in page.splitlines() if line.startswith("| ")][1:]
    expected = [" ".join((yes, yes, *_of_others(lines, yes), yes)) for lines in BY_TYPES]
    expected += [f"no no no no {yes}"] * len(BY_THE_PLUGIN)
    assert expected == [" ".join(cell.strip() for cell in row) for row in rows]


def _of_others(lines: tuple[str, ...], yes: str) -> Iterator[str]:
    return ("no" if set(lines) & set(ACCEPTED[tool]) else yes for tool in COMMANDS)


@pytest.mark.parametrize(("file", "rows"), [("misuse.py", BY_TYPES), ("unseen.py", BY_THE_PLUGIN)])
def test_each_row_has_lines(file: str, rows: tuple[tuple[str, ...], ...]) -> None:
    """The lines that stand for a row are in the files, and are marked as faults there."""
    marked = [line.strip() for line in (FOLDER / file).read_text(encoding="utf-8").splitlines() if "  # " in line]
    assert [] == [line for row in rows for line in row if not any(mark.startswith(line) for mark in marked)]
