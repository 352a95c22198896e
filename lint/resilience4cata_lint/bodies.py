"""What a function does, read from its syntax tree: calls, loops, and what becomes of failures.

Nested functions, lambdas and classes are left out: what they do happens at another time. The walk keeps its own stack,
like the one over the whole file.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from resilience4cata.facts.familiar import LAZY, READING, REWINDING

from .candidates import may_be_keyed
from .handlers import NESTED, handler_facts, is_harmless, of_group, suppressed_by
from .symbols import BodyFacts, CallFacts, HandlerFacts, TryFacts
from .syntax import Lines, Terms
from .terms import Attribute, Path
from .walk import children_of

_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class _Context(NamedTuple):
    """Where a node stands: the loops and `try` bodies around it, the `try` statements whose handlers it is in, and
    whether its value is awaited, returned or entered."""

    loops: tuple[int, ...] = ()
    tries: tuple[int, ...] = ()
    beside: tuple[int, ...] = ()
    awaited: bool = False
    returned: bool = False
    entered: bool = False


class _TryDraft(NamedTuple):
    node: ast.Try | ast.TryStar | ast.With | ast.AsyncWith
    loops: tuple[int, ...]
    handlers: tuple[HandlerFacts, ...]


def body_of(node: ast.FunctionDef | ast.AsyncFunctionDef, terms: Terms, lines: Lines) -> BodyFacts:
    """The facts of a function's body; names in them mean what they mean in its scope."""
    return _Body(node, terms, lines).facts()


