"""Options and shared folders of these tests."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite what tests/mypy/golden expects to what mypy says now (run `pytest tests/mypy` for that)",
    )


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of mypy for tests that do not look at caching: typeshed and the library are read once."""
    return tmp_path_factory.mktemp("mypy-cache")
