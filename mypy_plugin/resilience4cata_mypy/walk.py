"""One walk over a file's statements: definitions, decorators, calls within calls, and what names are bound to.

It looks at names and places only, never at types, so what it finds holds for as long as the text does.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, Final, NamedTuple

from mypy.nodes import (
    AssertStmt,
    AssignmentExpr,
    AssignmentStmt,
    AwaitExpr,
    Block,
    CallExpr,
    ClassDef,
    ConditionalExpr,
    Context,
    Decorator,
    DelStmt,
    DictExpr,
    Expression,
    ExpressionStmt,
    FloatExpr,
    ForStmt,
    FuncDef,
    GlobalDecl,
    IfStmt,
    Import,
    ImportFrom,
    IndexExpr,
    IntExpr,
    LambdaExpr,
    ListExpr,
    MatchStmt,
    MemberExpr,
    MypyFile,
    NameExpr,
    NonlocalDecl,
    OperatorAssignmentStmt,
    OpExpr,
    OverloadedFuncDef,
    ReturnStmt,
    SetExpr,
    StarExpr,
    Statement,
    StrExpr,
    TryStmt,
    TupleExpr,
    WhileStmt,
    WithStmt,
)

from .capturing import captured

Span = tuple[int, int, int, int]
"""A place as mypy counts: line, column, end line, end column; lines from 1, columns from 0."""


def span(node: Context) -> Span:
    """Where a node stands. It identifies the node, also in the copies that mypy makes of a generic function."""
    if node.end_line is None and isinstance(node, LambdaExpr):
        # The oldest mypy gives it no end; its expression has one.
        return node.line, node.column, *span(node.expr())[2:]
    return node.line, node.column, node.end_line or node.line, node.end_column or node.column


_Children = Callable[[Any], Iterable[Expression | None]]

# The expressions that a policy may stand in; any other one is a leaf to us.
_CHILDREN: Final[dict[type, _Children]] = {
    AssignmentExpr: lambda node: (node.value,),
    AwaitExpr: lambda node: (node.expr,),
    ConditionalExpr: lambda node: (node.if_expr, node.else_expr),
    DictExpr: lambda node: (value for _, value in node.items),
    IndexExpr: lambda node: (node.base,),
    ListExpr: lambda node: node.items,
    MemberExpr: lambda node: (node.expr,),
    OpExpr: lambda node: (node.left, node.right),
    SetExpr: lambda node: node.items,
    StarExpr: lambda node: (node.expr,),
    TupleExpr: lambda node: node.items,
}


_LITERALS: Final = frozenset({FloatExpr, IntExpr, NameExpr, StrExpr, type(None)})


class ClosedBody(NamedTuple):
    """A function whose body was not visited yet."""

    first: int
    last: int
    function: FuncDef
    name: str


class Seen:
    """What a walk through a module found.

    `parents` has the call that a call is a direct argument of, `decorators` the spans of all decorators, `variables`
    the full name that a call's value is assigned to, `values` what each full name is assigned, `bindings` how often
    each is bound and `walruses` those that `:=` binds, `definitions` the full name of each function and class by the
    line it begins in. `closed` are the bodies that were put off, by line.
    """

    def __init__(self, module: str) -> None:
        self.module = module
        self.parents: dict[Span, CallExpr] = {}
        self.decorators: set[Span] = set()
        self.variables: dict[Span, str] = {}
        self.values: dict[str, Expression] = {}
        self.bindings: dict[str, int] = {}
        self.walruses: set[str] = set()
        self.definitions: dict[int, str] = {}
        self.closed: list[ClosedBody] = []

    def bind(self, variable: str, value: Expression | None = None) -> None:
        """Remember that a variable is bound, and to what if that is known."""
        self.bindings[variable] = self.bindings.get(variable, 0) + 1
        if value is not None:
            self.values[variable] = value
            if isinstance(value, CallExpr):
                self.variables[span(value)] = variable

    def close(self, function: FuncDef, name: str) -> None:
        """Put off the walk through a function's body until it matters; in most there is nothing of ours."""
        body = ClosedBody(function.line, function.end_line or function.line, function, name)
        if self.closed and self.closed[-1].first > body.first:
            insort(self.closed, body, key=first_line)
        else:
            self.closed.append(body)


first_line = attrgetter("first")


def has_global(block: Block) -> bool:
    """Whether a `global` statement stands in a body, so that it may bind names of the module."""
    for statement in block.body:
        if isinstance(statement, GlobalDecl):
            return True
        if isinstance(statement, FuncDef) and has_global(statement.body):
            return True
        blocks = _BLOCKS.get(type(statement))
        if blocks is not None and any(inner is not None and has_global(inner) for inner in blocks(statement)):
            return True
    return False


