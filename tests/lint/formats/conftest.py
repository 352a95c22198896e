"""Reports are written at the top of a repository."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def here(here: Path) -> Path:
    """The top of a repository."""
    (here / ".git").mkdir()
    return here
