"""One source file, read only after something was found in it: where arguments, definitions and decorators stand."""

from __future__ import annotations

import ast
import linecache
import re
from collections import defaultdict
from typing import NamedTuple

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Span(NamedTuple):
    """Lines and columns from 1, columns in characters, the end exclusive: the place of an `At` without its source."""

    line: int
    column: int
    end_line: int
    end_column: int


class Source:
    """The calls and definitions of a file. What is not found, or no longer where the code object says, is None."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        # By their end, which no two calls share; Python versions disagree on where a call within a chain starts.
        self._calls: dict[tuple[int, int], ast.Call] = {}
        self._definitions: defaultdict[str, list[Definition]] = defaultdict(list)
        self._paths: dict[str, Definition] = {}
        self._walk(ast.parse("".join(lines)), "")

    @classmethod
    def read(cls, filename: str) -> Source | None:
        """The file as it is now, None if it is gone or no longer Python."""
        linecache.checkcache(filename)
        lines = linecache.getlines(filename)
        try:
            return cls(lines) if lines else None
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    def in_characters(self, span: Span) -> Span:
        """A span whose columns count UTF-8 bytes, as code objects have it."""
        line, column, end_line, end_column = span
        return Span(line, self._column(line, column - 1), end_line, self._column(end_line, end_column - 1))

    def argument(self, call: Span, name: str, position: int | None) -> Span | None:
        """The value of the keyword `name`, else the positional argument `position` (-1: all of them) of a call."""
        node = self._calls.get(call[2:])
        if node is None:
            return None
        for keyword in node.keywords:
            if keyword.arg == name:
                return self._span(keyword.value)
        return self._positional(node, position)

    def argument_text(self, call: Span, position: int) -> str | None:
        """A positional argument as it is written."""
        node = self._calls.get(call[2:])
        if node is None or position >= len(node.args):
            return None
        return ast.unparse(node.args[position])

    def name_of(self, name: str, line: int) -> Span | None:
        """The name after `def` or `class` of the definition that begins on `line`, its decorators included."""
        node = self._definition(name, line)
        return None if node is None else self._name_span(node)

    def annotations(self, name: str, line: int) -> dict[str, str] | None:
        """The annotations of a function as they are written; that of the result as "return"."""
        node = self._definition(name, line)
        if node is None or isinstance(node, ast.ClassDef):
            return None
        given = node.args
        every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        found = {a.arg: ast.unparse(a.annotation) for a in every if a is not None and a.annotation is not None}
        return found if node.returns is None else found | {"return": ast.unparse(node.returns)}

    def name_of_path(self, qualname: str) -> Span | None:
        """The name in the last definition of a qualified name."""
        node = self._paths.get(qualname)
        return None if node is None else self._name_span(node)

    def decorator(self, name: str, line: int, decorator: str) -> Span | None:
        """The decorator that is written with the last name `decorator` on the definition that begins on `line`."""
        node = self._definition(name, line)
        for expression in () if node is None else node.decorator_list:
            if _last_name(expression) == decorator:
                return self._span(expression)
        return None

    def _definition(self, name: str, line: int) -> Definition | None:
        candidates = self._definitions.get(name, ())
        return next((node for node in candidates if _first_line(node) <= line <= node.lineno), None)

    def _walk(self, node: ast.AST, path: str) -> None:
        for child in ast.iter_child_nodes(node):
            below = path
            if isinstance(child, Definition):
                self._definitions[child.name].append(child)
                self._paths[path + child.name] = child
                below = f"{path}{child.name}." if isinstance(child, ast.ClassDef) else f"{path}{child.name}.<locals>."
            elif isinstance(child, ast.Call):
                self._calls[self._span(child)[2:]] = child
            self._walk(child, below)

    def _positional(self, node: ast.Call, position: int | None) -> Span | None:
        if position is None or not node.args:
            return None
        if position == -1:
            first, last = self._span(node.args[0]), self._span(node.args[-1])
            return Span(first.line, first.column, last.end_line, last.end_column)
        return self._span(node.args[position]) if position < len(node.args) else None

    def _name_span(self, node: Definition) -> Span | None:
        found = re.compile(r"(?:async\s+)?(?:def|class)\s+").match(self._lines[node.lineno - 1], self._start(node))
        if found is None:
            return None
        column = found.end() + 1
        return Span(node.lineno, column, node.lineno, column + len(node.name))

    def _start(self, node: Definition) -> int:
        return self._column(node.lineno, node.col_offset) - 1

    def _span(self, node: ast.expr) -> Span:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._column(node.lineno, node.col_offset)
        return Span(node.lineno, start, node.end_lineno, self._column(node.end_lineno, node.end_col_offset))

    def _column(self, line: int, offset: int) -> int:
        """The column in characters, from 1, for an offset in bytes, from 0."""
        text = self._lines[line - 1] if 0 < line <= len(self._lines) else ""
        return offset + 1 if text.isascii() else len(text.encode()[:offset].decode(errors="replace")) + 1


def _first_line(node: Definition) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _last_name(expression: ast.expr) -> str:
    if isinstance(expression, ast.Call):
        expression = expression.func
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else ""
