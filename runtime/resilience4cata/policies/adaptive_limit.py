"""Find the right number of concurrent calls by watching latency.

An adaptive limit raises its bound while answers stay quick and lowers it when they slow down or fail. It stands inside
the rate limiter and outside timeout and bulkhead.
"""

from __future__ import annotations

from enum import Enum

from ..schema import UNSET, AttributeKind, Unset, attribute, declaration
from .declaration import Duration, Policy


class Algorithm(Enum):
    """How the limit moves: AIMD by steps, VEGAS by estimated queue, GRADIENT2 by the trend of latency."""

    AIMD = "aimd"
    VEGAS = "vegas"
    GRADIENT2 = "gradient2"


@declaration("adaptive_limit")
class AdaptiveLimit(Policy):
    """The attributes of an adaptive limit; see the module's description."""

    name: str | Unset = attribute(
        AttributeKind.INSTANCE_NAME, default=UNSET, doc="Instance whose limit is used; methods with one name share it."
    )
    config: str | Unset = attribute(AttributeKind.TEMPLATE_NAME, default=UNSET, doc="Template to start from.")
    algorithm: Algorithm | Unset = attribute(
        AttributeKind.MEMBER, default=Algorithm.GRADIENT2, members=Algorithm, live=False, doc="How the limit moves."
    )
    initial_limit: int | Unset = attribute(AttributeKind.INTEGER, default=20, minimum=1, doc="Limit at the start.")
    min_limit: int | Unset = attribute(AttributeKind.INTEGER, default=1, minimum=1, doc="The limit never falls below.")
    max_limit: int | Unset = attribute(
        AttributeKind.INTEGER, default=200, minimum=1, doc="The limit never rises above."
    )
    max_wait: Duration | Unset = attribute(
        AttributeKind.DURATION, default="0", doc='Longest wait for a slot; "0" refuses at once.'
    )
    enabled: bool | Unset = attribute(AttributeKind.BOOLEAN, default=True, doc="False sets no limit.")


adaptive_limit = AdaptiveLimit
