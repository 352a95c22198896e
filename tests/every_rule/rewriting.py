"""The same program with the library imported in other ways. Lines keep their numbers, columns do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import libcst as cst
from libcst import metadata

LIBRARY = "resilience4cata"
TOOLBOX = "toolbox"

Renamed = Mapping[str, str]


class Rewriting(NamedTuple):
    """A way to import: what each imported name is called in the code, and the line that imports the names."""

    name: str
    call: Callable[[str], str]
    line: Callable[[Sequence[str]], str]
    toolbox: bool = False


def _aliases(names: Sequence[str]) -> str:
    return f"from {LIBRARY} import {', '.join(f'{name} as {_again(name)}' for name in names)}"


def _again(name: str) -> str:
    return "again" if name == "retry" else f"own_{name}"


REWRITINGS = (
    Rewriting("module", lambda name: f"r.{name}", lambda _: f"import {LIBRARY} as r"),
    Rewriting("alias", _again, _aliases),
    Rewriting("re-export", lambda name: name, lambda names: f"from .{TOOLBOX} import {', '.join(names)}", toolbox=True),
)


class _Import(NamedTuple):
    """`from resilience4cata import …` at the head of a module: its lines (from 1, inclusive) and names."""

    first: int
    last: int
    names: tuple[str, ...]


def rewritten(source: str, rewriting: Rewriting) -> str:
    """The module with its `from resilience4cata import …` replaced; as it is if there is none."""
    wrapper = metadata.MetadataWrapper(cst.parse_module(source))
    statement = _find(wrapper)
    if statement is None:
        return source
    renamed = {name: rewriting.call(name) for name in statement.names}
    lines = wrapper.visit(_Renaming(renamed)).code.split("\n")
    blank = [""] * (statement.last - statement.first)
    lines[statement.first - 1 : statement.last] = [rewriting.line(statement.names), *blank]
    return "\n".join(lines)


def toolbox(sources: Sequence[str]) -> str:
    """A module that re-exports everything that `sources` import from the library."""
    names = sorted({name for source in sources for name in imported(source)})
    listed = ", ".join(f'"{name}"' for name in names)
    return f"from {LIBRARY} import {', '.join(names)}\n\n__all__ = [{listed}]\n" if names else ""


def imported(source: str) -> tuple[str, ...]:
    """The names that a module imports from the library's root."""
    statement = _find(metadata.MetadataWrapper(cst.parse_module(source)))
    return statement.names if statement is not None else ()


def _find(wrapper: metadata.MetadataWrapper) -> _Import | None:
    places = wrapper.resolve(metadata.PositionProvider)
    for node in _imports(wrapper.module):
        if isinstance(node.names, cst.ImportStar) or not isinstance(node.module, cst.Name) or node.relative:
            continue
        # An alias of the fixture's own is left alone.
        if node.module.value == LIBRARY and all(alias.asname is None for alias in node.names):
            place = places[node]
            return _Import(place.start.line, place.end.line, tuple(alias.evaluated_name for alias in node.names))
    return None


def _imports(module: cst.Module) -> Iterator[cst.ImportFrom]:
    for statement in module.body:
        if isinstance(statement, cst.SimpleStatementLine):
            yield from (part for part in statement.body if isinstance(part, cst.ImportFrom))


class _Renaming(cst.CSTTransformer):
    """Replace the imported names wherever they are used as names."""

    METADATA_DEPENDENCIES = (metadata.ScopeProvider,)

    def __init__(self, renamed: Renamed) -> None:
        super().__init__()
        self._renamed = renamed
        # Names of attributes, parameters and definitions: they only look like uses.
        self._untouched: set[cst.CSTNode] = set()

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:  # noqa: N802 - libcst's naming
        return False

    def visit_Attribute_attr(self, node: cst.Attribute) -> None:  # noqa: N802
        self._untouched.add(node.attr)

    def visit_Arg_keyword(self, node: cst.Arg) -> None:  # noqa: N802
        if node.keyword is not None:
            self._untouched.add(node.keyword)

    def visit_Param(self, node: cst.Param) -> None:  # noqa: N802
        self._untouched.add(node.name)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:  # noqa: N802
        self._untouched.add(node.name)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:  # noqa: N802
        name = self._renamed.get(original_node.value)
        if name is None or original_node in self._untouched or not self._is_import(original_node):
            return updated_node
        return cst.parse_expression(name)

    def _is_import(self, node: cst.Name) -> bool:
        scope = self.get_metadata(metadata.ScopeProvider, node, None)
        if scope is None:
            return False
        return any(isinstance(assignment, metadata.ImportAssignment) for assignment in scope[node.value])
