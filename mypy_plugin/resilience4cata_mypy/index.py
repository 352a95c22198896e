"""Where things stand in the file that is being checked: what mypy's nodes do not tell by themselves.

It answers what a definition is called in full (mypy keeps no path of functions), what a call is an argument or
decorator of, and which name a call's value is bound to for good.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from mypy.nodes import CallExpr, ClassDef, Context, Expression, FuncDef, MypyFile

from resilience4cata.comments import Marks, marks

from .walk import Seen, Walk, first_line, has_global, span


class FileIndex:
    """The answers for one file.

    `module` and `path` (relative to the working folder if below it) identify the file; `source` gives the lines of its
    text, and `may_contain` tells at once that a word is not in it.
    """

    def __init__(
        self, tree: MypyFile, source: Callable[[], Sequence[str]], may_contain: Callable[[bytes], bool]
    ) -> None:
        self._source = source
        self._may_contain = may_contain
        self.statements = tree.defs
        self._globals_known = False
        self.module = tree.fullname
        self.path = shown_path(tree.path)
        self._seen = Seen(self.module)
        self._walk = Walk(self._seen)
        self._walk.module(tree)

    @cached_property
    def lines(self) -> Sequence[str]:
        """The lines of the file's text."""
        return self._source()

    @cached_property
    def text(self) -> str:
        """The file's text."""
        return "\n".join(self.lines)

    def text_of(self, node: Context) -> str:
        """The lines that a node stands in."""
        return "\n".join(self.lines[node.line - 1 : node.end_line or node.line])

    @cached_property
    def attributes_set(self) -> frozenset[str]:
        """The names in assignments to attributes of anything: `Client.find = find`."""
        return frozenset(re.findall(r"\.(\w+)(?=\s*(?::[^=\n]*)?=(?!=))", self.text))

    @cached_property
    def _mentions_setattr(self) -> bool:
        return "setattr" in self.text

    def calls_setattr(self, cls: str, name: str) -> bool:
        """Whether `setattr` is called with a class of this name, or with anything and the name of the attribute."""
        if not self._mentions_setattr:
            return False
        word = re.escape(name)
        called = rf"\bsetattr\(\s*(?:(?:\w+\.)*{cls}\b|[\w.]+\s*,\s*[\"']{word}[\"'])"
        return re.search(called, self.text) is not None

    @cached_property
    def marks(self) -> Marks:
        """The comments that silence findings."""
        return marks(self.path, self.lines)

    def name_of(self, definition: FuncDef | ClassDef) -> str:
        """The full name of a function or class of this file: `acme.make.<locals>.inner`."""
        # By line alone: a copy that mypy makes of a generic function has lost its column, and no line begins two.
        if definition.line not in self._seen.definitions:
            self._open(definition.line)
        return self._seen.definitions.get(definition.line) or f"{self.module}.{definition.name}"

    def defines(self, definition: FuncDef) -> bool:
        """Whether a function stands in this file, as far as its place can tell."""
        return definition.line in self._seen.definitions

    def is_constant(self, variable: str) -> bool:
        """Whether a variable of this file is bound in exactly one place, so that its value cannot change."""
        return self._count(variable) == 1

    def is_bound(self, variable: str) -> bool:
        """Whether a variable of this file is bound somewhere, be it in a branch that mypy takes for dead."""
        return self._count(variable) > 0

    def is_rebound(self, variable: str) -> bool:
        """Whether a variable of this file is bound in several places."""
        return self._count(variable) > 1

    def is_decorator(self, expression: Expression) -> bool:
        """Whether an expression stands in a list of decorators."""
        place = span(expression)
        if place in self._seen.decorators:
            return True
        self._open(expression.line)
        return place in self._seen.decorators

    def parent_of(self, call: CallExpr) -> CallExpr | None:
        """The call that another one is a direct argument of."""
        self._open(call.line)
        return self._seen.parents.get(span(call))

    def variable_of(self, call: CallExpr) -> str | None:
        """The variable that holds this call's value and nothing else, ever."""
        self._open(call.line)
        variable = self._seen.variables.get(span(call))
        return variable if variable is not None and self.is_constant(variable) else None

    def value_of(self, variable: str) -> CallExpr | None:
        """The call whose value a variable of this file holds, the reverse of `variable_of`."""
        value = self._seen.values.get(variable)
        return value if isinstance(value, CallExpr) and self.is_constant(variable) else None

    def assigned(self, variable: str) -> Expression | None:
        """The expression that a variable of this file is bound to in the only place that binds it."""
        value = self._seen.values.get(variable)
        if value is None or not self.is_constant(variable):
            return None
        # `:=` may stand in expressions that the walk does not look into.
        by_walrus = len(re.findall(rf"\b{variable.rpartition('.')[2]}\s*:=", self.text))
        return value if by_walrus == (variable in self._seen.walruses) else None

    def _open(self, line: int) -> None:
        position = bisect_right(self._seen.closed, line, key=first_line) - 1
        if position >= 0 and line <= self._seen.closed[position].last:
            self._walk_through(position)

    def _walk_through(self, position: int) -> None:
        body = self._seen.closed.pop(position)
        self._walk.body(body.function, body.name)

    def _count(self, variable: str) -> int:
        if not self._globals_known and variable.rpartition(".")[0] == self.module:
            self._globals_known = True
            if self._may_contain(b"global "):
                for position in reversed(range(len(self._seen.closed))):
                    if has_global(self._seen.closed[position].function.body):
                        self._walk_through(position)
        return self._seen.bindings.get(variable, 0)


def shown_path(path: str) -> str:
    """A path as it is shown: relative to the working folder if it is below it, with forward slashes."""
    absolute = Path(path).absolute()
    try:
        return absolute.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return absolute.as_posix()


class Indexes:
    """The indexes of the files at hand.

    mypy goes through the files of an import cycle in turns, so a few are kept. Its nodes allow no weak references; the
    few trees that are kept too long are those that mypy would drop next.
    """

    _KEPT: Final = 8

    def __init__(self) -> None:
        self._by_tree: dict[MypyFile, FileIndex] = {}

    def get(self, tree: MypyFile) -> FileIndex | None:
        """The index of a file, if it was made of the text that the file has now.

        The daemon keeps a tree's identity when the file changes, but never its list of statements.
        """
        found = self._by_tree.get(tree)
        return found if found is not None and found.statements is tree.defs else None

    def make(
        self, tree: MypyFile, source: Callable[[], Sequence[str]], may_contain: Callable[[bytes], bool]
    ) -> FileIndex:
        """Make the index of a file, of which `source` and `may_contain` tell what `FileIndex` asks."""
        self._by_tree.pop(tree, None)
        while len(self._by_tree) >= self._KEPT:
            del self._by_tree[next(iter(self._by_tree))]
        made = self._by_tree[tree] = FileIndex(tree, source, may_contain)
        return made
