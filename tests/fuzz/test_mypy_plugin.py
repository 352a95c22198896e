"""mypy on random programs, with the plugin and without: no crash, and nothing of mypy's own that changes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fuzz.programs import programs

pytestmark = pytest.mark.slow

# One run of mypy costs seconds, and a program milliseconds: each example is many programs, and is not made smaller.
batches = settings(
    max_examples=4,
    deadline=None,
    phases=[Phase.generate],
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


@batches
@given(written=st.lists(programs(), min_size=5, max_size=5))
def test_what_mypy_says_itself_stays_the_same(written: list[str], raising: Path) -> None:
    """Errors and notes with other codes than ours, in the same order."""
    for index, program in enumerate(written):
        (raising / f"program{index}.py").write_text(program, encoding="utf-8")
    plain, checked = mypy(raising, ""), mypy(raising, "plugins = resilience4cata_mypy\n")
    assert plain == [said for said in checked if not str(said["code"]).startswith("R4C-")]


def mypy(folder: Path, plugin: str) -> list[dict[str, object]]:
    """What mypy prints about the programs, without its summary. A crash is an assertion that shows where."""
    name = "with.ini" if plugin else "without.ini"
    (folder / name).write_text(f"[mypy]\nstrict = True\nshow_traceback = True\n{plugin}", encoding="utf-8")
    files = [path.name for path in sorted(folder.glob("program*.py"))]
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--config-file",
        name,
        "--output",
        "json",
        "--cache-dir",
        f"{name}.cache",
    ]
    result = subprocess.run(
        [*command, *files], cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False
    )
    output = result.stdout + result.stderr
    assert result.returncode in {0, 1}, output[-3000:]
    assert "INTERNAL ERROR" not in output, output[-3000:]
    return [json.loads(line) for line in result.stdout.splitlines()]
