"""The layers of a call, in plain code that has their whole meaning, for synchronous and asynchronous calls alike.

Each layer is a coroutine over a `Port` that runs what is further in and hands on the outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import CoroutineType
from typing import Any, Final, Protocol

from ..clock import NEVER, SECOND, Clock
from ..errors import (
    BulkheadFullError,
    CallNotPermittedError,
    RateLimitExceededError,
    ResultRejectedError,
)
from ..events import (
    NO_EVENTS,
    BulkheadEntered,
    BulkheadFull,
    CallFailed,
    CallIgnored,
    CallSucceeded,
    Channel,
    Event,
    Retried,
    RetryExhausted,
    RetrySucceeded,
    State,
    StopReason,
)
from ..policies.classification import Classification, Verdict
from ..policies.classification import Outcome as Counted
from ..policies.machines.budget import RetryBudgetMachine
from ..policies.machines.bulkhead import BulkheadMachine
from ..policies.machines.circuit_breaker import Admission, CircuitBreakerMachine
from ..policies.machines.rate_limiter import RateLimiterMachine
from ..policies.machines.retry import Random, RetryPlan, RetrySettings, retry_after_of
from ..policies.machines.timeout import enter_deadline, keep_deadline, nearest
from ..policies.retry import OnExhausted
from ..records import dataclass
from .head_start import HeadStart
from .outcome import Outcome, how_many, note_attempts
from .ports import Port
from .shape import Binder, fits

_KINDS: Final[dict[Counted, type[Event]]] = {
    Counted.FAILURE: CallFailed,
    Counted.IGNORE: CallIgnored,
    Counted.SUCCESS: CallSucceeded,
}


class Call:
    """One logical call on its way through the layers.

    `arguments` are those that `binder` bound, None where it is not known how the function is called; `receiver` is the
    object that a method was called on. `attempts` counts how often the function ran. `head`, while a layer sees it,
    says how the quick way has let the call pass that layer.
    """

    __slots__ = ("args", "arguments", "attempts", "binder", "function", "head", "kwargs", "layers", "receiver")

    def __init__(
        self,
        layers: Sequence[Layer],
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        binder: Binder | None,
        receiver: object = None,
        head: HeadStart | None = None,
    ) -> None:
        # Raises the TypeError of a call that does not fit before any policy has seen it.
        self.arguments = binder(*args, **kwargs) if binder is not None else None
        self.binder = binder
        self.receiver = receiver
        self.layers = layers
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self.attempts = 0
        self.head = head

    async def inside(self, position: int, port: Port) -> Outcome:
        """What the layers from `position` on make of the call."""
        head = self.head
        if head is not None and position == head.position:
            self.head = None
            outcome = head.take_outcome()
            if outcome is not None:
                self.attempts += 1
                return self._seen(outcome)
        if position < len(self.layers):
            return await self.layers[position].run(self, position + 1, port)
        self.attempts += 1
        return self._seen(await port.run(self.function, self.args, self.kwargs))

    def _seen(self, outcome: Outcome) -> Outcome:
        """The outcome of the function, which is final if the function did not even begin: no policy is to see that.

        What `binder` knows was told before; for other callables it is asked only now that the call has failed.
        """
        if type(outcome.failure) is TypeError and self.binder is None:
            outcome.final = not fits(self.function, self.args, self.kwargs)
        return outcome


class Layer(Protocol):
    """One policy of a pipeline."""

    async def run(self, call: Call, inner: int, port: Port) -> Outcome:
        """Run what is further in, from the layer `inner` on."""


def judged(classification: Classification, outcome: Outcome) -> Verdict | Outcome:
    """The verdict on a failure; what a classifier raises is an outcome that surfaces as it is."""
    failure = outcome.failure
    assert failure is not None
    try:
        return classification.of(failure, own=outcome.own)
    except BaseException as error:
        in_context(error, failure)
        return Outcome(failure=error, final=True)


def counted(classification: Classification, outcome: Outcome) -> Counted | Outcome:
    """The same for a result."""
    if not classification.sees_results:
        return Counted.SUCCESS
    try:
        return classification.of_result(outcome.result)
    except BaseException as error:
        return Outcome(failure=error, final=True)


def in_context(error: BaseException, failure: BaseException) -> None:
    """Let `error` show `failure` as what happened before, as `raise` in an `except` would."""
    seen: set[int] = set()
    last = error
    while last is not failure and last.__context__ is not None and id(last) not in seen:
        seen.add(id(last))
        last = last.__context__
    if last is not failure and id(last) not in seen:
        # As the interpreter does it: the class may let nobody set anything.
        BaseException.__setattr__(last, "__context__", failure)


def dropped(result: object) -> None:
    """A coroutine that nobody gets would be reported as never awaited."""
    if isinstance(result, CoroutineType):
        result.close()


@dataclass(frozen=True, slots=True)
class RetryLayer:
    """Runs what is further in again."""

    settings: RetrySettings
    on_exhausted: OnExhausted
    classification: Classification
    channel: Channel
    clock: Clock
    random: Random
    budget: RetryBudgetMachine | None

    async def run(self, call: Call, inner: int, port: Port) -> Outcome:
        now = self.clock.monotonic_ns
        head = call.head
        # Only a bound on the whole needs to know the true start, and then the quick way has noted it.
        started = now() if head is None or head.began is None else head.began
        if self.budget is not None and head is None:
            if started >= self.budget.turn_at:
                self.budget.turn(started)
            self.budget.deposit()
        plan = RetryPlan(self.settings, started, self.random, deadline=nearest(now), budget=self.budget)
        if not self.settings.max_duration:
            return await self._attempts(plan, call, inner, port)
        token = keep_deadline()
        try:
            enter_deadline(started + self.settings.max_duration, now)
            return await self._attempts(plan, call, inner, port)
        finally:
            port.leave_deadline(token)

    async def _attempts(self, plan: RetryPlan, call: Call, inner: int, port: Port) -> Outcome:
        now = self.clock.monotonic_ns
        end = _End()
        while (wait := self._after(await call.inside(inner, port), plan, end)) is not None:
            await port.wait(wait, nearest(now))
        return end.take()

    def _after(self, outcome: Outcome, plan: RetryPlan, end: _End) -> int | None:
        """How long to wait for the next attempt; None if there is none, and `end` has the outcome of the call."""
        end.outcome = outcome
        again = not outcome.final and self._is_failure(outcome)
        if isinstance(again, Outcome):
            end.outcome = again
            return None
        now = self.clock.monotonic_ns
        if not again:
            if outcome.failure is None and plan.attempts > 1 and self.channel.wants(RetrySucceeded):
                self.channel.emit((RetrySucceeded(*self.channel.stamp(now()), plan.attempts),))
            return None
        failure, ended = outcome.failure, now()
        end.first_failed = ended if end.first_failed is None else end.first_failed
        step = plan.after_failure(ended, retry_after_of(failure) if failure is not None else None)
        if isinstance(step, StopReason):
            end.outcome = self._exhausted(outcome, plan, step, now() - end.first_failed)
            return None
        end.outcome = None
        if failure is None:
            dropped(outcome.result)
        if self.channel.wants(Retried):
            self.channel.emit((Retried(*self.channel.stamp(now()), plan.attempts - 1, step, failure),))
        return step

    def _is_failure(self, outcome: Outcome) -> bool | Outcome:
        if outcome.failure is None:
            how = counted(self.classification, outcome)
            return how if isinstance(how, Outcome) else how is Counted.FAILURE
        verdict = judged(self.classification, outcome)
        return verdict if isinstance(verdict, Outcome) else verdict is Verdict.MATCH

    def _exhausted(self, outcome: Outcome, plan: RetryPlan, reason: StopReason, retried_for: int) -> Outcome:
        now = self.clock.monotonic_ns()
        failure = outcome.failure
        if self.channel.wants(RetryExhausted):
            self.channel.emit((RetryExhausted(*self.channel.stamp(now), plan.attempts, reason, failure),))
        if failure is not None:
            if plan.attempts > 1 or reason is not StopReason.ATTEMPTS:
                note_attempts(failure, plan.attempts, retried_for)
            return outcome
        if self.on_exhausted is OnExhausted.RETURN:
            return outcome
        id_ = self.channel.instance_id
        msg = f"'{id_}' still gave a result that counts as a failure after {plan.attempts} attempts"
        error = ResultRejectedError(msg, instance_id=id_, policy="retry", result=outcome.result, attempts=plan.attempts)
        return Outcome(failure=error)


class _End:
    """How the attempts of one call end, and when the first of them failed."""

    __slots__ = ("first_failed", "outcome")

    def __init__(self) -> None:
        self.first_failed: int | None = None
        self.outcome: Outcome | None = None

    def take(self) -> Outcome:
        """The outcome, which is not kept."""
        outcome, self.outcome = self.outcome, None
        assert outcome is not None
        return outcome


@dataclass(frozen=True, slots=True)
class CircuitBreakerLayer:
    """Asks the breaker before each call and tells it afterwards, whatever happened."""

    machine: CircuitBreakerMachine
    classification: Classification
    channel: Channel
    clock: Clock

    async def run(self, call: Call, inner: int, port: Port) -> Outcome:
        now, head = self.clock.monotonic_ns, call.head
        began = now() if head is None or head.began is None else head.began
        admission, events = self.machine.admit(began) if head is None else (head.admission, NO_EVENTS)
        if admission is None:
            self.channel.emit(events)
            return Outcome(failure=self.refusal(began, self.machine.refuse_until), own=True)
        how = Counted.IGNORE
        outcome = None
        try:
            # A listener that is interrupted must not keep the admission.
            self.channel.emit(events)
            outcome = await call.inside(inner, port)
            how, outcome = self._counted(outcome)
            return outcome
        finally:
            self._record(admission, how, began, outcome)
            del outcome

    def _counted(self, outcome: Outcome) -> tuple[Counted, Outcome]:
        if outcome.final:
            return Counted.IGNORE, outcome
        if outcome.failure is None:
            how = counted(self.classification, outcome)
            return (Counted.IGNORE, how) if isinstance(how, Outcome) else (how, outcome)
        verdict = judged(self.classification, outcome)
        return (Counted.IGNORE, verdict) if isinstance(verdict, Outcome) else (verdict.outcome, outcome)

    def _record(self, admission: Admission, how: Counted, began: int, outcome: Outcome | None) -> None:
        now = self.clock.monotonic_ns()
        elapsed = now - began
        events = list(self.machine.record(admission, how, now, elapsed))
        kind = _KINDS[how]
        if self.channel.wants(kind) and self.machine.observe(now)[0] is not State.DISABLED:
            events.insert(0, self._event(how, now, elapsed, outcome.failure if outcome is not None else None))
        self.channel.emit(events)

    def _event(self, how: Counted, now: int, elapsed: int, failure: BaseException | None) -> Event:
        match how:
            case Counted.FAILURE:
                return CallFailed(*self.channel.stamp(now), elapsed, failure)
            case Counted.IGNORE:
                return CallIgnored(*self.channel.stamp(now), failure)
        return CallSucceeded(*self.channel.stamp(now), elapsed)

    def refusal(self, now: int, until: int) -> CallNotPermittedError:
        """The error for a call that is refused `now`; the open state lasts until `until`, NEVER if it was forced.

        A moment that is over is that of a half-open state, which refuses what it does not need in order to decide.
        """
        id_, seconds = self.channel.instance_id, None
        msg = f"the circuit breaker '{id_}' is half-open and permits no further calls"
        if until == NEVER:
            msg = f"the circuit breaker '{id_}' is forced open and permits no calls"
        elif now < until:
            seconds = (until - now) / SECOND
            msg = f"the circuit breaker '{id_}' permits no calls, for another {seconds:.3f}s"
        return CallNotPermittedError(msg, instance_id=id_, policy="circuit_breaker", retry_after=seconds)


@dataclass(frozen=True, slots=True)
class RateLimiterLayer:
    """Takes a permit, waiting for one if there will be one soon enough."""

    machine: RateLimiterMachine
    channel: Channel
    clock: Clock

    async def run(self, call: Call, inner: int, port: Port) -> Outcome:
        if call.head is not None:
            return await call.inside(inner, port)
        wait = await port.permit(self.machine, self.channel, nearest(self.clock.monotonic_ns))
        if wait is None:
            return await call.inside(inner, port)
        id_ = self.channel.instance_id
        msg = f"the rate limiter '{id_}' has no permit for another {wait / SECOND:.3f}s"
        error = RateLimitExceededError(msg, instance_id=id_, policy="rate_limiter", retry_after=wait / SECOND)
        return Outcome(failure=error, own=True)


@dataclass(frozen=True, slots=True)
class BulkheadLayer:
    """Holds a slot while what is further in runs."""

    machine: BulkheadMachine
    channel: Channel
    clock: Clock

    async def run(self, call: Call, inner: int, port: Port) -> Outcome:
        if call.head is not None:
            # The function has run, and its slot is free again.
            return await call.inside(inner, port)
        now, channel = self.clock.monotonic_ns, self.channel
        began = now()
        entry = self.machine.entry()
        try:
            entered = await port.enter(entry, self.machine.settings.max_wait, nearest(now))
            waited = now() - began
            if not entered:
                if channel.wants(BulkheadFull):
                    channel.emit((BulkheadFull(*channel.stamp(began + waited), waited),))
                return Outcome(failure=self._refusal(), own=True)
            if waited and entry.has_waited and channel.wants(BulkheadEntered):
                channel.emit((BulkheadEntered(*channel.stamp(began + waited), waited),))
            return await call.inside(inner, port)
        finally:
            entry.leave()

    def _refusal(self) -> BulkheadFullError:
        id_, most = self.channel.instance_id, self.machine.settings.max_concurrent
        msg = f"the bulkhead '{id_}' is full: {how_many(most, 'call')} {'is' if most == 1 else 'are'} running"
        return BulkheadFullError(msg, instance_id=id_, policy="bulkhead")
