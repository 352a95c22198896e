"""NE, IN: what policies do to one another along a chain of calls, across modules."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from math import prod
from typing import Final, NamedTuple

from ..diagnostics import Context, Fault, Needs, Related, Severity, rule
from ..facts import At, Body, Call, Definition, Effect, Kind, Project, Ref
from .guarding import Guarded, guarded_bodies, guarded_by_place

_FAILURES: Final = frozenset({"builtins.Exception", "builtins.BaseException"})
_SHARED: Final = {
    "bulkhead": "a call that holds a slot waits for another one",
    "circuit_breaker": "it counts one call twice",
}


class Chain(NamedTuple):
    """How a guarded function leads to another one: the calls on the way, and the guarded functions from end to end.

    `kept` are exception types that do not come all the way back, since handlers around the calls keep them.
    """

    calls: tuple[Call, ...]
    guarded: tuple[Guarded, ...]
    kept: tuple[Ref, ...] = ()

    @property
    def places(self) -> tuple[At, ...]:
        """Where the calls are made."""
        return tuple(call.at for call in self.calls)

    @property
    def path(self) -> str:
        """`Orders.place -> Payments.charge`."""
        first = self.guarded[0].definition
        return " -> ".join(_short(d) for d in (first, *(c.definition for c in self.calls)) if d is not None)

    @property
    def related(self) -> tuple[Related, ...]:
        """The calls on the way."""
        return tuple(Related(c.at, f"{_short(c.definition)} is called here") for c in self.calls if c.definition)


_Follows = Callable[[Body, Call], bool]


def _short(definition: Definition) -> str:
    owner = definition.owner.rpartition(".")[2]
    return definition.name if definition.kind is Kind.FUNCTION else f"{owner}.{definition.name}"


def chains(outer: Guarded, context: Context, follows: _Follows) -> Iterator[Chain]:
    """The shortest chain to each guarded function that a function leads to, over calls that `follows` accepts."""
    known = guarded_by_place(context)
    seen: set[At] = {outer.definition.at}
    waiting = deque([(outer.body, Chain((), (outer,)))])
    while waiting:
        body, chain = waiting.popleft()
        for call in body.calls:
            definition = call.definition
            if definition is None or definition.at in seen or not follows(body, call):
                continue
            seen.add(definition.at)
            inner = known.get(definition.at)
            guarded = chain.guarded if inner is None else (*chain.guarded, inner)
            further = Chain((*chain.calls, call), guarded, (*chain.kept, *_kept(body, call)))
            if inner is not None:
                yield further
            below = context.oracle.body(definition)
            if below is not None:
                waiting.append((below, further))


# ---------------------------------------------------------------- retries within retries


@rule(
    "R4C-NE-001",
    "retries-multiply",
    view=Project,
    severity=Severity.WARNING,
    needs=Needs.BODIES | Needs.PROJECT,
)
def retries_multiply(project: Project, context: Context) -> Iterator[Fault]:
    """Where a retried function calls another one, each attempt of the outer one makes all attempts of the inner one.
    The attempts multiply, and a service that already fails gets many times the calls."""
    found = [
        chain
        for guarded in guarded_bodies(context)
        if _attempts(guarded)
        for chain in _longest(chains(guarded, context, _surfaces))
    ]
    inner = {guarded.definition.at for chain in found for guarded in chain.guarded[1:]}
    for chain in found:
        outer = chain.guarded[0]
        if outer.definition.at not in inner:
            attempts = [_attempts(guarded) for guarded in chain.guarded if _attempts(guarded)]
            yield Fault(
                outer.at("retry"),
                outer.subject("retry"),
                "attempts multiply: {factors} = {product} calls: {path}",
                {"factors": " x ".join(map(str, attempts)), "product": prod(attempts), "path": chain.path},
                help="retry in one place of the chain",
                related=(*chain.related, Related(chain.guarded[-1].at("retry"), "and retried here")),
            )


def _attempts(guarded: Guarded) -> int:
    """How many attempts the function's retry makes; 0 if that is none or not known."""
    value = guarded.value("retry", "max_attempts") if guarded.has("retry") else 0
    return value if isinstance(value, int) and value > 1 else 0


