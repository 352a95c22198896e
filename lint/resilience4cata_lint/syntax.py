"""From `ast` nodes to terms, and from byte offsets to columns in characters."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any, Final

from .terms import (
    MAX_DEPTH,
    Argument,
    Attribute,
    Call,
    Choice,
    Constant,
    Display,
    Either,
    Lambda,
    Named,
    Opaque,
    Path,
    Position,
    Span,
    Starred,
    Subscript,
    Sum,
    Table,
    Term,
    calls_in,
    negated,
    number,
)

ELLIPSIS: Final = ("...",)
"""The parts of the path that stands for `...` in an annotation."""

_KEYWORD: Final = re.compile(r"(?:async[ \t\f]+)?(?:def|class)[ \t\f]+")
_NAME: Final = re.compile(r"\w+")

_OWN_SCOPE: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def is_for_checkers(test: ast.expr) -> bool:
    """Whether a condition holds for type checkers alone: `TYPE_CHECKING`, wherever it comes from."""
    name = test.attr if isinstance(test, ast.Attribute) else test.id if isinstance(test, ast.Name) else ""
    return name == "TYPE_CHECKING"


# What annotations of most fields and variables are.
_PLAIN_TYPES: Final = frozenset({"bool", "bytes", "float", "int", "object", "str"})


def may_name_class(annotation: ast.expr) -> bool:
    """Whether an annotation may name a class of the project."""
    if isinstance(annotation, ast.Constant):
        return isinstance(annotation.value, str)
    return not (isinstance(annotation, ast.Name) and annotation.id in _PLAIN_TYPES)


class Lines:
    """The lines of a text whose line ends are all `\\n`, and what `ast` says about places in it."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._ascii = text.isascii()

    def column(self, line: int, offset: int) -> int:
        """The column from 1 in characters of a UTF-8 offset."""
        if self._ascii or not 0 < line <= len(self._lines):
            return offset + 1
        text = self._lines[line - 1]
        return offset + 1 if text.isascii() else len(text.encode()[:offset].decode(errors="ignore")) + 1

    def span(self, node: ast.expr | ast.stmt | ast.alias | ast.arg) -> Span:
        """Where a node stands."""
        end_line, end_offset = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return node.lineno, self.column(node.lineno, node.col_offset), end_line, self.column(end_line, end_offset)

    def end(self, node: ast.expr | ast.stmt) -> Position:
        """Where a node ends."""
        return self.span(node)[2:]

    def keyword(self, node: ast.ExceptHandler) -> Span:
        """The word `except` of a handler."""
        column = self.column(node.lineno, node.col_offset)
        return node.lineno, column, node.lineno, column + len("except")

    def text(self, span: Span) -> str:
        """What stands at `span`."""
        first, column, last, end = span
        if first == last:
            return self._lines[first - 1][column - 1 : end - 1]
        return "\n".join(
            (self._lines[first - 1][column - 1 :], *self._lines[first : last - 1], self._lines[last - 1][: end - 1])
        )

    def name_span(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Span:
        """The name after `def` or `class`."""
        line, start = node.lineno, self.column(node.lineno, node.col_offset) - 1
        keyword = _KEYWORD.match(self._lines[line - 1], start)
        name = _NAME.match(self._lines[line - 1], keyword.end()) if keyword is not None else None
        # Only a backslash can tear keyword and name apart.
        while name is None and line < len(self._lines):
            line += 1
            name = next((m for m in _NAME.finditer(self._lines[line - 1]) if m.group() != "def"), None)
        if name is None:
            return node.lineno, start + 1, node.lineno, start + 1
        return line, name.start() + 1, line, name.end() + 1


class Terms:
    """Makes terms of expressions. With `annotation`, strings are read as the types they name."""

    def __init__(self, lines: Lines, *, annotation: bool = False) -> None:
        self._lines = lines
        self._annotation = annotation

    def __call__(self, node: ast.expr, depth: int = 0) -> Term:
        """The term for an expression; never fails."""
        if depth > MAX_DEPTH:
            return Opaque((), self._lines.span(node))
        make = _MAKERS.get(type(node))
        return make(self, node, depth + 1) if make is not None else self._opaque(node, depth + 1)

    def _opaque(self, node: ast.expr, depth: int) -> Term:
        if isinstance(node, _OWN_SCOPE):
            return Opaque((), self._lines.span(node))
        found = (self(child, depth) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
        return Opaque(tuple(call for term in found for call in calls_in(term)), self._lines.span(node))

    def _constant(self, node: ast.Constant, depth: int) -> Term:
        span, value = self._lines.span(node), node.value
        if isinstance(value, bool | str) or value is None:
            return (
                self._named_type(value, span, depth)
                if self._annotation and isinstance(value, str)
                else Constant(value, span)
            )
        if value is Ellipsis and self._annotation:
            return Path(ELLIPSIS, span)
        return number(value, span)

    def _named_type(self, text: str, span: Span, depth: int) -> Term:
        # Places inside the string are of no interest, the names are.
        try:
            tree = ast.parse(text.strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return Opaque((), span)
        return Terms(Lines(text.strip()), annotation=True)(tree.body, depth)

    def _joined(self, node: ast.JoinedStr, depth: int) -> Term:
        parts = [part.value if isinstance(part, ast.Constant) else None for part in node.values]
        if all(isinstance(part, str) for part in parts):
            return Constant("".join(map(str, parts)), self._lines.span(node))
        return self._opaque(node, depth)

    def _name(self, node: ast.Name, depth: int) -> Term:
        return Path((node.id,), self._lines.span(node))

    def _attribute(self, node: ast.Attribute, depth: int) -> Term:
        base = self(node.value, depth)
        if isinstance(base, Path):
            return Path((*base.parts, node.attr), self._lines.span(node))
        return Attribute(base, node.attr, self._lines.span(node))

    def _call(self, node: ast.Call, depth: int) -> Term:
        given = [
            (argument.value, None, 1) if isinstance(argument, ast.Starred) else (argument, None, 0)
            for argument in node.args
        ]
        named = [(k.value, k.arg, 0 if k.arg is not None else 2) for k in node.keywords]
        in_order = sorted((*given, *named), key=lambda a: (a[0].lineno, a[0].col_offset))
        arguments = tuple(Argument(self(value, depth), keyword, stars) for value, keyword, stars in in_order)
        return Call(self(node.func, depth), arguments, self._lines.span(node))

    def _display(self, node: ast.Tuple | ast.List | ast.Set, depth: int) -> Term:
        items = tuple(self(item, depth) for item in node.elts)
        kind = "tuple" if isinstance(node, ast.Tuple) else "list" if isinstance(node, ast.List) else "set"
        return Display(kind, items, self._lines.span(node))  # type: ignore[arg-type]

    def _starred(self, node: ast.Starred, depth: int) -> Term:
        return Starred(self(node.value, depth), self._lines.span(node))

    def _table(self, node: ast.Dict, depth: int) -> Term:
        pairs = zip(node.keys, node.values, strict=True)
        items = tuple((None if key is None else self(key, depth), self(value, depth)) for key, value in pairs)
        return Table(items, self._lines.span(node))

    def _choice(self, node: ast.IfExp, depth: int) -> Term:
        return Choice(self(node.body, depth), self(node.orelse, depth), self._lines.span(node))

    def _unary(self, node: ast.UnaryOp, depth: int) -> Term:
        operand, span = self(node.operand, depth), self._lines.span(node)
        if isinstance(node.op, ast.USub):
            return negated(operand, span)
        if isinstance(node.op, ast.UAdd) and isinstance(operand, Constant):
            return Constant(operand.value, span)
        return Opaque(calls_in(operand), span)

    def _subscript(self, node: ast.Subscript, depth: int) -> Term:
        base = self(node.value, depth)
        literal = self._annotation and isinstance(base, Path) and base.parts[-1] == "Literal"
        inner = Terms(self._lines) if literal else self
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) and node.slice.elts else [node.slice]
        return Subscript(base, tuple(inner(item, depth) for item in items), self._lines.span(node))

    def _binary(self, node: ast.BinOp, depth: int) -> Term:
        if not isinstance(node.op, ast.BitOr | ast.Add):
            return self._opaque(node, depth)
        kind = Either if isinstance(node.op, ast.BitOr) else Sum
        return kind(self(node.left, depth), self(node.right, depth), self._lines.span(node))

    def _lambda(self, node: ast.Lambda, depth: int) -> Term:
        return Lambda(self._lines.span(node))

    def _walrus(self, node: ast.NamedExpr, depth: int) -> Term:
        return Named(self(node.value, depth), self._lines.span(node))


_MAKERS: Final[dict[type, Callable[[Terms, Any, int], Term]]] = {
    ast.Constant: Terms._constant,
    ast.JoinedStr: Terms._joined,
    ast.Name: Terms._name,
    ast.Attribute: Terms._attribute,
    ast.Call: Terms._call,
    ast.Tuple: Terms._display,
    ast.List: Terms._display,
    ast.Set: Terms._display,
    ast.Starred: Terms._starred,
    ast.Dict: Terms._table,
    ast.IfExp: Terms._choice,
    ast.UnaryOp: Terms._unary,
    ast.Subscript: Terms._subscript,
    ast.BinOp: Terms._binary,
    ast.Lambda: Terms._lambda,
    ast.NamedExpr: Terms._walrus,
}
