"""The last nanosecond of a span, in which the quick way decides as the layers do, whatever it counts time in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from resilience4cata import Jitter, circuit_breaker, rate_limiter, retry, timeout
from resilience4cata.clock import SECOND

from .twins import BEGINS, MS, Fault, Plan, Step, each_way

DONE = Step("done")
FAULT = Step(Fault)
LATE = "TimeoutExceededError"
NO_PERMIT = "RateLimitExceededError"
OPEN = "CallNotPermittedError"

SPANS = [100 * MS, 700 * MS, 1_100 * MS]
# As sums of floats the ends of such spans lie a little before or after what the clock shows then. The last beginning is
# shortly before nanoseconds are lost in seconds.
BEGINNINGS = [BEGINS, 100 * MS, 1_234_567_890_123_457, 26 * 86_400 * SECOND - 3 * SECOND + 1]

BREAKER: dict[str, Any] = {"name": "shared", "window_size": 1, "minimum_calls": 1, "half_open_calls": 1}


class Case(NamedTuple):
    """A plan for a span and the nanoseconds by which it is exceeded; and how its calls end one nanosecond before the
    end of the span, at it, and one after it. `at_of_tasks` is for a timeout: a task is cancelled when its time is over.
    """

    plan: Callable[[int, int], Plan]
    before: tuple[str, ...]
    at: tuple[str, ...]
    after: tuple[str, ...]
    at_of_tasks: tuple[str, ...] | None = None


def text(span: int) -> str:
    return f"{span // MS}ms"


CASES = {
    "timeout": Case(
        lambda span, off: Plan((timeout(text(span)),), (Step("done", span + off),), (0,)),
        before=("done",),
        at=("done",),
        after=(LATE,),
        at_of_tasks=(LATE,),
    ),
    "timeout of a later call": Case(
        lambda span, off: Plan((timeout(text(span)),), (DONE, Step("done", span + off)), (0, 333_333_333)),
        before=("done", "done"),
        at=("done", "done"),
        after=("done", LATE),
        at_of_tasks=("done", LATE),
    ),
    "period": Case(
        lambda span, off: Plan((rate_limiter(permits=1, period=text(span)),), (DONE,), (0, span + off)),
        before=("done", NO_PERMIT),
        at=("done", "done"),
        after=("done", "done"),
    ),
    "period after idle ones": Case(
        lambda span, off: Plan((rate_limiter(permits=1, period=text(span)),), (DONE,), (0, 9_999 * span, span + off)),
        before=("done", "done", NO_PERMIT),
        at=("done", "done", "done"),
        after=("done", "done", "done"),
    ),
    "open state": Case(
        lambda span, off: Plan((circuit_breaker(**BREAKER, wait_in_open=text(span)),), (FAULT, DONE), (0, span + off)),
        before=("Fault", OPEN),
        at=("Fault", "done"),
        after=("Fault", "done"),
    ),
    "slow call": Case(
        lambda span, off: Plan(
            (circuit_breaker(**BREAKER, slow_call_duration=text(span)),), (DONE, Step("done", span + off)), (0, 0, 0)
        ),
        before=("done", "done", "done"),
        at=("done", "done", "done"),
        after=("done", "done", OPEN),
    ),
    "duration of a retry": Case(
        lambda span, off: Plan(
            (retry(max_attempts=2, delay="50ms", jitter=Jitter.NONE, max_duration=text(span)),),
            (Step(Fault, span - 50 * MS + off), DONE),
            (0,),
        ),
        before=("done",),
        at=("done",),
        after=("Fault",),
    ),
}


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("begins", BEGINNINGS)
@pytest.mark.parametrize("span", SPANS, ids=text)
@pytest.mark.parametrize("name", CASES)
def test_each_way_decides_alike(name: str, span: int, begins: int, asynchronous: bool) -> None:
    case = CASES[name]
    at = case.at_of_tasks or case.at if asynchronous else case.at
    for off, ends in ((-1, case.before), (0, at), (1, case.after)):
        quick, in_seconds, slow = each_way(case.plan(span, off), asynchronous=asynchronous, begins=begins)
        assert ends == tuple((end[0] if asynchronous else end)[0] for end in slow.ends), off
        assert slow == quick, off
        assert slow == in_seconds, off
