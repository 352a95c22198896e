"""Edits of decorators as whole lines: moved, brought into order, added, taken away."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from .code import Code, Definition, Edits
from .imports import reference
from .text import Edit

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Fix
    from resilience4cata.facts import At

_INHERIT = "inherit_policies"


class Block(NamedTuple):
    """The lines of a decorator, with the comment lines between it and the one above."""

    start: int
    end: int


def moved(code: Code, fix: Fix, at: At) -> Edits | None:
    """The decorator in this place below the one that the fix names."""
    found = _decorators_at(code, (at, *fix.places[:1]))
    if found is None:
        return None
    blocks, (own, below) = found
    if own >= below:
        return None
    text = code.text.whole[blocks[own].start : blocks[own].end]
    return Edit(*blocks[own], ""), Edit(blocks[below].end, blocks[below].end, text)


def reordered(code: Code, fix: Fix, at: At) -> Edits | None:
    """The decorators in the order of the places; only if they stand together, so that nothing else changes sides."""
    found = _decorators_at(code, fix.places)
    if found is None:
        return None
    blocks, order = found
    slots = sorted(order)
    if slots != list(range(slots[0], slots[0] + len(slots))):
        return None
    texts = [code.text.whole[slice(*blocks[index])] for index in order]
    edits = (Edit(*blocks[slot], text) for slot, text in zip(slots, texts, strict=True))
    return tuple(edit for edit in edits if code.text.whole[edit.start : edit.end] != edit.new) or None


def without_decorator(code: Code, call: ast.Call) -> Edits | None:
    """The function without a decorator; None if the call is none, or a comment would go with it."""
    for definition in code.definitions:
        for index, node in enumerate(definition.decorator_list):
            if node is call:
                blocks = _blocks(code, definition)
                if blocks is None or "#" in code.text.whole[slice(*blocks[index])].replace(code.of(call), ""):
                    return None
                return (Edit(*blocks[index], ""),) if "#" not in code.of(call) else None
    return None


def inheriting(code: Code, fix: Fix, at: At) -> Edits | None:
    """`@inherit_policies` directly above the function whose name stands in this place, imported if need be."""
    start = code.text.span(at)[0]
    for definition in code.definitions:
        first, last = code.span(definition)
        if isinstance(definition, ast.ClassDef) or not first <= start < last or definition.name != _name(code, at):
            continue
        indent = code.text.before(first)
        if code.text.place(first)[0] != at.line or indent.strip():
            continue
        named = reference(code, _INHERIT)
        if named is None:
            return None
        name, imports = named
        line = code.text.line_start(first)
        return Edit(line, line, f"{indent}@{name}{code.text.newline(first)}"), *imports
    return None


def _name(code: Code, at: At) -> str:
    return code.text.whole[slice(*code.text.span(at))]


def _decorators_at(code: Code, places: tuple[At, ...]) -> tuple[list[Block], list[int]] | None:
    """All decorators of one function or class, and which of them stand in these places."""
    wanted = [code.text.span(at) for at in places]
    for definition in code.definitions:
        spans = [code.span(node) for node in definition.decorator_list]
        if wanted and all(span in spans for span in wanted):
            blocks = _blocks(code, definition)
            return None if blocks is None else (blocks, [spans.index(span) for span in wanted])
    return None


def _blocks(code: Code, definition: Definition) -> list[Block] | None:
    """The lines of each decorator. None if one of them does not stand alone on its lines."""
    blocks: list[Block] = []
    for node in definition.decorator_list:
        first, last = code.span(node)
        rest = code.text.rest(last)
        if code.text.before(first).strip() != "@" or (rest and not rest.startswith("#")):
            return None
        start = code.text.line_start(first)
        while blocks and start > blocks[-1].end and code.text.rest(code.text.line_start(start - 1)).startswith("#"):
            start = code.text.line_start(start - 1)
        blocks.append(Block(start, code.text.line_end(last)))
    return blocks
