"""From findings to edits: what can be offered for each."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from resilience4cata.comments import is_configuration
from resilience4cata.diagnostics import Action
from resilience4cata.records import dataclass, field

from .. import deployments
from ..configuration import READABLE
from . import arguments, code, decorators, members, words
from .code import Code, Edits
from .text import Text, spliced

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Diagnostic, Fix
    from resilience4cata.facts import At

    from ..texts import Sources

_IN_CODE: Final[dict[Action, Callable[[Code, Fix, At], Edits | None]]] = {
    Action.WRITE: code.written,
    Action.MEMBER: members.member,
    Action.ARGUMENT: code.renamed_argument,
    Action.CALL: code.called,
    Action.REFER: code.referred,
    Action.MOVE: decorators.moved,
    Action.REORDER: decorators.reordered,
    Action.DROP_ARGUMENT: arguments.dropped_argument,
    Action.DROP_LAYERS: arguments.dropped_layers,
    Action.INHERIT: decorators.inheriting,
}
_IN_WORDS: Final[dict[Action, Callable[[Text, Fix, At], Edits | None]]] = {
    Action.WRITE: words.replaced,
    Action.DROP_SUPPRESSION: words.unsilenced,
}
# These are about comments, in Python as well.
_COMMENTS: Final = "SUP"


class Source:
    """One file as it is edited. Raises ValueError for one that is no text."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path, self.data = path, data
        self.text = Text(path, data)

    @cached_property
    def code(self) -> Code:
        """The file as a module. Raises ValueError or SyntaxError if it is none, RecursionError if it is too deep."""
        return Code(self.text)

    def edits(self, diagnostic: Diagnostic) -> Edits:
        """The edits for a finding; none if nothing is offered, or not in the form that stands there."""
        fix, at = diagnostic.fix, diagnostic.at
        if fix is None or not at.line or not at.column:
            return ()
        try:
            if is_configuration(self.path) or _COMMENTS in diagnostic.code or fix.action not in _IN_CODE:
                found = _IN_WORDS[fix.action](self.text, fix, at) if fix.action in _IN_WORDS else None
            else:
                found = _IN_CODE[fix.action](self.code, fix, at)
            # Each must be writable where it goes.
            for edit in found or ():
                self.text.encoded(edit.new)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return ()
        return found or ()


class Replacement(NamedTuple):
    """An edit in the file of its finding, by lines and columns from 1."""

    line: int
    column: int
    end_line: int
    end_column: int
    content: str


class Spot(NamedTuple):
    """What makes a finding the same as one of another check, in a text that is the same."""

    path: str
    code: str
    message: str
    line: int
    column: int


def spot_of(diagnostic: Diagnostic) -> Spot:
    """The spot of a finding."""
    at = diagnostic.at
    return Spot(at.source, diagnostic.code, diagnostic.message, at.line, at.column)


def is_sound(path: str, data: bytes, before: bytes) -> bool:
    """Whether what is in a file can be read as what its name says, no worse than what was there before."""
    try:
        if not is_configuration(path):
            return bool(Source(path, data).code)
        Text(path, data)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return False
    return _keeps_its_keys(path, data, before) and _keeps_its_variables(path, data, before)


def _keeps_its_keys(path: str, data: bytes, before: bytes) -> bool:
    """Whether a file of keys can be read as one, if it could before: others hold variables for a process."""
    if not path.endswith(READABLE):
        return True
    from resilience4cata.config.reading import read

    old = read(path, before)
    if old.broken is not None:
        return True
    new = read(path, data)
    return new.broken is None and len(new.repeated) <= len(old.repeated)


def _keeps_its_variables(path: str, data: bytes, before: bytes) -> bool:
    """Whether all variables are set that were, and none again that was set already."""
    if not deployments.may_be_one(path, before):
        return True
    from ..assignments import assignments, repeated

    is_whole = len(assignments(path, data)) == len(assignments(path, before))
    return is_whole and repeated(path, data) <= repeated(path, before)


def _sound(source: Source, edits: Edits) -> Edits:
    """The edits, or none if they would break a file of configuration by themselves: a key may be there already."""
    if not edits or not is_configuration(source.path):
        return edits
    data = source.text.encoded(spliced(source.text.whole, edits))
    return edits if is_sound(source.path, data, source.data) else ()


@dataclass(slots=True)
class Offers:
    """The edits for the findings of one report, worked out when they are asked for.

    `refused` are findings whose edits did not repair them.
    """

    sources: Sources
    refused: set[Spot] = field(default_factory=set)
    _opened: dict[str, Source | None] = field(default_factory=dict)
    _edits: dict[int, tuple[Diagnostic, Edits]] = field(default_factory=dict)

    def source(self, path: str) -> Source | None:
        """The file shown as `path`, None if it is no text."""
        if path not in self._opened:
            try:
                self._opened[path] = Source(path, self.sources.data(path))
            except (ValueError, LookupError):
                self._opened[path] = None
        return self._opened[path]

    def edits(self, diagnostic: Diagnostic) -> Edits:
        """The edits for a finding; none if nothing can be offered."""
        if diagnostic.fix is None:
            return ()
        known = self._edits.get(id(diagnostic))
        if known is None:
            source = self.source(diagnostic.at.source)
            known = diagnostic, () if source is None else _sound(source, source.edits(diagnostic))
            self._edits[id(diagnostic)] = known
        return known[1]

    def replacements(self, diagnostic: Diagnostic) -> list[Replacement]:
        """The edits for a finding by lines and columns, in the order of places."""
        source = self.source(diagnostic.at.source) if diagnostic.fix is not None else None
        edits = sorted(set(self.edits(diagnostic))) if source is not None else []
        place = source.text.place if source is not None else None
        return [Replacement(*place(edit.start), *place(edit.end), edit.new) for edit in edits if place is not None]

    def offered(self, diagnostic: Diagnostic, *, unsafe: bool) -> bool:
        """Whether the finding can be repaired, by what is safe or by anything."""
        if diagnostic.fix is None or not (unsafe or diagnostic.fix.is_safe):
            return False
        return bool(self.edits(diagnostic)) and spot_of(diagnostic) not in self.refused
