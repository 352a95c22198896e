"""How a call ended, as a value: layers hand it on, and only the last one raises.

So a StopIteration of the function passes through coroutines like any other exception, and a refusal can say that it
comes from this very pipeline.

The traceback of a failure holds the frames that led to it, those of the layers included, for as long as it lives. So no
frame may keep the outcome of what it called when it ends: the exception would hold itself.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final


class Outcome:
    """A result, or a failure.

    `own` marks a refusal by a policy of the same call. A `final` failure surfaces as it is: it comes from the
    classification itself, or from arguments that do not fit.
    """

    __slots__ = ("failure", "final", "own", "result")

    def __init__(
        self,
        result: object = None,
        failure: BaseException | None = None,
        *,
        own: bool = False,
        final: bool = False,
    ) -> None:
        self.result = result
        self.failure = failure
        self.own = own
        self.final = final


def how_many(number: int, noun: str) -> str:
    """A number of things: `1 attempt`, `3 attempts`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


_PREFIX: Final = "resilience4cata: "


def note_attempts(failure: BaseException, attempts: int, nanoseconds: int) -> None:
    """Say on an exception how many attempts there were, and the time from the first one's failure to the last one's.

    One that is raised again and again keeps one such note.
    """
    how = how_many(attempts, "attempt")
    if attempts > 1:
        how += f", the last {nanoseconds / 1e9:.3f}s after the first failed"
    with suppress(Exception):  # of a class that lets nobody change it: a note must not hide the failure
        notes: list[object] = getattr(failure, "__notes__", [])
        notes[:] = [note for note in notes if not (isinstance(note, str) and note.startswith(_PREFIX))]
        failure.add_note(f"{_PREFIX}{how}")
