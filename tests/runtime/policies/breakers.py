"""Circuit breakers for tests: made of few settings, driven by letters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from resilience4cata import Outcome, WindowType
from resilience4cata.events import SILENT, Channel, State
from resilience4cata.policies.machines.circuit_breaker import (
    Admission,
    CircuitBreakerMachine,
    CircuitBreakerSettings,
)

from .doubles import ManualClock, S

DEFAULTS = CircuitBreakerSettings(
    window_type=WindowType.COUNT,
    window_size=100,
    minimum_calls=10,
    failure_rate_threshold=50,
    slow_call_rate_threshold=None,
    slow_call_duration=None,
    wait_in_open=60 * S,
    half_open_calls=10,
    half_open_max_wait=60 * S,
)
OUTCOMES = {"S": Outcome.SUCCESS, "F": Outcome.FAILURE, "I": Outcome.IGNORE}


class Driven:
    """A circuit breaker with a clock, called as the generated wrapper calls it."""

    def __init__(self, settings: CircuitBreakerSettings, clock: ManualClock, channel: Channel = SILENT) -> None:
        self.clock = clock
        self.channel = channel
        self.machine = CircuitBreakerMachine(settings, clock.now, channel)
        self.executions = 0

    def begin(self) -> Admission | None:
        """What the call holds while it runs; None if it was refused."""
        ticks = self.machine.ticks
        if ticks is not None:
            self.executions += 1
            return ticks
        admission, events = self.machine.admit(self.clock.now)
        self.channel.emit(events)
        self.executions += admission is not None
        return admission

    def end(self, admission: Admission, outcome: Outcome, elapsed: int = 0) -> None:
        machine, now = self.machine, self.clock.now
        settings = machine.settings
        if isinstance(admission, Iterator) and outcome is Outcome.SUCCESS:
            quick = now < machine.turn_at and elapsed <= settings.slow_above if settings.timed else True
            if quick:
                for _ in admission:
                    return
        self.channel.emit(machine.record(admission, outcome, now, elapsed))

    def call(self, letter: str, elapsed: int = 0) -> str:
        """One call that ends as the letter says; the letter, or X if it was refused."""
        admission = self.begin()
        if admission is None:
            return "X"
        self.clock.now += elapsed
        self.end(admission, OUTCOMES[letter], elapsed)
        return letter

    def calls(self, letters: str) -> str:
        return "".join(self.call(letter) for letter in letters)

    def state(self) -> State:
        state, events = self.machine.observe(self.clock.now)
        self.channel.emit(events)
        return state

    @property
    def rate(self) -> float | None:
        return self.machine.snapshot(self.clock.now).failure_rate


def breaker(
    size: int = 100,
    minimum: int | None = None,
    rate: float = 50,
    *,
    clock: ManualClock | None = None,
    channel: Channel = SILENT,
    **others: Any,
) -> Driven:
    """A circuit breaker with a window of `size` calls."""
    least = min(10, size) if minimum is None else minimum
    settings = DEFAULTS._replace(window_size=size, minimum_calls=least, failure_rate_threshold=rate, **others)
    return Driven(settings, clock or ManualClock(), channel)
