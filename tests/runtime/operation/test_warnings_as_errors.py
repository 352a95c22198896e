"""All or nothing: where warnings are errors, one of them leaves everything as it was."""

from __future__ import annotations

import warnings

import pytest

from resilience4cata import Backoff, ResilienceWarning, retry, timeout

from .operated import Operated

PREFIX = "resilience4cata."
IDLE = retry(multiplier=3, backoff=Backoff.FIXED)


def test_reload(shop: Operated) -> None:
    shop.configure(f"{PREFIX}instances.nobody.retry.max-attempts=2\n{PREFIX}instances.slots.bulkhead.max-concurrent=9")
    for _ in range(2):
        with pytest.raises(ResilienceWarning, match="R4C-CFG-009"):
            shop.resilience.reload()
        assert (2, ()) == (shop.resilience.bulkhead("slots").snapshot().limit, shop.resilience.diagnostics)
    with pytest.warns(ResilienceWarning) as caught:
        shop.resilience.reload()
    assert (9, [__file__]) == (shop.resilience.bulkhead("slots").snapshot().limit, [w.filename for w in caught])


def test_reconfigure(shop: Operated) -> None:
    for _ in range(2):
        with pytest.raises(ResilienceWarning, match="R4C-VA-005"):
            shop.resilience.reconfigure("payments.PaymentsClient#send", IDLE)
        assert "EXPONENTIAL" == shop.resilience.describe("payments.PaymentsClient#send").of("retry")["backoff"].value
    with pytest.warns(ResilienceWarning) as caught:
        shop.resilience.reconfigure("payments.PaymentsClient#send", IDLE)
    assert [__file__] == [w.filename for w in caught]
    assert "FIXED" == shop.resilience.describe("payments.PaymentsClient#send").of("retry")["backoff"].value


def test_check(shop: Operated) -> None:
    shop.app.load(
        "late",
        """
        from resilience4cata import *

        @retry(multiplier=3, backoff=Backoff.FIXED)
        @bulkhead(name="later")
        def go():
            return "gone"
        """,
    )
    for _ in range(2):
        with pytest.raises(ResilienceWarning, match="R4C-VA-005"):
            shop.resilience.check()
        assert () == shop.resilience.diagnostics
        with pytest.raises(LookupError):
            shop.resilience.bulkhead("later")
    with pytest.warns(ResilienceWarning):
        shop.resilience.check()
    assert 25 == shop.resilience.bulkhead("later").snapshot().limit


def test_pipeline(shop: Operated) -> None:
    """What is suspicious about one is told once, and stays among the diagnostics."""
    for _ in range(2):
        with pytest.raises(ResilienceWarning, match="R4C-VA-005"):
            shop.resilience.pipeline("orders", IDLE)
        assert () == shop.resilience.diagnostics
    # A failed one has taken no name.
    shop.resilience.pipeline("orders", timeout("1s"))
    with pytest.warns(ResilienceWarning) as caught:
        shop.resilience.pipeline("bills", IDLE)
    assert [__file__] == [w.filename for w in caught]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shop.resilience.pipeline("bills", IDLE)
    assert ["R4C-VA-005"] == [d.code for d in shop.resilience.diagnostics]
