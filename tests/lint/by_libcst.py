"""From the source of one expression to a term, by libcst: what the linter's own reader, by `ast`, is held against.

libcst parses by a grammar of its own, counts columns in characters and knows where each bracket stands, so that the two
share no mistake.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any, Final

import libcst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from resilience4cata_lint.terms import (
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

_NAMED: Final = {"True": True, "False": False, "None": None}
_OWN_SCOPE: Final = ("ListComp", "SetComp", "DictComp", "GeneratorExp")


def read(source: str, line: int, column: int) -> Term | None:
    """The expression `source`, whose first character stands at `line` and `column` of its file.

    Returns None if libcst cannot read it (syntax newer than libcst).
    """
    # Parentheses let the expression run over several lines, as it may inside its statement.
    try:
        wrapper = MetadataWrapper(libcst.parse_module(f"({source})\n"), unsafe_skip_copy=True)
    except libcst.ParserSyntaxError:
        return None
    statement = wrapper.module.body[0] if wrapper.module.body else None
    body = statement.body[0] if isinstance(statement, libcst.SimpleStatementLine) else None
    if not isinstance(body, libcst.Expr):
        return None
    return _Reader(wrapper.resolve(PositionProvider), line, column)(body.value)


class _Reader:
    """Makes terms of libcst's expressions; `line` and `column` are those of the slice in its file."""

    def __init__(self, positions: Mapping[libcst.CSTNode, CodeRange], line: int, column: int) -> None:
        self._positions = positions
        self._line = line
        self._column = column

    def __call__(self, node: libcst.CSTNode, depth: int = 0) -> Term:
        if depth > MAX_DEPTH:
            return Opaque((), self._span(node))
        make = _MAKERS.get(type(node).__name__)
        return make(self, node, depth + 1) if make is not None else self._opaque(node, depth + 1)

    def _span(self, node: libcst.CSTNode) -> Span:
        found = self._positions[node]
        return (*self._place(found.start.line, found.start.column), *self._place(found.end.line, found.end.column))

    def _place(self, line: int, column: int) -> tuple[int, int]:
        # The slice's first line begins with our parenthesis.
        return self._line + line - 1, self._column + column - 1 if line == 1 else column + 1

    def _opaque(self, node: libcst.CSTNode, depth: int) -> Term:
        if type(node).__name__ in _OWN_SCOPE:
            return Opaque((), self._span(node))
        return Opaque(tuple(self._calls(node, depth)), self._span(node))

    def _calls(self, node: libcst.CSTNode, depth: int) -> list[Term]:
        # Nodes between expressions (elements, slices, operators) have no terms of their own.
        found: list[Term] = []
        for child in node.children:
            if isinstance(child, libcst.BaseExpression):
                found.extend(calls_in(self(child, depth)))
            elif depth <= MAX_DEPTH:
                found.extend(self._calls(child, depth + 1))
        return found

    def _name(self, node: libcst.Name, depth: int) -> Term:
        if node.value in _NAMED:
            return Constant(_NAMED[node.value], self._span(node))
        return Path((node.value,), self._span(node))

    def _attribute(self, node: libcst.Attribute, depth: int) -> Term:
        base = self(node.value, depth)
        if isinstance(base, Path):
            return Path((*base.parts, node.attr.value), self._span(node))
        return Attribute(base, node.attr.value, self._span(node))

    def _call(self, node: libcst.Call, depth: int) -> Term:
        arguments = tuple(
            Argument(self(a.value, depth), a.keyword.value if a.keyword is not None else None, len(a.star))
            for a in node.args
        )
        return Call(self(node.func, depth), arguments, self._span(node))

    def _text(self, node: libcst.BaseString, depth: int) -> Term:
        value = _evaluated(node)
        return self._opaque(node, depth) if value is None else Constant(value, self._span(node))

    def _number(self, node: libcst.BaseNumber, depth: int) -> Term:
        return number(ast.literal_eval(getattr(node, "value", "")), self._span(node))

    def _unary(self, node: libcst.UnaryOperation, depth: int) -> Term:
        operand, operator = self(node.expression, depth), type(node.operator).__name__
        if operator == "Minus":
            return negated(operand, self._span(node))
        if operator == "Plus" and isinstance(operand, Constant):
            return Constant(operand.value, self._span(node))
        return Opaque(calls_in(operand), self._span(node))

    def _display(self, node: libcst.Tuple | libcst.List | libcst.Set, depth: int) -> Term:
        items = tuple(self._element(element, depth) for element in node.elements)
        kind = type(node).__name__.lower()
        return Display(kind, items, self._display_span(node))  # type: ignore[arg-type]

    def _display_span(self, node: libcst.Tuple | libcst.List | libcst.Set) -> Span:
        """A tuple's own parentheses belong to it, as they do for everybody but libcst."""
        span = self._span(node)
        if type(node).__name__ != "Tuple" or not node.lpar:
            return span
        first, last = self._positions[node.lpar[-1]].start, self._positions[node.rpar[0]].end
        return (*self._place(first.line, first.column), *self._place(last.line, last.column))

    def _element(self, element: libcst.BaseElement, depth: int) -> Term:
        value = self(element.value, depth)
        return Starred(value, self._span(element)) if type(element).__name__ == "StarredElement" else value

    def _table(self, node: libcst.Dict, depth: int) -> Term:
        items: list[tuple[Term | None, Term]] = []
        for element in node.elements:
            key = getattr(element, "key", None)
            items.append((None if key is None else self(key, depth), self(element.value, depth)))
        return Table(tuple(items), self._span(node))

    def _choice(self, node: libcst.IfExp, depth: int) -> Term:
        return Choice(self(node.body, depth), self(node.orelse, depth), self._span(node))

    def _subscript(self, node: libcst.Subscript, depth: int) -> Term:
        items = tuple(self._index(element.slice, depth) for element in node.slice)
        return Subscript(self(node.value, depth), items, self._span(node))

    def _index(self, node: libcst.BaseSlice, depth: int) -> Term:
        value = getattr(node, "value", None)
        return self._opaque(node, depth) if value is None else self(value, depth)

    def _binary(self, node: libcst.BinaryOperation, depth: int) -> Term:
        kinds: dict[str, type[Either | Sum]] = {"Add": Sum, "BitOr": Either}
        kind = kinds.get(type(node.operator).__name__)
        if kind is None:
            return self._opaque(node, depth)
        return kind(self(node.left, depth), self(node.right, depth), self._span(node))

    def _lambda(self, node: libcst.Lambda, depth: int) -> Term:
        return Lambda(self._span(node))

    def _walrus(self, node: libcst.NamedExpr, depth: int) -> Term:
        return Named(self(node.value, depth), self._span(node))


