"""The example suite that the guide points to runs as it stands, with the plugin and without it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

EXAMPLE = Path(__file__).parents[3] / "fixtures" / "example_tests"


@pytest.fixture
def example(pytester: pytest.Pytester) -> pytest.Pytester:
    """A copy of it, in a folder of its own."""
    for file in EXAMPLE.glob("*.*"):
        pytester.path.joinpath(file.name).write_bytes(file.read_bytes())
    return pytester


def test_pytest(example: pytest.Pytester) -> None:
    """Every test passes, with warnings as errors."""
    result = example.runpytest_subprocess("-W", "error", "-o", "asyncio_default_fixture_loop_scope=function")
    result.assert_outcomes(passed=11)


def test_unittest(example: pytest.Pytester) -> None:
    """The part that needs no plugin needs no pytest either, to run."""
    result = example.run(sys.executable, "-W", "error", "-m", "unittest", "test_without_plugin")
    assert 0 == result.ret
    assert "Ran 2 tests in" in result.stderr.str()
