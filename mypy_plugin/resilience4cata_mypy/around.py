"""What may stand on the classes around a method, of which no more than their decorators in the same file is known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mypy.nodes import CallExpr, Expression, TypeInfo

from resilience4cata.facts import Composed, Declaration
from resilience4cata.facts.familiar import HARMLESS_CLASS_DECORATORS

from .extract import Reader
from .naming import foreign_name

# Modules whose classes carry no policies.
_WITHOUT_POLICIES: Final = frozenset({"abc", "builtins", "typing"})


def classes_known(info: TypeInfo | None) -> bool:
    """Whether no policies can stand on the class around or on its bases, which have lost them in mypy's cache."""
    return info is None or (not info.defn.decorators and bases_known(info))


def bases_known(info: TypeInfo) -> bool:
    """The same of the bases alone."""
    return not info.fallback_to_any and all(base.module_name in _WITHOUT_POLICIES for base in info.mro[1:])


def order_known(classes: Iterable[TypeInfo], reader: Reader) -> bool:
    """Whether none of these classes can carry an order for the layers of their methods."""
    return not any(_may_be_ordered(info, reader) for info in classes if info.module_name not in _WITHOUT_POLICIES)


def _may_be_ordered(info: TypeInfo, reader: Reader) -> bool:
    if info.fallback_to_any or info.module_name != reader.index.module:
        return True
    return any(_may_hold_order(decorator, reader) for decorator in info.defn.decorators)


def _may_hold_order(decorator: Expression, reader: Reader) -> bool:
    policy = reader.policy(decorator)
    if policy is not None:
        return _holds_order(policy)
    name = foreign_name(decorator.callee if isinstance(decorator, CallExpr) else decorator)
    return name not in HARMLESS_CLASS_DECORATORS


def _holds_order(policy: object) -> bool:
    if isinstance(policy, Composed):
        return not policy.closed or any(map(_holds_order, policy.members))
    return not isinstance(policy, Declaration) or policy.policy == "order"
