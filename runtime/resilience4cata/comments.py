"""Comments that silence findings, and the lines that each of them is about.

    @retry(max_attempts=1)  # r4c: ignore[R4C-VA-005]
    # r4c: file-ignore[R4C-CMP-005, R4C-LOC-006]

In Python the first form is about the line that it ends. In configuration files, where a line cannot always end with a
comment, it may also stand on a line of its own, and is then about the next line that is neither empty nor a comment.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from .facts import At
from .records import dataclass

CONFIGURATION: Final = (".toml", ".properties", ".yaml", ".yml", ".env")
"""Endings of configuration files; every other file is taken for Python, but for `.env.production` and its like."""

MARK: Final = "r4c"
"""What stands in every such comment, and in those that were meant for one, in whatever case."""

# What stands in quotes or behind other words is prose about suppressions.
SUPPRESSION: Final = re.compile(r"(?:(?<=\s)|^)[#!]\s*r4c:\s*(file-)?ignore(?:\[([^\]]*)\]|(?=\s|$))")
# What speaks to us: behind a colon anything, without one what has brackets.
_SPOKEN: Final = re.compile(
    r"(?:(?<=\s)|^)[#!]\s*(?P<word>r4c:\s*[^\s\[]+|r4c\s+[\w-]+(?=\[))(?:\[[^\]]*\])?", re.IGNORECASE
)
_PREFIX: Final = re.compile(r"r4c:\s*")
_CODE: Final = re.compile(r"[^,\s](?:[^,]*[^,\s])?")
_PROPERTIES: Final = ".properties"


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """One code in one such comment; "" if it names none.

    `line` is what it is about, None for the whole file. A mark that is not `certain` may be no comment at all, so that
    it may silence something but is not judged itself.
    """

    at: At
    text: str
    code: str
    line: int | None
    certain: bool = True


class Marks(tuple[Mark, ...]):
    """The marks of one file, in the order of lines."""

    @cached_property
    def _about(self) -> dict[tuple[str, int | None], list[Mark]]:
        found: dict[tuple[str, int | None], list[Mark]] = {}
        for mark in self:
            found.setdefault((mark.code, mark.line), []).append(mark)
        return found

    def silencing(self, code: str, at: At) -> list[Mark]:
        """Those about a finding in this file, by its code and place."""
        if not self:
            return []
        lines = (None, *range(at.line, max(at.line, at.end_line) + 1))
        return [mark for line in lines for mark in self._about.get((code, line), ())]


def is_configuration(path: str) -> bool:
    """Whether comments in the file at a path are those of configuration, and not of Python."""
    return path.endswith(CONFIGURATION) or path.replace("\\", "/").rpartition("/")[2].startswith(".env.")


def marks(path: str, lines: Sequence[str]) -> Marks:
    """The marks of the file that is shown as `path`."""
    return Marks(_marks(path, lines))


@dataclass(frozen=True, slots=True)
class Stray:
    """A comment that speaks to us and says nothing that we know; `word` is what stands at `at` instead of a directive.

    Where the comment does not even begin as it should, `word` has the beginning too.
    """

    at: At
    text: str
    word: str


def strays(path: str, lines: Sequence[str]) -> Iterator[Stray]:
    """The comments of a file that were probably meant to silence something, and do not."""
    if _SPOKEN.search("\n".join(lines)) is None:
        return
    for number, start, text, certain in _comments(path, lines):
        for match in _SPOKEN.finditer(text) if certain else ():
            if SUPPRESSION.match(text, match.start()) is None:
                prefix = _PREFIX.match(match["word"])
                first, last = match.start("word") + (prefix.end() if prefix else 0), match.end("word")
                at = At(path, number, start + first + 1, number, start + last + 1)
                yield Stray(at, match[0], text[first:last])


def _comments(path: str, lines: Sequence[str]) -> Iterator[Comment]:
    return _in_configuration(path, lines) if is_configuration(path) else _in_python(lines)


def _marks(path: str, lines: Sequence[str]) -> Iterator[Mark]:
    if MARK not in "\n".join(lines):
        return
    configures = is_configuration(path)
    for number, start, text, certain in _comments(path, lines):
        about = number
        if configures and not lines[number - 1][:start].strip():
            about = _next_line(lines, number)
        for match in SUPPRESSION.finditer(text):
            line = None if match[1] else about
            for code, first, last in _codes(match):
                at = At(path, number, start + first + 1, number, start + last + 1)
                yield Mark(at, match[0].strip(), code, line, certain)


def _codes(match: re.Match[str]) -> Iterator[tuple[str, int, int]]:
    """Each code with its columns; without any, the place of the whole comment."""
    start = match.start(2)
    codes = list(_CODE.finditer(match[2])) if match[2] is not None else []
    if not codes:
        yield "", match.start(), match.end()
    for code in codes:
        yield code[0], start + code.start(), start + code.end()


Comment = tuple[int, int, str, bool]
"""Number of the line, column from 0, text, and whether it is certainly a comment."""


def _in_python(lines: Sequence[str]) -> Iterator[Comment]:
    rest = iter([f"{line}\n" for line in lines])
    reached = 0
    try:
        for token in tokenize.generate_tokens(lambda: next(rest, "")):
            reached = token.end[0]
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.start[1], token.string, True
    except (SyntaxError, tokenize.TokenError, ValueError):
        # The file cannot be parsed, which is a finding that a comment may silence.
        for number, line in enumerate(lines[reached:], reached + 1):
            if "#" in line:
                yield number, line.index("#"), line[line.index("#") :], False


def _in_configuration(path: str, lines: Sequence[str]) -> Iterator[Comment]:
    if path.endswith(_PROPERTIES):
        yield from _in_properties(lines)
        return
    multiline = ""
    for number, line in enumerate(lines, 1):
        start, multiline = _comment_start(line, multiline)
        if start is not None:
            yield number, start, line[start:], path.endswith(".toml") or not line[:start].strip()


def _in_properties(lines: Sequence[str]) -> Iterator[Comment]:
    continued = False
    for number, line in enumerate(lines, 1):
        text = line.lstrip(" \t\f")
        if not continued and text.startswith(("#", "!")):
            yield number, len(line) - len(text), text, True
            continue
        continued = (len(text) - len(text.rstrip("\\"))) % 2 == 1


def _comment_start(line: str, multiline: str) -> tuple[int | None, str]:
    """Where the comment of a line of TOML or YAML begins, and which quotes are open at the end of the line.

    `multiline` are the quotes open at its beginning. Only TOML's triple quotes go on over lines; text over several
    lines of YAML is taken for what it looks like.
    """
    quotes = multiline
    position = 0
    while position < len(line):
        character = line[position]
        if quotes:
            if character == "\\" and quotes[0] == '"':
                position += 1
            elif line.startswith(quotes, position):
                position += len(quotes) - 1
                quotes = ""
        elif character in {'"', "'"}:
            quotes = character * 3 if line.startswith(character * 3, position) else character
            position += len(quotes) - 1
        elif character == "#":
            return position, ""
        position += 1
    return None, quotes if len(quotes) == 3 else ""


def _next_line(lines: Sequence[str], number: int) -> int:
    """The line that a comment on a line of its own is about."""
    for following, line in enumerate(lines[number:], number + 1):
        text = line.strip()
        if text and text[0] not in "#!":
            return following
    return number
