"""Edits of words where they stand: in comments that silence findings, and in configuration files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from resilience4cata.comments import SUPPRESSION

from .code import Edits, is_plain
from .text import Edit, Text

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Fix
    from resilience4cata.facts import At

# What may belong to a word of configuration: names, ids, paths, variables.
_PART: Final = r"[\w.#/-]"


def replaced(text: Text, fix: Fix, at: At) -> Edits | None:
    """Another word in the one place between these two ends where the word stands by itself.

    A word in quotes is the whole value, which goes with its quotes, whichever they are.
    """
    start, end = text.span(at)
    word = fix.words[0]
    if not word.isprintable():
        return None  # what ends lines is part of how the value is laid out
    if len(word) > 1 and word[0] == word[-1] == '"':
        is_quoted = text.whole[start:end] in (word, f"'{word[1:-1]}'")
        return (Edit(start, end, fix.text),) if is_quoted and is_plain(fix.text) else None
    wanted = re.compile(rf"(?<!{_PART}){re.escape(word)}(?!{_PART})")
    # Cut out, since what stands around the place is no part of the word.
    found = [match.span() for match in wanted.finditer(text.whole[start:end])]
    if len(found) != 1 or not is_plain(fix.text):
        return None
    return (Edit(start + found[0][0], start + found[0][1], fix.text),)


def unsilenced(text: Text, fix: Fix, at: At) -> Edits | None:
    """The comment without what silences nothing: one code, the whole suppression, or the line if nothing is left.

    What somebody wrote behind it stays, and then nothing is offered: it speaks about the suppression.
    """
    start, end = text.span(at)
    line = text.line_start(start)
    shown = text.whole[line : text.line_end(start)].rstrip("\r\n")
    column = start - line
    for match in SUPPRESSION.finditer(shown):
        if match.start() <= column and column + (end - start) <= match.end():
            listed = match[2] is not None and match[2].strip() != text.whole[start:end].strip()
            if listed and start - line > match.start():
                return _without_code(text, start, end)
            return _without_comment(text, line, shown, match)
    return None


def _without_code(text: Text, start: int, end: int) -> Edits:
    """The code, with the comma behind it, or the one before the last."""
    following = re.compile(r"\s*,\s*").match(text.whole, end)
    if following is not None:
        return (Edit(start, following.end(), ""),)
    before = text.whole[:start].rstrip().removesuffix(",").rstrip()
    return (Edit(len(before), end, ""),)


def _without_comment(text: Text, line: int, shown: str, match: re.Match[str]) -> Edits | None:
    before, after = shown[: match.start()], shown[match.end() :].strip()
    if after and not after.startswith("#"):
        return None
    if after:
        return (Edit(line + match.start(), line + shown.index("#", match.end()), ""),)
    if not before.strip():
        return (Edit(line, text.line_end(line), ""),)
    return (Edit(line + len(before.rstrip()), line + len(shown), ""),)
