"""Python source as it is edited: the tree with offsets, and edits of texts, calls and lists of arguments."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

from ..syntax import Lines
from .text import Edit, Text

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Fix
    from resilience4cata.facts import At

Edits = tuple[Edit, ...]
"""The edits for one finding, all or none of which are made."""

Span: TypeAlias = tuple[int, int]
"""Two offsets."""

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_LITERAL: Final = re.compile(r"""[rRuU]?(?P<quote>'''|\"""|'|")(?P<body>.*)(?P=quote)""", re.DOTALL)
_SPECIAL: Final = frozenset("\\'\"{}")
_EMPTY_CALL: Final = re.compile(r"\s*\(\s*\)")


class Code:
    """A module as a tree. Raises ValueError or SyntaxError if it cannot be parsed, RecursionError if it is too deep."""

    def __init__(self, text: Text) -> None:
        self.text = text
        normal = text.whole.replace("\r\n", "\n").replace("\r", "\n")
        self.tree = ast.parse(normal)
        self._lines = Lines(normal)

    def span(self, node: ast.expr | ast.stmt | ast.alias) -> Span:
        """Where a node begins and ends."""
        line, column, end_line, end_column = self._lines.span(node)
        return self.text.offset(line, column), self.text.offset(end_line, end_column)

    def start(self, node: ast.keyword) -> int:
        """Where a named argument begins."""
        return self.text.offset(node.lineno, self._lines.column(node.lineno, node.col_offset))

    def within(self, at: At) -> Iterator[ast.expr]:
        """The expressions that lie in a place."""
        start, end = self.text.span(at)
        first = bisect_left(self._expressions, (start,), key=lambda known: known[:1])
        for index in range(first, len(self._expressions)):
            begins, ends, node = self._expressions[index]
            if begins > end:
                return
            if ends <= end:
                yield node

    def exactly(self, at: At) -> list[ast.expr]:
        """The expressions that stand in a place, from its first character to its last."""
        wanted = self.text.span(at)
        return [node for node in self.within(at) if self.span(node) == wanted]

    @cached_property
    def definitions(self) -> list[Definition]:
        """Every function and class."""
        return [node for node in ast.walk(self.tree) if isinstance(node, Definition)]

    @cached_property
    def _expressions(self) -> list[tuple[int, int, ast.expr]]:
        """Every expression with its offsets, in the order of these."""
        found = []
        for node in ast.walk(self.tree):
            # Within f-strings, older versions of Python give places that do not exist.
            with suppress(ValueError):
                if isinstance(node, ast.expr):
                    found.append((*self.span(node), node))
        return sorted(found, key=lambda known: known[:2])

    @cached_property
    def calls(self) -> list[ast.Call]:
        """Every call."""
        return [node for _, _, node in self._expressions if isinstance(node, ast.Call)]

    @cached_property
    def _callers(self) -> dict[Span, ast.Call]:
        callers = {}
        for call in self.calls:
            for value in values_of(call):
                with suppress(ValueError):
                    callers[self.span(value)] = call
        return callers

    def call_with(self, at: At) -> ast.Call | None:
        """The innermost call that has an argument with its value in this place."""
        return self._callers.get(self.text.span(at))

    def of(self, node: ast.expr | ast.stmt) -> str:
        """The source of a node."""
        start, end = self.span(node)
        return self.text.whole[start:end]


def values_of(call: ast.Call) -> list[ast.expr]:
    """The values of all arguments, positional ones first."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def is_plain(text: str) -> bool:
    """Whether a text is the same inside any quotes."""
    return text.isprintable() and _SPECIAL.isdisjoint(text)


def written(code: Code, fix: Fix, at: At) -> Edits | None:
    """Another text in the one literal in this place that says the word."""
    literals = list(_saying(code, fix.words[0], at))
    if len(literals) != 1 or not is_plain(fix.text):
        return None
    start, end = literals[0]
    return (Edit(start, end, fix.text),)


def _saying(code: Code, word: str, at: At) -> Iterator[Span]:
    """The insides of texts that are nothing but a word, as it is."""
    for node in code.within(at):
        if isinstance(node, ast.Constant) and node.value == word:
            found = _LITERAL.fullmatch(code.of(node))
            # Two texts side by side are one node as well, and an escape may say the same.
            if found is not None and found["body"] == word:
                start = code.span(node)[0]
                yield start + found.start("body"), start + found.end("body")


def renamed_argument(code: Code, fix: Fix, at: At) -> Edits | None:
    """Another name for the argument whose value stands in this place."""
    call, wanted = code.call_with(at), code.text.span(at)
    keywords = call.keywords if call is not None else []
    for keyword in keywords:
        if keyword.arg == fix.words[0] and code.span(keyword.value) == wanted:
            start = code.start(keyword)
            # Given twice, it would be an error of another kind.
            is_free = all(other.arg != fix.text for other in keywords)
            return (Edit(start, start + len(fix.words[0]), fix.text),) if is_free else None
    return None


def called(code: Code, fix: Fix, at: At) -> Edits | None:
    """`()` behind what stands in this place."""
    nodes = code.exactly(at)
    if any(isinstance(node, ast.Name | ast.Attribute) for node in nodes):
        end = code.text.span(at)[1]
        return (Edit(end, end, "()"),)
    return None


def referred(code: Code, fix: Fix, at: At) -> Edits | None:
    """The call in this place without its `()`."""
    for node in code.exactly(at):
        if isinstance(node, ast.Call) and not node.args and not node.keywords:
            start, end = code.span(node.func)[1], code.span(node)[1]
            if _EMPTY_CALL.fullmatch(code.text.whole, start, end):
                return (Edit(start, end, ""),)
    return None
