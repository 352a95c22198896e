"""What counts for a method of a class: its own policies, those of its class, and what both inherit.

The rules are those of the documentation: a class-level policy covers the public methods of the class and of its
subclasses; overriding a concrete method drops its policies, unless `@inherit_policies` takes them over; policies on an
abstract method apply to every implementation; method beats class, direct beats composed, attribute by attribute.
"""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Literal, NamedTuple

from .policies import ComposedPolicy, Policy
from .policies.declaration import Decorator
from .policies.recorded import Recorded, coverable, defines, is_abstract
from .policies.recording import INHERIT_POLICIES, UNGUARDED


class Level(NamedTuple):
    """Policies that stand in one place: on the class `owner`, or on its method."""

    kind: Literal["class", "method"]
    owner: type
    policies: tuple[Decorator, ...]


def levels(cls: type, method: str, recorded: Recorded | None = None) -> tuple[Level, ...]:
    """Everything that counts for calling `method` on `cls`, weakest first. `recorded` may be given to ask often."""
    return tuple(_levels(cls, method, recorded or Recorded()))


def attributes_of(levels: tuple[Level, ...]) -> Mapping[str, Mapping[str, Any]]:
    """What is written for each policy, merged: an attribute of a stronger level replaces a weaker one's."""
    merged: dict[str, dict[str, Any]] = {}
    for level in levels:
        for policy in _composed_first(level.policies):
            merged.setdefault(policy.schema.name, {}).update(policy.written)
    return merged


def import_package(name: str) -> Mapping[str, Exception]:
    """Import a package and every module in it, except those that run when they are imported (`__main__`).

    Returns the modules that could not be imported, each with what it raised; the others are imported all the same.
    """
    error = _import(name)
    if error is not None:
        return {name: error}
    failed: dict[str, Exception] = {}
    for module in pkgutil.iter_modules(getattr(sys.modules[name], "__path__", ()), f"{name}."):
        if module.ispkg:
            failed |= import_package(module.name)
        elif not module.name.endswith(".__main__") and (error := _import(module.name)) is not None:
            failed[module.name] = error
    return failed


def _import(name: str) -> Exception | None:
    try:
        import_module(name)
    except Exception as error:
        return error
    except SystemExit as error:
        # A script without a guard; its wish to end is not that of the process.
        return ImportError(f"{name} exits when it is imported (code {error.code})", name=name)
    return None


def _levels(cls: type, method: str, recorded: Recorded) -> Iterator[Level]:
    defining = [base for base in cls.__mro__ if defines(base, method)]
    if not defining:
        return
    definition = vars(defining[0])[method]
    if coverable(method, definition) and not recorded.marked(definition, UNGUARDED):
        yield from _class_levels(cls, method, defining[0], recorded)
    yield from reversed(list(_method_levels(defining, method, recorded)))


def _class_levels(cls: type, method: str, owner: type, recorded: Recorded) -> Iterator[Level]:
    """Class-level policies from the root downwards. A subclass's cover what it inherits only where that is guarded."""
    guarded_already = owner is not cls and any(True for _ in _levels(owner, method, recorded))
    for base in reversed(cls.__mro__):
        policies = recorded.policies(base)
        if policies and (base in owner.__mro__ or guarded_already):
            yield Level("class", base, policies)


def _method_levels(defining: list[type], method: str, recorded: Recorded) -> Iterator[Level]:
    """The method's own policies, then those that it takes over, strongest first."""
    takes_over = True
    for position, base in enumerate(defining):
        member = vars(base)[method]
        in_protocol = vars(base).get("_is_protocol") is True
        if position == 0 or takes_over or in_protocol or is_abstract(member, base):
            policies = recorded.policies(member)
            if policies:
                yield Level("method", base, policies)
        takes_over = takes_over and recorded.marked(member, INHERIT_POLICIES)


def _composed_first(policies: tuple[Decorator, ...]) -> Iterator[Policy]:
    """Single policies of one level, weakest first: those of composed ones, the innermost before, then direct ones."""
    for policy in policies:
        if isinstance(policy, ComposedPolicy):
            members: tuple[object, ...] = policy.members
            yield from _composed_first(tuple(member for member in members if isinstance(member, Decorator)))
    for policy in policies:
        if isinstance(policy, Policy):
            yield policy
