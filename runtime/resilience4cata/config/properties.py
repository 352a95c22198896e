"""The `.properties` format as `java.util.Properties` reads it, with the place of every character.

Comments start with `#` or `!`; a backslash at the end of a line continues it, and the next line's leading white space
is dropped; the first unescaped `=`, `:` or white space ends the key; `\\t \\n \\r \\f \\uXXXX` are escapes, and a
backslash before anything else is left out. Sources: the specification of `Properties.load`, JDK 21.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..facts import At
from ..records import dataclass

_BLANK: Final = " \t\f"
_ESCAPES: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_HEX: Final = re.compile(r"[0-9A-Fa-f]{4}")
_PLAIN: Final = re.compile(r"[ \t\f]*(?P<key>[^ \t\f=:]*)[ \t\f]*(?:[=:][ \t\f]*)?(?P<value>.*)", re.DOTALL)


class PropertiesError(ValueError):
    """The text breaks the format: why, and at which line and column (from 1)."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


class _Mark(NamedTuple):
    """Where one character is written: an escape is several columns wide."""

    line: int
    column: int
    width: int = 1


@dataclass(frozen=True, slots=True)
class Text:
    """A decoded text that starts at a place; `marks` has the place of each character where they do not simply
    follow."""

    text: str
    line: int
    column: int
    marks: tuple[_Mark, ...] | None = None

    def at(self, source: str, start: int = 0, end: int | None = None) -> At:
        """The place of the characters from `start` up to `end`."""
        end = len(self.text) if end is None else end
        if self.marks is None:
            return At(source, self.line, self.column + start, self.line, self.column + end)
        if start >= end:
            first = self.marks[start] if start < len(self.marks) else self._behind()
            return At(source, first.line, first.column, first.line, first.column)
        first, last = self.marks[start], self.marks[end - 1]
        return At(source, first.line, first.column, last.line, last.column + last.width)

    def _behind(self) -> _Mark:
        if not self.marks:
            return _Mark(self.line, self.column)
        last = self.marks[-1]
        return _Mark(last.line, last.column + last.width)


class Entry(NamedTuple):
    """One key with its value, both decoded."""

    key: Text
    value: Text


_Letter = tuple[str, int, int]  # a character as written, its line and column


def parse(text: str) -> Iterator[Entry]:
    """All entries in order, repeated ones included. Raises `PropertiesError` for a malformed `\\uXXXX`."""
    lines = enumerate(_LINE_END.split(text), 1)
    for number, line in lines:
        stripped = line.lstrip(_BLANK)
        if not stripped or stripped[0] in "#!":
            continue
        if "\\" not in line:
            yield _plain(line, number)
            continue
        letters = _logical(line, number, lines)
        if letters:
            yield _escaped(letters)


def _plain(line: str, number: int) -> Entry:
    found = _PLAIN.fullmatch(line)
    assert found is not None  # every part of the pattern may be empty
    key, value = (Text(found[name], number, found.start(name) + 1) for name in ("key", "value"))
    return Entry(key, value)


def _logical(line: str, number: int, lines: Iterator[tuple[int, str]]) -> list[_Letter]:
    """A line joined with those that continue it, without leading white space and without the joining backslashes."""
    letters: list[_Letter] = []
    while True:
        indent = len(line) - len(line.lstrip(_BLANK))
        continued = (len(line) - len(line.rstrip("\\"))) % 2 == 1
        end = len(line) - 1 if continued else len(line)
        letters += [(line[index], number, index + 1) for index in range(indent, end)]
        if not continued:
            return letters
        number, line = next(lines, (0, ""))


def _escaped(letters: list[_Letter]) -> Entry:
    key, rest = _take(letters, 0, " \t\f=:")
    separator = _skip_blank(letters, rest)
    if separator < len(letters) and letters[separator][0] in "=:":
        separator = _skip_blank(letters, separator + 1)
    value, _ = _take(letters, separator, "")
    return Entry(key, value)


def _skip_blank(letters: list[_Letter], index: int) -> int:
    while index < len(letters) and letters[index][0] in _BLANK:
        index += 1
    return index


def _take(letters: list[_Letter], index: int, stop: str) -> tuple[Text, int]:
    """Decode from `index` up to the first unescaped character of `stop`; also the index of that one."""
    line, column = _place(letters, index)
    characters: list[str] = []
    marks: list[_Mark] = []
    while index < len(letters) and letters[index][0] not in stop:
        character, used = _decode(letters, index)
        _, start_line, start_column = letters[index]
        last = letters[index + used - 1]
        # An escape that is torn apart by a continuation counts as what stands on its first line.
        width = last[2] + 1 - start_column if last[1] == start_line else 1
        characters.append(character)
        marks.append(_Mark(start_line, start_column, width))
        index += used
    return Text("".join(characters), line, column, tuple(marks)), index


def _place(letters: list[_Letter], index: int) -> tuple[int, int]:
    if index < len(letters):
        return letters[index][1:]
    return letters[-1][1], letters[-1][2] + 1


def _decode(letters: list[_Letter], index: int) -> tuple[str, int]:
    """The character written at `index`, and how many letters it takes."""
    character = letters[index][0]
    if character != "\\" or index + 1 == len(letters):
        return character, 1
    escaped = letters[index + 1][0]
    if escaped != "u":
        return _ESCAPES.get(escaped, escaped), 2
    unit = _unit(letters, index)
    if 0xD800 <= unit < 0xDC00 and [letter[0] for letter in letters[index + 6 : index + 8]] == ["\\", "u"]:
        low = _unit(letters, index + 6)
        if 0xDC00 <= low < 0xE000:
            return chr(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)), 12
    # Half a pair is no character and could not even be printed.
    return ("\ufffd" if 0xD800 <= unit < 0xE000 else chr(unit)), 6


def _unit(letters: list[_Letter], index: int) -> int:
    digits = "".join(letter[0] for letter in letters[index + 2 : index + 6])
    if not _HEX.fullmatch(digits):
        reason = "malformed \\uXXXX escape"
        raise PropertiesError(reason, *letters[index][1:])
    return int(digits, 16)
