"""Deadlines: how long the call that runs here may still take.

The deadline of the running call stands in a context variable, so that each thread and each task has its own. Where
several are set around one another the nearest counts.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import Final, NamedTuple, TypeAlias

from ...clock import SECOND, SYSTEM_CLOCK, in_nanoseconds


class TimeoutSettings(NamedTuple):
    """Resolved attributes of a timeout; `value` in nanoseconds."""

    value: int
    offload: bool


Now: TypeAlias = Callable[[], int]
"""A clock's `monotonic_ns`."""

Deadline: TypeAlias = float | tuple[int, Now]
"""A moment of the system's clock as a `Reading` has it, bare because one is stored on each call with a timeout; or one
of another clock."""

DEADLINE: Final[ContextVar[Deadline | None]] = ContextVar("resilience4cata.deadline", default=None)


def current_deadline() -> float | None:
    """Seconds that the running call has left, to hand to sockets and drivers.

    0.0 when the time is over, None when there is no bound. The nearest of all timeouts and `max_duration`s around.
    """
    deadline = DEADLINE.get()
    if deadline is None:
        return None
    moment, now = _parts(deadline)
    return max(0, moment - now()) / SECOND


def nearest(now: Now) -> int | None:
    """The deadline of the running call as a moment of the clock `now`; None when there is no bound."""
    deadline = DEADLINE.get()
    return None if deadline is None else _moment_of(deadline, now)


def enter_deadline(moment: float, now: Now) -> Token[Deadline | None]:
    """Let the running call end at `moment`, or at a deadline around it that is nearer.

    It is one of the clock `now`, in nanoseconds or as a `Reading` of it has it.
    To be undone by `leave_deadline` with the token, in the same context.
    """
    moment = in_nanoseconds(moment)
    outer = DEADLINE.get()
    if outer is not None and (outer_moment := _moment_of(outer, now)) < moment:
        moment = outer_moment
    return DEADLINE.set(moment if now is SYSTEM_CLOCK.monotonic_ns else (moment, now))


def keep_deadline() -> Token[Deadline | None]:
    """Set the deadline that there is, before a `try` within which others are entered.

    To be undone in its `finally` by `DEADLINE.reset`, which no signal interrupts, or by `leave_deadline`.
    """
    return DEADLINE.set(DEADLINE.get())


def leave_deadline(token: Token[Deadline | None]) -> None:
    """Undo what `enter_deadline` and `keep_deadline` set."""
    try:
        DEADLINE.reset(token)
    except ValueError:
        # A coroutine that was never finished is closed in another context, whose deadline is not ours.
        return


def _parts(deadline: Deadline) -> tuple[int, Now]:
    return deadline if isinstance(deadline, tuple) else (in_nanoseconds(deadline), SYSTEM_CLOCK.monotonic_ns)


def _moment_of(deadline: Deadline, now: Now) -> int:
    """A deadline as a moment of the clock `now`. Other clocks are translated: only what is left of it carries over."""
    moment, its_now = _parts(deadline)
    return moment if its_now == now else now() + moment - its_now()
