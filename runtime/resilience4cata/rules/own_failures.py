"""CL: exception lists that meet what the policies beside them raise themselves."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final, NamedTuple

from ..config.defaults import nanoseconds
from ..config.profiles import Settled
from ..diagnostics import Context, Fault, Needs, Severity, rule
from ..errors import TimeoutExceededError
from ..facts import Composed, Element, Unknown, Value, all_refs, refs_in
from .cases import Verdict
from .effective import effective_faults
from .spans import TIMEOUT, attempts, in_words, most_waits

_REFUSALS: Final = (
    "resilience4cata.errors.CallNotPermittedError",
    "resilience4cata.errors.RejectedError",
    "resilience4cata.errors.ResilienceError",
)


@rule("R4C-CL-006", "retried-open-breaker", view=(Element, Composed), severity=Severity.WARNING, needs=Needs.EFFECTIVE)
def retried_open_breaker(view: Element | Composed, context: Context) -> Iterator[Fault]:
    """An open breaker ends the retries at once, unless the retry is told to go on. Then each call waits until the
    breaker may close, however short its own back-off is."""
    needed = (("retry", "retry_on"),)
    return effective_faults(view, context, _waiting_for_breaker, needed, _names_refusal, of_composed=True)


def _names_refusal(value: Value) -> bool:
    return any(ref.name in _REFUSALS for ref in refs_in(value))


def _waiting_for_breaker(settled: Settled) -> Iterator[Verdict]:
    retried, opened = settled.written("retry", "retry_on"), settled.get("circuit_breaker", "wait_in_open")
    wait = nanoseconds(opened.value) if opened is not None else None
    denied = settled.get("retry", "abort_on")
    if retried is None or denied is None or opened is None or wait is None:
        return
    refusals = [ref for ref in refs_in(retried.value) if ref.name in _REFUSALS]
    longest = most_waits(settled)
    is_denied = isinstance(denied.value, Unknown) or any(ref.name in _REFUSALS for ref in refs_in(denied.value))
    # Two defaults, or none that somebody wrote, contradict each other in nobody's mind.
    is_written = settled.written("circuit_breaker", "wait_in_open") or settled.written("retry", "delay")
    if not refusals or is_denied or longest is None or longest >= wait or not is_written:
        return
    if settled.is_within("circuit_breaker", "retry"):
        yield Verdict(
            "{type} in 'retry_on' makes each call wait for an open breaker, {open} at most, although its own waits "
            "take {waits} together",
            {"type": refusals[0].short, "open": in_words(wait), "waits": in_words(longest)},
            (("retry", "retry_on"),),
            (("circuit_breaker", "wait_in_open"),),
            help="leave it out, so that an open breaker ends the retries",
        )


class _Lists(NamedTuple):
    allow: str
    deny: str


_LISTS: Final = {
    "retry": _Lists("retry_on", "abort_on"),
    "circuit_breaker": _Lists("record_on", "ignore_on"),
    "fallback": _Lists("apply_on", "skip_on"),
}
_TIMED_OUT: Final = frozenset(f"{c.__module__}.{c.__qualname__}" for c in TimeoutExceededError.__mro__)
_OS_ERROR: Final = "builtins.OSError"


@rule("R4C-CL-007", "own-timeout-denied", view=(Element, Composed), severity=Severity.WARNING, needs=Needs.EFFECTIVE)
def own_timeout_denied(view: Element | Composed, context: Context) -> Iterator[Fault]:
    """The error of a timeout is a TimeoutError, and that is an OSError. Who denies OSError means files and sockets, and
    denies the timeouts of the same element with them."""
    for policy, judge in _DENYING.items():
        needed = ((policy, _LISTS[policy].deny),)
        yield from effective_faults(view, context, judge, needed, _names_os_error, of_composed=True)


@rule(
    "R4C-CL-009",
    "own-timeout-matched",
    view=(Element, Composed),
    severity=Severity.WARNING,
    needs=Needs.EFFECTIVE,
    on_by_default=False,
)
def own_timeout_matched(view: Element | Composed, context: Context) -> Iterator[Fault]:
    """The error of a timeout is a TimeoutError, and that is an OSError. Who retries after an OSError, or counts it,
    does so with the timeouts of the same element, and the reader cannot tell whether that is meant."""
    for policy, judge in _MATCHING.items():
        needed = ((policy, _LISTS[policy].allow),)
        yield from effective_faults(view, context, judge, needed, _names_os_error, of_composed=True)


def _names_os_error(value: Value) -> bool:
    return any(ref.name == _OS_ERROR for ref in refs_in(value))


def _denying_timeouts(policy: str, settled: Settled) -> Iterator[Verdict]:
    deny = _LISTS[policy].deny
    denied = settled.written(policy, deny)
    if denied is None or settled.get(*TIMEOUT) is None or not settled.is_within("timeout", policy):
        return
    if _means_others(denied.value) and _may_match_timeouts(settled, policy):
        yield Verdict(
            "{type} in '{attribute}' denies the timeouts of the same element, too: their error is a TimeoutError, "
            "and so an {type}",
            {"type": "OSError", "attribute": deny},
            ((policy, deny),),
            (TIMEOUT,),
            help="name the subclasses of {type} that are meant, such as ConnectionError",
        )


def _means_others(value: Value) -> bool:
    """Whether a list has timeouts in it that nobody need have thought of: who names a type further down did."""
    return {ref.name for ref in refs_in(value)} & _TIMED_OUT == {_OS_ERROR} and all_refs(value) is not None


def _matching_timeouts(policy: str, settled: Settled) -> Iterator[Verdict]:
    allow, deny = _LISTS[policy]
    allowed, denied = settled.written(policy, allow), settled.get(policy, deny)
    if allowed is None or denied is None or settled.get(*TIMEOUT) is None or not settled.is_within("timeout", policy):
        return
    is_denied = all_refs(denied.as_known) is None or any(ref.name in _TIMED_OUT for ref in refs_in(denied.as_known))
    if _means_others(allowed.value) and not is_denied and (policy != "retry" or _retries_timeouts(settled)):
        yield Verdict(
            "{type} in '{attribute}' takes in the timeouts of the same element: their error is a TimeoutError, "
            "and so an {type}",
            {"type": "OSError", "attribute": allow},
            ((policy, allow),),
            (TIMEOUT,),
            help="name TimeoutError as well if that is meant, else subclasses of {type} such as ConnectionError",
        )


def _retries_timeouts(settled: Settled) -> bool:
    """Whether timeouts are retried where the list has them: not those of calls that ended, only late."""
    offload = settled.get("timeout", "offload")
    interrupts = settled.element.definition.coroutine or (offload is not None and offload.value is True)
    return interrupts and attempts(settled) != 1


def _may_match_timeouts(settled: Settled, policy: str) -> bool:
    """Whether the timeouts would be the policy's business without its deny list, as far as known sources tell."""
    if policy == "retry" and attempts(settled) == 1:
        return False
    classifier, allowed = settled.get(policy, "classifier"), settled.get(policy, _LISTS[policy].allow)
    if allowed is None or (classifier is not None and classifier.as_known is not None):
        return False
    return any(ref.name in _TIMED_OUT for ref in refs_in(allowed.as_known))


# Made once, since what a judge finds is kept under the judge.
_DENYING: Final = {policy: partial(_denying_timeouts, policy) for policy in _LISTS}
_MATCHING: Final = {policy: partial(_matching_timeouts, policy) for policy in _LISTS}
