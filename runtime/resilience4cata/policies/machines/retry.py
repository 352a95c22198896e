"""The plan of a retry: how long to wait after each failure, and when to stop."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import NamedTuple, Protocol, TypeAlias

from ...clock import SECOND
from ...durations import MAX_NANOSECONDS
from ...events import StopReason
from ..retry import Backoff, Jitter


class RetrySettings(NamedTuple):
    """Resolved attributes of a retry; spans in nanoseconds. A `max_duration` of 0 sets no bound."""

    max_attempts: int
    delay: int
    backoff: Backoff
    multiplier: float
    max_delay: int
    jitter: Jitter
    max_duration: int


class Random(Protocol):
    """What jitter needs of `random.Random`."""

    def randint(self, a: int, b: int, /) -> int:
        """A number of a to b, both included, each as likely."""


class Budget(Protocol):
    """What a retry needs of a retry budget."""

    def withdraw(self, now: int) -> bool:
        """Pay for one retry; False if there is not enough."""


Step: TypeAlias = int | StopReason
"""Nanoseconds to wait before the next attempt, or why there is none."""


class RetryPlan:
    """The attempts of one operation, begun at `started`. The first attempt is not asked for.

    `deadline` is the nearest of those that were set around the operation. `attempts` counts those that were made.
    """

    __slots__ = ("_budget", "_ceiling", "_end", "_random", "_settings", "attempts", "started")

    def __init__(
        self,
        settings: RetrySettings,
        started: int,
        random: Random,
        *,
        deadline: int | None = None,
        budget: Budget | None = None,
    ) -> None:
        self._settings = settings
        self._random = random
        self._budget = budget
        self._ceiling = min(settings.delay, settings.max_delay)
        self._end = deadline
        self.started = started
        self.attempts = 1

    def after_failure(self, now: int, retry_after: int | None = None) -> Step:
        """What follows a failure that may be retried; counts the next attempt if there is one.

        The wait is the longer of the back-off and the failure's own `retry_after`. No wait is begun that would pass
        `max_duration` or the deadline: it would be in vain. The budget pays last, for a retry that really follows.
        """
        settings = self._settings
        if self.attempts >= settings.max_attempts:
            return StopReason.ATTEMPTS
        wait = self._jittered()
        if retry_after is not None and retry_after > wait:
            wait = retry_after
        if settings.max_duration and now + wait > self.started + settings.max_duration:
            return StopReason.DURATION
        if self._end is not None and now + wait > self._end:
            return StopReason.DEADLINE
        if self._budget is not None and not self._budget.withdraw(now):
            return StopReason.BUDGET
        self.attempts += 1
        self._ceiling = next_ceiling(settings, self._ceiling)
        return wait

    def _jittered(self) -> int:
        ceiling = self._ceiling
        match self._settings.jitter:
            case Jitter.NONE:
                return ceiling
            case Jitter.FULL:
                return self._random.randint(0, ceiling)
            case Jitter.EQUAL:
                certain = ceiling // 2
                return certain + self._random.randint(0, ceiling - certain)


def next_ceiling(settings: RetrySettings, ceiling: int) -> int:
    """The longest wait after the one of `ceiling`: capped at each step, so that it cannot overflow at any attempt."""
    if settings.backoff is Backoff.FIXED or ceiling >= settings.max_delay:
        return ceiling
    multiplier = settings.multiplier
    if multiplier == int(multiplier):
        return min(ceiling * int(multiplier), settings.max_delay)
    return int(min(ceiling * multiplier, settings.max_delay))


def retry_after_of(failure: BaseException) -> int | None:
    """The `retry_after` that a failure carries, in nanoseconds: seconds as a number, or a timedelta.

    None for anything else, and for what cannot be a time to wait (negative, NaN, infinite).
    """
    try:
        value: object = getattr(failure, "retry_after", None)
    except Exception:  # somebody's property; a broken hint is no hint
        return None
    if isinstance(value, timedelta):
        value = value.total_seconds()
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        return None
    # Compared first: the product of a long float would be infinite. Rounded: a wait that is a nanosecond too short ends
    # in a second refusal.
    return MAX_NANOSECONDS if value >= MAX_NANOSECONDS // SECOND else round(value * SECOND)
