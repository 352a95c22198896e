"""Comments that silence findings."""

from __future__ import annotations

from ..records import dataclass
from .values import At


@dataclass(frozen=True, slots=True)
class Suppression:
    """One code in a comment that silences it: `# r4c: ignore[R4C-FB-002]`, `# r4c: file-ignore[R4C-FB-002]`.

    `text` is the comment, `code` what it names ("" if nothing), `at` where. `needed` tells whether the code is, or
    could be, reported there by any front end; None if that is not known. `stray` is the word in place of `ignore` in a
    comment that names no directive; then `at` is its place.
    """

    at: At
    text: str
    code: str
    needed: bool | None = None
    stray: str = ""