class _Body:
    def __init__(self, node: ast.FunctionDef | ast.AsyncFunctionDef, terms: Terms, lines: Lines) -> None:
        self._node = node
        self._terms = terms
        self._types = Terms(lines, annotation=True)
        self._lines = lines
        arguments = node.args
        named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        self._parameters = frozenset(argument.arg for argument in named)
        self._instance = named[0].arg if named else ""
        self._calls: list[tuple[ast.Call, _Context]] = []
        self._loops: list[ast.stmt | ast.expr] = []
        self._tries: list[_TryDraft] = []
        self._raises: list[_Context] = []
        self._returns: list[ast.expr] = []
        self._consumed: set[str] = set()
        self._renewed: set[str] = set()
        self._made: list[tuple[str, ast.expr]] = []
        self._nested: set[str] = set()
        self._loads: set[str] = set()
        self._attributes: list[tuple[str, ast.expr]] = []
        self._declared: list[tuple[str, ast.expr]] = []
        self._stack: list[tuple[ast.AST, _Context]] = [(statement, _NOWHERE) for statement in node.body]
        self._walk()

    def facts(self) -> BodyFacts:
        """Everything, calls in the order in which they are written."""
        calls = (fact for call, context in self._calls if (fact := self._call_facts(call, context)) is not None)
        return BodyFacts(
            calls=tuple(sorted(calls, key=lambda fact: fact.span)),
            tries=tuple(self._try_facts(index, draft) for index, draft in enumerate(self._tries)),
            loops=tuple(self._lines.span(loop) for loop in self._loops),
            returns_calls=bool(self._returns) and all(isinstance(value, ast.Call) for value in self._returns),
            consumed=tuple(sorted(self._consumed - self._renewed)),
            made=tuple((name, self._terms(value)) for name, value in self._made),
            handed_on=tuple(sorted(self._loads & (self._nested | {name for name, _ in self._made}))),
            attributes=tuple((name, self._terms(value)) for name, value in self._attributes),
            declared=tuple((name, self._types(annotation)) for name, annotation in self._declared),
        )

    # ------------------------------------------------------------ the walk

    def _walk(self) -> None:
        stack = self._stack
        while stack:
            node, context = stack.pop()
            handler = _HANDLERS.get(type(node))
            if handler is not None:
                handler(self, node, context)
            else:
                self._push(children_of(node), context)

    def _push(self, nodes: Iterable[ast.AST], context: _Context) -> None:
        """Look at nodes later, of which nobody awaits, returns or enters the value."""
        if context.awaited or context.returned or context.entered:
            context = context._replace(awaited=False, returned=False, entered=False)
        self._stack += [(node, context) for node in nodes]

    def _enter(self, node: ast.expr, context: _Context) -> None:
        """Look later at what a `with` enters, or at what is run through."""
        self._stack.append((node, context._replace(awaited=False, returned=False, entered=True)))

    def _nest(self, node: ast.AST, context: _Context) -> None:
        """Whatever happens inside, and whenever: names may be used there in any way."""
        self._loads |= {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._nested.add(node.name)

    def _within_loop(self, node: ast.stmt | ast.expr, context: _Context) -> _Context:
        self._loops.append(node)
        outside = context._replace(awaited=False, returned=False, entered=False)
        return outside._replace(loops=(*context.loops, len(self._loops) - 1))

    def _for(self, node: ast.For | ast.AsyncFor, context: _Context) -> None:
        self._consume(node.iter)
        self._enter(node.iter, context)
        self._push(node.orelse, context)
        self._push([node.target, *node.body], self._within_loop(node, context))

    def _while(self, node: ast.While, context: _Context) -> None:
        self._push(node.orelse, context)
        self._push([node.test, *node.body], self._within_loop(node, context))

    def _comprehension(self, node: _Comprehension, context: _Context) -> None:
        first, *others = node.generators
        if isinstance(node, ast.GeneratorExp):
            if context.returned:
                # Whoever gets it runs through it; only what it begins with is made here.
                self._nest(node, context)
                self._push([first.iter], context)
                return
            self._push([first.iter], context)
        else:
            self._enter(first.iter, context)
        self._consume(first.iter)
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._push([*first.ifs, *others, *results], self._within_loop(node, context))

    def _generator(self, node: ast.comprehension, context: _Context) -> None:
        self._consume(node.iter)
        self._enter(node.iter, context)
        self._push([node.target, *node.ifs], context)

    def _try(self, node: ast.Try | ast.TryStar, context: _Context) -> None:
        index = len(self._tries)
        handlers = tuple(handler_facts(handler, self._terms, self._lines) for handler in node.handlers)
        if isinstance(node, ast.TryStar):
            handlers = tuple(map(of_group, handlers))
        self._tries.append(_TryDraft(node, context.loops, handlers))
        self._push(node.body, context._replace(tries=(*context.tries, index)))
        self._push([*node.handlers, *node.finalbody], context._replace(beside=(*context.beside, index)))
        self._push(node.orelse, context)

    def _return(self, node: ast.Return, context: _Context) -> None:
        if node.value is None:
            return
        values = [node.value.body, node.value.orelse] if isinstance(node.value, ast.IfExp) else [node.value]
        self._returns += values
        self._stack += [(value, context._replace(returned=True)) for value in values]
        if isinstance(node.value, ast.IfExp):
            self._push([node.value.test], context)

    def _await(self, node: ast.Await, context: _Context) -> None:
        self._stack.append((node.value, context._replace(awaited=True)))

    def _called(self, node: ast.Call, context: _Context) -> None:
        self._calls.append((node, context))
        function = node.func
        # Called by its name, a function goes nowhere else.
        own = [] if isinstance(function, ast.Name) else [function]
        self._push([*own, *node.args, *(keyword.value for keyword in node.keywords)], context)
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            if function.attr == REWINDING:
                self._renewed.add(function.value.id)
            elif function.attr in READING:
                self._consume(function.value)

    def _raise(self, node: ast.Raise, context: _Context) -> None:
        self._raises.append(context)
        self._push(children_of(node), context)

    def _run_through(self, node: ast.YieldFrom | ast.Starred, context: _Context) -> None:
        self._consume(node.value)
        self._enter(node.value, context)

    def _name(self, node: ast.Name, context: _Context) -> None:
        (self._loads if isinstance(node.ctx, ast.Load) else self._renewed).add(node.id)

    def _block(self, node: ast.With | ast.AsyncWith, context: _Context) -> None:
        for item in node.items:
            self._push([item], context)
            handler = suppressed_by(item.context_expr, self._terms, self._lines)
            if handler is not None:
                self._tries.append(_TryDraft(node, context.loops, (handler,)))
                context = context._replace(tries=(*context.tries, len(self._tries) - 1))
        self._push(node.body, context)

    def _with(self, node: ast.withitem, context: _Context) -> None:
        if isinstance(node.context_expr, ast.Call) and isinstance(node.optional_vars, ast.Name):
            self._made.append((node.optional_vars.id, node.context_expr))
        self._enter(node.context_expr, context)
        self._push([] if node.optional_vars is None else [node.optional_vars], context)

    def _assign(self, node: ast.Assign | ast.AnnAssign, context: _Context) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        value, target = node.value, targets[0]
        if isinstance(node, ast.AnnAssign) and isinstance(target, ast.Attribute) and self._is_own(target):
            self._declared.append((target.attr, node.annotation))
        if len(targets) == 1 and isinstance(target, ast.Name) and isinstance(value, ast.Call):
            self._made.append((target.id, value))
        elif len(targets) == 1 and value is not None and isinstance(target, ast.Attribute):
            self._set(target, value)
        self._push(targets if value is None else [value, *targets], context)

    def _set(self, target: ast.Attribute, value: ast.expr) -> None:
        if self._is_own(target):
            self._attributes.append((target.attr, self._given_first(value)))

    def _is_own(self, target: ast.Attribute) -> bool:
        """Whether an attribute is one of the instance."""
        return isinstance(target.value, ast.Name) and target.value.id == self._instance

    def _given_first(self, value: ast.expr) -> ast.expr:
        """The parameter of `client or Client()` and `client if client is not None else Client()`, of which the type
        says what both are; else the value itself."""
        first = value.body if isinstance(value, ast.IfExp) else value
        if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or):
            first = value.values[0]
        return first if isinstance(first, ast.Name) and first.id in self._parameters else value

    def _consume(self, value: ast.expr) -> None:
        if isinstance(value, ast.Name) and value.id in self._parameters:
            self._consumed.add(value.id)
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in LAZY:
            for argument in value.args:
                self._consume(argument)

    # ------------------------------------------------------------ records

    def _call_facts(self, node: ast.Call, context: _Context) -> CallFacts | None:
        function = self._terms(node.func)
        if not isinstance(function, Path | Attribute):
            return None
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        names = [value.id for value in values if isinstance(value, ast.Name)]
        return CallFacts(
            function=function,
            span=self._lines.span(node),
            keywords=tuple(keyword.arg for keyword in node.keywords if keyword.arg is not None),
            positional=sum(not isinstance(argument, ast.Starred) for argument in node.args),
            open=any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords),
            given=tuple(name for name in names if name in self._parameters - self._renewed),
            loops=context.loops,
            tries=context.tries,
            awaited=context.awaited,
            returned=context.returned,
            entered=context.entered,
            keyed=may_be_keyed(node, self._node),
        )

    def _try_facts(self, index: int, draft: _TryDraft) -> TryFacts:
        node = draft.node
        outside = (context for call, context in self._calls if not is_harmless(call))
        places = (*outside, *self._raises)
        parts = (node.body, getattr(node, "orelse", []))
        return TryFacts(
            handlers=draft.handlers,
            span=self._lines.span(node),
            all_of_it=all(index in (*context.tries, *context.beside) for context in places),
            leaves=any(_leaves(part) for part in parts),
            loops=draft.loops,
        )


