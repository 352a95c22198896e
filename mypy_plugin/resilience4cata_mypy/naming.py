"""What nodes of mypy name: classes of ours, decorators of others, and what a definition's name is bound to."""

from __future__ import annotations

from typing import Final

from mypy.nodes import Expression, FuncDef, RefExpr, TypeAlias, TypeInfo, Var
from mypy.types import CallableType, Instance, get_proper_type

from resilience4cata.facts import UNKNOWN, Kind, Unknown
from resilience4cata.policies import inherit_policies, unguarded

from .carried import COMPOSED, POLICY_CLASSES

_ROOT: Final = "resilience4cata"
_OUR_CLASSES: Final = frozenset({*POLICY_CLASSES, COMPOSED})
_UNGUARDED: Final = f"{_ROOT}.unguarded"
_INHERIT: Final = f"{_ROOT}.inherit_policies"
# Where they are defined, which is the name that mypy knows.
_OWN: Final = {
    f"{mark.__module__}.{mark.__qualname__}": f"{_ROOT}.{mark.__name__}" for mark in (unguarded, inherit_policies)
}
KEEP_SIGNATURE: Final = frozenset(
    {
        "abc.abstractmethod",
        "builtins.classmethod",
        "builtins.staticmethod",
        "typing.final",
        "typing.override",
        _UNGUARDED,
        _INHERIT,
    }
)
"""Foreign decorators below or above which a function takes and returns what its definition says."""


def policy_class(callee: Expression) -> str | None:
    """The full name of the class of ours that an expression names (under any alias), None if it names no such."""
    target = callee.node if isinstance(callee, RefExpr) else None
    if isinstance(target, TypeAlias):
        aliased = get_proper_type(target.target)
        target = aliased.type if isinstance(aliased, Instance) else None
    return target.fullname if isinstance(target, TypeInfo) and target.fullname in _OUR_CLASSES else None


def names_policy_class(callee: Expression) -> bool:
    """Whether an expression is a variable that has a class of ours for its value, or another one of the same type."""
    variable = callee.node if isinstance(callee, RefExpr) else None
    typ = get_proper_type(variable.type) if isinstance(variable, Var) else None
    return isinstance(typ, CallableType) and typ.is_type_obj() and typ.type_object().fullname in _OUR_CLASSES


def holds_policy(expression: Expression) -> bool:
    """Whether an expression is a variable that holds a policy of ours."""
    variable = expression.node if isinstance(expression, RefExpr) else None
    typ = get_proper_type(variable.type) if isinstance(variable, Var) else None
    return isinstance(typ, Instance) and typ.type.fullname in _OUR_CLASSES


def foreign_name(expression: Expression) -> str | Unknown:
    """The full name of a decorator that is none of ours."""
    full_name = expression.fullname if isinstance(expression, RefExpr) else ""
    if not full_name:
        return UNKNOWN
    if full_name.startswith("typing_extensions."):
        return f"typing.{full_name.partition('.')[2]}"
    return _OWN.get(full_name, full_name)


def kind_of(node: FuncDef) -> Kind:
    """What a function's name is bound to."""
    if not node.info:
        return Kind.FUNCTION
    if node.is_property:
        return Kind.PROPERTY
    if node.is_static:
        return Kind.STATIC_METHOD
    return Kind.CLASS_METHOD if node.is_class else Kind.METHOD


def is_abstract(node: FuncDef) -> bool:
    """Whether a method has to be implemented by subclasses."""
    return node.abstract_status != 0
