"""Call no more often than agreed.

A rate limiter gives out `permits` in each `period`. It stands inside the circuit breaker, so that rejected calls take
no permit, and outside timeout and bulkhead.
"""

from __future__ import annotations

from ..schema import UNSET, AttributeKind, Unset, attribute, declaration
from .declaration import Duration, Policy


@declaration("rate_limiter")
class RateLimiter(Policy):
    """The attributes of a rate limiter; see the module's description."""

    name: str | Unset = attribute(
        AttributeKind.INSTANCE_NAME,
        default=UNSET,
        doc="Instance whose permits are used; methods with one name share them.",
    )
    config: str | Unset = attribute(AttributeKind.TEMPLATE_NAME, default=UNSET, doc="Template to start from.")
    permits: int | Unset = attribute(
        AttributeKind.INTEGER, default=50, minimum=1, doc="Calls that may start in one period."
    )
    period: Duration | Unset = attribute(
        AttributeKind.DURATION, default="1s", zero=False, doc="Time after which permits are given out again."
    )
    max_wait: Duration | Unset = attribute(
        AttributeKind.DURATION, default="0", doc='Longest wait for a permit; "0" refuses at once.'
    )
    enabled: bool | Unset = attribute(AttributeKind.BOOLEAN, default=True, doc="False sets no limit.")


rate_limiter = RateLimiter
