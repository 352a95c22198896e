"""An application of its own for each test, in the working folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .live import Application, application


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Application]:
    monkeypatch.chdir(tmp_path)
    with application(tmp_path) as found:
        yield found
