"""Facts that travel inside types: how a module learns what a policy imported from another one says.

The type of `external_call` in `external_call = resilience_policy("external-call", timeout("2s"))` is an `Instance`
whose `extra_attrs` hold what was written, under names that no program can spell. mypy stores and compares them like any
other part of a type, so they come back from its cache, and a change in them makes it check again whoever uses the
variable. Only names and values are stored, never places, since a moved line must not look like a changed interface.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from mypy.types import ExtraAttrs, Instance, LiteralType, ProperType, Type, get_proper_type

from resilience4cata.facts import NOWHERE, UNKNOWN, Composed, Declaration, NotAPolicy, Slot, Unknown
from resilience4cata.schema import POLICIES

from . import values

COMPOSED: Final = "resilience4cata.policies.composed.ComposedPolicy"
POLICY_CLASSES: Final[Mapping[str, str]] = {
    f"{schema.cls.__module__}.{schema.cls.__qualname__}": name for name, schema in POLICIES.items()
}
"""The policies by the full names of their classes."""

_ABOUT: Final = "@"
"""Holds what belongs to the whole policy; its absence means that nothing is known but the class."""


def with_facts(instance: Instance, policy: Declaration | Composed, text: Instance) -> Instance:
    """`instance` with all that is known of the policy in it; `text` is the type `str`."""
    carried = instance.copy_modified()
    attributes = {f"@{key}": _literal(value, text) for key, value in _flat(policy)}
    if isinstance(policy, Composed):
        for index, member in enumerate(policy.members):
            attributes[f"@{index:04}"] = _literal(_member(member), text)
    carried.extra_attrs = ExtraAttrs(attributes, None, None)
    return carried


def _literal(value: str, text: Instance) -> Type:
    return LiteralType(value, text)


def _flat(policy: Declaration | Composed) -> Iterator[tuple[str, str]]:
    """The parts of one policy, members aside, by key."""
    if isinstance(policy, Composed):
        yield "", json.dumps({"variable": policy.variable, "closed": policy.closed})
        yield "name", _slot(policy.name)
        return
    yield "", json.dumps({"closed": policy.closed})
    for name, slot in policy.slots.items():
        yield name, _slot(slot)


def _slot(slot: Slot) -> str:
    return f"{'' if slot.certain else '?'}{values.encode(slot.values)}"


def _member(member: Declaration | Composed | NotAPolicy | Unknown) -> str:
    """A member of a composed policy as text, its own members included."""
    if isinstance(member, Declaration):
        return json.dumps({"policy": member.policy, "parts": dict(_flat(member))})
    if isinstance(member, Composed):
        return json.dumps({"parts": dict(_flat(member)), "members": [_member(inner) for inner in member.members]})
    return "{}"


def policy_of(typ: ProperType | None) -> Declaration | Composed | None:
    """The policy that a value of this type is, as far as it is known; None if it is none of ours."""
    if not isinstance(typ, Instance):
        return None
    name = POLICY_CLASSES.get(typ.type.fullname)
    if name is None and typ.type.fullname != COMPOSED:
        return None
    return _read(name, parts_of(typ))


@lru_cache(maxsize=1024)
def _read(policy: str | None, items: tuple[tuple[str, str], ...]) -> Declaration | Composed:
    """The policy in a type; the same variable is read once for each place where it is used."""
    parts = dict(items)
    if policy is not None:
        return _declaration(policy, parts) if _ABOUT in parts else Declaration(policy, {}, NOWHERE, closed=False)
    if _ABOUT not in parts:
        return Composed(Slot((UNKNOWN,), NOWHERE), (), NOWHERE, closed=False)
    members = tuple(_read_member(parts[key]) for key in sorted(parts) if key[1:].isdigit())
    return _composed(parts, members)


def without_facts(typ: ProperType) -> ProperType:
    """The type of a policy of which nothing is known but its class."""
    if isinstance(typ, Instance) and typ.extra_attrs is not None:
        bare = typ.copy_modified()
        bare.extra_attrs = None
        return bare
    return typ


def parts_of(typ: Instance) -> tuple[tuple[str, str], ...]:
    """What a type carries, by key; nothing if nothing is known."""
    if typ.extra_attrs is None:
        return ()
    literals = ((key, get_proper_type(value)) for key, value in typ.extra_attrs.attrs.items() if key.startswith("@"))
    return tuple((key, str(literal.value)) for key, literal in literals if isinstance(literal, LiteralType))


def policy_name(cls: str) -> str | None:
    """The policy whose values are of this class; None for composed policies."""
    return POLICY_CLASSES.get(cls)


def _declaration(policy: str, parts: Mapping[str, str]) -> Declaration:
    slots = {key[1:]: _read_slot(part) for key, part in parts.items() if key != _ABOUT}
    return Declaration(policy, slots, NOWHERE, closed=json.loads(parts[_ABOUT])["closed"])


def _composed(parts: Mapping[str, str], members: tuple[Declaration | Composed | NotAPolicy | Unknown, ...]) -> Composed:
    about = json.loads(parts[_ABOUT])
    return Composed(_read_slot(parts["@name"]), members, NOWHERE, about["variable"], about["closed"])


def _read_slot(text: str) -> Slot:
    return Slot(values.decode(text.removeprefix("?")), NOWHERE, certain=not text.startswith("?"))


def _read_member(text: str) -> Declaration | Composed | Unknown:
    data = json.loads(text)
    if not data:
        return UNKNOWN
    parts = {f"@{key}": part for key, part in data["parts"].items()}
    if "policy" in data:
        return _declaration(data["policy"], parts)
    return _composed(parts, tuple(_read_member(member) for member in data["members"]))
