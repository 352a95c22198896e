"""Policies as facts: what was written, and where."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, Final

from ..facts import NOWHERE, UNKNOWN, Applied, At, Composed, Declaration, NotAPolicy, Ref, Slot, Value
from ..policies.composed import ComposedPolicy
from ..policies.declaration import Decorator, Policy, Site
from ..policies.order import Order
from ..policies.recorded import is_a
from ..policies.recording import Application
from ..rules.words import show
from .places import Places
from .values import classifier_of, full_name, handler_of, plain_of, value_of

# How values are read that may be objects.
_READ: Final[Mapping[str, Callable[[Any], Value]]] = {"handler": handler_of, "classifier": classifier_of}


class PolicyFacts:
    """Makes facts of policies; of one composed policy always the same ones.

    `variables` are the full dotted names of composed policies by `id()`. `objects` are the classes and functions that
    were given to policies, by full name. `live` leads back from facts to what they were made of. All that `base` knows
    is known here too.
    """

    def __init__(self, places: Places, variables: Mapping[int, str], base: PolicyFacts | None = None) -> None:
        self._places = places
        self._variables = {**variables}
        self._made: dict[int, tuple[ComposedPolicy, Composed]] = dict(base._made) if base is not None else {}
        self.objects: dict[str, object] = dict(base.objects) if base is not None else {}
        self._written: dict[int, tuple[Slot, object]] = {}
        self._base = base

    def further(self, places: Places) -> PolicyFacts:
        """What makes further facts, beside these, and can be forgotten without them."""
        return PolicyFacts(places, self._variables, self)

    def placed(self, places: Places) -> PolicyFacts:
        """What makes facts with other places."""
        return PolicyFacts(places, self._variables)

    def name(self, variables: Mapping[int, str]) -> None:
        """Learn the names of more composed policies."""
        self._variables |= variables

    def live(self, slot: Slot) -> tuple[object] | None:
        """The value that stands in a slot that was made here, in a tuple of one."""
        found = self._written.get(id(slot))
        if found is not None:
            return (found[1],)
        return self._base.live(slot) if self._base is not None else None

    @property
    def composed(self) -> tuple[Composed, ...]:
        """Every composed policy that facts were made of."""
        return tuple(made for _, made in self._made.values())

    def applied(self, application: Application) -> Applied | None:
        """An application as a decorator, None for marks and for objects of other people."""
        policy = application.policy
        at = self._places.call(application.code, application.instruction)
        if isinstance(policy, ComposedPolicy):
            return Applied(self.composed_policy(policy), at)
        return Applied(self.declaration(policy, at), at) if isinstance(policy, Policy) else None

    def declaration(self, policy: Policy, near: At = NOWHERE) -> Declaration:
        """A policy; `near` is where it was applied, for a policy that does not know where it was made."""
        at = self.place(policy, near)
        positional = policy.schema.positional
        slots = {}
        for name, value in policy.written.items():
            position = None if name not in positional else -1 if isinstance(policy, Order) else positional.index(name)
            known = _READ.get(name, plain_of)(value)
            slot = slots[name] = Slot((known,), self._places.argument(at, name, position))
            self._written[id(slot)] = slot, value
            if is_a(value, (type, FunctionType)):
                self._remember(value)
            elif isinstance(known, Ref):
                self._remember(type(value))
        return Declaration(policy.schema.name, slots, at)

    def composed_policy(self, policy: ComposedPolicy) -> Composed:
        """A composed policy with all its members."""
        known = self._made.get(id(policy))
        if known is not None:
            return known[1]
        at = self.place(policy)
        made = Composed(
            Slot((value_of(policy.name),), self._places.argument(at, "name", 0)),
            tuple(self.member(member, at, position) for position, member in enumerate(policy.members, 1)),
            at,
            self._variables.get(id(policy)),
        )
        self._made[id(policy)] = policy, made
        return made

    def place(self, policy: Decorator, near: At = NOWHERE) -> At:
        """The call that made a policy."""
        site: Site | None = policy.site
        if site is None:
            return near
        return self._places.call(*site)

    def call(self, site: Site) -> At:
        """Where a call stands."""
        return self._places.call(*site)

    def argument(self, call: At, name: str) -> At:
        """An argument of a call, given by name."""
        return self._places.argument(call, name)

    def member(self, member: object, composed: At, position: int) -> Declaration | Composed | NotAPolicy:
        """What stands at a position among the arguments of a call that takes policies."""
        if isinstance(member, ComposedPolicy):
            return self.composed_policy(member)
        if isinstance(member, Policy):
            return self.declaration(member, composed)
        text = _shown(member, self._places.argument_text(composed, position))
        at = self._places.argument(composed, "", position)
        # An argument whose place is not known stands somewhere in the call.
        return NotAPolicy(text, at)

    def _remember(self, named: Any) -> None:
        # Two objects of one name cannot be told apart by it, so neither is known.
        name = full_name(named)
        self.objects[name] = named if self.objects.get(name, named) is named else None


def _shown(value: object, written: str | None) -> str:
    """What is no policy, as a message names it; `written` is how it stands in the source, if that was read."""
    known = value_of(value)
    if isinstance(known, Ref):
        return written.rpartition(".")[2] if written else known.short
    if known is not UNKNOWN:
        return show(known)
    return written or f"a {type(value).__name__}"
