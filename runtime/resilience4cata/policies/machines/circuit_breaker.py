"""The circuit breaker's states, and what moves it from one to another.

A call in the closed state takes the quick way, which needs no lock and no look-up:

    ticks = breaker.ticks                                 # None: ask `admit`
    ...                                                   # the call succeeds
    for _ in ticks: break                                 # settings.timed is False
    if now < breaker.turn_at and elapsed <= slow: ...     # settings.timed is True; otherwise `record`

`ticks` belongs to the window of one closed period, so a late success counts in a window that nobody asks any more. It
is None while a success could open the breaker: until `minimum_calls` are recorded. Whatever else happens goes through
`admit` and `record`. A refusal while open is quick too: `now < breaker.refuse_until`, then a step of
`not_permitted.ticks`, or `refused` where somebody listens.
"""

from __future__ import annotations

from collections.abc import Iterator
from threading import RLock
from typing import Final, NamedTuple, TypeAlias

from ...clock import LONG_AGO, NEVER
from ...events import (
    NO_EVENTS,
    SILENT,
    CallNotPermitted,
    Channel,
    Events,
    FailureRateExceeded,
    SlowCallRateExceeded,
    State,
    StateTransition,
)
from ..circuit_breaker import WindowType
from ..classification import Outcome
from .counters import Counter
from .trial import Probe, Trial
from .windows import NO_FIGURES, Figures, Window, new_window


class CircuitBreakerSettings(NamedTuple):
    """Resolved attributes of a circuit breaker: spans in nanoseconds, rates in percent.

    Both slow attributes are None where slow calls are not tracked; a `half_open_max_wait` of 0 sets no bound.
    """

    window_type: WindowType
    window_size: int
    minimum_calls: int
    failure_rate_threshold: float
    slow_call_rate_threshold: float | None
    slow_call_duration: int | None
    wait_in_open: int
    half_open_calls: int
    half_open_max_wait: int

    @property
    def timed(self) -> bool:
        """Whether a success needs to know when it ended."""
        return self.window_type is WindowType.TIME or self.slow_call_duration is not None

    @property
    def slow_above(self) -> int:
        """A call that takes longer is slow."""
        return NEVER if self.slow_call_duration is None else self.slow_call_duration


class Unrecorded:
    """The admission of a call whose end is of no interest."""

    __slots__ = ()


_UNRECORDED: Final = Unrecorded()
# Most breakers never open: what only an open one needs is made when it does.
_NOTHING_REFUSED: Final = Counter()
_NO_TRIAL: Final = Trial()

Admission: TypeAlias = Window | Probe | Unrecorded | Iterator[None]
"""What `record` wants back: what `admit` returned, or the `ticks` that were read before the call."""


class CircuitBreakerSnapshot(NamedTuple):
    """A circuit breaker at one moment.

    `window` are the calls that rates are made of: those of the probes when half-open, the last ones when open. `total`
    are all that were recorded since it was made or reset. A rate is None until enough calls are recorded.
    """

    state: State
    failure_rate: float | None
    slow_call_rate: float | None
    window: Figures
    total: Figures
    not_permitted: int


