"""Options and shared folders of these tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mypy.modes import ColdRuns, Primed


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


@pytest.fixture(scope="session")
def primed(tmp_path_factory: pytest.TempPathFactory) -> Primed:
    """Caches that tests of caching begin with."""
    return Primed(tmp_path_factory.mktemp("primed"))


@pytest.fixture(scope="session")
def cold(tmp_path_factory: pytest.TempPathFactory, primed: Primed) -> ColdRuns:
    """What runs that know nothing yet say about a state of the project."""
    return ColdRuns(tmp_path_factory.mktemp("cold"), primed)
