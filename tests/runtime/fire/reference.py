"""A whole pipeline as the documentation tells it, word by word, without a thought of speed.

A script says what each execution of the function does: how long it takes, and how it ends. Time is a number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from resilience4cata.events import State
from resilience4cata.policies.machines.budget import RetryBudgetSettings
from resilience4cata.policies.machines.circuit_breaker import CircuitBreakerSettings

from ..policies.test_circuit_breaker_model import NaiveBreaker

S = 1_000_000_000


class Step(NamedTuple):
    """One execution: S succeeds, F fails with a fault, V with another error, I with one that the breaker ignores, and N
    calls the guarded function once more and then succeeds, whatever came of it."""

    kind: str
    takes: int


class Spec(NamedTuple):
    """The settings; spans in nanoseconds. `layers` are those of the pipeline, outermost first."""

    layers: tuple[str, ...]
    breaker: CircuitBreakerSettings
    max_attempts: int
    delay: int
    full_jitter: bool
    max_duration: int
    retries_all: bool
    budget: RetryBudgetSettings | None
    limit: int
    permits: int
    period: int
    limiter_wait: int
    max_concurrent: int
    bulkhead_wait: int


@dataclass
class End:
    """How something ended: with `error` as the name of a failure, None for a result."""

    value: str = "done"
    error: str | None = None
    own: bool = False
    completed: bool = False
    retry_after: int = 0


class CancelledBy(Exception):
    """A timeout, known by its number, ends the asynchronous call that waits within it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@dataclass
