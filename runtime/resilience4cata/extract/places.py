"""Where live objects stand in their source.

A code object knows lines and, if Python keeps them, columns. That is enough to look for faults. Only for files in
which something was found is the source read too (`exact`), for what no code object knows: the place of a single
argument, of a name after `def`, of someone else's decorator. When the source is gone or has changed, the place of the
call remains.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path, PurePath, PureWindowsPath
from types import CodeType

from ..facts import NOWHERE, At
from .source import Source, Span


class Places:
    """Gives places, paths being relative to the working folder where they are below it.

    `exact` are the sources (as shown) that may be read.
    """

    def __init__(self, exact: Collection[str] = ()) -> None:
        self._exact = exact
        self._folder = Path.cwd()
        self._shown: dict[str, str] = {}
        self._filenames: dict[str, str] = {}
        self._sources: dict[str, Source | None] = {}
        # By identity: code objects are equal by content, which is slow to compare.
        self._calls: dict[int, tuple[CodeType, dict[int, At]]] = {}
        self._positions: dict[int, tuple[tuple[int | None, ...], ...]] = {}

    def release(self) -> None:
        """Forget what is only of use while many places are asked for: the positions of all instructions."""
        self._positions.clear()

    def shown(self, filename: str) -> str:
        """A file's name as messages show it."""
        if filename not in self._shown:
            text = self._shown[filename] = shown(filename, self._folder)
            self._filenames[text] = filename
        return self._shown[filename]

    def knows(self, source: str) -> bool:
        """Whether `source` is a file of code that places were given for."""
        return source in self._filenames

    def call(self, code: CodeType, instruction: int) -> At:
        """The call that an instruction of `code` makes; always the same object."""
        _, calls = self._calls.setdefault(id(code), (code, {}))
        found = calls.get(instruction)
        if found is None:
            found = calls[instruction] = self._call(code, instruction)
        return found

    def _call(self, code: CodeType, instruction: int) -> At:
        source = self.shown(code.co_filename)
        positions = self._positions.get(id(code))
        if positions is None:
            positions = self._positions[id(code)] = tuple(code.co_positions())
        start, end, column, end_column = positions[instruction // 2]
        if start is None or end is None or column is None or end_column is None or start == 0:
            return At(source, start or 0)
        span = Span(start, column + 1, end, end_column + 1)
        text = self._source(source)
        return At(source, *(text.in_characters(span) if text else span))

    def argument(self, call: At, name: str, position: int | None = None) -> At:
        """The value given as `name`, or at `position` (-1: all positional ones), in the call that stands at `call`."""
        text = self._source(call.source)
        span = text.argument(_span(call), name, position) if text else None
        return call.inside(name) if span is None else At(call.source, *span)

    def argument_text(self, call: At, position: int) -> str | None:
        """A positional argument as it is written, if the source may be read."""
        text = self._source(call.source)
        return text.argument_text(_span(call), position) if text else None

    def function(self, code: CodeType) -> At:
        """The name in the definition of a function, or the line where the definition begins."""
        source = self.shown(code.co_filename)
        text = self._source(source)
        span = text.name_of(code.co_name, code.co_firstlineno) if text else None
        return At(source, code.co_firstlineno) if span is None else At(source, *span)

    def annotations(self, code: CodeType) -> dict[str, str] | None:
        """The annotations of a function as they are written, if the source may be read."""
        text = self._source(self.shown(code.co_filename))
        return text.annotations(code.co_name, code.co_firstlineno) if text else None

    def decorator(self, code: CodeType, name: str) -> At:
        """The decorator with the last name `name` on the definition of a function, or where that begins."""
        source = self.shown(code.co_filename)
        text = self._source(source)
        span = text.decorator(code.co_name, code.co_firstlineno, name) if text else None
        return At(source, code.co_firstlineno) if span is None else At(source, *span)

    def class_name(self, filename: str | None, qualname: str) -> At:
        """The name in the definition of a class."""
        if filename is None:
            return NOWHERE
        source = self.shown(filename)
        text = self._source(source)
        span = text.name_of_path(qualname) if text else None
        return At(source) if span is None else At(source, *span)

    def _source(self, source: str) -> Source | None:
        if source not in self._exact:
            return None
        if source not in self._sources:
            self._sources[source] = Source.read(self._filenames.get(source, source))
        return self._sources[source]


def shown(filename: str, folder: PurePath) -> str:
    """A file's name relative to `folder`, if it is below it, and with forward slashes on every system."""
    path = type(folder)(filename)
    if path.is_absolute() and path.is_relative_to(folder):
        return path.relative_to(folder).as_posix()
    return filename.replace("\\", "/") if isinstance(folder, PureWindowsPath) else filename


def _span(at: At) -> Span:
    return Span(at.line, at.column, at.end_line, at.end_column)