def _longest(chains: Iterable[Chain]) -> list[Chain]:
    """The chains that end in a retried function and have failures that all retries on them see, longest ones only."""
    fitting = [chain for chain in chains if _attempts(chain.guarded[-1]) and _are_all_retried(chain)]
    begun = {chain.places[:length] for chain in fitting for length in range(len(chain.calls))}
    return [chain for chain in fitting if chain.places not in begun]


def _are_all_retried(chain: Chain) -> bool:
    """Whether all of them may retry a failure of the last one: nothing answers or keeps it, and their lists overlap."""
    if any(guarded.has("fallback") for guarded in chain.guarded[1:]):
        return False
    retrying = [guarded for guarded in chain.guarded if _attempts(guarded)]
    return all(_overlap(outer, retrying[-1], chain.kept) for outer in retrying[:-1])


def _overlap(outer: Guarded, inner: Guarded, kept: Collection[Ref]) -> bool:
    ours, theirs = outer.types("retry", "retry_on"), inner.types("retry", "retry_on")
    aborted = outer.types("retry", "abort_on")
    if ours is None or theirs is None or aborted is None:
        return False
    common = (
        other if _is_below(other, (mine,)) else mine for mine in ours for other in theirs if _related(mine, other)
    )
    return not all(_is_below(failure, (*aborted, *kept)) for failure in common)


def _related(left: Ref, right: Ref) -> bool:
    return left.name in (right.ancestors or ()) or right.name in (left.ancestors or ())


def _is_below(ref: Ref, bases: Iterable[Ref]) -> bool:
    return any(base.name in (ref.ancestors or ()) for base in bases)


def _surfaces(body: Body, call: Call) -> bool:
    """Whether a failure of a call leaves the function that makes it: it is waited for, and no handler keeps it."""
    return is_made(body, call) and not any(ref.name in _FAILURES for ref in _kept(body, call))


def _kept(body: Body, call: Call) -> Iterator[Ref]:
    """The types of failures of a call that handlers around it keep, or may keep."""
    for handler in (handler for index in call.tries for handler in body.tries[index].handlers):
        if handler.effect in (Effect.SWALLOWED, Effect.UNKNOWN):
            yield from (ref for ref in handler.types if isinstance(ref, Ref))


# ---------------------------------------------------------------- one instance twice


@rule(
    "R4C-IN-005",
    "instance-entered-twice",
    view=Project,
    severity=Severity.WARNING,
    needs=Needs.BODIES | Needs.PROJECT,
)
def instance_entered_twice(project: Project, context: Context) -> Iterator[Fault]:
    """A named bulkhead or breaker is one for all that use the name. A call that passes it twice takes two slots, and
    waits for itself where there is one; a breaker counts the same failure two times."""
    for outer in guarded_bodies(context):
        named = [policy for policy in _SHARED if _name(outer, policy) is not None]
        for chain in chains(outer, context, is_made) if named else ():
            inner = chain.guarded[-1]
            for policy in named:
                name = _name(outer, policy)
                if name == _name(inner, policy):
                    yield Fault(
                        outer.at(policy),
                        outer.subject(policy),
                        "{policy} '{name}' is entered twice by one call: {path}; {consequence}",
                        {"policy": policy, "name": name, "path": chain.path, "consequence": _SHARED[policy]},
                        help="give each its own name, or guard one of the two",
                        related=(*chain.related, Related(inner.at(policy), "and entered again here")),
                    )


def _name(guarded: Guarded, policy: str) -> str | None:
    """The name of a shared instance, None where the function has one of its own."""
    value = guarded.value(policy, "name") if guarded.has(policy) else None
    return value if isinstance(value, str) else None


def is_made(body: Body, call: Call) -> bool:
    """Whether the work of a call happens within the function that makes it."""
    if call.definition is None or call.definition.yields:
        # A call by itself only makes a generator, whoever runs through it.
        return call.definition is not None and call.entered
    return not call.definition.coroutine or call.awaited or call.returned
