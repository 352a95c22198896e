"""What is given to be called with events."""

from __future__ import annotations

from mypy.nodes import CallExpr, Expression, FuncDef, MemberExpr, NameExpr, RefExpr
from mypy.types import AnyType, CallableType, Instance, Type, get_proper_type

from resilience4cata.facts import NOWHERE, Listener

from . import internals
from .extract import Reader

_COROUTINE = "typing.Coroutine"


def listener(call: CallExpr, callback: Expression, typ: Type, reader: Reader) -> Listener:
    """The facts of a callback that a call of `listen` or `listener` gives; `typ` is its type."""
    method = call.callee.name if isinstance(call.callee, MemberExpr) else ""
    node = callback.node if isinstance(callback, RefExpr) else None
    named = callback.name if isinstance(callback, NameExpr | MemberExpr) else ""
    here = isinstance(node, FuncDef) and reader.index.defines(node)
    return Listener(
        method,
        node.name if isinstance(node, FuncDef) else named,
        _gives_coroutine(typ),
        reader.at(callback),
        reader.name_at(node) if isinstance(node, FuncDef) and here else NOWHERE,
    )


def _gives_coroutine(typ: Type) -> bool | None:
    """Whether calling it gives a coroutine, and not a future or a task, which runs by itself."""
    function = get_proper_type(typ)
    result = get_proper_type(function.ret_type) if isinstance(function, CallableType) else None
    if result is None or isinstance(result, AnyType):
        return None
    return isinstance(result, Instance) and internals.supertype(result, _COROUTINE) is not None
