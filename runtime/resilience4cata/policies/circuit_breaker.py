"""Stop calling what keeps failing, and try again with care.

A circuit breaker watches the share of failed (or slow) calls in a sliding window. At the threshold it opens and refuses
calls at once, which spares both sides; after a while it lets a few probes through and closes if they succeed. Use it
around every call to another process. It stands inside retry, so that it records each attempt and ends the retries when
it opens, and outside rate limiter, timeout and bulkhead.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from ..schema import UNSET, AttributeKind, Unset, attribute, declaration
from .classification import Classifier
from .declaration import DeniedTypes, Duration, ExceptionTypes, Policy


class WindowType(Enum):
    """COUNT keeps the last `window_size` calls, TIME the calls of the last `window_size` seconds."""

    COUNT = "count"
    TIME = "time"


@declaration("circuit_breaker")
class CircuitBreaker(Policy):
    """The attributes of a circuit breaker; see the module's description."""

    name: str | Unset = attribute(
        AttributeKind.INSTANCE_NAME,
        default=UNSET,
        doc="Instance whose window is used; methods with one name share it.",
    )
    config: str | Unset = attribute(AttributeKind.TEMPLATE_NAME, default=UNSET, doc="Template to start from.")
    window_type: WindowType | Unset = attribute(
        AttributeKind.MEMBER,
        default=WindowType.COUNT,
        members=WindowType,
        live=False,
        doc="Whether the window holds a number of calls or a span of time.",
    )
    window_size: int | Unset = attribute(
        AttributeKind.INTEGER,
        default=100,
        minimum=1,
        live=False,
        doc="Calls (COUNT) or seconds (TIME) that the window holds.",
    )
    minimum_calls: int | Unset = attribute(
        AttributeKind.INTEGER,
        default=10,
        minimum=1,
        doc="Recorded calls before any rate is judged; unwritten, no more than the window holds.",
    )
    failure_rate_threshold: float | Unset = attribute(
        AttributeKind.NUMBER,
        default=50,
        above=0,
        maximum=100,
        doc="Percentage of failed calls at which the breaker opens.",
    )
    slow_call_rate_threshold: float | Unset = attribute(
        AttributeKind.NUMBER,
        default=UNSET,
        above=0,
        maximum=100,
        doc="Percentage of slow calls at which the breaker opens; 100 if only `slow_call_duration` is set.",
    )
    slow_call_duration: Duration | Unset = attribute(
        AttributeKind.DURATION,
        default=UNSET,
        zero=False,
        doc="A call that takes strictly longer is slow; 60s if only `slow_call_rate_threshold` is set.",
    )
    wait_in_open: Duration | Unset = attribute(
        AttributeKind.DURATION, default="60s", zero=False, doc="Time in the open state before probes are let through."
    )
    half_open_calls: int | Unset = attribute(
        AttributeKind.INTEGER, default=10, minimum=1, doc="Probes let through when half-open."
    )
    half_open_max_wait: Duration | Unset = attribute(
        AttributeKind.DURATION,
        default=UNSET,
        doc='Bound on the half-open state; "0" sets none, unwritten it is `wait_in_open`.',
    )
    record_on: ExceptionTypes | Unset = attribute(
        AttributeKind.EXCEPTIONS, default=Exception, doc="Exceptions that count as failures."
    )
    ignore_on: DeniedTypes | Unset = attribute(
        AttributeKind.EXCEPTIONS, default=(), deny=True, doc="Exceptions that leave no trace; asked first."
    )
    classifier: Classifier[Any] | type[Classifier[Any]] | Unset = attribute(
        AttributeKind.CLASSIFIER, default=UNSET, doc="Decides what the exception lists cannot express."
    )
    enabled: bool | Unset = attribute(AttributeKind.BOOLEAN, default=True, doc="False lets every call pass.")


circuit_breaker = CircuitBreaker
