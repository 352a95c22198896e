"""The circuit breaker against a naive model that remembers every call and looks at all of them each time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from resilience4cata import WindowType
from resilience4cata.events import State
from resilience4cata.policies.machines.circuit_breaker import Admission, CircuitBreakerSettings

from .breakers import DEFAULTS, OUTCOMES, Driven
from .doubles import MS, ManualClock, S


class NaiveBreaker:
    """What the documentation says, word by word, without a thought of speed."""

    def __init__(self, settings: CircuitBreakerSettings, now: int) -> None:
        self.settings = settings
        self.running = 0
        self.first_probe = 0
        self.close()
        self.total = self.failed = self.slow = self.refused = 0

    def close(self) -> None:
        self.state = State.CLOSED
        self.calls: list[tuple[int, bool, bool]] = []
        self.period = object()

    def open(self, at: int) -> None:
        self.state, self.opened_at, self.period = State.OPEN, at, object()

    def look(self, now: int) -> State:
        if self.state is State.HALF_OPEN and self.settings.half_open_max_wait and self.running + len(self.calls) > 0:
            due = self.first_probe + self.settings.half_open_max_wait
            if now >= due:
                self.open(due)
        if self.state is State.OPEN and now >= self.opened_at + self.settings.wait_in_open:
            self.state, self.period, self.calls, self.running = State.HALF_OPEN, object(), [], 0
        return self.state

    def begin(self, now: int) -> object | None:
        state = self.look(now)
        if state in (State.OPEN, State.FORCED_OPEN):
            self.refused += 1
            return None
        if state is State.HALF_OPEN:
            if self.running + len(self.calls) >= self.settings.half_open_calls:
                self.refused += 1
                return None
            if not self.running and not self.calls:
                self.first_probe = now
            self.running += 1
        return self.period

    def end(self, period: object, letter: str, now: int, elapsed: int) -> None:
        self.look(now)
        if period is not self.period or self.state is State.DISABLED:
            return
        if self.state is State.HALF_OPEN:
            self.running -= 1
        if letter == "I":
            return
        limit = self.settings.slow_call_duration
        slow = limit is not None and elapsed > limit
        self.calls.append((now, letter == "F", slow))
        self.total, self.failed, self.slow = self.total + 1, self.failed + (letter == "F"), self.slow + slow
        self.judge(now)

    def window(self, now: int) -> list[tuple[int, bool, bool]]:
        size = self.settings.window_size
        if self.state is State.HALF_OPEN:
            return self.calls
        if self.settings.window_type is WindowType.COUNT:
            return self.calls[-size:]
        return [call for call in self.calls if call[0] // S > now // S - size]

    def judge(self, now: int) -> None:
        calls, s = self.window(now), self.settings
        least = s.minimum_calls if self.state is State.CLOSED else min(s.minimum_calls, s.half_open_calls)
        if len(calls) < least:
            return
        failure_rate = 100 * sum(failed for _, failed, _ in calls) / len(calls)
        slow_rate = 100 * sum(slow for _, _, slow in calls) / len(calls)
        too_slow = s.slow_call_rate_threshold is not None and slow_rate >= s.slow_call_rate_threshold
        if failure_rate >= s.failure_rate_threshold or too_slow:
            self.open(now)
        elif self.state is State.HALF_OPEN:
            self.close()


SPANS = st.sampled_from([0, 1, 400 * MS, S - 1, S, S + 1, 2 * S, 3 * S, 7 * S])


class AgainstModel(RuleBasedStateMachine):
    """Any sequence of calls that overlap, of time, and of what operators do."""

    window_type = WindowType.COUNT

    @initialize(
        size=st.integers(1, 6),
        minimum=st.integers(1, 6),
        rate=st.sampled_from([0.1, 20, 100 / 3, 50, 75, 100]),
        slow=st.none() | st.sampled_from([(S, 50), (400 * MS, 100), (2 * S, 20)]),
        half_open_calls=st.integers(1, 4),
        waits=st.tuples(st.sampled_from([S, 3 * S, 5 * S]), st.sampled_from([0, S, 3 * S])),
    )
    def make(
        self,
        size: int,
        minimum: int,
        rate: float,
        slow: tuple[int, float] | None,
        half_open_calls: int,
        waits: tuple[int, int],
    ) -> None:
        counted = self.window_type is WindowType.COUNT
        self.clock = ManualClock()
        self.settings = DEFAULTS._replace(
            window_type=self.window_type,
            window_size=size,
            minimum_calls=min(minimum, size) if counted else minimum,
            failure_rate_threshold=rate,
            slow_call_duration=slow and slow[0],
            slow_call_rate_threshold=slow and slow[1],
            half_open_calls=half_open_calls,
            wait_in_open=waits[0],
            half_open_max_wait=waits[1],
        )
        self.breaker = Driven(self.settings, self.clock)
        self.model = NaiveBreaker(self.settings, self.clock.now)
        self.running: list[tuple[Admission, object]] = []

    @rule(letters=st.text("SSSSSFFI", min_size=1, max_size=12))
    def calls_at_once(self, letters: str) -> None:
        for letter in letters:
            self.begin()
            if self.running:
                self.end(letter, 0, len(self.running) - 1)

    @rule()
    def begin(self) -> None:
        admission, period = self.breaker.begin(), self.model.begin(self.clock.now)
        assert (admission is None) == (period is None)
        if admission is not None:
            self.running.append((admission, period))

    @rule(letter=st.sampled_from("SSFI"), elapsed=SPANS, index=st.integers(0, 20))
    def end(self, letter: str, elapsed: int, index: int) -> None:
        if self.running:
            admission, period = self.running.pop(index % len(self.running))
            self.breaker.end(admission, OUTCOMES[letter], elapsed)
            self.model.end(period, letter, self.clock.now, elapsed)

    @rule(span=SPANS)
    def time_passes(self, span: int) -> None:
        self.clock.now += span

    @rule(what=st.sampled_from(["force_open", "disable", "force_closed"]))
    def operate(self, what: str) -> None:
        now = self.clock.now
        self.model.look(now)
        self.breaker.machine.observe(now)
        getattr(self.breaker.machine, what)(now)
        if what == "force_closed":
            if self.model.state is not State.CLOSED:
                self.model.close()
            return
        state = State.FORCED_OPEN if what == "force_open" else State.DISABLED
        if self.model.state is not state:
            self.model.state, self.model.period = state, object()

    @rule(rate=st.sampled_from([20, 50, 100]), minimum=st.integers(1, 4))
    def reconfigure(self, rate: float, minimum: int) -> None:
        now = self.clock.now
        least = min(minimum, self.settings.window_size) if self.window_type is WindowType.COUNT else minimum
        self.settings = self.settings._replace(failure_rate_threshold=rate, minimum_calls=least)
        self.model.look(now)
        self.breaker.machine.reconfigure(self.settings, now)
        self.model.settings = self.settings
        if self.model.state in (State.CLOSED, State.HALF_OPEN) and self.model.window(now):
            self.model.judge(now)

    @invariant()
    def agree(self) -> None:
        if not hasattr(self, "model"):
            return
        now = self.clock.now
        assert self.model.look(now) is self.breaker.state()
        snapshot = self.breaker.machine.snapshot(now)
        assert (self.model.total, self.model.failed, self.model.slow) == snapshot.total
        assert self.model.refused == snapshot.not_permitted
        if self.model.state in (State.CLOSED, State.HALF_OPEN):
            calls = self.model.window(now)
            counts = len(calls), sum(c[1] for c in calls), sum(c[2] for c in calls)
            assert counts == snapshot.window


class TimeAgainstModel(AgainstModel):
    window_type = WindowType.TIME


@pytest.mark.parametrize("machine", [AgainstModel, TimeAgainstModel])
def test_against_the_model(machine: Any) -> None:
    """Admissions, states and figures are those of the model, whatever happens in whatever order."""
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(machine, settings=settings(max_examples=150, stateful_step_count=40, deadline=None))
