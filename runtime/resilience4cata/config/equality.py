"""Whether two values of one attribute mean the same, however each is spelled."""

from __future__ import annotations

from collections.abc import Hashable
from math import isnan

from ..facts import Items, Member, Ref, Unknown, Value, all_refs
from ..schema import Attribute, AttributeKind
from .defaults import nanoseconds


def same(attribute: Attribute, left: Value, right: Value) -> bool | None:
    """True or False if it is certain, None if it is not: "60s" and "1m" are the same, and so are one type and a
    tuple of it."""
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return None
    if left is None or right is None:
        return left is right
    match attribute.kind:
        case AttributeKind.DURATION:
            return _equal(nanoseconds(left), nanoseconds(right))
        case AttributeKind.INTEGER | AttributeKind.NUMBER:
            return _equal(_number(left), _number(right))
        case AttributeKind.BOOLEAN:
            return left == right if isinstance(left, bool) and isinstance(right, bool) else None
        case AttributeKind.EXCEPTIONS | AttributeKind.CLASSIFIER:
            return _same_references(left, right)
        case AttributeKind.LAYERS:
            return left == right if _are_members(left) and _are_members(right) else None
        case AttributeKind.MEMBER:
            return left == right if isinstance(left, Member) and isinstance(right, Member) else None
    return left == right if isinstance(left, str) and isinstance(right, str) else None


def _equal(left: Hashable, right: Hashable) -> bool | None:
    return None if left is None or right is None else left == right


def _number(value: Value) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    # That equals nothing, not even itself, and is refused where it is written.
    return None if isnan(value) else value


def _are_members(value: Value) -> bool:
    return isinstance(value, Items) and value.closed and all(isinstance(item, Member) for item in value.items)


def _same_references(left: Value, right: Value) -> bool | None:
    """By name. Two names may still be one class under two paths, unless it is known where each is defined."""
    ours, theirs = _references(left), _references(right)
    if ours is None or theirs is None:
        return None
    if {ref.name for ref in ours} == {ref.name for ref in theirs}:
        return True
    unmatched = {*ours, *theirs}
    return None if any(ref.ancestors is None for ref in unmatched) else False


def _references(value: Value) -> frozenset[Ref] | None:
    refs = all_refs(value)
    return None if refs is None else frozenset(refs)
