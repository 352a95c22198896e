"""Values that no attribute takes are found by `build()`, not by the first call that meets them."""

from __future__ import annotations

import pytest

from ..live import Application

TEXT = """
    from decimal import Decimal
    from enum import Enum
    from unittest.mock import Mock

    from resilience4cata import *

    class Plain: ...

    class Text(str): ...

    class Seconds(str, Enum):
        TWO = "2s"

    @{policy}
    def charge(): ...
"""


@pytest.mark.parametrize(
    ("policy", "code", "message"),
    [
        ("timeout(lambda: 2)", "VA-003", "<lambda> is no value for 'value'"),
        ("timeout(Plain())", "VA-003", "Plain() is no value for 'value'"),
        ("retry(max_attempts=Plain())", "VA-003", "Plain() is no value for 'max_attempts'"),
        ("retry(enabled=Plain())", "VA-003", "Plain() is no value for 'enabled'"),
        ("retry(jitter=Plain())", "VA-003", "Plain() is no value for 'jitter'"),
        ("retry(jitter=Jitter)", "VA-003", "Jitter is no value for 'jitter'"),
        ("circuit_breaker(name=Plain())", "VA-003", "Plain() is no value for 'name'"),
        ("circuit_breaker(record_on=lambda error: True)", "CL-002", "<lambda> in 'record_on' is not an exception type"),
        ("retry(retry_on=Plain())", "CL-002", "Plain() in 'retry_on' is not an exception type"),
    ],
)
def test_found(app: Application, policy: str, code: str, message: str) -> None:
    app.load("shop", TEXT.format(policy=policy))
    assert [(f"R4C-{code}", message)] == [(d.code, d.message) for d in app.diagnostics("shop")]


@pytest.mark.parametrize(
    "policy",
    [
        "timeout(Text('2s'))",
        "timeout(Seconds.TWO)",
        "circuit_breaker(failure_rate_threshold=Decimal(50))",
        "fallback(lambda context: 1)",
    ],
)
def test_silent(app: Application, policy: str) -> None:
    """What may stand for a text or a number, and what can be called as a fallback."""
    app.load("shop", TEXT.format(policy=policy))
    assert () == app.diagnostics("shop")


def test_of_a_factory(app: Application) -> None:
    """One call makes a policy each time, and not only the first is looked at."""
    text = """
        from resilience4cata import timeout

        def limited(value):
            def apply(function):
                return timeout(value)(function)
            return apply

        @limited("2s")
        def charge(): ...

        @limited("2 s")
        def refund(): ...
    """
    app.load("shop", text)
    assert ['shop.py:5:24: error: [R4C-DU-001] timeout("2 s"):'] == [
        d.text.splitlines()[0] for d in app.diagnostics("shop")
    ]
