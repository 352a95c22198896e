"""Which names of a file may lead to the library, told before any other file is known.

`ours` come from an import of the library itself, `possible` ones from any module that is not of the standard library:
it may hand on what it got from us. Scopes are not told apart here; whether a name is shadowed where it is used is
decided when files are linked.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from typing import Final

from .walk import Walk

LIBRARY: Final = "resilience4cata"

_SENDING: Final = frozenset({"patch", "post"})
# The place of a duration, what constants are made of, and what is read once by mistake.
_USEFUL: Final = frozenset({"ContextVar", "datetime", "timedelta"})


class Candidates:
    """`ours`, `possible` and `original`: the name under which an imported one was exported."""

    def __init__(self, walk: Walk) -> None:
        self.ours: set[str] = set()
        self.possible: set[str] = set()
        self.original: dict[str, str] = {}
        self._assigned: list[tuple[str, str]] = []
        self._functions = {draft.node.name for draft in walk.functions}
        for name, value in _bindings(walk):
            self._add(name, value)
        for draft in walk.scopes:
            for module, _ in draft.stars:
                self._star(module)
        self._follow()

    def __bool__(self) -> bool:
        return bool(self.ours or self.possible)

    def _add(self, name: str, value: object) -> None:
        if isinstance(value, ast.expr):
            root = root_name(value)
            if root is not None:
                self._assigned.append((name, root))
        elif isinstance(value, tuple) and isinstance(value[0], str) and not isinstance(value[1], int):
            module, original = value
            if of_library(module):
                self.ours.add(name)
            elif module.partition(".")[0] not in sys.stdlib_module_names:
                self.possible.add(name)
            self.original[name] = original or ""

    def _star(self, module: str) -> None:
        if of_library(module):
            self.ours |= public_names()
        elif module.partition(".")[0] not in sys.stdlib_module_names:
            self.possible |= public_names()

    def _follow(self) -> None:
        """Names that are assigned from others lead where those do."""
        changed = True
        while changed:
            changed = False
            for name, root in self._assigned:
                for names in (self.ours, self.possible):
                    if root in names and name not in names:
                        names.add(name)
                        changed = True

    def certain(self, node: ast.Call) -> bool:
        """Whether a call is most likely one of ours, by its first or its last name."""
        root = root_name(node)
        if root in self.ours:
            return True
        last = last_name(node.func)
        return root in self.possible and (last in public_names() or self.original.get(root or "") in public_names())

    def applying(self, node: ast.Call) -> bool:
        """Whether a call may apply a policy to a function of this file: one that a name stands for.

        Then it is called with the function's name alone, and its value may be called at once.
        """
        function = node.func if isinstance(node.func, ast.Call) else node
        match function:
            case ast.Call(func=ast.Name(id=name), args=[ast.Name(id=argument)], keywords=[]):
                return argument in self._functions and name in self.possible
        return False

    def useful(self, node: ast.expr) -> bool:
        """Whether a value that is a call may matter to a policy: one of ours, or a `timedelta`, for example."""
        root = root_name(node)
        return root in self.ours or root in self.possible or last_name(node) in _USEFUL or root in _USEFUL


def _bindings(walk: Walk) -> Iterator[tuple[str, object]]:
    for draft in walk.scopes:
        for name, bounds in draft.bindings.items():
            for bound in bounds:
                yield name, bound.value


def of_library(module: str) -> bool:
    """Whether a module is the library or a part of it."""
    return module == LIBRARY or module.startswith(f"{LIBRARY}.")


@cache
def public_names() -> frozenset[str]:
    """What `from resilience4cata import *` binds."""
    import resilience4cata

    return frozenset(resilience4cata.__all__)


def root_name(node: ast.expr) -> str | None:
    """The name that an expression begins with: `a` in `a.b(c)[d].e`."""
    while True:
        match node:
            case ast.Name(id=name):
                return name
            case (
                ast.Attribute(value=node) | ast.Subscript(value=node) | ast.Call(func=node) | ast.NamedExpr(value=node)
            ):
                continue
            case _:
                return None


def may_be_keyed(node: ast.Call, function: ast.AST) -> bool:
    """Whether a request in a function carries an idempotency key, as far as names tell, or headers that are not seen.

    False for calls that are certainly no `post` and no `patch`: looking at everything takes time.
    """
    if last_name(node.func) not in _SENDING:
        return False
    for keyword in node.keywords:
        shown = isinstance(keyword.value, ast.Dict) and None not in keyword.value.keys
        if keyword.arg is None or (keyword.arg == "headers" and not shown):
            return True
    return any(_names_key(inner) for inner in ast.walk(function))


def _names_key(node: ast.AST) -> bool:
    match node:
        case (
            ast.Constant(value=str(text))
            | ast.Name(id=text)
            | ast.Attribute(attr=text)
            | ast.keyword(arg=str(text))
            | ast.arg(arg=text)
        ):
            return "idempot" in text.lower()
    return False


def last_name(node: ast.expr) -> str | None:
    """The last name of a callable: `c` in `a.b.c(d)`."""
    while isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None
