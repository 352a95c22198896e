"""Nothing is active before and after each test, and no default remembers an earlier one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from resilience4cata import activation, guards


@pytest.fixture(autouse=True)
def nothing_is_active() -> Iterator[None]:
    _as_in_a_new_process()
    yield
    _as_in_a_new_process()
    assert activation.current() is None


def _as_in_a_new_process() -> None:
    activation._default.clear()
    guards.next_generation()
