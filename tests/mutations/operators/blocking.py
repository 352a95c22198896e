"""Faults in bodies under a timeout: calls that hold up the event loop, or wait for ever."""

from __future__ import annotations

from ast import AsyncFunctionDef, FunctionDef
from collections.abc import Iterator

from ..mutant import ONLY_LINT, Edit, Faulty, Place
from ..sources import Shop, Use

_CALLS = {
    "time": "time.sleep(0.1)",
    "subprocess": 'subprocess.run(["sync"], timeout=0.1)',
}


_UNBOUNDED = {
    "subprocess": 'subprocess.run(["sync"])',
    "urllib.request": 'urllib.request.urlopen("http://shop.example/")',
}


def blocking_call_under_timeout(shop: Shop) -> Iterator[Faulty]:
    """A coroutine under a timeout ends only after a call that blocks the event loop."""
    for use in _timed(shop):
        if isinstance(use.function, AsyncFunctionDef):
            for module, call in _CALLS.items():
                yield _before_the_last(use, module, call, "R4C-TB-004")


def unbounded_call_under_timeout(shop: Shop) -> Iterator[Faulty]:
    """A function under a timeout makes a call that the timeout cannot end, and that has no limit of its own."""
    for use in _timed(shop):
        if isinstance(use.function, FunctionDef) and use.keyword("offload") is None:
            for module, call in _UNBOUNDED.items():
                yield _before_the_last(use, module, call, "R4C-TB-005")


def _timed(shop: Shop) -> Iterator[Use]:
    return (use for use in shop.uses if use.policy == "timeout" and use.function is not None)


def _before_the_last(use: Use, module: str, call: str, code: str) -> Faulty:
    """A call before the last statement of a function."""
    assert use.function is not None
    last = use.function.body[-1]
    start, first = use.source.start(last), use.source.imports_at
    edits = [Edit(first, first, f"import {module}\n"), Edit(start, start, f"{call}\n{' ' * last.col_offset}")]
    return Faulty(f"{use.title} {module}", use.source, edits, [Place(code, use.source, start, ONLY_LINT)])


OPERATORS = (blocking_call_under_timeout, unbounded_call_under_timeout)
