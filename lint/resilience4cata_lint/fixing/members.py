"""The edit that writes a member of an enumeration for a text."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .code import Code, Edits
from .imports import reference
from .text import Edit

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Fix
    from resilience4cata.facts import At


def member(code: Code, fix: Fix, at: At) -> Edits | None:
    """The member in place of the text that stands here, with the import of its enumeration if need be."""
    nodes = code.exactly(at)
    if not any(isinstance(node, ast.Constant) and node.value == fix.words[0] for node in nodes):
        return None
    enumeration, _, name = fix.text.partition(".")
    named = reference(code, enumeration)
    if named is None or "\n" in code.of(nodes[0]) or "#" in code.of(nodes[0]):
        return None
    expression, imports = named
    return Edit(*code.text.span(at), f"{expression}.{name}"), *imports
