"""The text of the quick way: what each layer adds to it.

In the text `$name` is a constant, which differs from function to function, `@signature` and `@arguments` are the
parameters and how they are handed on, and names that begin with `PREFIX` are variables.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from textwrap import indent
from typing import Any, Final, NamedTuple

from ..clock import SYSTEM_CLOCK, in_nanoseconds, reading
from ..errors import CallNotPermittedError, Untold
from ..policies.classification import Verdict
from ..policies.machines.bulkhead import BulkheadMachine
from ..policies.machines.timeout import DEADLINE, enter_deadline
from .falling_back import FallbackLayer
from .head_start import after_the_function, before_the_function
from .instances import Surroundings
from .slow import BulkheadLayer, CircuitBreakerLayer, Layer, RateLimiterLayer, RetryLayer
from .timing_out import TimeoutLayer

PREFIX: Final = "r4c_"

_numbers: Final = count()


class Form(NamedTuple):
    """A text, and the constants that it names."""

    text: str
    constants: dict[str, Any]


def flat_form(layers: Sequence[Layer], around: Surroundings, *, is_coroutine: bool) -> Form | None:
    """The quick way through the layers, outermost first; None where there is none.

    A bulkhead has to be the innermost: any other holds its slot while further layers act on how the function ended. A
    classifier sees every result, and an offloaded function runs on another thread; such calls take the layers' own way.
    """
    builder = _Builder(around, layers, is_coroutine=is_coroutine)
    for position, layer in enumerate(layers):
        if not builder.add(layer, position, layers[:position]):
            return None
    return Form(builder.text(), builder.constants)


class _Builder:
    """The parts of a text.

    `enter` stands before everything else. `conditions` are what a call must fulfil that ended with a result, so that
    nothing is left but `finish`. `began` and `ticks` are what a head start tells of the call: None where nobody needs
    it.
    """

    def __init__(self, around: Surroundings, layers: Sequence[Layer], *, is_coroutine: bool) -> None:
        self._reading = reading(around.clock, exact=any(map(_counts_nanoseconds, layers)))
        self.constants: dict[str, Any] = {
            "now": self._reading.now,
            "clock": around.clock.monotonic_ns,
            "listeners": around.listeners,
            "before": before_the_function,
            "after": after_the_function,
        }
        self._around = around
        self._last = len(layers) - 1
        self._is_coroutine = is_coroutine
        self._wait = "await " if is_coroutine else ""
        self._enter: list[str] = []
        self._conditions: list[str] = []
        self._finish = "return r4c_result"
        self._began = "None"
        self._ticks = "None"
        self._spans: list[int] = []
        self._ended = "(r4c_ended := $now())"
        self._has_timer = False
        self._has_bulkhead = False
        # Whether a call has used up something that it would use up again if it began anew.
        self._has_taken = False
        if any(map(_needs_the_clock, layers)):
            self._began = "r4c_began"
            self._enter.append("r4c_began = $now()")

    def add(self, layer: Layer, position: int, outside: Sequence[Layer]) -> bool:
        """Add a layer; False if the call cannot pass it on the quick way."""
        match layer:
            case FallbackLayer():
                return True
            case RetryLayer():
                return self._add_retry(layer)
            case CircuitBreakerLayer():
                return self._add_circuit_breaker(layer, position, outside)
            case RateLimiterLayer():
                return self._add_rate_limiter(layer, position)
            case TimeoutLayer():
                return self._add_timeout(layer, position)
            case BulkheadLayer():
                return self._add_bulkhead(layer, position)
        return False

    def _add_retry(self, layer: RetryLayer) -> bool:
        if layer.classification.sees_results:
            return False
        if layer.settings.max_duration:
            self._spans.append(layer.settings.max_duration)
        if layer.budget is not None:
            self.constants["budget"] = layer.budget
            self._enter.append(_DEPOSIT)
            self._has_taken = True
        return True

    def _add_circuit_breaker(self, layer: CircuitBreakerLayer, position: int, outside: Sequence[Layer]) -> bool:
        if layer.classification.sees_results:
            return False
        settings = layer.machine.settings
        self.constants |= {"breaker": layer.machine, "slow_above": settings.slow_above}
        # Without `__init__`, which takes as long as all of the rest.
        self.constants |= {"new": CallNotPermittedError.__new__, "refusal": CallNotPermittedError}
        self.constants["untold"] = Untold(layer.refusal)
        self._ticks = "r4c_ticks"
        refusal = _REFUSE if all(map(_lets_refusals_pass, outside)) else ""
        self._enter.append(_TICKS.format(refusal=refusal, go_on=self._go_on(position)))
        if settings.timed:
            self._conditions += [f"{self._end_of_call()} < $breaker.turn_at", "r4c_ended - r4c_began <= $slow_above"]
        if self._began == "None":
            # Only events tell how long a call took.
            self._began = "r4c_began"
            self._enter.append("r4c_began = $now() if $listeners.subscriptions else None")
            self._conditions.append("(r4c_began is None or not $listeners.per_call)")
        else:
            self._conditions.append("not $listeners.per_call")
        self._finish = f"for r4c_step in r4c_ticks:\n    {self._finish}"
        return True

    def _add_rate_limiter(self, layer: RateLimiterLayer, position: int) -> bool:
        self.constants |= {"limiter": layer.machine, "in_nanoseconds": in_nanoseconds}
        end = "end_in_seconds" if self._reading.in_seconds else "end"
        self._enter.append(_PERMIT.format(end=end, go_on=self._go_on(position)))
        self._has_taken = True
        return True

    def _add_timeout(self, layer: TimeoutLayer, position: int) -> bool:
        if layer.settings.offload:
            return False
        self._spans.append(layer.settings.value)
        self.constants["limit"] = self._reading.span(layer.settings.value)
        if self._is_coroutine:
            from .timers import FIND_TASK, Task, Timers, get_ident, get_running_loop, task_of

            timers = Timers(self._reading, self._around.scheduler)
            self.constants |= {"loop": get_running_loop, "thread": get_ident, "task": task_of, "timers": timers}
            self.constants |= {"numbers": _numbers, "cancelling": Task.cancelling}
            self._enter.append(_WATCH.format(find_task=FIND_TASK, go_on=self._go_on(position)))
            self._conditions.append("r4c_number in r4c_running")
            self._has_timer = True
        else:
            self._conditions.append(f"{self._end_of_call()} <= r4c_limit")
            self._enter.append("r4c_limit = r4c_began + $limit")
        return True

    def _end_of_call(self) -> str:
        """When the call ended; the clock is read once."""
        ended, self._ended = self._ended, "r4c_ended"
        return ended

    def _add_bulkhead(self, layer: BulkheadLayer, position: int) -> bool:
        machine = layer.machine
        self.constants |= {"bulkhead": machine, "slots": machine.slots, "leave": machine.free.append, "full": _FULL}
        self.constants["serve"] = BulkheadMachine.serve
        self._enter.append(_NOBODY_WAITS.format(go_on=self._go_on(position)))
        self._has_bulkhead = True
        return position == self._last

    def text(self) -> str:
        """The whole function."""
        body = self._call()
        if self._has_bulkhead:
            body = _SLOT.format(body=indent(body, " " * 8))
        if self._spans:
            body = self._within_deadline(body)
        head = "async def" if self._is_coroutine else "def"
        lines = "\n".join([*self._enter, body])
        return f"{head} call(@signature):\n" + indent(f"{lines}\n{self._end()}", " " * 4)

    def _call(self) -> str:
        if not self._conditions:
            return _CALL_ALONE.format(wait=self._wait)
        fired = indent(_FIRED, " " * 4) if self._has_timer else ""
        conditions = " and ".join(self._conditions)
        return _CALL.format(wait=self._wait, fired=fired, conditions=conditions, finish=indent(self._finish, " " * 8))

    def _within_deadline(self, body: str) -> str:
        span = self._reading.span(min(self._spans))
        names = {"span": span, "deadline": DEADLINE.get, "set": DEADLINE.set, "reset": DEADLINE.reset}
        self.constants |= {**names, "enter_deadline": enter_deadline}
        deadline = "r4c_limit" if self.constants.get("limit") == span else "r4c_began + $span"
        token = f"$enter_deadline({deadline}, $clock)"
        if self.constants["clock"] is SYSTEM_CLOCK.monotonic_ns:
            token = f"$set({deadline}) if r4c_outer is None else {token}"
        timer, leave = (_TIMER, _TIMER_STOPPED) if self._has_timer else ("", "")
        leave += _RESET_ASYNC if self._is_coroutine else _RESET
        return _WITHIN.format(token=token, body=indent(timer + body, " " * 4), leave=indent(leave, " " * 4))

    def _end(self) -> str:
        watched = ", r4c_cancelling, r4c_fired" if self._has_timer else ""
        after = f"$after({self._last + 1}, {self._began}, {self._ticks}, r4c_result, r4c_failure{watched})"
        full = _FULL_LINES.format(go_on=self._go_on(self._last)) if self._has_bulkhead else ""
        return full + _END.format(wait=self._wait, after=after)

    def _go_on(self, position: int) -> str:
        """What lets the layer at `position` go on, before the function runs."""
        head = f"$before({position}, {self._began}, {self._ticks})" if self._has_taken else "None"
        return f"return {self._wait}$go_on({head}, @arguments)"


def _needs_the_clock(layer: Layer) -> bool:
    match layer:
        case RetryLayer():
            return bool(layer.settings.max_duration) or layer.budget is not None
        case CircuitBreakerLayer():
            return layer.machine.settings.timed
    return isinstance(layer, (RateLimiterLayer, TimeoutLayer))


def _counts_nanoseconds(layer: Layer) -> bool:
    """Whether what a layer compares the time with is known in nanoseconds alone."""
    match layer:
        case RetryLayer():
            return layer.budget is not None
        case CircuitBreakerLayer():
            return layer.machine.settings.timed
    return False


def _lets_refusals_pass(layer: Layer) -> bool:
    """Whether a layer does nothing about a circuit breaker further in that is open."""
    if not isinstance(layer, RetryLayer) or layer.budget is not None:
        return False
    return layer.classification.of(CallNotPermittedError(), own=True) is not Verdict.MATCH


# What failed, where no slot of the bulkhead was free.
_FULL: Final = object()

_DEPOSIT: Final = """\
if r4c_began >= $budget.turn_at:
    $budget.turn(r4c_began)