def _leaves(part: list[ast.stmt]) -> bool:
    """Whether statements end by leaving the loop around them, perhaps from within a `with`."""
    last = part[-1] if part else None
    if isinstance(last, ast.With | ast.AsyncWith):
        return _leaves(last.body)
    return isinstance(last, ast.Return | ast.Break)


_NOWHERE: Final = _Context()
_HANDLERS: Final[dict[type, Callable[[_Body, Any, _Context], None]]] = {
    **dict.fromkeys(NESTED, _Body._nest),
    ast.For: _Body._for,
    ast.AsyncFor: _Body._for,
    ast.While: _Body._while,
    ast.ListComp: _Body._comprehension,
    ast.SetComp: _Body._comprehension,
    ast.DictComp: _Body._comprehension,
    ast.GeneratorExp: _Body._comprehension,
    ast.comprehension: _Body._generator,
    ast.Try: _Body._try,
    ast.TryStar: _Body._try,
    ast.With: _Body._block,
    ast.AsyncWith: _Body._block,
    ast.Return: _Body._return,
    ast.Await: _Body._await,
    ast.Call: _Body._called,
    ast.Raise: _Body._raise,
    ast.YieldFrom: _Body._run_through,
    ast.Starred: _Body._run_through,
    ast.Name: _Body._name,
    ast.withitem: _Body._with,
    ast.Assign: _Body._assign,
    ast.AnnAssign: _Body._assign,
}