class CircuitBreakerMachine:
    """One circuit breaker, shared by all threads and event loops."""

    __slots__ = (
        "__weakref__",
        "_last",
        "_opened_at",
        "_past",
        "_state",
        "_trial",
        "_window",
        "channel",
        "lock",
        "not_permitted",
        "refuse_until",
        "settings",
        "ticks",
        "turn_at",
    )

    ticks: Iterator[None] | None
    turn_at: int
    refuse_until: int
    _state: State
    _window: Window

    def __init__(self, settings: CircuitBreakerSettings, now: int, channel: Channel = SILENT) -> None:
        self.settings = settings
        self.not_permitted = _NOTHING_REFUSED
        self.channel = channel
        self.lock = RLock()
        self._past = NO_FIGURES
        self._opened_at = now
        self._close_locked(now)

    def admit(self, now: int) -> tuple[Admission | None, Events]:
        """Whether a call may pass `now`: its admission, or None for one that is refused (and counted as such)."""
        if now < self.refuse_until:
            return None, self.refused(now)
        with self.lock:
            events = self._advance_locked(now)
            admission = self._admit_locked(now)
        if admission is None:
            events += self.refused(now)
        return admission, events

    def refused(self, now: int) -> Events:
        """Count a refusal."""
        self.not_permitted.tick()
        if not self.channel.wants(CallNotPermitted):
            return NO_EVENTS
        return (CallNotPermitted(*self.channel.stamp(now), self._state, self.retry_after(now)),)

    def retry_after(self, now: int) -> int | None:
        """Nanoseconds until the open state ends; None where that cannot be told."""
        until = self.refuse_until
        return until - now if now < until < NEVER else None

    def record(self, admission: Admission, outcome: Outcome, now: int, elapsed: int) -> Events:
        """The end of a call that was admitted, whose function ran for `elapsed`. IGNORE gives the admission back.

        Each admission is recorded once, whatever happened to the call. The end of a call that was admitted in another
        period than the present one leaves no trace.
        """
        if outcome is Outcome.IGNORE and not isinstance(admission, Probe):
            return NO_EVENTS
        failed, slow = outcome is Outcome.FAILURE, elapsed > self.settings.slow_above
        with self.lock:
            events = self._advance_locked(now)
            if isinstance(admission, Probe):
                recorded = self._trial.end(admission, outcome, slow)
                return events + self._conclude_locked(now) if recorded else events
            window = self._window
            current = admission is window or admission is window.ticks
            if self._state is not State.CLOSED or not current:
                return events
            window.note(failed, slow, now)
            return events + self._judge_locked(now)

    def observe(self, now: int) -> tuple[State, Events]:
        """The state, after what is due by the clock has happened."""
        with self.lock:
            events = self._advance_locked(now)
            return self._state, events

    def force_open(self, now: int) -> Events:
        """Refuse every call until another state is set."""
        with self.lock:
            return self._hold_locked(State.FORCED_OPEN, now)

    def disable(self, now: int) -> Events:
        """Let every call pass and record nothing until another state is set."""
        with self.lock:
            return self._hold_locked(State.DISABLED, now)

    def force_closed(self, now: int) -> Events:
        """Close with an empty window; nothing happens to a closed one."""
        with self.lock:
            if self._state is State.CLOSED:
                return NO_EVENTS
            return self._enter_locked(State.CLOSED, now)

    def reset(self, now: int) -> Events:
        """Begin anew: closed, empty, nothing counted."""
        with self.lock:
            events = self._enter_locked(State.CLOSED, now)
            self._past = NO_FIGURES
            if self.not_permitted is not _NOTHING_REFUSED:
                self.not_permitted = Counter()
            return events

    def reconfigure(self, settings: CircuitBreakerSettings, now: int) -> Events:
        """Go on with other settings.

        Another kind or size of window begins an empty closed one, unless an operator forced the state. All else counts
        at once, for the calls recorded so far too.
        """
        with self.lock:
            events = self._advance_locked(now)
            before, self.settings = self.settings, settings
            held = self._state in (State.FORCED_OPEN, State.DISABLED)
            kinds = [(s.window_type, s.window_size) for s in (before, settings)]
            if held:
                return events
            if kinds[0] != kinds[1]:
                return events + self._enter_locked(State.CLOSED, now)
            if self._state is State.CLOSED:
                return events + self._judge_locked(now)
            if self._state is State.OPEN:
                self.refuse_until = self._opened_at + settings.wait_in_open
                return events + self._advance_locked(now)
            return events + self._conclude_locked(now) + self._advance_locked(now)

    def renew_after_fork(self) -> None:
        """Forget, in a child process, the probes of other threads: they do not exist here."""
        with self.lock:
            if self._state is State.HALF_OPEN:
                self._trial = Trial()

    def snapshot(self, now: int) -> CircuitBreakerSnapshot:
        """The figures `now`; `observe` first, for the state that is due."""
        with self.lock:
            window, total = self._last, self._past
            if self._state is State.CLOSED:
                window, total = self._window.figures(now), total.plus(self._window.totals())
            elif self._state is State.HALF_OPEN:
                window, total = self._trial.figures, total.plus(self._trial.figures)
            enough = window.calls >= self._needed_locked()
            failure_rate = _percent(window.failed, window.calls) if enough else None
            tracked = enough and self.settings.slow_call_rate_threshold is not None
            slow_rate = _percent(window.slow, window.calls) if tracked else None
            return CircuitBreakerSnapshot(self._state, failure_rate, slow_rate, window, total, self.not_permitted.value)

    def _forget(self, probe: Probe) -> None:
        with self.lock:
            probe.trial.end(probe, Outcome.IGNORE, slow=False)

    def _admit_locked(self, now: int) -> Admission | None:
        match self._state:
            case State.CLOSED:
                return self._window
            case State.DISABLED:
                return _UNRECORDED
            case State.HALF_OPEN:
                return self._trial.probe(now, self.settings.half_open_calls, self._forget)
        return None

    def _conclude_locked(self, now: int) -> Events:
        """Leave the half-open state if enough probes have ended."""
        figures = self._trial.figures
        if figures.calls < self._needed_locked():
            return NO_EVENTS
        exceeded, events = self._exceeded_locked(figures, now)
        if not exceeded:
            return events + self._enter_locked(State.CLOSED, now)
        self._opened_at = now
        return events + self._enter_locked(State.OPEN, now)

    def _judge_locked(self, now: int) -> Events:
        """Open a closed breaker if a threshold is reached; otherwise say which way the next call takes."""
        window = self._window
        figures = window.figures(now)
        if figures.calls < self.settings.minimum_calls:
            # Quick successes that began before are sent to `record` where they ask; the others cannot open it.
            self.ticks, self.turn_at = None, LONG_AGO
            return NO_EVENTS
        exceeded, events = self._exceeded_locked(figures, now)
        if exceeded:
            self._opened_at = now
            return events + self._enter_locked(State.OPEN, now)
        self.ticks, self.turn_at = window.ticks, window.turn_at
        return NO_EVENTS

    def _exceeded_locked(self, figures: Figures, now: int) -> tuple[bool, Events]:
        settings, channel = self.settings, self.channel
        events = NO_EVENTS
        exceeded = False
        threshold = settings.failure_rate_threshold
        # The very rate that is reported: multiplied out, 5 of 15 would be below a threshold of 100 / 3.
        rate = _percent(figures.failed, figures.calls)
        if rate >= threshold:
            exceeded = True
            if channel.wants(FailureRateExceeded):
                events += (FailureRateExceeded(*channel.stamp(now), rate, threshold),)
        slow_threshold = settings.slow_call_rate_threshold
        rate = _percent(figures.slow, figures.calls)
        if slow_threshold is not None and rate >= slow_threshold:
            exceeded = True
            if channel.wants(SlowCallRateExceeded):
                events += (SlowCallRateExceeded(*channel.stamp(now), rate, slow_threshold),)
        return exceeded, events

    def _needed_locked(self) -> int:
        """How many recorded calls it takes to know a rate."""
        least = self.settings.minimum_calls
        return least if self._state is State.CLOSED else min(least, self.settings.half_open_calls)

    def _advance_locked(self, now: int) -> Events:
        """What is due by the clock: the end of a half-open period without decision, then that of the open state."""
        # A decision is due here only if an interrupt came before it.
        events = self._conclude_locked(now) if self._state is State.HALF_OPEN else NO_EVENTS
        bound = self.settings.half_open_max_wait
        if self._state is State.HALF_OPEN and bound and self._trial.since is not None:
            due = self._trial.since + bound
            if now >= due:
                self._opened_at = due
                events += self._enter_locked(State.OPEN, now)
        if self._state is State.OPEN and now >= self.refuse_until:
            events += self._enter_locked(State.HALF_OPEN, now)
        return events

    def _hold_locked(self, state: State, now: int) -> Events:
        return NO_EVENTS if self._state is state else self._enter_locked(state, now)

    def _enter_locked(self, state: State, now: int) -> Events:
        """Go to another state; one that goes to itself begins anew, silently."""
        before = self._state
        if before is State.CLOSED:
            self._last = self._window.figures(now)
            self._past = self._past.plus(self._window.totals())
        elif before is State.HALF_OPEN:
            self._last = self._trial.figures
            self._past = self._past.plus(self._trial.figures)
        if state is State.CLOSED:
            self._close_locked(now)
        else:
            self._leave_closed_locked(state)
        if before is state or not self.channel.wants(StateTransition):
            return NO_EVENTS
        return (StateTransition(*self.channel.stamp(now), before, state),)

    def _close_locked(self, now: int) -> None:
        self._window = new_window(self.settings.window_type, self.settings.window_size, now)
        self._trial = _NO_TRIAL
        self._last = NO_FIGURES
        self._state = State.CLOSED
        self.refuse_until = LONG_AGO
        self.ticks, self.turn_at = None, LONG_AGO

    def _leave_closed_locked(self, state: State) -> None:
        self.ticks, self.turn_at = None, LONG_AGO
        if self.not_permitted is _NOTHING_REFUSED:
            self.not_permitted = Counter()
        self._state = state
        self._trial = Trial() if state is State.HALF_OPEN else _NO_TRIAL
        match state:
            case State.OPEN:
                self.refuse_until = self._opened_at + self.settings.wait_in_open
            case State.FORCED_OPEN:
                self.refuse_until = NEVER
            case State.DISABLED:
                # Counts where nobody looks.
                self.ticks, self.turn_at = Counter().ticks, NEVER
                self.refuse_until = LONG_AGO
            case _:
                self.refuse_until = LONG_AGO


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
