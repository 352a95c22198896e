"""The lines of source around a finding, and where under them the carets go.

Terminals count cells, places count characters: a tab is several cells wide, `漢` two, an accent that combines none.
Characters that would move the cursor or hide others are shown by a symbol of one cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from resilience4cata.records import dataclass

if TYPE_CHECKING:
    from resilience4cata.facts import At

TAB: Final = 4
_MOST_LINES: Final = 5
_CONTROL_PICTURES: Final = 0x2400
# Characters that reorder or hide what stands around them.
_DECEPTIVE: Final = frozenset("\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff")


@dataclass(frozen=True, slots=True)
class Line:
    """One line to show: its number, text in cells, and the cells from `start` to `end` to underline (equal: none)."""

    number: int
    text: str
    start: int = 0
    end: int = 0


def excerpt(lines: Sequence[str], at: At, width: int, cells: Callable[[str], int]) -> list[Line]:
    """The lines to show for `at`, with one line of context before and after.

    `width` is the room for the text, `cells` measures. Lines that are too long are cut around what is underlined.
    """
    if not 0 < at.line <= len(lines):
        return []
    last = min(max(at.end_line, at.line), len(lines), at.line + _MOST_LINES - 1)
    first = at.line - 1 if at.line > 1 and lines[at.line - 2].strip() else at.line
    after = last + 1 if last < len(lines) and lines[last].strip() else last
    shown = [_line(lines[number - 1], number, at, cells) for number in range(first, after + 1)]
    offset = _offset(shown, width) if any(cells(line.text) > width for line in shown) else 0
    return [_cut(line, offset, width, cells) for line in shown]


def _line(text: str, number: int, at: At, cells: Callable[[str], int]) -> Line:
    plain = _visible(text)
    if not at.line <= number <= max(at.end_line, at.line):
        return Line(number, _expanded(plain, cells)[0].rstrip())
    expanded, starts = _expanded(plain, cells)
    from_column = at.column - 1 if number == at.line else len(text) - len(text.lstrip())
    to_column = at.end_column - 1 if number == at.end_line else len(text.rstrip())
    start = starts[min(max(from_column, 0), len(plain))]
    end = starts[min(max(to_column, 0), len(plain))]
    # A place without an end, or at the very end of a line, still gets one caret.
    return Line(number, expanded.rstrip(), start, max(end, start + 1) if at.column else start)


def _visible(text: str) -> str:
    """Each character by one that is safe to print."""
    if text.isprintable():
        return text
    return "".join(map(_safe, text))


def _safe(character: str) -> str:
    code = ord(character)
    if character == "\t":
        return character
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    if code == 0x7F:
        return "\u2421"
    if 0x80 <= code < 0xA0 or 0xD800 <= code < 0xE000 or character in _DECEPTIVE or character in "\u2028\u2029":
        return "\ufffd"
    return character


def _expanded(text: str, cells: Callable[[str], int]) -> tuple[str, list[int]]:
    """The text with tabs as blanks, and for each of its characters (and the end) the cell where it begins."""
    if text.isascii() and "\t" not in text:
        return text, list(range(len(text) + 1))
    parts: list[str] = []
    starts: list[int] = []
    cell = 0
    for character in text:
        starts.append(cell)
        part = " " * (TAB - cell % TAB) if character == "\t" else character
        parts.append(part)
        cell += cells(part)
    return "".join(parts), [*starts, cell]


def _offset(lines: Sequence[Line], width: int) -> int:
    """How many cells to drop on the left, so that what is underlined can be seen."""
    marked = [line for line in lines if line.end > line.start]
    if not marked or max(line.end for line in marked) < width:
        return 0
    first = min(line.start for line in marked)
    return max(0, min(first - width // 4, max(line.end for line in marked) - width + 1))


def _cut(line: Line, offset: int, width: int, cells: Callable[[str], int]) -> Line:
    if not offset and cells(line.text) <= width:
        return line
    text = "".join(_window(line.text, offset, width, cells))
    start = min(max(line.start - offset, 1 if offset else 0), width - 1)
    end = min(max(line.end - offset, start), width)
    return Line(line.number, text.rstrip(), start, end if line.end > line.start else start)


def _window(text: str, offset: int, width: int, cells: Callable[[str], int]) -> Iterator[str]:
    """The cells from `offset`, `width` of them, with an ellipsis where something is left out."""
    cell = 0
    total = cells(text)
    for character in text:
        size = cells(character)
        begin, cell = cell, cell + size
        if begin < offset or (offset and begin == offset):
            if begin <= offset < cell or (begin == offset and size):
                yield "…" + " " * (cell - offset - 1)
            continue
        if cell - offset > width - (1 if total - offset > width else 0):
            yield "…"
            return
        yield character