for r4c_step in $budget.deposits:
    break"""

_TICKS: Final = """\
r4c_ticks = $breaker.ticks
if r4c_ticks is None:
{refusal}    {go_on}"""

_REFUSE: Final = """\
    r4c_now = $clock()
    r4c_until = $breaker.refuse_until
    if r4c_now < r4c_until and not $listeners.subscriptions:
        for r4c_step in $breaker.not_permitted.ticks:
            raise $new($refusal, $untold, r4c_now, r4c_until)
"""

_PERMIT: Final = """\
if r4c_began >= $limiter.{end}:
    $limiter.turn($in_nanoseconds(r4c_began))
for r4c_step in $limiter.permits:
    break
else:
    {go_on}"""

# There may be no task, or one that is not asyncio's own.
_WATCH: Final = """\
{find_task}
try:
    r4c_cancelling = $cancelling(r4c_task)
except (AttributeError, TypeError):
    r4c_cancelling = None
if r4c_cancelling is None:
    {go_on}
for r4c_number in $numbers:
    break
r4c_limit = r4c_began + $limit
r4c_running = r4c_watch.running"""

_NOBODY_WAITS: Final = """\
if $bulkhead.waiting:
    {go_on}"""

_CALL: Final = """\
try:
    r4c_result = {wait}$function(@arguments)
