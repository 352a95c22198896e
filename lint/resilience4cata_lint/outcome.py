"""How a run ends: exit codes, and what is said when the linter itself fails."""

from __future__ import annotations

from typing import Final

CLEAN: Final = 0
FOUND: Final = 1
FAILED: Final = 2
INTERRUPTED: Final = 130

TRACEBACK: Final = "R4C_TRACEBACK"
"""The environment variable that lets exceptions of the linter's own through, for those who work on it."""


class UsageError(Exception):
    """The tool cannot do what was asked: a path, an option or a setting is wrong. Its text says what to do."""


def internal_error(place: str, error: Exception) -> str:
    """What to say about a fault of the linter's own; `place` is what it was looking at."""
    where = f" on {place}" if place else ""
    what = f"{type(error).__name__}: {error}".rstrip(": ")
    advice = f"please report this, with the file if you can; {TRACEBACK}=1 shows where it happened"
    return f"r4c itself failed{where}: {what}\n  {advice}"
