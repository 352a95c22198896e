"""Nothing is active before and after each test, and no default remembers an earlier one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from resilience4cata import activation

from ..live import Application, application


@pytest.fixture(autouse=True)
def nothing_is_active() -> Iterator[None]:
    activation.forget_default()
    yield
    activation.forget_default()
    assert activation.current() is None


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Application]:
    monkeypatch.chdir(tmp_path)
    with application(tmp_path) as found:
        yield found
