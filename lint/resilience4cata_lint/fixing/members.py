"""The edit that writes a member of an enumeration for a text."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import TYPE_CHECKING

from .code import Code, Edits, Span
from .imports import reference
from .text import Edit

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Fix
    from resilience4cata.facts import At


def member(code: Code, fix: Fix, at: At) -> Edits | None:
    """The member in place of the text that stands here, with the import of its enumeration if need be."""
    texts = [node for node in _values(code, at) if isinstance(node, ast.Constant) and node.value == fix.words[0]]
    if not texts:
        return None
    text = code.of(texts[0])
    enumeration, _, name = fix.text.partition(".")
    named = reference(code, enumeration)
    if named is None or "\n" in text or "#" in text:
        return None
    expression, imports = named
    return Edit(*code.span(texts[0]), f"{expression}.{name}"), *imports


def _values(code: Code, at: At) -> list[ast.expr]:
    """The expression that stands in a place, or the arguments of which it is made: those of `order("RETRY", …)`."""
    several = (node.args for node in ast.walk(code.tree) if isinstance(node, ast.Call) and len(node.args) > 1)
    return next((given for given in several if _around(code, given) == code.text.span(at)), None) or code.exactly(at)


def _around(code: Code, given: list[ast.expr]) -> Span | None:
    # Within f-strings, older versions of Python give places that do not exist.
    with suppress(ValueError):
        return code.span(given[0])[0], code.span(given[-1])[1]
    return None
