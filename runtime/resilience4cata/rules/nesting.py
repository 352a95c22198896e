"""NE: policies and bodies that do the same work twice, or hide failures from each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..diagnostics import Context, Fault, Needs, Related, Severity, rule
from ..facts import Effect, Handler, Project, Ref, Try
from ..facts.familiar import SLEEPING
from .guarding import Guarded, guarded_bodies
from .words import listed

_SEEING: Final = ("retry", "circuit_breaker", "hedge", "fallback")
_CANCELLED: Final = "asyncio.exceptions.CancelledError"
_ERRORS: Final = {
    "bulkhead": "resilience4cata.errors.BulkheadFullError",
    "circuit_breaker": "resilience4cata.errors.CallNotPermittedError",
    "rate_limiter": "resilience4cata.errors.RateLimitExceededError",
    "adaptive_limit": "resilience4cata.errors.ConcurrencyLimitExceededError",
}


@rule("R4C-NE-002", "retry-by-hand", view=Project, severity=Severity.WARNING, needs=Needs.BODIES)
def retry_by_hand(project: Project, context: Context) -> Iterator[Fault]:
    """A loop that tries again is a retry inside a retry: the attempts multiply, and neither knows how long the other
    waits."""
    for guarded in guarded_bodies(context):
        if not guarded.has("retry"):
            continue
        for loop in _retrying_loops(guarded):
            yield Fault(
                guarded.body.loops[loop].at,
                guarded.subject("retry"),
                "the body tries again by itself, in a loop that sleeps: the attempts multiply",
                help="leave one of the two",
                related=(Related(guarded.at("retry"), "the policy"),),
            )


def _retrying_loops(guarded: Guarded) -> list[int]:
    """The loops that are left where nothing failed, and sleep before they try again."""
    body = guarded.body
    trying = {part.loops[-1] for part in body.tries if part.loops and part.leaves and _goes_on(part)}
    sleeping = {call.loops[-1] for call in body.calls if call.loops and call.callee in SLEEPING}
    return sorted(trying & sleeping)


def _goes_on(part: Try) -> bool:
    return any(handler.effect in (Effect.SWALLOWED, Effect.RAISED_AGAIN, Effect.UNKNOWN) for handler in part.handlers)


@rule("R4C-NE-004", "swallowed-failure", view=Project, severity=Severity.WARNING, needs=Needs.BODIES)
def swallowed_failure(project: Project, context: Context) -> Iterator[Fault]:
    """A policy acts on failures that leave the function. One that the body turns into an ordinary result was a success:
    it is not tried again, not counted and not answered."""
    for guarded in guarded_bodies(context):
        for part in guarded.body.tries:
            if part.all_of_it and not part.loops and all(h.effect is Effect.SWALLOWED for h in part.handlers):
                yield from _swallowed(guarded, part)


def _swallowed(guarded: Guarded, part: Try) -> Iterator[Fault]:
    seeing = [policy for policy in _SEEING if guarded.has(policy) and _needs_failures(guarded, policy)]
    for handler in part.handlers:
        if seeing and _catches(handler, ("builtins.Exception", "builtins.BaseException")):
            yield Fault(
                handler.at,
                guarded.subject(seeing[0]),
                "the body swallows every failure, so that {policies} never {see} one",
                {"policies": listed(seeing), "see": "sees" if len(seeing) == 1 else "see"},
                help="let failures leave the function, and answer them with a fallback",
                related=(Related(guarded.at(seeing[0]), "the policy"),),
            )
        elif (
            guarded.definition.coroutine
            and guarded.has("timeout")
            and _catches(handler, (_CANCELLED, "builtins.BaseException"))
        ):
            yield Fault(
                handler.at,
                guarded.subject("timeout"),
                "the body swallows the cancellation by which the timeout ends it",
                help="raise it again",
                related=(Related(guarded.at("timeout"), "the policy"),),
            )


def _needs_failures(guarded: Guarded, policy: str) -> bool:
    """Whether a policy sees nothing but failures: a classifier may make one of a result."""
    return (policy, "classifier") not in guarded.settings or guarded.value(policy, "classifier") is None


def _catches(handler: Handler, names: tuple[str, ...]) -> bool:
    return any(isinstance(ref, Ref) and ref.name in names for ref in handler.types)


@rule("R4C-NE-005", "own-refusal-caught", view=Project, severity=Severity.WARNING, needs=Needs.BODIES)
def own_refusal_caught(project: Project, context: Context) -> Iterator[Fault]:
    """A policy refuses before the body runs. What the body catches can only come from calls inside it, so a handler for
    the refusals of its own policies waits for something that never comes."""
    for guarded in guarded_bodies(context):
        for index, part in enumerate(guarded.body.tries):
            if not _only_outside(guarded, index):
                continue
            for handler in part.handlers:
                for policy, error in _ERRORS.items():
                    if guarded.has(policy) and _catches(handler, (error,)):
                        yield Fault(
                            handler.at,
                            guarded.subject(policy),
                            "{error} is raised around the body, where this handler cannot catch it",
                            {"error": error.rpartition(".")[2]},
                            help="catch it where the function is called, or answer it with a fallback",
                            related=(Related(guarded.at(policy), "the policy"),),
                        )


def _only_outside(guarded: Guarded, index: int) -> bool:
    """Whether all calls in a `try` body are known and none leads to something that may be guarded itself."""
    calls = [call for call in guarded.body.calls if index in call.tries]
    return all(
        isinstance(call.callee, str) and call.definition is None and not call.callee.startswith("resilience4cata.")
        for call in calls
    )
