"""Which parameters a function runs through, read from mypy's syntax tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from mypy.nodes import (
    AssertStmt,
    AssignmentExpr,
    AssignmentStmt,
    AwaitExpr,
    Block,
    CallExpr,
    CastExpr,
    ComparisonExpr,
    ConditionalExpr,
    DelStmt,
    DictExpr,
    DictionaryComprehension,
    ExpressionStmt,
    ForStmt,
    FuncDef,
    GeneratorExpr,
    IfStmt,
    IndexExpr,
    ListComprehension,
    ListExpr,
    MatchStmt,
    MemberExpr,
    NameExpr,
    Node,
    OperatorAssignmentStmt,
    OpExpr,
    RaiseStmt,
    RefExpr,
    ReturnStmt,
    SetComprehension,
    SetExpr,
    StarExpr,
    TryStmt,
    TupleExpr,
    UnaryExpr,
    WhileStmt,
    WithStmt,
    YieldExpr,
    YieldFromExpr,
)
from mypy.types import CallableType, Instance, NoneType, Type, UnionType, get_proper_type

from resilience4cata.facts.familiar import LAZY, READING, REWINDING, RUNNING_THROUGH, SINGLE_PASS

_Parts = Callable[[Any], Iterable[Node | None]]

# What runs together with the node that it belongs to. Nested functions, lambdas and classes act at another time.
_PARTS: Final[dict[type, _Parts]] = {
    AssertStmt: lambda node: (node.expr, node.msg),
    AssignmentExpr: lambda node: (node.value,),
    AssignmentStmt: lambda node: (*node.lvalues, node.rvalue),
    AwaitExpr: lambda node: (node.expr,),
    Block: lambda node: node.body,
    CallExpr: lambda node: (node.callee, *node.args),
    CastExpr: lambda node: (node.expr,),
    ComparisonExpr: lambda node: node.operands,
    ConditionalExpr: lambda node: (node.cond, node.if_expr, node.else_expr),
    DictExpr: lambda node: (part for pair in node.items for part in pair),
    DictionaryComprehension: lambda node: (node.key, node.value, *_of_comprehension(node)),
    ExpressionStmt: lambda node: (node.expr,),
    ForStmt: lambda node: (node.expr, node.body, node.else_body),
    GeneratorExpr: lambda node: (node.left_expr, *_of_comprehension(node)),
    IfStmt: lambda node: (*node.expr, *node.body, node.else_body),
    IndexExpr: lambda node: (node.base, node.index),
    ListComprehension: lambda node: (node.generator,),
    ListExpr: lambda node: node.items,
    MatchStmt: lambda node: (node.subject, *node.guards, *node.bodies),
    MemberExpr: lambda node: (node.expr,),
    OpExpr: lambda node: (node.left, node.right),
    OperatorAssignmentStmt: lambda node: (node.rvalue,),
    RaiseStmt: lambda node: (node.expr, node.from_expr),
    ReturnStmt: lambda node: (node.expr,),
    SetComprehension: lambda node: (node.generator,),
    SetExpr: lambda node: node.items,
    StarExpr: lambda node: (node.expr,),
    TryStmt: lambda node: (node.body, *node.handlers, node.else_body, node.finally_body),
    TupleExpr: lambda node: node.items,
    UnaryExpr: lambda node: (node.expr,),
    WhileStmt: lambda node: (node.expr, node.body, node.else_body),
    WithStmt: lambda node: (*node.expr, node.body),
    YieldExpr: lambda node: (node.expr,),
    YieldFromExpr: lambda node: (node.expr,),
}

_BOUND: Final[dict[type, _Parts]] = {
    AssignmentExpr: lambda node: (node.target,),
    AssignmentStmt: lambda node: node.lvalues,
    DelStmt: lambda node: (node.expr,),
    ForStmt: lambda node: (node.index,),
    OperatorAssignmentStmt: lambda node: (node.lvalue,),
    WithStmt: lambda node: node.target,
}


def _of_comprehension(node: GeneratorExpr | DictionaryComprehension) -> Iterable[Node]:
    return (*node.sequences, *(condition for conditions in node.condlists for condition in conditions))


_RUN_THROUGH: Final[dict[type, _Parts]] = {
    DictionaryComprehension: lambda node: node.sequences,
    ForStmt: lambda node: (node.expr,),
    GeneratorExpr: lambda node: node.sequences,
    StarExpr: lambda node: (node.expr,),
    YieldFromExpr: lambda node: (node.expr,),
}


_NEVER_STREAMS: Final = frozenset(
    f"builtins.{name}" for name in ("bool", "bytes", "dict", "float", "int", "list", "set", "str")
)


def takes_streams(function: FuncDef) -> bool:
    """Whether a parameter is annotated to be an iterator or a stream."""
    typ = function.type
    return isinstance(typ, CallableType) and any(map(_is_stream, typ.arg_types))


def _is_stream(typ: Type) -> bool:
    found = get_proper_type(typ)
    if isinstance(found, Instance):
        # Most parameters are of these classes, and this is asked about every decorated function.
        if found.type.fullname in _NEVER_STREAMS:
            return False
        return not SINGLE_PASS.isdisjoint([base.fullname for base in found.type.mro])
    if not isinstance(found, UnionType):
        return False
    return all(_is_stream(item) or isinstance(get_proper_type(item), NoneType) for item in found.items)


def consumed(function: FuncDef) -> frozenset[str]:
    """The parameters that the body certainly runs through or reads, without those that it may begin again."""
    parameters = {argument.variable.name for argument in function.arguments}
    run_through: set[str] = set()
    renewed: set[str] = set()
    waiting: list[Node | None] = [function.body]
    while waiting:
        node = waiting.pop()
        kind = type(node)
        for part in _RUN_THROUGH[kind](node) if kind in _RUN_THROUGH else ():
            run_through |= _names_in(part)
        for part in _BOUND[kind](node) if kind in _BOUND else ():
            renewed |= _targets_in(part)
        if isinstance(node, CallExpr):
            run_through |= _run_through_by(node)
            if isinstance(node.callee, MemberExpr) and node.callee.name == REWINDING:
                renewed |= _targets_in(node.callee.expr)
        if kind in _PARTS:
            waiting += _PARTS[kind](node)
    return frozenset(run_through & parameters - renewed)


def _run_through_by(call: CallExpr) -> set[str]:
    if isinstance(call.callee, RefExpr) and call.callee.fullname in RUNNING_THROUGH:
        return {name for argument in call.args for name in _names_in(argument)}
    if isinstance(call.callee, MemberExpr) and call.callee.name in READING:
        return _names_in(call.callee.expr)
    return set()


def _names_in(node: Node | None) -> set[str]:
    """The name that is run through, or those that `enumerate` and its like take."""
    if isinstance(node, NameExpr):
        return {node.name}
    if not isinstance(node, CallExpr) or not isinstance(node.callee, NameExpr) or node.callee.name not in LAZY:
        return set()
    return {name for argument in node.args for name in _names_in(argument)}


def _targets_in(node: Node | None) -> set[str]:
    """The names that an assignment binds."""
    if isinstance(node, TupleExpr | ListExpr):
        return {name for item in node.items for name in _targets_in(item)}
    if isinstance(node, StarExpr):
        return _targets_in(node.expr)
    return {node.name} if isinstance(node, NameExpr) else set()
