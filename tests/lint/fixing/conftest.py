"""An empty working folder, and `r4c check` in it."""

from pathlib import Path

import pytest

from .repairing import Run, runner


@pytest.fixture(autouse=True)
def here(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and an environment that says nothing about colours."""
    for name in ("NO_COLOR", "FORCE_COLOR", "R4C_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)
    return here


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `r4c check` in this process: exit code, standard output, standard error."""
    return runner(capsys)
