"""What a function does, read from its syntax tree: calls, loops, and what becomes of failures.

Nested functions, lambdas and classes are left out: what they do happens at another time. The walk keeps its own stack,
like the one over the whole file.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from .handlers import NESTED, handler_facts, is_harmless
from .symbols import BodyFacts, CallFacts, HandlerFacts, TryFacts
from .syntax import Lines, Terms
from .terms import Attribute, Path

_READING: Final = frozenset({"read", "read1", "readinto", "readline", "readlines"})
_REWINDING: Final = "seek"

_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class _Context(NamedTuple):
    """Where a node stands: the loops and `try` bodies around it, the `try` statements whose handlers it is in, and
    whether its value is awaited or returned."""

    loops: tuple[int, ...] = ()
    tries: tuple[int, ...] = ()
    beside: tuple[int, ...] = ()
    awaited: bool = False
    returned: bool = False


class _TryDraft(NamedTuple):
    node: ast.Try
    loops: tuple[int, ...]


def body_of(node: ast.FunctionDef | ast.AsyncFunctionDef, terms: Terms, lines: Lines) -> BodyFacts:
    """The facts of a function's body; names in them mean what they mean in its scope."""
    return _Body(node, terms, lines).facts()


class _Body:
    def __init__(self, node: ast.FunctionDef | ast.AsyncFunctionDef, terms: Terms, lines: Lines) -> None:
        self._terms = terms
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
        self._callees: set[int] = set()
        self._attributes: list[tuple[str, ast.expr]] = []
        self._walk(node.body)

    def facts(self) -> BodyFacts:
        """Everything, calls in the order in which they are written."""
        calls = (fact for call, context in self._calls if (fact := self._call(call, context)) is not None)
        return BodyFacts(
            calls=tuple(sorted(calls, key=lambda fact: fact.span)),
            tries=tuple(self._try(index, draft) for index, draft in enumerate(self._tries)),
            loops=tuple(self._lines.span(loop) for loop in self._loops),
            returns_calls=bool(self._returns) and all(isinstance(value, ast.Call) for value in self._returns),
            consumed=tuple(sorted(self._consumed - self._renewed)),
            made=tuple((name, self._terms(value)) for name, value in self._made),
            handed_on=tuple(sorted(self._loads & (self._nested | {name for name, _ in self._made}))),
            attributes=tuple((name, self._terms(value)) for name, value in self._attributes),
        )

    # ------------------------------------------------------------ the walk

    def _walk(self, body: Iterable[ast.stmt]) -> None:
        stack: list[tuple[ast.AST, _Context]] = [(statement, _Context()) for statement in body]
        while stack:
            node, context = stack.pop()
            stack.extend(self._within(node, context))

    def _within(self, node: ast.AST, context: _Context) -> Iterator[tuple[ast.AST, _Context]]:
        """Note what a node says, and give what is to be looked at below it."""
        if isinstance(node, NESTED):
            self._nest(node)
            return
        below = context._replace(awaited=False, returned=False)
        match node:
            case ast.For() | ast.AsyncFor() | ast.While():
                yield from self._loop(node, below)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                yield from self._comprehension(node, below)
            case ast.Try() if node.handlers:
                yield from self._protected(node, below)
            case ast.Return(value=ast.expr() as value):
                yield from self._returned(value, below)
            case ast.Await(value=value):
                yield value, context._replace(awaited=True)
            case _:
                self._note(node, context)
                yield from ((child, below) for child in ast.iter_child_nodes(node))

    def _nest(self, node: ast.AST) -> None:
        """Whatever happens inside, and whenever: names may be used there in any way."""
        self._loads |= {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._nested.add(node.name)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, below: _Context) -> Iterator[tuple[ast.AST, _Context]]:
        self._loops.append(node)
        inside = below._replace(loops=(*below.loops, len(self._loops) - 1))
        if isinstance(node, ast.While):
            yield node.test, inside
        else:
            self._consume(node.iter)
            yield node.iter, below
            yield node.target, inside
        yield from ((statement, inside) for statement in node.body)
        yield from ((statement, below) for statement in node.orelse)

    def _comprehension(self, node: _Comprehension, below: _Context) -> Iterator[tuple[ast.AST, _Context]]:
        self._loops.append(node)
        inside = below._replace(loops=(*below.loops, len(self._loops) - 1))
        first, *others = node.generators
        self._consume(first.iter)
        yield first.iter, below
        yield from ((condition, inside) for condition in first.ifs)
        yield from ((generator, inside) for generator in others)
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        yield from ((result, inside) for result in results)

    def _protected(self, node: ast.Try, below: _Context) -> Iterator[tuple[ast.AST, _Context]]:
        index = len(self._tries)
        self._tries.append(_TryDraft(node, below.loops))
        inside, beside = below._replace(tries=(*below.tries, index)), below._replace(beside=(*below.beside, index))
        yield from ((statement, inside) for statement in node.body)
        yield from ((part, beside) for part in (*node.handlers, *node.finalbody))
        yield from ((statement, below) for statement in node.orelse)

    def _returned(self, value: ast.expr, below: _Context) -> Iterator[tuple[ast.AST, _Context]]:
        values = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
        self._returns += values
        yield from ((part, below._replace(returned=True)) for part in values)
        if isinstance(value, ast.IfExp):
            yield value.test, below

    def _note(self, node: ast.AST, context: _Context) -> None:
        match node:
            case ast.Call():
                self._calls.append((node, context))
                if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
                    self._asked(node.func.value.id, node.func.attr)
                # Called by its name, a function goes nowhere else.
                if isinstance(node.func, ast.Name):
                    self._callees.add(id(node.func))
            case ast.Name(id=name, ctx=ast.Load()):
                if id(node) not in self._callees:
                    self._loads.add(name)
            case ast.Raise():
                self._raises.append(context)
            case ast.comprehension():
                self._consume(node.iter)
            case ast.YieldFrom(value=value) | ast.Starred(value=value, ctx=ast.Load()):
                self._consume(value)
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                self._renewed.add(name)
            case ast.withitem(context_expr=ast.Call() as value, optional_vars=ast.Name(id=name)):
                self._made.append((name, value))
            case ast.Assign(targets=[target], value=value):
                self._assigned(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assigned(target, value)

    def _consume(self, value: ast.expr) -> None:
        if isinstance(value, ast.Name) and value.id in self._parameters:
            self._consumed.add(value.id)

    def _asked(self, name: str, attribute: str) -> None:
        if attribute == _REWINDING:
            self._renewed.add(name)
        elif attribute in _READING and name in self._parameters:
            self._consumed.add(name)

    def _assigned(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name) and isinstance(value, ast.Call):
            self._made.append((target.id, value))
        elif isinstance(target, ast.Attribute) and getattr(target.value, "id", None) == self._instance:
            self._attributes.append((target.attr, value))

    # ------------------------------------------------------------ records

    def _call(self, node: ast.Call, context: _Context) -> CallFacts | None:
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
        )

    def _try(self, index: int, draft: _TryDraft) -> TryFacts:
        node = draft.node
        outside = (context for call, context in self._calls if not is_harmless(call))
        places = (*outside, *self._raises)
        return TryFacts(
            handlers=tuple(self._handlers(node)),
            span=self._lines.span(node),
            all_of_it=all(index in (*context.tries, *context.beside) for context in places),
            leaves=any(isinstance(part[-1], ast.Return | ast.Break) for part in (node.body, node.orelse) if part),
            loops=draft.loops,
        )

    def _handlers(self, node: ast.Try) -> Iterator[HandlerFacts]:
        return (handler_facts(handler, self._terms, self._lines) for handler in node.handlers)