_BLOCKS: Final[dict[type, Callable[[Any], Iterable[Block | None]]]] = {
    Block: lambda node: (node,),
    Decorator: lambda node: (node.func.body,),
    ForStmt: lambda node: (node.body, node.else_body),
    IfStmt: lambda node: (*node.body, node.else_body),
    MatchStmt: lambda node: node.bodies,
    TryStmt: lambda node: (node.body, *node.handlers, node.else_body, node.finally_body),
    WhileStmt: lambda node: (node.body, node.else_body),
    WithStmt: lambda node: (node.body,),
}


class _Scope:
    """A body: the full name that names in it are appended to, and the names that belong to another body."""

    def __init__(self, name: str, *, in_function: bool = False) -> None:
        self.name = name
        self.in_function = in_function
        self.elsewhere: dict[str, str] = {}

    def full_name(self, name: str) -> str:
        return f"{self.elsewhere.get(name, self.name)}.{name}"


def _parts(targets: TupleExpr | ListExpr, value: Expression | None) -> Sequence[Expression | None]:
    """The values of `A, B = ValueError, KeyError`, one for each target; None where they are not written one by one."""
    count = len(targets.items)
    if not isinstance(value, TupleExpr | ListExpr) or len(value.items) != count:
        return [None] * count
    starred = any(isinstance(item, StarExpr) for item in (*targets.items, *value.items))
    return [None] * count if starred else value.items


