"""Runs the blocks of a page in a fresh process, as a reader would who pastes them one after the other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from .pages import Block, Page

RUNNER = Path(__file__).with_name("runner.py")
_LONGEST = 120
# Nothing of the environment of the tests may decide what a page prints.
_FOREIGN = ("PYTHON", "PYTEST", "RESILIENCE4CATA", "COV_")


def run(page: Page, blocks: Sequence[Block], folder: Path) -> list[str]:
    """What each block prints; a block that raises fails the test with its traceback, whose lines are the page's."""
    given = [{"language": b.language, "text": b.text, "line": b.line, "file": b.file} for b in blocks]
    done = subprocess.run(
        [sys.executable, "-W", "error", str(RUNNER)],
        input=json.dumps([str(page.path), given]),
        cwd=folder,
        env=_environment(),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=_LONGEST,
        check=False,
    )
    assert ("", 0) == (done.stderr, done.returncode)
    result = json.loads(done.stdout)
    if result["failure"]:
        pytest.fail(result["failure"], pytrace=False)
    printed: list[str] = result["printed"]
    return printed


def _environment() -> dict[str, str]:
    """The scripts beside this interpreter come first, and output is plain."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    path = os.pathsep.join((str(Path(sys.executable).parent), own.get("PATH", "")))
    return own | {"PATH": path, "NO_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}
