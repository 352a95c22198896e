"""Try again, for failures that pass by themselves.

A retry repeats a failed call, waiting longer each time and with jitter, so that many callers do not return in step. Use
it for transient faults of calls that may be repeated. It stands outside every other policy but the fallback: each
attempt passes circuit breaker, limiters, timeout and bulkhead anew.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from ..schema import UNSET, AttributeKind, Unset, attribute, declaration
from .classification import Classifier
from .declaration import DeniedTypes, Duration, ExceptionTypes, Policy


class Backoff(Enum):
    """FIXED waits `delay` each time, EXPONENTIAL multiplies it after each attempt."""

    FIXED = "fixed"
    EXPONENTIAL = "exponential"


class Jitter(Enum):
    """NONE waits exactly, FULL a uniform part of the delay, EQUAL half of it and a uniform part of the other half."""

    NONE = "none"
    FULL = "full"
    EQUAL = "equal"


class OnExhausted(Enum):
    """What happens when attempts end with a result that counts as a failure: RETURN it, or RAISE
    ResultRejectedError."""

    RETURN = "return"
    RAISE = "raise"


@declaration("retry")
class Retry(Policy):
    """The attributes of a retry; see the module's description."""

    name: str | Unset = attribute(AttributeKind.INSTANCE_NAME, default=UNSET, doc="Instance whose counts are shown.")
    config: str | Unset = attribute(AttributeKind.TEMPLATE_NAME, default=UNSET, doc="Template to start from.")
    max_attempts: int | Unset = attribute(
        AttributeKind.INTEGER, default=3, minimum=1, doc="Attempts in all, the first call included."
    )
    delay: Duration | Unset = attribute(
        AttributeKind.DURATION, default="100ms", doc="Wait before the second attempt, jitter aside."
    )
    backoff: Backoff | Unset = attribute(
        AttributeKind.MEMBER, default=Backoff.EXPONENTIAL, members=Backoff, doc="How the wait grows."
    )
    multiplier: float | Unset = attribute(
        AttributeKind.NUMBER, default=2, minimum=1, doc="Factor of exponential back-off."
    )
    max_delay: Duration | Unset = attribute(
        AttributeKind.DURATION,
        default="10s",
        doc="Cap on a single wait, applied before jitter; unwritten, no less than `delay`.",
    )
    jitter: Jitter | Unset = attribute(
        AttributeKind.MEMBER, default=Jitter.FULL, members=Jitter, doc="Random part of each wait."
    )
    max_duration: Duration | Unset = attribute(
        AttributeKind.DURATION, default="0", doc='Bound on all attempts and waits together; "0" sets none.'
    )
    retry_on: ExceptionTypes | Unset = attribute(
        AttributeKind.EXCEPTIONS, default=Exception, doc="Exceptions after which the call is tried again."
    )
    abort_on: DeniedTypes | Unset = attribute(
        AttributeKind.EXCEPTIONS, default=(), deny=True, doc="Exceptions that end the attempts at once; asked first."
    )
    classifier: Classifier[Any] | type[Classifier[Any]] | Unset = attribute(
        AttributeKind.CLASSIFIER, default=UNSET, doc="Decides what the exception lists cannot express."
    )
    on_exhausted_result: OnExhausted | Unset = attribute(
        AttributeKind.MEMBER,
        default=OnExhausted.RETURN,
        members=OnExhausted,
        doc="What to do with a failure result when attempts end.",
    )
    budget: str | Unset = attribute(
        AttributeKind.BUDGET_NAME, default=UNSET, doc="Shared retry budget that each retry draws on."
    )
    enabled: bool | Unset = attribute(AttributeKind.BOOLEAN, default=True, doc="False calls once.")


retry = Retry