class Reference:
    """The pipeline. `waits` are all that were begun."""

    spec: Spec
    asynchronous: bool
    now: int
    random: Random
    waits: list[int] = field(default_factory=list)
    executions: int = 0
    inside: int = 0
    refused: int = 0
    deadline: int | None = None
    paid: list[int] = field(default_factory=list)
    spent: list[int] = field(default_factory=list)
    taken: dict[int, int] = field(default_factory=dict)
    first_use: int | None = None
    timeouts: list[int] = field(default_factory=list)
    script: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.breaker = NaiveBreaker(self.spec.breaker, self.now)

    def call(self, position: int = 0) -> End:
        if position == len(self.spec.layers):
            return self.execute()
        end: End = getattr(self, self.spec.layers[position])(position + 1)
        return end

    def execute(self) -> End:
        self.executions += 1
        step = self.script.pop(0) if self.script else Step("S", 0)
        self.now += step.takes
        if step.kind == "N":
            self.call()
        if step.kind in "SN":
            self.suspend()
            return End()
        return End(error={"F": "Fault", "V": "ValueError", "I": "KeyError"}[step.kind])

    def suspend(self) -> None:
        """Asynchronous code is cancelled where it waits, by the outermost of the timeouts that are over."""
        if self.asynchronous:
            for number, moment in enumerate(self.timeouts):
                if moment <= self.now:
                    raise CancelledBy(number)

    def wait(self, span: int) -> None:
        self.waits.append(span)
        self.now += span
        self.suspend()

    def within(self, moment: int) -> int | None:
        """Set the nearest deadline; the one before."""
        before = self.deadline
        self.deadline = moment if before is None else min(before, moment)
        return before

    def fallback(self, inner: int) -> End:
        end = self.call(inner)
        return end if end.error is None else End("fallback")

    def retry(self, inner: int) -> End:
        spec, started, ceiling = self.spec, self.now, self.spec.delay
        before = self.deadline
        self.paid.append(started)
        if spec.max_duration:
            self.within(started + spec.max_duration)
        try:
            for attempt in range(1, spec.max_attempts + 1):
                end = self.call(inner)
                if not self.may_retry(end) or attempt == spec.max_attempts:
                    break
                wait = max(self.random.randint(0, ceiling) if spec.full_jitter else ceiling, end.retry_after)
                if spec.max_duration and self.now + wait > started + spec.max_duration:
                    break
                if before is not None and self.now + wait > before:
                    break
                if spec.budget is not None and self.balance(spec.budget) < 1:
                    break
                self.spent.append(self.now)
                ceiling = min(ceiling * 2, 10 * S)
                self.wait(wait)
        finally:
            self.deadline = before
        return end

    def balance(self, budget: RetryBudgetSettings) -> float:
        """How many retries are paid for."""
        return (
            self.recent(self.paid, budget) * budget.percent / 100
            + budget.min_per_second * budget.ttl // S
            - self.recent(self.spent, budget)
        )

    def recent(self, moments: list[int], budget: RetryBudgetSettings) -> int:
        """How many of them fall into the slice that runs, or into the nine before it."""
        length = budget.ttl // 10
        return len([moment for moment in moments if moment // length > self.now // length - 10])

    def may_retry(self, end: End) -> bool:
        if end.error in (None, "CallNotPermittedError") or end.completed:
            return False
        return self.spec.retries_all or end.error == "Fault"

    def circuit_breaker(self, inner: int) -> End:
        began = self.now
        period = self.breaker.begin(began)
        if period is None:
            return End(error="CallNotPermittedError", own=True)
        letter = "I"
        try:
            end = self.call(inner)
            if end.error is None:
                letter = "S"
            elif end.error != "KeyError" and not end.own:
                letter = "F"
        finally:
            self.breaker.end(period, letter, self.now, self.now - began)
        return end

    def rate_limiter(self, inner: int) -> End:
        spec = self.spec
        if self.first_use is None:
            self.first_use = self.now
        running = cycle = (self.now - self.first_use) // spec.period
        while self.taken.get(cycle, 0) >= spec.permits:
            cycle += 1
        wait = max(0, self.first_use + cycle * spec.period - self.now) if cycle > running else 0
        longest = (
            spec.limiter_wait if self.deadline is None else max(0, min(spec.limiter_wait, self.deadline - self.now))
        )
        if wait > longest:
            self.refused += 1
            return End(error="RateLimitExceededError", own=True, retry_after=int(wait / S * S))
        self.taken[cycle] = self.taken.get(cycle, 0) + 1
        if wait:
            try:
                self.wait(wait)
            except CancelledBy:
                self.taken[cycle] -= 1
                raise
        return self.call(inner)

    def available(self) -> tuple[int, int]:
        """Permits of the running cycle, and those reserved in later ones."""
        if self.first_use is None:
            return self.spec.permits, 0
        running = (self.now - self.first_use) // self.spec.period
        return (
            self.spec.permits - self.taken.get(running, 0),
            sum(number for cycle, number in self.taken.items() if cycle > running),
        )

    def timeout(self, inner: int) -> End:
        end_of_time = self.now + self.spec.limit
        before = self.within(end_of_time)
        number = len(self.timeouts)
        self.timeouts.append(end_of_time)
        try:
            end = self.call(inner)
        except CancelledBy as cancelled:
            if cancelled.number != number:
                raise
            return End(error="TimeoutExceededError")
        finally:
            self.timeouts.pop()
            self.deadline = before
        if not self.asynchronous and end.error is None and self.now > end_of_time:
            return End(error="TimeoutExceededError", completed=True)
        return end

    def bulkhead(self, inner: int) -> End:
        spec = self.spec
        if self.inside >= spec.max_concurrent:
            longest = spec.bulkhead_wait
            if self.deadline is not None:
                longest = min(longest, self.deadline - self.now)
            if longest > 0:
                self.wait(longest)
            return End(error="BulkheadFullError", own=True)
        self.inside += 1
        try:
            return self.call(inner)
        finally:
            self.inside -= 1

    def state(self) -> State:
        return self.breaker.look(self.now)


def settings_of(spec: Spec) -> dict[str, Any]:
    """The breaker's settings as its declaration takes them."""
    given = {name: value for name, value in spec.breaker._asdict().items() if value is not None}
    spans = ("slow_call_duration", "wait_in_open", "half_open_max_wait")
    return given | {name: span(given[name]) for name in spans if name in given}


def span(nanoseconds: int) -> str:
    return f"{nanoseconds // 1_000_000}ms" if nanoseconds else "0"