def _evaluated(node: Any) -> str | None:
    """The value of a string without placeholders, however it is put together."""
    match type(node).__name__:
        case "SimpleString":
            value = ast.literal_eval(node.value)
            return value if isinstance(value, str) else None
        case "FormattedString":
            return _without_placeholders(node)
        case "ConcatenatedString":
            left, right = _evaluated(node.left), _evaluated(node.right)
            return left + right if left is not None and right is not None else None
        case _:
            return None


def _without_placeholders(node: Any) -> str | None:
    texts = [
        getattr(part, "value", None) if type(part).__name__ == "FormattedStringText" else None for part in node.parts
    ]
    if not all(isinstance(text, str) for text in texts):
        return None
    text = "".join(map(str, texts)).replace("{{", "{").replace("}}", "}")
    prefix = node.start.rstrip("'\"")
    value = ast.literal_eval(prefix.lower().replace("f", "") + node.start[len(prefix) :] + text + node.end)
    return value if isinstance(value, str) else None


_MAKERS: Final[dict[str, Callable[[_Reader, Any, int], Term]]] = {
    "Name": _Reader._name,
    "Attribute": _Reader._attribute,
    "Call": _Reader._call,
    "SimpleString": _Reader._text,
    "ConcatenatedString": _Reader._text,
    "FormattedString": _Reader._text,
    "Integer": _Reader._number,
    "Float": _Reader._number,
    "Imaginary": _Reader._number,
    "UnaryOperation": _Reader._unary,
    "Tuple": _Reader._display,
    "List": _Reader._display,
    "Set": _Reader._display,
    "Dict": _Reader._table,
    "IfExp": _Reader._choice,
    "Subscript": _Reader._subscript,
    "BinaryOperation": _Reader._binary,
    "Lambda": _Reader._lambda,
    "NamedExpr": _Reader._walrus,
}
