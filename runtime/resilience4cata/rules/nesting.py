"""NE: policies and bodies that do the same work twice, or hide failures from each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..config.resolve import Resolver, active_profiles
from ..diagnostics import Context, Fault, Needs, Related, Severity, rule
from ..facts import Applied, Definition, Effect, Element, Handler, Project, Ref, Try, Unknown
from ..facts.familiar import NON_IDEMPOTENT, SLEEPING, is_single_pass
from .guarding import Guarded, guarded_bodies
from .targets import unguarded
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


@rule(
    "R4C-NE-003",
    "request-sent-again",
    view=Project,
    severity=Severity.WARNING,
    needs=Needs.BODIES,
    on_by_default=False,
)
def request_sent_again(project: Project, context: Context) -> Iterator[Fault]:
    """A request that failed may have been carried out before its answer got lost. Sent again it is carried out again:
    two orders, two payments. A key that all attempts share lets the other side know it again."""
    for guarded in guarded_bodies(context):
        policy = next((policy for policy in ("hedge", "retry") if _repeats(guarded, policy)), None)
        for call in guarded.body.calls if policy is not None else ():
            if call.callee in NON_IDEMPOTENT and not call.keyed and not call.open:
                yield Fault(
                    call.at,
                    guarded.subject(policy or ""),
                    "each attempt calls '{callee}', which may be carried out twice: it sends no idempotency key",
                    {"callee": call.callee},
                    help="send a key that is the same for all attempts, or take the request out of the policy",
                    related=(Related(guarded.at(policy or ""), "the policy"),),
                )


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


@rule(
    "R4C-NE-006",
    "consumed-by-first-attempt",
    view=Element,
    severity=Severity.WARNING,
    needs=Needs.SCOPES | Needs.CONSUMED,
)
def consumed_by_first_attempt(element: Element, context: Context) -> Iterator[Fault]:
    """Each attempt gets the same arguments. An iterator or a stream that the first one has run through is at its end
    for the next, which does its work on nothing and succeeds."""
    for definition in _run_with(element):
        names = _single_pass(definition)
        body = context.oracle.body(definition) if names and element.policies else None
        used_up = [name for name in names if body is not None and name in body.consumed]
        if not used_up or body is None:
            continue
        resolver = Resolver.of(context.project, active_profiles(context.project))
        guarded = Guarded(element, resolver.resolve(element), body)
        policy = next((policy for policy in ("retry", "hedge") if _repeats(guarded, policy)), None)
        for name in used_up if policy is not None else ():
            yield Fault(
                guarded.at(policy or ""),
                guarded.subject(policy or ""),
                "'{parameter}' of '{name}' is used up by the first attempt: another one finds it at its end",
                {"parameter": name, "name": definition.name},
                help="take a list, or a function that makes it anew for each attempt",
                related=(Related(definition.at, f"'{definition.name}' is defined here"),),
            )


def _run_with(element: Element) -> Iterator[Definition]:
    """What runs with the policies of an element alone: itself, or the methods of a class."""
    if element.body is None:
        yield element.definition
        return
    methods = element.body.public_methods()
    for method in () if isinstance(methods, Unknown) else methods:
        # Generators stay unguarded (R4C-LOC-003).
        own = any(isinstance(d, Applied) for d in method.decorators)
        if not (own or unguarded(method) or method.yields):
            yield method


def _single_pass(definition: Definition) -> list[str]:
    parameters = definition.signature.parameters if definition.signature is not None else ()
    return [p.name for p in parameters if p.type is not None and is_single_pass(p.type.classes)]


def _repeats(guarded: Guarded, policy: str) -> bool:
    if not guarded.has(policy):
        return False
    most = guarded.value("retry", "max_attempts") if policy == "retry" else 2
    return isinstance(most, int) and most > 1
