"""The types alone: mypy strict and pyright strict agree on `tests/typing`, which is never run."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "tests" / "typing"
TOOLS = {
    "mypy": [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")],
    # The script beside the interpreter, since the environment need not be activated.
    "pyright": [str(Path(sys.executable).with_name("pyright"))],
}


def run(tool: str, *paths: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*TOOLS[tool], *paths], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )


@pytest.mark.parametrize("tool", TOOLS)
def test_signatures_survive_and_misuse_is_refused(tool: str) -> None:
    """No error, and no ignore comment without one."""
    result = run(tool, str(FOLDER))
    if result.returncode != 0:
        pytest.fail(result.stdout + result.stderr, pytrace=False)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_missing_error_is_noticed(tool: str, tmp_path: Path) -> None:
    """Both tools complain about an ignore comment on a line that is right."""
    checked = tmp_path / "checked.py"
    checked.write_text(
        "# pyright: strict, reportUnnecessaryTypeIgnoreComment=true\n"
        "from resilience4cata import retry\n"
        "retry(max_attempts=3)  # type: ignore[call-arg]\n",
        encoding="utf-8",
    )
    result = run(tool, str(checked))
    complaint = {"mypy": 'Unused "type: ignore" comment', "pyright": 'Unnecessary "# type: ignore"'}[tool]
    assert (1, True) == (result.returncode, complaint in result.stdout), result.stdout + result.stderr
