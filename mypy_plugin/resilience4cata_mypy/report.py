"""Findings -> mypy's errors: at the exact place, under our code, unless a comment on the line says otherwise."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import Final

from mypy.nodes import Context

from resilience4cata.diagnostics import Diagnostic, Finding, show_place
from resilience4cata.facts import At

from . import internals
from .codes import BY_RULE
from .extract import Reader

_REPORT_TO: Final = "https://resilience4cata.readthedocs.io/en/reporting.html"


def report(findings: Iterable[Finding], reader: Reader) -> None:
    """Report what was found in the reader's file; what belongs to another file is reported there."""
    source = _Source(reader)
    for finding in findings:
        diagnostic = finding.diagnostic(with_fix=False)
        if diagnostic.at.source != reader.index.path or not diagnostic.at.line:
            continue
        if not source.suppresses(diagnostic):
            place = source.place(diagnostic.at)
            notes = tuple(_notes(diagnostic, source))
            internals.fail(reader.checker, diagnostic.line, _context(place), BY_RULE[diagnostic.code], notes)


def _notes(diagnostic: Diagnostic, source: _Source) -> Iterator[str]:
    if diagnostic.expected:
        yield f"expected: {diagnostic.expected}"
    for related in diagnostic.related:
        if related.at.line:
            yield f"{show_place(source.place(related.at))}: {related.text}"
    if source.shows_links:
        yield f"see {diagnostic.url}"


def _context(at: At) -> Context:
    context = Context(at.line, at.column - 1)
    context.end_line, context.end_column = at.end_line, at.end_column - 1
    return context


class _Source:
    """The text of a file, read only when something is to be said about it."""

    def __init__(self, reader: Reader) -> None:
        self._index = reader.index
        options = reader.checker.options
        self.shows_links = options.show_error_code_links and not options.hide_error_codes
        self._native = options.native_parser

    def line(self, number: int) -> str:
        """A line by its number from 1; nothing if there is none."""
        lines = self._index.lines
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def suppresses(self, diagnostic: Diagnostic) -> bool:
        """Whether a comment on one of the finding's lines, or one about the whole file, names its code."""
        return bool(self._index.marks.silencing(diagnostic.code, diagnostic.at))

    def place(self, at: At) -> At:
        """A place with columns counted in characters."""
        if at.source != self._index.path:
            return at
        return At(
            at.source,
            at.line,
            self._characters(at.line, at.column - 1) + 1,
            at.end_line,
            self._characters(at.end_line, at.end_column - 1, is_end=True) + 1,
        )

    def _characters(self, line: int, column: int, *, is_end: bool = False) -> int:
        text = self.line(line)
        if text.isascii():
            return column
        return _from_native(text, column, is_end=is_end) if self._native else _from_bytes(text, column)


def _from_bytes(text: str, column: int) -> int:
    """A column counted in bytes of UTF-8, as Python's own parser counts, in characters."""
    return len(text.encode()[:column].decode(errors="ignore"))


def _from_native(text: str, column: int, *, is_end: bool) -> int:
    """A column of mypy's native parser in characters.

    It takes a column that counts characters for one that counts bytes and converts it once more: it subtracts what
    characters are longer than one byte if they begin no further than so many bytes into the line. Several places can
    have one number; the one where a word or a text begins, or ends, is meant.
    """
    starts = list(accumulate((len(character.encode()) for character in text), initial=0))
    longer = [(start, after - start - 1) for start, after in pairwise(starts) if after - start > 1]
    places = range(len(text) + 1)
    candidates = [p for p in places if p - sum(extra for start, extra in longer if start <= p) == column]
    likely = [place for place in candidates if (_ends_word if is_end else _begins_word)(text, place)]
    return (likely or candidates or [column])[-1 if is_end else 0]


def _begins_word(text: str, place: int) -> bool:
    before, here = text[place - 1 : place], text[place : place + 1]
    return not _in_word(before) and (_in_word(here) or here in {'"', "'"})


def _ends_word(text: str, place: int) -> bool:
    before, here = text[place - 1 : place], text[place : place + 1]
    return not _in_word(here) and (_in_word(before) or before in {'"', "'", ")", "]", "}"})


def _in_word(character: str) -> bool:
    return character.isidentifier() or character.isdigit()


def crashed(checker: internals.Checker, node: Context, error: Exception) -> None:
    """Say that a check failed, and where, instead of ending the whole run."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = ""
    if trace is not None:
        where = f" in {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"  # noqa: PTH119
    text = (
        f"resilience4cata could not check this: {type(error).__name__}: {error}{where}; "
        f"please report it at {_REPORT_TO} together with this line"
    )
    internals.note(checker, text, node)
