"""TOML with places: values and validity are `tomllib`'s, a small scanner of our own finds where everything stands.

The scanner takes for granted that `tomllib` accepts a text but for repeated keys; of other texts it may understand
more than there is, or less.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from ..facts import At
from ..records import dataclass, field

Part = str | int
"""A key, or the index of an element in an array."""

_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_BLANK: Final = re.compile(r"[ \t]*")
_SPACE: Final = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_SCALAR: Final = re.compile(r"[^,\]}#\n]+")
_BASIC: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_LITERAL: Final = re.compile(r"'[^'\n]*'")
_LONG_BASIC: Final = re.compile(r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}', re.DOTALL)
_LONG_LITERAL: Final = re.compile(r"'''(?:[^']|'{1,2}(?!'))*'{3,5}", re.DOTALL)
_POSITION: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class ScanError(ValueError):
    """The text at `offset` is nothing that the scanner knows."""

    def __init__(self, offset: int) -> None:
        super().__init__(f"not understood at offset {offset}")
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Span:
    """Offsets into the text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A key with what stands behind it: `path` from the root, the span of each of its parts (indexes have their
    array's).

    `kind` tells a value, an inline table, a table's header, or the header of an array of tables; `value` is the span
    of what was written, the whole header for one.
    """

    path: tuple[Part, ...]
    parts: tuple[Span, ...]
    value: Span
    kind: str  # "value", "inline", "table" or "array"


@dataclass(slots=True)
class _Scanner:
    text: str
    position: int = 0
    path: tuple[Part, ...] = ()
    parts: tuple[Span, ...] = ()
    entries: list[Entry] = field(default_factory=list)
    arrays: dict[tuple[Part, ...], int] = field(default_factory=dict)

    def run(self) -> list[Entry]:
        self._skip(_SPACE)
        while self.position < len(self.text):
            if self.text[self.position] == "[":
                self._header()
            else:
                self._pair(self.path, self.parts)
            self._skip(_SPACE)
        return self.entries

    def _skip(self, pattern: re.Pattern[str]) -> Span:
        """Go past what the pattern matches here."""
        found = pattern.match(self.text, self.position)
        if found is None:
            raise ScanError(self.position)
        self.position = found.end()
        return Span(*found.span())

    def _sees(self, token: str) -> bool:
        return self.text.startswith(token, self.position)

    def _expect(self, token: str) -> None:
        if not self._sees(token):
            raise ScanError(self.position)
        self.position += len(token)

    def _header(self) -> None:
        start = self.position
        brackets = 2 if self._sees("[[") else 1
        self.position += brackets
        names, spans = self._key()
        self._expect("]" * brackets)
        self.path, self.parts = self._absolute(names, spans, is_array=brackets == 2)
        kind = "array" if brackets == 2 else "table"
        self.entries.append(Entry(self.path, self.parts, Span(start, self.position), kind))

    def _absolute(
        self, names: list[str], spans: list[Span], *, is_array: bool
    ) -> tuple[tuple[Part, ...], tuple[Span, ...]]:
        """The path that a header means: a name on the way that is an array of tables means its last element."""
        path: tuple[Part, ...] = ()
        parts: tuple[Span, ...] = ()
        for number, (name, span) in enumerate(zip(names, spans, strict=True), 1):
            path, parts = (*path, name), (*parts, span)
            if is_array and number == len(names):
                self.arrays[path] = self.arrays.get(path, -1) + 1
            if path in self.arrays:
                path, parts = (*path, self.arrays[path]), (*parts, span)
        return path, parts

    def _key(self) -> tuple[list[str], list[Span]]:
        """A dotted key; ends behind the blanks that follow it."""
        names: list[str] = []
        spans: list[Span] = []
        while True:
            self._skip(_BLANK)
            quote = self.text[self.position : self.position + 1]
            span = self._skip({'"': _BASIC, "'": _LITERAL}.get(quote, _BARE_KEY))
            written = self.text[span.start : span.end]
            names.append(_unquoted(written, span.start) if quote in ('"', "'") else written)
            spans.append(span)
            self._skip(_BLANK)
            if not self._sees("."):
                return names, spans
            self.position += 1

    def _pair(self, path: tuple[Part, ...], parts: tuple[Span, ...]) -> None:
        names, spans = self._key()
        self._expect("=")
        self._skip(_BLANK)
        self._value((*path, *names), (*parts, *spans))

    def _value(self, path: tuple[Part, ...], parts: tuple[Span, ...]) -> None:
        start = self.position
        number = len(self.entries)
        character = self.text[start : start + 1]
        kind = "value"
        if character == "[":
            self._array(path, parts)
        elif character == "{":
            kind = "inline"
            self._inline_table(path, parts)
        else:
            self._skip(self._scalar(character))
            # A date and its time are separated by a blank, so a bare value ends where the blanks before its end begin.
            self.position = start + len(self.text[start : self.position].rstrip())
        # Outer before inner, as a reader sees them.
        self.entries.insert(number, Entry(path, parts, Span(start, self.position), kind))

    def _scalar(self, character: str) -> re.Pattern[str]:
        if character == '"':
            return _LONG_BASIC if self._sees('"""') else _BASIC
        if character == "'":
            return _LONG_LITERAL if self._sees("'''") else _LITERAL
        return _SCALAR

    def _array(self, path: tuple[Part, ...], parts: tuple[Span, ...]) -> None:
        for index in self._between("[", "]"):
            self._value((*path, index), (*parts, parts[-1]))

    def _inline_table(self, path: tuple[Part, ...], parts: tuple[Span, ...]) -> None:
        for _ in self._between("{", "}"):
            self._pair(path, parts)

    def _between(self, opening: str, closing: str) -> Iterator[int]:
        """Stop before each member, with its number; what stands between members is skipped, comments and line
        ends too."""
        self._expect(opening)
        self._skip(_SPACE)
        number = 0
        while not self._sees(closing):
            yield number
            number += 1
            self._skip(_SPACE)
            if not self._sees(","):
                break
            self.position += 1
            self._skip(_SPACE)
        self._expect(closing)


def _unquoted(written: str, offset: int) -> str:
    try:
        return next(iter(tomllib.loads(f"{written} = 0")))
    except tomllib.TOMLDecodeError:
        # A character or an escape that is not allowed.
        raise ScanError(offset) from None


def scan(text: str) -> list[Entry]:
    """Every key of a TOML text (line ends `\\n`) in the order written. Raises `ScanError`, RecursionError."""
    return _Scanner(text).run()


def value_of(text: str, span: Span) -> object:
    """What `tomllib` makes of the value written at `span`."""
    return tomllib.loads(f"value = {text[span.start : span.end]}")["value"]


@dataclass(frozen=True, slots=True)
class Lines:
    """Turns offsets of one text into places in one source."""

    source: str
    starts: tuple[int, ...]

    @classmethod
    def of(cls, source: str, text: str) -> Lines:
        return cls(source, (0, *(found.end() for found in re.finditer("\n", text))))

    def at(self, span: Span) -> At:
        line, column = self._place(span.start)
        end_line, end_column = self._place(span.end)
        return At(self.source, line, column, end_line, end_column)

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1


def problem(text: str) -> tuple[str, int | None, int | None] | None:
    """Why `tomllib` refuses a text, with line and column; None for both at the end of the text. None if it
    accepts it."""
    try:
        tomllib.loads(text)
    except RecursionError:
        return "arrays or tables are nested too deeply", 1, 1
    except ValueError as error:
        return _reason(str(error), text)
    return None


def _reason(message: str, text: str) -> tuple[str, int | None, int | None]:
    found = _POSITION.search(message)
    if found is None:
        # `int` refuses more than 4,300 digits, and says so without a place.
        digits = re.search(r"[0-9_]{4301,}", text)
        offset = digits.start() if digits else 0
        return "a number has too many digits", text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
    reason = message[: found.start()]
    line, column = found.groups()
    return reason[:1].lower() + reason[1:], int(line) if line else None, int(column) if column else None


def repetitions(entries: list[Entry]) -> list[tuple[Entry, Entry]]:
    """Keys and headers that are written twice, each as the later one and the first; not what is in a repeated table."""
    first: dict[tuple[tuple[Part, ...], bool], Entry] = {}
    found: list[tuple[Entry, Entry]] = []
    hidden = 0
    for entry in entries:
        if entry.kind == "array" or isinstance(entry.path[-1], int):
            continue
        before = first.setdefault((entry.path, entry.kind == "table"), entry)
        if before is not entry and entry.value.start >= hidden:
            found.append((entry, before))
            if entry.kind == "inline":
                hidden = entry.value.end
    return found


def without_repetitions(text: str, repeated: list[tuple[Entry, Entry]]) -> str:
    """The text with the last part of each repeated key renamed, so that `tomllib` can judge the rest."""
    for number, (entry, _) in sorted(enumerate(repeated), key=lambda item: item[1][0].parts[-1].start, reverse=True):
        last = entry.parts[-1]
        text = f"{text[: last.start]}repeated-{number}-{len(text)}{text[last.end :]}"
    return text
