"""Policies as written, and decorators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..records import dataclass
from .values import NOWHERE, UNKNOWN, At, Slot, Unknown, Value

if TYPE_CHECKING:
    from .definitions import Definition


@dataclass(frozen=True, slots=True)
class Declaration:
    """One policy with the attributes that were written: `retry(max_attempts=3)`, or its table in a configuration file.

    `slots` holds every written attribute under its Python name, also names that the policy does not have; an attribute
    set to UNSET is not written. `closed` is False if `**options` may add more. `called` is False where the parentheses
    were forgotten (`@retry`). `positional` are arguments beyond those that the policy takes.
    """

    policy: str
    slots: Mapping[str, Slot]
    at: At
    closed: bool = True
    called: bool = True
    positional: tuple[Slot, ...] = ()

    def value(self, attribute: str) -> Value:
        """The one value written for `attribute`, else UNKNOWN (also when it is not written)."""
        slot = self.slots.get(attribute)
        return slot.value if slot is not None and slot.certain else UNKNOWN

    def writes(self, attribute: str) -> bool | None:
        """True or False if known; None behind `**options` or in a branch."""
        slot = self.slots.get(attribute)
        if slot is None:
            return False if self.closed else None
        return True if slot.certain else None


@dataclass(frozen=True, slots=True)
class NotAPolicy:
    """A member of a composed policy that is certainly no policy; `text` shows it."""

    text: str
    at: At


@dataclass(frozen=True, slots=True)
class Composed:
    """`resilience_policy("external-call", …)`.

    `variable` is the full dotted name it is bound to ("acme.policies.external_call"), None if it is not bound to a
    name. Members keep their written order; one that is not known is UNKNOWN. `name` is the slot of the first argument.
    """

    name: Slot
    members: tuple[Declaration | Composed | NotAPolicy | Unknown, ...]
    at: At
    variable: str | None = None
    closed: bool = True

    @property
    def title(self) -> str:
        """`resilience_policy("external-call")`, as messages name it."""
        name = self.name.value
        return f'resilience_policy("{name}")' if isinstance(name, str) else "resilience_policy(...)"


def declarations_in(policy: object) -> Iterator[Declaration]:
    """A policy, or those that a composed one holds, also within others."""
    if isinstance(policy, Declaration):
        yield policy
    elif isinstance(policy, Composed):
        for member in policy.members:
            yield from declarations_in(member)


@dataclass(frozen=True, slots=True)
class Applied:
    """A policy of ours in a list of decorators. `at` is the decorator's expression, without the `@`.

    `called_again` is True for a composed policy written with parentheses (`@external_call()`). `calls` are the full
    names of what its arguments call where they are evaluated once, when a module or class is made, but for those that
    make a name; `unbound` is `self` or `cls` where its arguments use it and nothing is called so.
    """

    policy: Declaration | Composed
    at: At
    called_again: bool = False
    calls: tuple[str, ...] = ()
    unbound: str = ""


@dataclass(frozen=True, slots=True)
class Foreign:
    """A decorator that is none of our policies; `name` is its full dotted name ("builtins.property"), or UNKNOWN.

    `callee` is its name where only the call that made an object leads to it ("flask.Flask().route"), and `literal` the
    text that is its first argument if it is a method that is called; "" where that is not known.
    """

    name: str | Unknown
    at: At
    callee: str = ""
    literal: str = ""


Decorator = Applied | Foreign


@dataclass(frozen=True, slots=True)
class Listener:
    """A function that is given to be called with events: `resilience.listen(StateTransition, notify)`.

    `method` is what it is given to and `at` the argument; `name` is the last one of the function, "" if it has none.
    `is_async` tells whether calling it gives a coroutine, None where that is not known.
    """

    method: str
    name: str
    is_async: bool | None
    at: At
    defined_at: At = NOWHERE


@dataclass(frozen=True, slots=True)
class Application:
    """A policy that a call applies to a function, `timeout("2s")(fetch)`, or a decorator on one in another's body.

    `target` is the id of the guarded function. `discarded` tells that nothing is done with the guarded function.
    `function` is the id of the function in whose body all this happens, "" outside of any; `called_once` that the
    guarded function is called there, in one place outside of loops, and goes nowhere else. `definition` is the
    function with all that a call puts around it among its decorators, the policy first; None for a decorator, and where
    the function is not known.
    """

    applied: Applied
    target: str | Unknown
    discarded: bool = False
    function: str = ""
    called_once: bool = False
    definition: Definition | None = None
