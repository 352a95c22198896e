"""What plain types give the users of other type checkers: `make test-checkers` runs ty and pyrefly over this folder.

mypy and pyright are held to the ignore comments in `misuse.py` by `tests/test_typing.py`. The others read these
comments differently, so they get a copy without them, and must report the same lines.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

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
