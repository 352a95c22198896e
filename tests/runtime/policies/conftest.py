"""What the tests of several policies begin with."""

from __future__ import annotations

import pytest

from .doubles import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()
