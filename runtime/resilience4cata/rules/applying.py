"""LOC: policies that are applied, but not to what is called in the end, or not for long enough."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..diagnostics import Action, Context, Fault, Needs, Offer, Related, Severity, rule
from ..facts import Application, Applied, Composed, Declaration, Element, Foreign, Unknown, declarations_in
from ..facts.familiar import CLOCKS, REGISTERING
from .places import named

_STATEFUL: Final = frozenset({"adaptive_limit", "bulkhead", "circuit_breaker", "rate_limiter"})


@rule(
    "R4C-LOC-008",
    "policy-above-registration",
    view=Element,
    severity=Severity.WARNING,
    needs=Needs.SYNTAX,
    # What a framework calls behaves otherwise from then on.
    fix=Offer(Action.MOVE, is_safe=False),
)
def policy_above_registration(element: Element, context: Context) -> Iterator[Fault]:
    """A framework keeps the function that its decorator is given and calls that one. A policy further up guards another
    function, which nobody calls."""
    decorators = element.definition.decorators
    for index, applied in enumerate(decorators):
        below = [other for other in decorators[index + 1 :] if isinstance(other, Foreign) and _registers(other)]
        if isinstance(applied, Applied) and below:
            yield Fault(
                applied.at,
                f"@{named(applied)} on {element.definition.id}",
                "what is registered below it is not guarded",
                help="move it below the decorator that registers the function",
                related=(Related(below[0].at, "the function is registered here"),),
                places=(below[-1].at,),
            )


def _registers(decorator: Foreign) -> bool:
    if decorator.name in REGISTERING or decorator.callee in REGISTERING:
        return True
    # A method that is given a path: a route of whatever framework.
    return isinstance(decorator.name, Unknown) and decorator.literal.startswith("/")


@rule("R4C-LOC-009", "state-made-for-each-call", view=Application, severity=Severity.WARNING, needs=Needs.SYNTAX)
def state_made_for_each_call(application: Application, context: Context) -> Iterator[Fault]:
    """A breaker or a limiter learns from many calls. One that is made where the call is made sees this one alone: it
    never opens, and never limits anything."""
    function = application.function.rpartition(".")[2]
    # What runs once in a process, or in a test, may well have state of its own.
    if not application.called_once or not function or function == "main" or function.startswith("test"):
        return
    policy = _unnamed_state(application.applied.policy)
    if policy:
        yield Fault(
            application.applied.at,
            f"{named(application.applied)} in {application.function}",
            "each call of '{function}' makes a new {policy}, which sees one call",
            {"function": function, "policy": policy},
            help="give it a name, or apply it to a function of the module",
        )


def _unnamed_state(policy: Declaration | Composed) -> str:
    """The first policy that has a state of its own for each function that it is applied to."""
    stateful = (d for d in declarations_in(policy) if d.policy in _STATEFUL)
    unnamed = (d.policy for d in stateful if d.writes("name") is False and d.writes("config") is False)
    return next(unnamed, "")


@rule("R4C-LOC-010", "argument-evaluated-once", view=Element, needs=Needs.SYNTAX)
def argument_evaluated_once(element: Element, context: Context) -> Iterator[Fault]:
    """The arguments of a decorator are evaluated once, when the module or the class is made. There is no `self` yet,
    and the time that is left then is not the time that is left in a call."""
    for applied in element.policies:
        subject = f"@{named(applied)} on {element.definition.id}"
        if applied.unbound:
            yield Fault(
                applied.at,
                subject,
                "there is no '{name}' where the arguments of a decorator are evaluated",
                {"name": applied.unbound},
                help="put the value into the configuration, or apply the policy in a method",
            )
        for clock in dict.fromkeys(name for name in applied.calls if name in CLOCKS):
            yield Fault(
                applied.at,
                subject,
                "{clock}() is called once, when the decorator is applied, and not for each call",
                {"clock": clock.replace("()", "").removeprefix("resilience4cata.")},
                help="write a fixed value, or measure in the body",
            )


@rule("R4C-LOC-015", "guarded-function-discarded", view=Application, severity=Severity.WARNING, needs=Needs.SYNTAX)
def guarded_function_discarded(application: Application, context: Context) -> Iterator[Fault]:
    """A policy gives back another function, which is guarded; the one that it was given stays as it is."""
    if application.discarded and isinstance(application.target, str):
        yield Fault(
            application.applied.at,
            f"{named(application.applied)} on {application.target}",
            "the guarded function is thrown away, and '{target}' stays as it is",
            {"target": application.target.rpartition(".")[2]},
            help="bind the result to a name, or write the policy as a decorator",
        )
