"""One walk over the syntax tree of a file: which scopes there are, and what binds which name in them.

The walk keeps its own stack, because Python allows trees that are deeper than its recursion limit.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, NamedTuple

from resilience4cata.records import dataclass, field

from .syntax import Lines, is_for_checkers
from .terms import Position

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True)
class Draft:
    """A scope while it is being filled. `values` are bindings whose expression has not become a term yet, `attributes`
    the names that a function, or what is nested in it, asks of anything."""

    kind: Literal["module", "class", "function"]
    prefix: str
    parent: int | None
    comprehension: bool = False
    bindings: dict[str, list[Bound]] = field(default_factory=dict)
    stars: list[tuple[str, Position]] = field(default_factory=list)
    elsewhere: dict[str, Literal["global", "nonlocal"]] = field(default_factory=dict)
    attributes: set[str] = field(default_factory=set)
    annotations: dict[str, list[ast.expr]] = field(default_factory=dict)
    yields: bool = False
    open: bool = False


class Bound(NamedTuple):
    """A binding as the walk finds it; `value` is an import, an index with its kind, an expression, or None."""

    value: tuple[str, str | None] | tuple[Literal["function", "class"], int] | ast.expr | None
    position: Position
    conditional: bool
    anytime: bool
    annotated: bool
    for_checkers: bool


class Context(NamedTuple):
    """Where a node stands: its scope, whether it may be passed over, may come again, or is for type checkers alone."""

    scope: int
    conditional: bool = False
    loop: bool = False
    for_checkers: bool = False


class FunctionDraft(NamedTuple):
    node: Function
    scope: int
    body: int
    conditional: bool


class ClassDraft(NamedTuple):
    node: ast.ClassDef
    scope: int
    body: int
    conditional: bool


class CallDraft(NamedTuple):
    node: ast.Call
    scope: int


class Walk:
    """The result of a walk: drafts of everything, in the order it was met."""

    def __init__(self, tree: ast.Module, lines: Lines, module: str, is_package: bool) -> None:
        self.lines = lines
        self.scopes: list[Draft] = [Draft("module", "", None)]
        self.functions: list[FunctionDraft] = []
        self.classes: list[ClassDraft] = []
        self.calls: list[CallDraft] = []
        self.decorators: set[int] = set()
        self.variables: dict[int, str] = {}
        self.statements: set[int] = set()
        self.loads: set[str] = set()
        self.patched: set[tuple[str, str | None]] = set()
        self._package = module if is_package else module.rpartition(".")[0]
        self._stack: list[tuple[ast.AST, Context]] = []
        self._push(tree.body, Context(0))
        self._run()
        self._settle()

    def _run(self) -> None:
        stack = self._stack
        while stack:
            node, context = stack.pop()
            handler = _HANDLERS.get(type(node))
            if handler is None:
                self._push(children_of(node), context)
            else:
                handler(self, node, context)

    def _push(self, nodes: Sequence[ast.AST], context: Context) -> None:
        # What is pushed last is met first, and definitions are to be met in the order they are written.
        self._stack.extend([(node, context) for node in reversed(nodes)])

    def _bind(self, name: str, value: Any, position: Position, context: Context, *, annotated: bool = False) -> None:
        draft = self.scopes[context.scope]
        bound = Bound(value, position, context.conditional, context.loop, annotated, context.for_checkers)
        draft.bindings.setdefault(name, []).append(bound)

    def _new_scope(
        self, kind: Literal["class", "function"], prefix: str, parent: int, *, comprehension: bool = False
    ) -> int:
        self.scopes.append(Draft(kind, prefix, parent, comprehension))
        return len(self.scopes) - 1

    def _qualified(self, name: str, scope: int) -> str:
        return ".".join(filter(None, (self.scopes[scope].prefix, name)))

    def _function(self, node: Function, context: Context) -> None:
        body = self._new_scope("function", f"{self._qualified(node.name, context.scope)}.<locals>", context.scope)
        self.functions.append(FunctionDraft(node, context.scope, body, context.conditional))
        self._bind(node.name, ("function", len(self.functions) - 1), self.lines.end(node), context)
        self._decorated(node.decorator_list, context)
        self._arguments(node.args, context, body)
        if node.returns is not None:
            self._push([node.returns], context)
        self._push(node.body, Context(body))

    def _class(self, node: ast.ClassDef, context: Context) -> None:
        body = self._new_scope("class", self._qualified(node.name, context.scope), context.scope)
        self.classes.append(ClassDraft(node, context.scope, body, context.conditional))
        self._bind(node.name, ("class", len(self.classes) - 1), self.lines.end(node), context)
        self._decorated(node.decorator_list, context)
        self._push(node.bases, context)
        self._push([keyword.value for keyword in node.keywords], context)
        self._push(node.body, Context(body))

    def _decorated(self, decorators: list[ast.expr], context: Context) -> None:
        self.decorators.update(map(id, decorators))
        self._push(decorators, context)

    def _arguments(self, arguments: ast.arguments, context: Context, body: int) -> None:
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
        for argument in every:
            self._bind(argument.arg, None, (0, 0), Context(body))
            if argument.annotation is not None:
                self._push([argument.annotation], context)
        self._push(arguments.defaults, context)
        self._push([default for default in arguments.kw_defaults if default is not None], context)

    def _lambda(self, node: ast.Lambda, context: Context) -> None:
        body = self._new_scope("function", f"{self._qualified('<lambda>', context.scope)}.<locals>", context.scope)
        self._arguments(node.args, context, body)
        self._push([node.body], Context(body))

    def _comprehension(self, node: ast.AST, context: Context) -> None:
        prefix = f"{self._qualified('<comprehension>', context.scope)}.<locals>"
        body = self._new_scope("function", prefix, context.scope, comprehension=True)
        self._push(children_of(node), Context(body))

    def _import(self, node: ast.Import, context: Context) -> None:
        for alias in node.names:
            module = alias.name if alias.asname else alias.name.partition(".")[0]
            self._bind(alias.asname or module, (module, None), self.lines.end(node), context)

    def _import_from(self, node: ast.ImportFrom, context: Context) -> None:
        module = self._absolute(node)
        for alias in node.names:
            if alias.name == "*":
                self.scopes[context.scope].stars.append((module or "", self.lines.end(node)))
            else:
                value = None if module is None else (module, alias.name)
                self._bind(alias.asname or alias.name, value, self.lines.end(node), context)

    def _absolute(self, node: ast.ImportFrom) -> str | None:
        if not node.level:
            return node.module
        parts = self._package.split(".") if self._package else []
        if node.level - 1 >= len(parts):
            return None
        base = parts[: len(parts) - node.level + 1]
        return ".".join([*base, node.module] if node.module else base)

    def _assign(self, node: ast.Assign, context: Context) -> None:
        self._push([node.value], context)
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._bind(target.id, node.value, self.lines.end(node), context)
            elif not self._unpacked(target, node.value, context):
                self._push([target], context)
        if len(names) == len(node.targets) == 1:
            self.variables[id(node.value)] = self._qualified(names[0], context.scope)

    def _unpacked(self, target: ast.expr, value: ast.expr, context: Context) -> bool:
        """Bind `a, b = x, y` name by name, if it is that simple."""
        if not isinstance(target, ast.Tuple | ast.List) or not isinstance(value, ast.Tuple | ast.List):
            return False
        pairs = list(zip(target.elts, value.elts, strict=False))
        if len(target.elts) != len(value.elts) or any(isinstance(item, ast.Starred) for pair in pairs for item in pair):
            return False
        for name, item in pairs:
            if isinstance(name, ast.Name):
                self._bind(name.id, item, self.lines.end(value), context)
            else:
                self._push([name], context)
        return True

    def _annotated(self, node: ast.AnnAssign, context: Context) -> None:
        self._push([part for part in (node.value, node.annotation) if part is not None], context)
        if isinstance(node.target, ast.Name):
            self.scopes[context.scope].annotations.setdefault(node.target.id, []).append(node.annotation)
        if not isinstance(node.target, ast.Name):
            self._push([node.target], context)
        elif node.value is not None:
            self._bind(node.target.id, node.value, self.lines.end(node), context, annotated=True)
            self.variables[id(node.value)] = self._qualified(node.target.id, context.scope)
        elif self.scopes[context.scope].kind == "class":
            # Whether such a name exists on the class depends on who makes it: a subclass, a metaclass, nobody.
            self._bind(node.target.id, None, self.lines.end(node), context, annotated=True)

    def _name(self, node: ast.Name, context: Context) -> None:
        if isinstance(node.ctx, ast.Load):
            self.loads.add(node.id)
            return
        self._bind(node.id, None, self.lines.span(node)[:2], context)

    def _walrus(self, node: ast.NamedExpr, context: Context) -> None:
        scope = context.scope
        while self.scopes[scope].comprehension:
            scope = self.scopes[scope].parent or 0
        value = node.value if scope == context.scope else None  # a comprehension binds another thing each time
        self._bind(node.target.id, value, self.lines.end(node), Context(scope, conditional=True, loop=True))
        self._push([node.value], context)

    def _attribute(self, node: ast.Attribute, context: Context) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._patch(node.value, node.attr)
        scope: int | None = context.scope
        while scope is not None and self.scopes[scope].kind == "function":
            self.scopes[scope].attributes.add(node.attr)
            scope = self.scopes[scope].parent
        self._push([node.value], context)

    def _patch(self, owner: ast.expr, attribute: str | None) -> None:
        """Note that an attribute is set from outside; what is set on `self` belongs to the instance."""
        name = owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else ""
        if name != "self":
            self.patched.add((name, attribute))

    def _handler(self, node: ast.ExceptHandler, context: Context) -> None:
        if node.name:
            self._bind(node.name, None, (node.lineno, node.col_offset + 1), context)
        self._push(children_of(node), context)

    def _pattern(self, node: ast.MatchAs | ast.MatchStar | ast.MatchMapping, context: Context) -> None:
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if name is not None:
            self._bind(name, None, (node.lineno, node.col_offset + 1), context)
        self._push(children_of(node), context)

    def _elsewhere(self, node: ast.Global | ast.Nonlocal, context: Context) -> None:
        where: Literal["global", "nonlocal"] = "global" if isinstance(node, ast.Global) else "nonlocal"
        self.scopes[context.scope].elsewhere.update(dict.fromkeys(node.names, where))

    def _branches(self, node: ast.AST, context: Context) -> None:
        self._push(children_of(node), context._replace(conditional=True))

    def _if(self, node: ast.If, context: Context) -> None:
        branch = context._replace(conditional=True)
        self._push([node.test, *node.body], branch._replace(for_checkers=is_for_checkers(node.test)))
        self._push(node.orelse, branch)

    def _loop(self, node: ast.AST, context: Context) -> None:
        self._push(children_of(node), context._replace(conditional=True, loop=True))

    def _try(self, node: ast.Try, context: Context) -> None:
        branch = context._replace(conditional=True)
        self._push(node.finalbody, context)
        for part in (node.orelse, node.handlers, node.body):
            self._push(part, branch)

    def _call(self, node: ast.Call, context: Context) -> None:
        self.calls.append(CallDraft(node, context.scope))
        if isinstance(node.func, ast.Name):
            self._dynamic(node, node.func.id, context)
        self._push(children_of(node), context)

    def _dynamic(self, node: ast.Call, function: str, context: Context) -> None:
        """Note what calls of `setattr`, `exec` and their like may add."""
        if function in ("exec", "globals", "vars", "locals"):
            self.scopes[0 if function == "globals" else context.scope].open = True
        elif function in ("setattr", "delattr") and node.args:
            target = node.args[0]
            if isinstance(target, ast.Name) and target.id == "self":
                return
            name = node.args[1].value if len(node.args) > 1 and isinstance(node.args[1], ast.Constant) else None
            self._patch(target, name if isinstance(name, str) else None)
            scope: int | None = context.scope
            while scope is not None:
                if self.scopes[scope].kind == "class":
                    self.scopes[scope].open = True
                scope = self.scopes[scope].parent

    def _statement(self, node: ast.Expr, context: Context) -> None:
        self.statements.add(id(node.value))
        self._push([node.value], context)

    def _yield(self, node: ast.AST, context: Context) -> None:
        self.scopes[context.scope].yields = True
        self._push(children_of(node), context)

    def _settle(self) -> None:
        """Move names declared `global` or `nonlocal` to where they belong, and put bindings in order."""
        for draft in self.scopes:
            for name, where in draft.elsewhere.items():
                moved = draft.bindings.pop(name, [])
                target = self.scopes[0] if where == "global" else self._enclosing(draft, name)
                if moved and target is not None:
                    vague = [bound._replace(value=None, conditional=True, anytime=True) for bound in moved]
                    target.bindings.setdefault(name, []).extend(vague)
        for draft in self.scopes:
            for bounds in draft.bindings.values():
                bounds.sort(key=lambda bound: bound.position)
            draft.stars.sort(key=lambda star: star[1])

    def _enclosing(self, draft: Draft, name: str) -> Draft | None:
        parent = draft.parent
        while parent is not None:
            outer = self.scopes[parent]
            if outer.kind == "function" and name in outer.bindings and name not in outer.elsewhere:
                return outer
            parent = outer.parent
        return None


# Fields that hold no node that anybody looks at: operators, contexts, texts.
_DULL: Final = frozenset({"attr", "conversion", "ctx", "id", "kind", "op", "ops", "type_comment"})
_FIELDS: Final = {
    kind: tuple(name for name in kind._fields if name not in _DULL)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


def children_of(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below one, as `ast.iter_child_nodes` gives them but in half the time: a file has very many."""
    found: list[ast.AST] = []
    for name in _FIELDS[type(node)]:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