class Walk:
    """Fills a record. Statements are visited recursively, expressions with a stack."""

    def __init__(self, seen: Seen) -> None:
        self.seen = seen

    def module(self, tree: MypyFile) -> None:
        """Walk through a file, but not through the bodies of its functions."""
        self.statements(tree.defs, _Scope(self.seen.module))

    def statements(self, body: Iterable[Statement], scope: _Scope) -> None:
        for statement in body:
            visit = _VISIT.get(type(statement))
            if visit is not None:
                visit(self, statement, scope)

    def blocks(self, blocks: Iterable[Block | None], scope: _Scope) -> None:
        for block in blocks:
            if block is not None:
                self.statements(block.body, scope)

    def expressions(self, scope: _Scope, *roots: Expression | None) -> None:
        pending: list[Expression | None] = list(roots)
        while pending:
            node = pending.pop()
            if node is None:
                continue
            if isinstance(node, CallExpr):
                pending.append(node.callee)
                for argument in node.args:
                    if isinstance(argument, CallExpr):
                        self.seen.parents[span(argument)] = node
                    pending.append(argument)
            elif isinstance(node, LambdaExpr):
                self.blocks((node.body,), _Scope(f"{self.seen.module}.<lambda>"))
            else:
                if isinstance(node, AssignmentExpr):
                    self.seen.walruses.add(scope.full_name(node.target.name))
                    self.target(node.target, scope, node.value)
                children = _CHILDREN.get(type(node))
                if children is not None:
                    pending.extend(children(node))

    def target(self, lvalue: Expression | None, scope: _Scope, value: Expression | None = None) -> None:
        """Note what an assignment's left side binds."""
        if isinstance(lvalue, NameExpr):
            self.seen.bind(scope.full_name(lvalue.name), value)
        elif isinstance(lvalue, TupleExpr | ListExpr):
            for item, part in zip(lvalue.items, _parts(lvalue, value), strict=True):
                self.target(item, scope, part)
        elif isinstance(lvalue, StarExpr):
            self.target(lvalue.expr, scope)
        elif isinstance(lvalue, MemberExpr) and lvalue.fullname:
            self.seen.bind(lvalue.fullname, value)

    def assignment(self, node: AssignmentStmt, scope: _Scope) -> None:
        value = node.rvalue if len(node.lvalues) == 1 else None
        for lvalue in node.lvalues:
            self.target(lvalue, scope, value)
        self.expressions(scope, node.rvalue)

    def function(self, node: FuncDef, scope: _Scope) -> None:
        name = scope.full_name(node.name)
        # What mypy's plugins add to a dataclass has the line of the class, which came first.
        self.seen.definitions.setdefault(node.line, name)
        self.seen.bind(name)
        for argument in node.arguments:
            if type(argument.initializer) not in _LITERALS:
                self.expressions(scope, argument.initializer)
        if scope.in_function:
            self.body(node, name)
        else:
            self.seen.close(node, name)

    def body(self, node: FuncDef, name: str) -> None:
        self.statements(node.body.body, _Scope(f"{name}.<locals>", in_function=True))

    def decorated(self, node: Decorator, scope: _Scope) -> None:
        self.decorator_list(node.original_decorators, scope)
        self.function(node.func, scope)

    def decorator_list(self, decorators: Sequence[Expression], scope: _Scope) -> None:
        for decorator in decorators:
            self.seen.decorators.add(span(decorator))
            if isinstance(decorator, CallExpr) and not _LITERALS.issuperset(map(type, decorator.args)):
                self.expressions(scope, decorator)

    def class_body(self, node: ClassDef, scope: _Scope) -> None:
        name = scope.full_name(node.name)
        self.seen.definitions[node.line] = name
        self.seen.bind(name)
        self.decorator_list(node.decorators, scope)
        self.statements(node.defs.body, _Scope(name, in_function=scope.in_function))

    def overloaded(self, node: OverloadedFuncDef, scope: _Scope) -> None:
        self.statements(node.items, scope)
        if node.impl is not None and node.impl not in node.items:
            self.statements((node.impl,), scope)

    def conditional(self, node: IfStmt, scope: _Scope) -> None:
        self.expressions(scope, *node.expr)
        self.blocks((*node.body, node.else_body), scope)

    def loop(self, node: ForStmt, scope: _Scope) -> None:
        # A body that runs often binds its names often, but always to the value of the same call.
        self.target(node.index, scope)
        self.expressions(scope, node.expr)
        self.blocks((node.body, node.else_body), scope)

    def while_loop(self, node: WhileStmt, scope: _Scope) -> None:
        self.expressions(scope, node.expr)
        self.blocks((node.body, node.else_body), scope)

    def context_managers(self, node: WithStmt, scope: _Scope) -> None:
        for target in node.target:
            self.target(target, scope)
        self.expressions(scope, *node.expr)
        self.blocks((node.body,), scope)

    def attempt(self, node: TryStmt, scope: _Scope) -> None:
        for variable in node.vars:
            self.target(variable, scope)
        self.blocks((node.body, *node.handlers, node.else_body, node.finally_body), scope)

    def match(self, node: MatchStmt, scope: _Scope) -> None:
        self.expressions(scope, node.subject)
        for name in captured(node):
            self.target(name, scope)
        self.blocks(node.bodies, scope)

    def of_module(self, node: GlobalDecl, scope: _Scope) -> None:
        scope.elsewhere.update(dict.fromkeys(node.names, self.seen.module))

    def of_outer_function(self, node: NonlocalDecl, scope: _Scope) -> None:
        # Which function around owns the name is not worth knowing: none of its values is for good.
        outer = scope.name
        while "." in outer:
            outer = outer.rpartition(".")[0]
            for name in node.names:
                self.seen.bind(f"{outer}.{name}")
                self.seen.bind(f"{outer}.{name}")

    def imports(self, node: Import, scope: _Scope) -> None:
        for name, alias in node.ids:
            self.seen.bind(scope.full_name(alias or name.partition(".")[0]))

    def imports_from(self, node: ImportFrom, scope: _Scope) -> None:
        for name, alias in node.names:
            self.seen.bind(scope.full_name(alias or name))

    def augmented(self, node: OperatorAssignmentStmt, scope: _Scope) -> None:
        self.target(node.lvalue, scope)

    def deletion(self, node: DelStmt, scope: _Scope) -> None:
        self.target(node.expr, scope)

    def expression(self, node: ExpressionStmt, scope: _Scope) -> None:
        self.expressions(scope, node.expr)

    def returned(self, node: ReturnStmt, scope: _Scope) -> None:
        self.expressions(scope, node.expr)

    def nested(self, node: Block, scope: _Scope) -> None:
        self.statements(node.body, scope)


_VISIT: Final[dict[type, Callable[[Walk, Any, _Scope], None]]] = {
    AssertStmt: lambda walk, node, scope: walk.expressions(scope, node.expr),
    AssignmentStmt: Walk.assignment,
    Block: Walk.nested,
    ClassDef: Walk.class_body,
    Decorator: Walk.decorated,
    DelStmt: Walk.deletion,
    ExpressionStmt: Walk.expression,
    ForStmt: Walk.loop,
    FuncDef: Walk.function,
    GlobalDecl: Walk.of_module,
    IfStmt: Walk.conditional,
    Import: Walk.imports,
    ImportFrom: Walk.imports_from,
    MatchStmt: Walk.match,
    NonlocalDecl: Walk.of_outer_function,
    OperatorAssignmentStmt: Walk.augmented,
    OverloadedFuncDef: Walk.overloaded,
    ReturnStmt: Walk.returned,
    TryStmt: Walk.attempt,
    WhileStmt: Walk.while_loop,
    WithStmt: Walk.context_managers,
}
