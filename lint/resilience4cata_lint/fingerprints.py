"""What makes a finding the same one in the next run, though lines were added above it.

A fingerprint is made of the path, the code, the subject and the message, never of numbers of lines. Where one of these
changes, the finding is another one. Findings that are alike in all of them are counted in the order of places.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Diagnostic

# Messages may name other places: `acme/users.py:12:6`, `line 12`.
_PLACE: Final = re.compile(r"(?<=\w):\d+(:\d+)?\b|\b(?<=line )\d+\b")


def fingerprints(diagnostics: Iterable[Diagnostic], path_of: Callable[[str], str]) -> list[str]:
    """One for each finding, all different: 32 hexadecimal digits, with `-2` and so on for those that are alike.

    `path_of` gives the path to count on for a shown one, so that fingerprints do not depend on the working folder.
    """
    seen: Counter[str] = Counter()
    return [_numbered(_digest(diagnostic, path_of), seen) for diagnostic in diagnostics]


def _numbered(digest: str, seen: Counter[str]) -> str:
    seen[digest] += 1
    return digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"


def _digest(diagnostic: Diagnostic, path_of: Callable[[str], str]) -> str:
    words = (diagnostic.code, diagnostic.subject, diagnostic.message)
    parts = (path_of(diagnostic.at.source), *(_PLACE.sub("", part) for part in words))
    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()[:32]