_HANDLERS: Final[dict[type, Callable[[Walk, Any, Context], None]]] = {
    ast.FunctionDef: Walk._function,
    ast.AsyncFunctionDef: Walk._function,
    ast.ClassDef: Walk._class,
    ast.Lambda: Walk._lambda,
    ast.ListComp: Walk._comprehension,
    ast.SetComp: Walk._comprehension,
    ast.DictComp: Walk._comprehension,
    ast.GeneratorExp: Walk._comprehension,
    ast.Import: Walk._import,
    ast.ImportFrom: Walk._import_from,
    ast.Assign: Walk._assign,
    ast.AnnAssign: Walk._annotated,
    ast.Name: Walk._name,
    ast.NamedExpr: Walk._walrus,
    ast.Attribute: Walk._attribute,
    ast.ExceptHandler: Walk._handler,
    ast.MatchAs: Walk._pattern,
    ast.MatchStar: Walk._pattern,
    ast.MatchMapping: Walk._pattern,
    ast.Global: Walk._elsewhere,
    ast.Nonlocal: Walk._elsewhere,
    ast.If: Walk._if,
    ast.Match: Walk._branches,
    ast.While: Walk._loop,
    ast.For: Walk._loop,
    ast.AsyncFor: Walk._loop,
    ast.Try: Walk._try,
    ast.TryStar: Walk._try,
    ast.Call: Walk._call,
    ast.Expr: Walk._statement,
    ast.Yield: Walk._yield,
    ast.YieldFrom: Walk._yield,
}
