"""What a refusal says in words."""

from __future__ import annotations

import pytest

from resilience4cata import BulkheadFullError, bulkhead

from ..decorated.running import built


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (1, "the bulkhead 'slots' is full: 1 call is running"),
        (2, "the bulkhead 'slots' is full: 2 calls are running"),
    ],
)
def test_full_bulkhead(limit: int, said: str) -> None:
    """In the singular and in the plural."""
    pipeline = built().pipeline("slots", bulkhead(max_concurrent=limit))

    def call(depth: int) -> None:
        if depth:
            pipeline.call(call, depth - 1)

    with pytest.raises(BulkheadFullError) as caught:
        call(limit + 1)
    assert said == str(caught.value)
