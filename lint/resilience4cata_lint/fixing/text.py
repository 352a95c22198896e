"""The text of a file, between places and offsets, and edits of it."""

from __future__ import annotations

import io
import re
import tokenize
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from resilience4cata.comments import is_configuration

if TYPE_CHECKING:
    from resilience4cata.facts import At

_LINE_END: Final = re.compile(r"\r\n|\r|\n")


class Edit(NamedTuple):
    """Characters of a text that are replaced, by offsets; with `start` equal to `end`, something is put in."""

    start: int
    end: int
    new: str


class Text:
    """The text of a file with its line ends as they are; a byte order mark is no part of it.

    Raises ValueError for data that would not come out as it went in.
    """

    def __init__(self, path: str, data: bytes) -> None:
        self._encoding = _encoding(path, data)
        self.whole = data.decode(self._encoding)
        if self.encoded(self.whole) != data:
            msg = f"{path}: not the text that {self._encoding} makes of it"
            raise ValueError(msg)
        ends = [found.span() for found in _LINE_END.finditer(self.whole)]
        self._starts = [0, *(end for _, end in ends)]
        self._ends = [*(start for start, _ in ends), len(self.whole)]

    def encoded(self, text: str) -> bytes:
        """The bytes of another text in the encoding of the file. Raises ValueError if it has none for a character."""
        return text.encode(self._encoding)

    def offset(self, line: int, column: int) -> int:
        """The offset of a place that counts from 1. Raises ValueError if there is none."""
        if 0 < line <= len(self._starts) and column > 0:
            offset = self._starts[line - 1] + column - 1
            if offset <= self._ends[line - 1]:
                return offset
        msg = f"no place {line}:{column}"
        raise ValueError(msg)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column from 1 of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def span(self, at: At) -> tuple[int, int]:
        """The offsets of a place with an end. Raises ValueError if it is none in this text."""
        return self.offset(at.line, at.column), self.offset(at.end_line, at.end_column)

    def line_start(self, offset: int) -> int:
        """Where the line of an offset begins."""
        return self._starts[bisect_right(self._starts, offset) - 1]

    def line_end(self, offset: int) -> int:
        """Where the line after that of an offset begins; the end of the text for the last one."""
        following = bisect_right(self._starts, offset)
        return self._starts[following] if following < len(self._starts) else len(self.whole)

    def newline(self, offset: int) -> str:
        """How the line of an offset ends; for the last one, how the first does."""
        for start, end in ((self.line_start(offset), self.line_end(offset)), (0, self.line_end(0))):
            found = _LINE_END.search(self.whole, start, end)
            if found is not None:
                return found[0]
        return "\n"

    def rest(self, offset: int) -> str:
        """What stands from an offset to the end of its line."""
        return self.whole[offset : self.line_end(offset)].strip()

    def before(self, offset: int) -> str:
        """What stands on its line before an offset."""
        return self.whole[self.line_start(offset) : offset]


def _encoding(path: str, data: bytes) -> str:
    if is_configuration(path):
        return "utf-8-sig" if data.startswith(b"\xef\xbb\xbf") else "utf-8"
    try:
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    except SyntaxError as error:
        raise ValueError(str(error)) from error


class Together:
    """Edits that can be made at once: none touches another. The same edit, wanted twice, is made once."""

    def __init__(self) -> None:
        self._taken: list[Edit] = []

    def take(self, edits: Iterable[Edit]) -> bool:
        """Add all of these edits, or none if one of them does not go with the others."""
        new = [edit for edit in set(edits) if edit not in self._near(edit)]
        if any(_collide(edit, other) for edit in new for other in self._near(edit)):
            return False
        for edit in new:
            insort(self._taken, edit)
        return True

    def _near(self, edit: Edit) -> list[Edit]:
        """The edits beside which it would stand; those further away cannot touch it."""
        index = bisect_left(self._taken, edit)
        return self._taken[max(index - 1, 0) : index + 2]


def _collide(edit: Edit, other: Edit) -> bool:
    # Two things put in at one place have no order, and what touches may depend on each other.
    return edit.start <= other.end and other.start <= edit.end


def spliced(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits made that do not conflict."""
    parts, reached = [], 0
    for edit in sorted(set(edits)):
        parts += [text[reached : edit.start], edit.new]
        reached = edit.end
    return "".join((*parts, text[reached:]))


class Shift:
    """Where offsets lie after edits that do not conflict."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._edits = sorted(set(edits))
        self._starts = [edit.start for edit in self._edits]
        self._grown = [0, *accumulate(len(new) - (end - start) for start, end, new in self._edits)]

    def __call__(self, offset: int) -> int:
        """The new offset; where text was taken away, the beginning of what came instead."""
        index = bisect_right(self._starts, offset)
        if index and self._edits[index - 1].end > offset:
            return self._starts[index - 1] + self._grown[index - 1]
        return offset + self._grown[index]