except BaseException as r4c_error:
{fired}    r4c_result, r4c_failure = None, r4c_error
else:
    if {conditions}:
{finish}
{fired}    r4c_failure = None"""

_CALL_ALONE: Final = """\
try:
    return {wait}$function(@arguments)
except BaseException as r4c_error:
    r4c_result, r4c_failure = None, r4c_error"""

# A `for` takes the slot without a gap in which an asynchronous exception could lose it. Who waits is served wherever
# one comes after the slot was given back. A `finally` is compiled once for each way out of it: the outer one has fewer.
_SLOT: Final = """\
try:
    for r4c_slot in $slots:
{body}
        finally:
            $leave(r4c_slot)
        break
except IndexError:
    r4c_result, r4c_failure = None, $full
finally:
    if $bulkhead.waiting:
        $serve($bulkhead)"""

# Nothing stays set, wherever an asynchronous exception comes: also not if it comes before there is a token to reset by.
_WITHIN: Final = """\
r4c_outer = $deadline()
try:
    r4c_token = {token}
except BaseException:
    $set(r4c_outer)
    raise
try:
{body}
finally:
{leave}"""

_TIMER: Final = """\
r4c_running[r4c_number] = r4c_limit, r4c_task
if not r4c_watch.is_set:
    r4c_watch.set(r4c_began)
"""

_TIMER_STOPPED: Final = """\
if r4c_number in r4c_running:
    del r4c_running[r4c_number]
"""
_FIRED: Final = "r4c_fired = r4c_number not in r4c_running\n"
_RESET: Final = "$reset(r4c_token)"

# A coroutine that was never finished is closed in another context, whose deadline is not ours.
_RESET_ASYNC: Final = """\
try:
    $reset(r4c_token)
except ValueError:
    pass"""

_FULL_LINES: Final = """\
if r4c_failure is $full:
    {go_on}
"""

# The failure's traceback holds the frame: without the last line the exception would hold itself.
_END: Final = """\
try:
    return {wait}$go_on({after}, @arguments)
finally:
    del r4c_failure"""
