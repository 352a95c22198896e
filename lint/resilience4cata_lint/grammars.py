"""What newer versions of Python have added to the grammar: a parser that refuses it may only be too old."""

from __future__ import annotations

import re
from typing import Final

_DEFINED: Final = r"^\s*(?:(?:async\s+)?def|class|type)\s+\w+\s*"

# By the version that brought it: how the line looks where an older parser stops.
_ADDED: Final = (
    ((3, 12), re.compile(rf"{_DEFINED}\[")),  # PEP 695: def first[T](items: list[T]) -> T
    ((3, 12), re.compile(r"^\s*type\s+\w+\s*=")),  # PEP 695: type Prices = list[int]
    ((3, 13), re.compile(rf"{_DEFINED}\[(?:[^\[\]]|\[[^\]]*\])*=")),  # PEP 696: class Box[T = int]
    ((3, 14), re.compile(r"^\s*except\s*\*?\s*[\w.]+\s*,")),  # PEP 758: except ValueError, KeyError:
    ((3, 14), re.compile(r"(?<![\w\"'])(?:t|rt|tr)[\"']", re.IGNORECASE)),  # PEP 750: t"Hello {name}"
    ((3, 15), re.compile(r"^\s*lazy\s+(?:import|from)\s")),  # PEP 810: lazy import json
    ((3, 15), re.compile(r"[\[({]\s*\*{1,2}[\w.]+[^\])}]*\sfor\s")),  # PEP 798: [*row for row in rows]
)

# PEP 701 lets f-strings hold quotes of their own kind, backslashes and line ends.
_FORMATTED: Final = re.compile(r"(?<![\w\"'])(?:f|rf|fr)[\"']", re.IGNORECASE)
_TORN: Final = ("f-string", "invalid syntax", "unterminated string literal")
_FORMATTED_SINCE: Final = (3, 12)


def may_be_newer(message: str, line: str, version: tuple[int, int]) -> bool:
    """Whether a syntax error of the Python of that version may be something that a newer one knows.

    `message` is what its parser says, `line` where it stopped.
    """
    if version < _FORMATTED_SINCE and message.startswith(_TORN) and _FORMATTED.search(line):
        return True
    return any(version < since and form.search(line) for since, form in _ADDED)
