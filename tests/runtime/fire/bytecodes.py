"""KeyboardInterrupt at every bytecode of the library at which the interpreter looks for signals.

CPython looks for them when a function begins, at jumps backwards, and when a call has returned. An exception raised by
a trace function comes from the instruction that follows; where that one is outside of the `try` that the call itself is
in, a signal would have been caught, so that such points are left out. So are finalizers: what is raised there surfaces
nowhere.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

import resilience4cata

_PACKAGE: Final = str(Path(resilience4cata.__file__).parent)
_LOOKS_FOR_SIGNALS: Final = {"CALL", "CALL_FUNCTION_EX", "CALL_KW", "RESUME", "JUMP_BACKWARD"}


NEVER: Final = sys.maxsize
"""The number of a point that no call has."""


@cache
def _points(code: CodeType) -> frozenset[int]:
    entries: list[Any] = dis.Bytecode(code).exception_entries  # type: ignore[attr-defined]

    def handler(offset: int) -> int | None:
        return next((entry.target for entry in entries if entry.start <= offset < entry.end), None)

    instructions = list(dis.get_instructions(code))
    return frozenset(
        after.offset
        for before, after in pairwise(instructions)
        if before.opname in _LOOKS_FOR_SIGNALS and handler(before.offset) == handler(after.offset)
    )


def _is_ours(frame: FrameType) -> bool:
    within: FrameType | None = frame
    while within is not None and within.f_code.co_name != "__del__":
        within = within.f_back
    return within is None and frame.f_code.co_filename.startswith((_PACKAGE, "<guarded by resilience4cata>"))


class Interrupt:
    """A trace function that raises KeyboardInterrupt at the point number `at`; `place` is where that was."""

    def __init__(self, at: int) -> None:
        self.left = at
        self.place = ""

    def __call__(self, frame: FrameType, event: str, argument: object) -> Any:
        if self.place or not _is_ours(frame):
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        # To return it would do, but after an exception CPython 3.13 shows no opcodes of what is traced next.
        frame.f_trace = self._step
        return self._step

    def _step(self, frame: FrameType, event: str, argument: object) -> Any:
        if event == "opcode" and not self.place and frame.f_lasti in _points(frame.f_code):
            if not self.left:
                self.place = f"{frame.f_code.co_qualname}, line {frame.f_lineno}, offset {frame.f_lasti}"
                raise KeyboardInterrupt
            self.left -= 1
        return self._step


def interrupted(call: Callable[[], object], at: int) -> str:
    """Interrupt a call at the point number `at`; where that was, or "" if it has not so many."""
    return _traced(call, at).place


def points(call: Callable[[], object]) -> int:
    """How many points a call has."""
    return NEVER - _traced(call, NEVER).left


def _traced(call: Callable[[], object], at: int) -> Interrupt:
    interrupt = Interrupt(at)
    before = sys.gettrace()
    sys.settrace(interrupt)
    try:
        call()
    except KeyboardInterrupt:
        assert interrupt.place
    finally:
        sys.settrace(before)
    return interrupt
