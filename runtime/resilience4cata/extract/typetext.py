"""Types as a person would write them in their own module: `User`, `list[Order]`, `str | None`."""

from __future__ import annotations

import ast
import re
import typing
from collections.abc import Callable, Mapping
from functools import reduce
from types import NoneType, UnionType
from typing import Annotated, Final, ForwardRef, Literal, TypeVar, Union

from ..policies.recorded import is_a

Lookup = Callable[[str], object]

# Old names of built-in generics.
_OLD_NAMES: Final[Mapping[str, str]] = {
    name: name.lower() for name in ("Dict", "FrozenSet", "List", "Set", "Tuple", "Type")
}


def text_of(type_: object) -> str:
    """A live type."""
    if type_ is None or type_ is NoneType:
        return "None"
    if type_ is Ellipsis:
        return "..."
    if isinstance(type_, list):
        return f"[{', '.join(map(text_of, type_))}]"
    if isinstance(type_, ForwardRef):
        return text_as_written(type_.__forward_arg__, _nothing)
    if isinstance(type_, str):
        return text_as_written(type_, _nothing)
    if isinstance(type_, TypeVar):
        return type_.__name__
    origin, arguments = typing.get_origin(type_), typing.get_args(type_)
    if origin in (Union, UnionType):
        return " | ".join(map(text_of, arguments))
    if origin is Annotated:
        return text_of(arguments[0])
    if origin is Literal:
        return f"Literal[{', '.join(map(_literal, arguments))}]"
    name = _name(type_ if origin is None else origin)
    return f"{name}[{', '.join(map(text_of, arguments))}]" if arguments else name


def text_as_written(annotation: str, lookup: Lookup) -> str:
    """An annotation in source form: last names, `|` for unions, and no quotes. `lookup` finds the value of a name."""
    text = annotation.strip()
    if text.isidentifier():
        return _Normal(lookup).name(text)
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        return text
    return ast.unparse(_Normal(lookup).visit(tree))


class _Normal(ast.NodeTransformer):
    """One spelling for what can be written in several ways."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup

    def name(self, written: str) -> str:
        found = self._lookup(written)
        return _name(found) if is_a(found, type) else _old_name(found) or written

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self.name(node.id), node.ctx)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return ast.Name(_OLD_NAMES.get(node.attr, node.attr) if _module(node) == "typing" else node.attr, node.ctx)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if not isinstance(node.value, str):
            return node
        try:
            inside = ast.parse(node.value.strip(), mode="eval").body
        except SyntaxError:
            return node
        return typing.cast("ast.AST", self.visit(inside))

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        name = ast.unparse(node.value).rpartition(".")[2]
        inside = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "Literal":  # its strings are values, not names
            return ast.Subscript(ast.Name(name), node.slice, node.ctx)
        if name == "Annotated":
            return typing.cast("ast.AST", self.visit(inside[0]))
        if name in ("Optional", "Union"):
            members = [typing.cast("ast.expr", self.visit(member)) for member in inside]
            return _union([*members, ast.Constant(None)] if name == "Optional" else members)
        return self.generic_visit(node)


def _union(members: list[ast.expr]) -> ast.expr:
    flat = [part for member in members for part in _alternatives(member)]
    return reduce(lambda left, right: ast.BinOp(left, ast.BitOr(), right), flat)


def _alternatives(member: ast.expr) -> list[ast.expr]:
    if isinstance(member, ast.BinOp) and isinstance(member.op, ast.BitOr):
        return [*_alternatives(member.left), *_alternatives(member.right)]
    return [member]


def _old_name(found: object) -> str | None:
    name = getattr(found, "_name", None) if type(found).__module__ == "typing" else None
    return _OLD_NAMES.get(name) if isinstance(name, str) else None


def _module(node: ast.Attribute) -> str:
    return node.value.id if isinstance(node.value, ast.Name) else ""


def _literal(value: object) -> str:
    name = getattr(value, "name", None)
    return f"{type(value).__name__}.{name}" if isinstance(name, str) else repr(value)


def _name(type_: object) -> str:
    name = getattr(type_, "__name__", None) or getattr(type_, "_name", None)
    return name.rpartition(".")[2] if isinstance(name, str) else re.sub(r"\[.*", "", str(type_)).rpartition(".")[2]


def _nothing(name: str) -> object:
    return None
