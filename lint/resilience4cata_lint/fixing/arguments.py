"""Edits that take arguments away, together with their commas."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .code import Code, Edits, Span, values_of
from .decorators import without_decorator
from .text import Edit

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Fix
    from resilience4cata.facts import At


def dropped_argument(code: Code, fix: Fix, at: At) -> Edits | None:
    """The call without the argument whose value stands in this place.

    A decorator of which nothing is left goes as a whole: the composed policy beside it gives the same.
    """
    call, wanted = code.call_with(at), code.text.span(at)
    if call is None:
        return None
    values = values_of(call)
    if len(values) == 1:
        return without_decorator(code, call)
    return _without(code, call, {index for index, value in enumerate(values) if code.span(value) == wanted})


def dropped_layers(code: Code, fix: Fix, at: At) -> Edits | None:
    """The call whose arguments stand in this place without those that are named like the words."""
    wanted = code.text.span(at)
    for call in code.calls:
        spans = _arguments(code, call)
        if not spans or call.keywords or (spans[0][0], spans[-1][1]) != wanted:
            continue
        absent = {i: node.attr for i, node in enumerate(call.args) if isinstance(node, ast.Attribute)}
        absent = {index: name for index, name in absent.items() if name in fix.words}
        # An order of nothing is none, and what is not written here cannot be taken away here.
        if set(absent.values()) == set(fix.words) and len(absent) < len(call.args):
            return _without(code, call, set(absent))
    return None


def _arguments(code: Code, call: ast.Call) -> list[Span]:
    """Where each argument stands, names included; positional ones first, as `values_of` has them."""
    named = [(code.start(keyword), code.span(keyword.value)[1]) for keyword in call.keywords]
    return [*map(code.span, call.args), *named]


def _without(code: Code, call: ast.Call, indexes: set[int]) -> Edits | None:
    """The call without some of its arguments. None if a comment would go, or parentheses stand around one."""
    spans, text = _arguments(code, call), code.text.whole
    if spans != sorted(spans):
        return None
    edits = []
    kept = [index for index in range(len(spans)) if index not in indexes]
    for index in sorted(indexes):
        following = spans[index + 1][0] if index + 1 < len(spans) else code.span(call)[1]
        behind = "".join(text[spans[index][1] : following].split())
        before = text[spans[index - 1][1] : spans[index][0]].strip() if index else ","
        if before != "," or behind not in ({","} if index + 1 < len(spans) else {")", ",)"}):
            return None
        # Those before the first that stays go with the comma behind them, all others with the one before them.
        is_leading = index < kept[0]
        start, end = (spans[index][0], following) if is_leading else (spans[index - 1][1], spans[index][1])
        edits.append(Edit(start, end, ""))
    return tuple(edits)
