"""How a name of the library is reached in a module, and the edit that imports it if it is not."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from .code import Code, Edits
from .text import Edit

_LIBRARY: Final = "resilience4cata"


def reference(code: Code, name: str) -> tuple[str, Edits] | None:
    """The expression for a name of the library, and edits that make it one. None if the name is taken."""
    statements = [node for node in code.tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    own = [s for s in statements if isinstance(s, ast.ImportFrom) and s.module == _LIBRARY and not s.level]
    for alias in (alias for statement in own for alias in statement.names):
        if alias.name == name:
            return alias.asname or name, ()
    if not own:
        for alias in (a for s in statements if isinstance(s, ast.Import) for a in s.names):
            if alias.name == _LIBRARY:
                return f"{alias.asname or _LIBRARY}.{name}", ()
    if name in set(_bound(code)):
        return None
    edit = (_joining(code, own[0], name) if own else None) or _new_line(code, statements, name)
    return None if edit is None else (name, (edit,))


def _bound(code: Code) -> Iterator[str]:
    """Every name that the module gives to something, wherever."""
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name


def _joining(code: Code, statement: ast.ImportFrom, name: str) -> Edit | None:
    """The name in its place in a list that is there, which is taken for sorted; None where a comment stands in it."""
    aliases = statement.names
    if aliases[0].name == "*" or "#" in code.of(statement):
        return None
    spans = [code.span(alias) for alias in aliases]
    lines = [alias.lineno for alias in aliases]
    is_list_of_lines = lines[0] != statement.lineno and len(set(lines)) == len(lines)
    first = spans[0][0]
    separator = f",{code.text.newline(first)}{code.text.before(first)}" if is_list_of_lines else ", "
    if code.text.before(first).strip() and is_list_of_lines:
        return None
    following = next((i for i, alias in enumerate(aliases) if _sorting(alias.name) > _sorting(name)), None)
    if following is None:
        return Edit(spans[-1][1], spans[-1][1], f"{separator}{name}")
    return Edit(spans[following][0], spans[following][0], f"{name}{separator}")


def _sorting(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest, as isort and ruff have it."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, name


def _new_line(code: Code, statements: Sequence[ast.Import | ast.ImportFrom], name: str) -> Edit | None:
    """An import of its own, below the last absolute one of those that the module begins with."""
    line = f"from {_LIBRARY} import {name}"
    head = _head(code)
    absolute = [s for s in head if not (isinstance(s, ast.ImportFrom) and s.level)]
    if absolute:
        last = code.span(absolute[-1])[1]
        rest = code.text.rest(last)
        if rest and not rest.startswith("#"):
            return None
        newline, after = code.text.newline(last), code.text.line_end(last)
        is_apart = _module(absolute[-1]) in sys.stdlib_module_names
        return Edit(after, after, f"{newline if is_apart else ''}{line}{newline}")
    body = code.tree.body
    following = body[1] if _is_docstring(body[0]) and len(body) > 1 else body[0]
    decorators = getattr(following, "decorator_list", ())
    start = code.text.line_start(min(code.span(node)[0] for node in (following, *decorators)))
    newline = code.text.newline(start)
    blank_lines = 2 if isinstance(following, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else 1
    return Edit(start, start, line + newline * (blank_lines + 1))


def _head(code: Code) -> list[ast.Import | ast.ImportFrom]:
    """The imports that a module begins with."""
    found: list[ast.Import | ast.ImportFrom] = []
    for index, node in enumerate(code.tree.body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        elif index or not _is_docstring(node):
            break
    return found


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _module(statement: ast.Import | ast.ImportFrom) -> str:
    name = statement.module or "" if isinstance(statement, ast.ImportFrom) else statement.names[0].name
    return name.partition(".")[0]
