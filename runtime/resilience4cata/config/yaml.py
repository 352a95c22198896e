"""YAML with places. PyYAML (the `yaml` extra) reads the text into nodes; what a scalar means is decided here.

PyYAML follows YAML 1.1, where `on` is true, `1_000` a number and `1:30` ninety. Here a plain scalar is what YAML 1.2's
core schema says, in its plain decimal forms: `true` and `false`, whole numbers, numbers, `null`, and otherwise text.
Whatever else 1.1 made of it stays the text that was written, so that the rule for its key can refuse it by name.
Keys without quotes may be joined by dots (`configs.external.retry`), as in properties. Anchors, aliases and merge keys
(`<<`) work; a value that comes by an alias stands where its anchor stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NoReturn

from yaml import BaseLoader, MarkedYAMLError, compose
from yaml.error import Mark
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import ReaderError

from ..facts import UNKNOWN, At, Items, Repeated, Value
from ..records import dataclass, field, replace

Path = tuple[str, ...]
Places = tuple[At, ...]

_MOST_ENTRIES: Final = 10_000
_SECOND_DOCUMENT: Final = "a second document begins here, and only one can be read"
_ROOT: Final = "keys belong at the top"
_TOO_DEEP: Final = "lists or tables are nested too deeply"
_STANDARD: Final = "tag:yaml.org,2002:"
_NOTHING: Final = Items((), "set")  # shown as {}
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,4000}")
_NUMBER: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_WORDS: Final[dict[str, Value]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


class YamlError(ValueError):
    """The text cannot be read: why, and at which line and column (from 1)."""

    def __init__(self, reason: str, line: int = 0, column: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class Entry:
    """A key with its value: the parts of its path from the root and where each stands.

    `is_table` marks a table that holds nothing.
    """

    path: Path
    parts: Places
    value: Value
    at: At
    is_table: bool = False


@dataclass(slots=True)
class Document:
    """What a text holds: its entries in order, and the keys that stand twice in one table."""

    entries: list[Entry] = field(default_factory=list)
    repeated: list[Repeated] = field(default_factory=list)


def parse(source: str, text: str, wanted: Callable[[str], bool]) -> Document:
    """The entries below those keys of the root that are `wanted`. Raises YamlError, also for a root without keys."""
    try:
        node = compose(text, Loader=BaseLoader)
    except MarkedYAMLError as error:
        reason = _SECOND_DOCUMENT if error.problem == "but found another document" else error.problem
        raise _marked(reason or error.context, error.problem_mark or error.context_mark) from None
    except ReaderError as error:
        before = text[: error.position]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise YamlError(str(error.reason), line, column) from None
    except RecursionError:
        raise YamlError(_TOO_DEEP, 1, 1) from None
    document = Document()
    if isinstance(node, MappingNode):
        try:
            _Walk(source, wanted, document).table(node, (), (), frozenset())
        except RecursionError:
            raise YamlError(_TOO_DEEP, 1, 1) from None
    elif isinstance(node, SequenceNode):
        _refuse(f"{_ROOT}, not a list", node)
    elif isinstance(node, ScalarNode) and scalar(node) is not None:
        _refuse(f"{_ROOT}, not a value alone", node)
    return document


def _marked(reason: str | None, mark: Mark | None) -> YamlError:
    words = " ".join((reason or "cannot be read").split())
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    return YamlError(words[:1].lower() + words[1:], line, column)


class _Walk:
    """Goes through the nodes of one document."""

    def __init__(self, source: str, wanted: Callable[[str], bool], document: Document) -> None:
        self._source = source
        self._wanted = wanted
        self._document = document
        self._open: list[int] = []

    def table(self, node: MappingNode, path: Path, parts: Places, hidden: frozenset[str]) -> None:
        """Take in the entries of a mapping; names in `hidden` are written by the table that merges this one."""
        if id(node) in self._open:
            _refuse("an anchor holds itself", node)
        self._open.append(id(node))
        pairs = list(self._pairs(node, is_root=not path))
        # Of several merged tables the first wins, and of several entries with one key the last.
        for merged in reversed(list(_merged(node))):
            self.table(merged, path, parts, hidden | {key.value for key, _ in pairs})
        first: dict[str, At] = {}
        for key, value in pairs:
            names, places = self._split(key)
            before = first.setdefault(key.value, places[-1])
            if key.value not in hidden:
                if before is not places[-1]:
                    self._document.repeated.append(Repeated(".".join((*path, *names)), places[-1], before))
                self._entry(value, (*path, *names), (*parts, *places))
        self._open.pop()

    def _pairs(self, node: MappingNode, *, is_root: bool) -> Iterator[tuple[ScalarNode, Node]]:
        """The entries that matter; other things may stand beside our tree, of any kind."""
        for key, value in node.value:
            if is_root and not (isinstance(key, ScalarNode) and self._wanted(key.value)):
                continue
            if not isinstance(key, ScalarNode):
                _refuse("a key must be text", key)
            if not _is_merge(key):
                yield key, value

    def _split(self, key: ScalarNode) -> tuple[Path, Places]:
        """The parts of a key, with their places: one without quotes may be joined by dots, or by slashes between names
        with dots."""
        at = self._at(key)
        names = (key.value,) if "/" in key.value else tuple(key.value.split("."))
        if key.style or not all(names) or at.line != at.end_line or at.end_column - at.column != len(key.value):
            return (key.value,), (at,)
        places, column = [], at.column
        for name in names:
            places.append(replace(at, column=column, end_column=column + len(name)))
            column += len(name) + 1
        return names, tuple(places)

    def _entry(self, node: Node, path: Path, parts: Places) -> None:
        if len(self._document.entries) >= _MOST_ENTRIES:
            _refuse(f"its anchors stand for more than {_MOST_ENTRIES:,} keys", node)
        if not isinstance(node, MappingNode):
            self._document.entries.append(Entry(path, parts, self._value(node), self._at(node)))
        elif node.value:
            self.table(node, path, parts, frozenset())
        else:
            self._document.entries.append(Entry(path, parts, _NOTHING, self._at(node), is_table=True))

    def _value(self, node: Node) -> Value:
        if not node.tag.startswith(_STANDARD):
            _refuse(f"the tag {node.tag} means nothing here", node)
        if isinstance(node, ScalarNode):
            return scalar(node)
        return Items(tuple(map(self._item, node.value)), "list") if isinstance(node, SequenceNode) else UNKNOWN

    def _item(self, node: Node) -> Value:
        if id(node) in self._open:
            _refuse("an anchor holds itself", node)
        self._open.append(id(node))
        value = self._value(node)
        self._open.pop()
        return value

    def _at(self, node: Node) -> At:
        start, end = node.start_mark, node.end_mark
        return At(self._source, start.line + 1, start.column + 1, end.line + 1, end.column + 1)


def scalar(node: ScalarNode) -> Value:
    """What a scalar says; null is None."""
    text: str = node.value
    # Quotes and blocks, and the tag `!!str`, make text of anything. Without a tag, the loader calls everything text.
    if node.style or _is_tagged_text(node):
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def _is_tagged_text(node: ScalarNode) -> bool:
    # What stands before the text is its anchor and its tag.
    start, end = node.start_mark, node.end_mark
    written = start.buffer[start.pointer : end.pointer] if isinstance(start.buffer, str) else ""
    return "!" in written.removesuffix(node.value)


def _is_merge(key: ScalarNode) -> bool:
    return not key.style and bool(key.value == "<<")


def _merged(node: MappingNode) -> Iterator[MappingNode]:
    for key, value in node.value:
        if isinstance(key, ScalarNode) and _is_merge(key):
            for merged in value.value if isinstance(value, SequenceNode) else [value]:
                if not isinstance(merged, MappingNode):
                    _refuse("only tables can be merged with '<<'", merged)
                yield merged


def _refuse(reason: str, node: Node) -> NoReturn:
    raise YamlError(reason, node.start_mark.line + 1, node.start_mark.column + 1)
