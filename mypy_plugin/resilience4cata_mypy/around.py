"""What may stand on the classes around a method, of which no more than their decorators in the same file is known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mypy.nodes import CallExpr, Expression, FuncDef, TypeInfo

from resilience4cata.facts import Composed, Declaration
from resilience4cata.facts.familiar import HARMLESS_CLASS_DECORATORS

from .extract import Reader
from .naming import foreign_name

# Modules whose classes carry no policies.
_WITHOUT_POLICIES: Final = frozenset({"abc", "builtins", "typing"})


def classes_with_policies(info: TypeInfo | None, reader: Reader, name: str = "") -> tuple[TypeInfo, ...] | None:
    """The class and the bases that carry policies, nearest first; None where that cannot be told.

    `name` is that of a method: where a base defines it under a decorator, the method may have policies from there.
    """
    if info is None:
        return ()
    if info.fallback_to_any:
        return None
    found = []
    for base in info.mro:
        if base.module_name in _WITHOUT_POLICIES:
            continue
        # What stands on those of other files is lost in mypy's cache.
        if base.module_name != reader.index.module or (base is not info and _is_decorated(base, name)):
            return None
        policies = [reader.policy(decorator) for decorator in base.defn.decorators]
        strangers = (d for d, policy in zip(base.defn.decorators, policies, strict=True) if policy is None)
        if not all(map(is_harmless, strangers)):
            return None
        if any(policy is not None for policy in policies):
            found.append(base)
    return tuple(found)


def _is_decorated(info: TypeInfo, name: str) -> bool:
    found = info.names.get(name)
    return found is not None and not isinstance(found.node, FuncDef)


def is_harmless(decorator: Expression) -> bool:
    """Whether a decorator of a class, none of ours, leaves its methods as they are."""
    name = foreign_name(decorator.callee if isinstance(decorator, CallExpr) else decorator)
    return name in HARMLESS_CLASS_DECORATORS


def order_known(classes: Iterable[TypeInfo], reader: Reader) -> bool:
    """Whether none of these classes can carry an order for the layers of their methods."""
    return not any(_may_be_ordered(info, reader) for info in classes if info.module_name not in _WITHOUT_POLICIES)


def _may_be_ordered(info: TypeInfo, reader: Reader) -> bool:
    if info.fallback_to_any or info.module_name != reader.index.module:
        return True
    return any(_may_hold_order(decorator, reader) for decorator in info.defn.decorators)


def _may_hold_order(decorator: Expression, reader: Reader) -> bool:
    policy = reader.policy(decorator)
    return _holds_order(policy) if policy is not None else not is_harmless(decorator)


def _holds_order(policy: object) -> bool:
    if isinstance(policy, Composed):
        return not policy.closed or any(map(_holds_order, policy.members))
    return not isinstance(policy, Declaration) or policy.policy == "order"
