"""Records of settings, made from resolved attributes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from resilience4cata import UNSET, WindowType
from resilience4cata.policies.machines.bulkhead import BulkheadSettings
from resilience4cata.policies.machines.circuit_breaker import CircuitBreakerSettings
from resilience4cata.policies.machines.rate_limiter import RateLimiterSettings
from resilience4cata.policies.machines.retry import RetrySettings
from resilience4cata.policies.machines.settings import settings_of
from resilience4cata.policies.machines.timeout import TimeoutSettings
from resilience4cata.schema import POLICIES

from .doubles import MS, S

RECORDS: dict[str, type[Any]] = {
    "bulkhead": BulkheadSettings,
    "circuit_breaker": CircuitBreakerSettings,
    "rate_limiter": RateLimiterSettings,
    "retry": RetrySettings,
    "timeout": TimeoutSettings,
}


@pytest.mark.parametrize("policy", RECORDS)
def test_fields_are_attributes(policy: str) -> None:
    """Each field is an attribute of its policy, and the defaults of the schema make a record."""
    attributes = POLICIES[policy].attributes
    record: Any = settings_of(RECORDS[policy], policy, {a.name: a.default for a in attributes.values()})
    assert set(attributes) >= set(record._fields)


def test_durations_become_nanoseconds() -> None:
    values = {"permits": 5, "period": "250ms", "max_wait": timedelta(seconds=2), "name": "api", "enabled": True}
    assert RateLimiterSettings(5, 250 * MS, 2 * S) == settings_of(RateLimiterSettings, "rate_limiter", values)


def test_what_is_not_set_is_none() -> None:
    values = {a.name: a.default for a in POLICIES["circuit_breaker"].attributes.values()}
    values |= {"half_open_max_wait": "0", "slow_call_rate_threshold": None, "window_type": WindowType.TIME}
    record = settings_of(CircuitBreakerSettings, "circuit_breaker", values)
    assert values["slow_call_duration"] is UNSET
    assert (None, None, 0, True) == (
        record.slow_call_duration,
        record.slow_call_rate_threshold,
        record.half_open_max_wait,
        record.timed,
    )


def test_records_are_values() -> None:
    """Equal by content, so that two methods of one name can be compared, and never changed."""
    assert BulkheadSettings(1, 2) == BulkheadSettings(1, 2)
    with pytest.raises(AttributeError):
        BulkheadSettings(1, 2).max_wait = 3  # type: ignore[misc]
