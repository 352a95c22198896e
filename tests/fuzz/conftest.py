"""What all fuzz tests need."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def raising(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder, in which an error of the linter itself is raised instead of described."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("R4C_TRACEBACK", "1")
    return tmp_path
