"""One running application for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .operated import Operated, operated


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Operated]:
    monkeypatch.chdir(tmp_path)
    with operated(tmp_path) as found:
        yield found
