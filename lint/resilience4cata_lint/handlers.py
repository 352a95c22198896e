"""What an `except` makes of the failure that it has caught, as far as its syntax tells."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Final, Literal

from resilience4cata.records import replace

from .candidates import last_name
from .symbols import HandlerFacts
from .syntax import Lines, Terms

Effect = Literal["swallowed", "converted", "raised again", "unknown"]

NESTED: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
"""Nodes whose insides happen at another time."""

# What writes a line somewhere: neither the work that may fail, nor a way to tell of a failure.
_REPORTING: Final = frozenset(
    {"critical", "debug", "error", "exception", "fatal", "info", "log", "print", "trace", "warn", "warning"}
)


# Context managers out of which some failures do not come.
_SUPPRESSING: Final = frozenset({"assertRaises", "assertRaisesRegex", "raises", "suppress"})


def is_harmless(call: ast.Call) -> bool:
    """Whether a call only reports what happens: `log.info(…)`, `print(…)`."""
    return last_name(call.func) in _REPORTING


def handler_facts(node: ast.ExceptHandler, terms: Terms, lines: Lines) -> HandlerFacts:
    """The facts of an `except`."""
    effect, raised = _effect(node)
    calls = (n.func for n in _own(node.body) if isinstance(n, ast.Call) and not is_harmless(n))
    return HandlerFacts(
        types=None if node.type is None else tuple(map(terms, _types(node.type))),
        effect=effect,
        span=lines.keyword(node) if node.type is None else lines.span(node.type),
        raised=None if raised is None else terms(raised),
        calls=tuple(map(terms, calls)) if effect == "swallowed" else (),
    )


def of_group(handler: HandlerFacts) -> HandlerFacts:
    """The facts of an `except*`: what it raises arrives in a group, and what it does not match goes on."""
    return handler if handler.effect == "raised again" else replace(handler, effect="unknown", raised=None, calls=())


def suppressed_by(manager: ast.expr, terms: Terms, lines: Lines) -> HandlerFacts | None:
    """What a context manager that is called `suppress` or the like keeps from those outside; None for others."""
    if not isinstance(manager, ast.Call) or last_name(manager.func) not in _SUPPRESSING:
        return None
    given = [argument for argument in manager.args if not isinstance(argument, ast.Starred)]
    types = tuple(terms(type_) for argument in given for type_ in _types(argument))
    # Its name alone tells what it does, so that its effect is not certain.
    return HandlerFacts(types if len(given) == len(manager.args) else None, "unknown", lines.span(manager), None, ())


def _types(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]


def _effect(node: ast.ExceptHandler) -> tuple[Effect, ast.expr | None]:
    raises = [inner for inner in _own(node.body) if isinstance(inner, ast.Raise)]
    if not raises:
        return "swallowed", None
    if any(_is_the_same(inner, node.name) for inner in raises):
        return "raised again", None
    # With another way out of the handler, nobody knows which one is taken.
    last = node.body[-1]
    if len(raises) > 1 or not isinstance(last, ast.Raise) or any(map(_is_way_out, _own(node.body))):
        return "unknown", None
    error = last.exc
    return "converted", error.func if isinstance(error, ast.Call) else error


def _is_the_same(node: ast.Raise, name: str | None) -> bool:
    return node.exc is None or (isinstance(node.exc, ast.Name) and node.exc.id == name)


def _is_way_out(node: ast.AST) -> bool:
    return isinstance(node, ast.Return | ast.Break | ast.Continue | ast.Yield | ast.YieldFrom)


def _own(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    """Every node below some statements that runs together with them."""
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        if not isinstance(node, NESTED):
            yield node
            stack.extend(ast.iter_child_nodes(node))
