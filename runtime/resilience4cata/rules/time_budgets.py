"""TB: spans of time that leave no room for one another.

All of it is judged by effective settings. A default gives way: it contradicts nothing that somebody wrote.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ..config.profiles import Settled
from ..config.resolve import Resolver, active_profiles
from ..diagnostics import Context, Fault, Needs, Related, Severity, rule
from ..facts import Composed, Element, Kind, Project
from .cases import Verdict
from .chains import chains, is_made
from .effective import effective_faults
from .guarding import Guarded, guarded_bodies
from .spans import DELAY, MAX_ATTEMPTS, MAX_DURATION, TIMEOUT, attempts, first_wait, in_words, least_waits


@rule(
    "R4C-TB-001",
    "attempt-outlasts-operation",
    view=(Element, Composed),
    severity=Severity.WARNING,
    needs=Needs.EFFECTIVE,
    subsumes={"R4C-TB-002"},
)
def attempt_outlasts_operation(view: Element | Composed, context: Context) -> Iterator[Fault]:
    """`max_duration` bounds the whole operation, all attempts and waits. If one attempt, or the first wait, may take
    as long, the retries that were asked for will hardly ever be made."""
    return effective_faults(view, context, _outlasting, (MAX_DURATION,), of_composed=True)


def _outlasting(settled: Settled) -> Iterator[Verdict]:
    longest = settled.span(*MAX_DURATION)
    if not longest:
        return
    timeout, delay = settled.span(*TIMEOUT), settled.span(*DELAY)
    if timeout is not None and timeout >= longest and settled.is_within("timeout", "retry"):
        yield Verdict(
            "timeout {timeout} is not shorter than max_duration {longest}: one attempt may use up the time of all",
            {"timeout": in_words(timeout), "longest": in_words(longest)},
            (TIMEOUT, MAX_DURATION),
            help="max_duration bounds all attempts and waits together",
        )
    wait = first_wait(settled)
    if delay is not None and wait is not None and wait >= longest and attempts(settled) != 1:
        yield Verdict(
            "delay {delay} is not shorter than max_duration {longest}: the time may be over before the second attempt",
            {"delay": in_words(wait), "longest": in_words(longest)},
            (DELAY, MAX_DURATION),
            help="max_duration bounds all attempts and waits together",
        )


@rule(
    "R4C-TB-002",
    "attempts-outlast-operation",
    view=(Element, Composed, Project),
    severity=Severity.WARNING,
    needs=Needs.EFFECTIVE,
)
def attempts_outlast_operation(view: Element | Composed | Project, context: Context) -> Iterator[Fault]:
    """Where the second attempt cannot end in time although each one keeps to its timeout, the operation is over before
    its retry was of any use."""
    if not isinstance(view, Project):
        return effective_faults(view, context, _sum_outlasting, (MAX_DURATION, TIMEOUT), of_composed=True)
    return _outlasting_timeouts_around(context) if Needs.BODIES | Needs.PROJECT in context.provides else iter(())


# Whoever writes more attempts than this means the duration to be what ends them.
_MEANT_TO_BE_MADE: Final = 3


def _sum_outlasting(settled: Settled) -> Iterator[Verdict]:
    longest, timeout, time = settled.span(*MAX_DURATION), settled.span(*TIMEOUT), _time_of_attempts(settled)
    if longest and timeout and timeout < longest and time is not None and time.total > longest:
        yield Verdict(
            "{sum} = {total} > max_duration {longest}",
            {"sum": time.sum, "total": in_words(time.total), "longest": in_words(longest)},
            (TIMEOUT, MAX_DURATION),
            (*((DELAY,) if time.waits else ()), *((MAX_ATTEMPTS,) if time.attempts > 2 else ())),
            help="raise max_duration, or lower the timeout",
        )


class _Time(NamedTuple):
    """How long so many attempts take, if each one uses up its timeout, and the waits between them at least."""

    attempts: int
    timeout: int
    waits: tuple[int, ...]

    @property
    def total(self) -> int:
        return self.attempts * self.timeout + sum(self.waits)

    @property
    def sum(self) -> str:
        """`2 attempts x 3s + 100ms`."""
        return " + ".join((f"{self.attempts} attempts x {in_words(self.timeout)}", *map(in_words, self.waits)))


def _time_of_attempts(settled: Settled) -> _Time | None:
    timeout, count = settled.span(*TIMEOUT), _attempts_meant(settled)
    if not timeout or count is None or not settled.is_within("timeout", "retry"):
        return None
    return _Time(count, timeout, tuple(wait for wait in least_waits(settled, count - 1) if wait))


def _attempts_meant(settled: Settled) -> int | None:
    """How many attempts must fit: two, or three where three were written."""
    most = attempts(settled)
    if most is None or most < 2:
        return None
    is_written = settled.written(*MAX_ATTEMPTS) is not None
    return most if is_written and most <= _MEANT_TO_BE_MADE else 2


def _outlasting_timeouts_around(context: Context) -> Iterator[Fault]:
    """Attempts that the timeout of a caller further out ends, where no `max_duration` would."""
    for outer in guarded_bodies(context):
        around = _settled(outer, context)
        longest = around.span(*TIMEOUT) if _interrupts(outer) else None
        for chain in chains(outer, context, is_made) if longest else ():
            inner = chain.guarded[-1]
            if any(map(_interrupts, chain.guarded[1:-1])) or _settled(inner, context).span(*MAX_DURATION):
                continue
            time = _time_of_attempts(_settled(inner, context))
            # One attempt that takes longer is another mistake.
            if longest and time is not None and time.timeout < longest < time.total:
                yield Fault(
                    outer.at("timeout"),
                    outer.subject("timeout"),
                    "{sum} = {total} > timeout {longest}: {path}",
                    {
                        "sum": time.sum,
                        "total": in_words(time.total),
                        "longest": in_words(longest),
                        "path": chain.path,
                    },
                    help="raise this timeout, or lower that of the attempts",
                    related=(*chain.related, Related(inner.at("retry"), "and retried here")),
                )


def _settled(guarded: Guarded, context: Context) -> Settled:
    key = _settled
    if key not in context.memo:
        context.memo[key] = Resolver.of(context.project, active_profiles(context.project))
    return Settled(guarded.element, context.memo[key], guarded.settings)


def _interrupts(guarded: Guarded) -> bool:
    """Whether a function has a timeout that ends what it waits for."""
    return guarded.has("timeout") and (guarded.definition.coroutine or guarded.value("timeout", "offload") is True)


@rule(
    "R4C-TB-003",
    "no-call-is-slow",
    view=(Element, Composed),
    severity=Severity.WARNING,
    needs=Needs.EFFECTIVE,
)
def no_call_is_slow(view: Element | Composed, context: Context) -> Iterator[Fault]:
    """A call that the timeout ends is a failure. Only calls that take longer than `slow_call_duration` and still end
    in time are slow; without any room between the two, slow calls are never seen."""
    return effective_faults(view, context, _never_slow, (_SLOW, TIMEOUT), of_composed=True)


_SLOW: Final = ("circuit_breaker", "slow_call_duration")


def _never_slow(settled: Settled) -> Iterator[Verdict]:
    slow, timeout = settled.span(*_SLOW), settled.span(*TIMEOUT)
    if slow is None or timeout is None or slow < timeout or not settled.is_within("timeout", "circuit_breaker"):
        return
    yield Verdict(
        "slow_call_duration {slow} is not shorter than timeout {timeout}: no call that succeeds is ever slow",
        {"slow": in_words(slow), "timeout": in_words(timeout)},
        (_SLOW, TIMEOUT),
        help="a slow call ends before the timeout, and takes longer than slow_call_duration",
    )


@rule(
    "R4C-TB-006",
    "unbounded-probe",
    view=Element,
    severity=Severity.WARNING,
    needs=Needs.EFFECTIVE,
)
def unbounded_probe(element: Element, context: Context) -> Iterator[Fault]:
    """A half-open breaker lets a few calls through and waits for their results. If nothing bounds that wait and nothing
    interrupts a call, one that hangs keeps the breaker half-open for ever."""
    return effective_faults(element, context, _never_ending, (_HALF_OPEN_WAIT,))


_HALF_OPEN_WAIT: Final = ("circuit_breaker", "half_open_max_wait")


def _never_ending(settled: Settled) -> Iterator[Verdict]:
    if settled.span(*_HALF_OPEN_WAIT) != 0:
        return
    no_timeout = settled.lacks("timeout")
    if no_timeout or _never_interrupts(settled):
        yield Verdict(
            "half_open_max_wait of zero sets no bound, and {reason}: a probe that hangs keeps the breaker half-open",
            {"reason": "there is no timeout" if no_timeout else "the timeout of a plain function interrupts nothing"},
            (_HALF_OPEN_WAIT,),
            () if no_timeout else (TIMEOUT,),
            help="give half_open_max_wait a length, "
            + ("or add a timeout" if no_timeout else "or write offload=True on the timeout"),
        )


def _never_interrupts(settled: Settled) -> bool:
    """Whether there is a timeout that only looks at the clock when the call is over."""
    offload, definition = settled.get("timeout", "offload"), settled.element.definition
    if offload is None or offload.value is not False:
        return False
    return definition.kind is not Kind.CLASS and definition.is_async is False


@rule(
    "R4C-TB-007",
    "queue-outlasts-operation",
    view=(Element, Composed),
    severity=Severity.WARNING,
    needs=Needs.EFFECTIVE,
)
def queue_outlasts_operation(view: Element | Composed, context: Context) -> Iterator[Fault]:
    """`max_duration` bounds the whole operation. A call that may wait as long for a slot or a permit can spend all of
    its time in the queue, so that nothing is ever tried again."""
    return effective_faults(view, context, _queueing, (MAX_DURATION,), of_composed=True)


def _queueing(settled: Settled) -> Iterator[Verdict]:
    longest = settled.span(*MAX_DURATION)
    for policy in ("rate_limiter", "adaptive_limit", "bulkhead"):
        wait = settled.span(policy, "max_wait")
        if longest and wait is not None and wait >= longest and settled.is_within(policy, "retry"):
            yield Verdict(
                "max_wait {wait} of {policy} is not shorter than max_duration {longest}: "
                "waiting may use up the time of all attempts",
                {"wait": in_words(wait), "policy": policy, "longest": in_words(longest)},
                ((policy, "max_wait"), MAX_DURATION),
                help="max_duration bounds all attempts and waits together",
            )
