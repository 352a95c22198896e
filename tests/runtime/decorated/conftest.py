"""Nothing is active before and after each test, and no default remembers an earlier one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from resilience4cata import activation


@pytest.fixture(autouse=True)
def nothing_is_active() -> Iterator[None]:
    activation.forget_default()
    yield
    activation.forget_default()
    assert activation.current() is None
