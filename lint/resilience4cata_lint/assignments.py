"""Environment variables of ours that files give to processes: `.env` files, and YAML of any kind.

Compose files, workflows, manifests and charts all say the same in a few forms, wherever those stand: `NAME: value`,
`name: NAME` beside `value: …`, and `- NAME=value` in a list called `env` or `environment`. So the kind of file does not
matter. A value that something else decides (`${DELAY}`, `{{ .Values.delay }}`, `valueFrom`) is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import Final, TypeAlias

from yaml import BaseLoader, MarkedYAMLError, compose_all
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import ReaderError

from resilience4cata.config.environment import VARIABLE_PREFIX, Assignment
from resilience4cata.facts import UNKNOWN, At, Unknown

YAML: Final = (".yaml", ".yml")

_LISTS: Final = frozenset({"env", "environment"})
_NAME: Final = rf"(?P<name>{VARIABLE_PREFIX}\w*)"
_LINE: Final = re.compile(rf"\s*(?:export\s+)?{_NAME}[ \t]*(?:=[ \t]*(?P<value>.*?)|(?=#|$).*)\s*$", re.ASCII)
_ITEM: Final = re.compile(rf"{_NAME}(?:=(?P<value>.*))?", re.ASCII | re.DOTALL)
_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
_TEMPLATED: Final = re.compile(r"\{\{.*?\}\}", re.DOTALL)
# Stands for what a template engine will put there. Nobody writes it, and YAML takes it for a letter.
_FILLER: Final = "\ue000"
_NOT_GIVEN: Final = frozenset({"", "~", "null"})


def assignments(path: str, data: bytes) -> list[Assignment]:
    """The variables of ours that a file sets, in their order; `path` is how it is shown, and chooses the format.

    What cannot be read is somebody else's fault, and holds nothing.
    """
    return [assignment for assignment, _ in _placed(path, data)]


def environments(path: str, data: bytes) -> list[tuple[Assignment, ...]]:
    """The same, those together that stand together: the lines of a file, or one table or list of YAML."""
    found: dict[int, list[Assignment]] = {}
    for assignment, place in _placed(path, data):
        found.setdefault(place, []).append(assignment)
    return [tuple(together) for together in found.values()]


def repeated(path: str, data: bytes) -> int:
    """How many variables of ours are set again where they are set already: in one file of lines, or one part of YAML.

    Which value counts is then another question for every tool.
    """
    placed = [(assignment.name, place) for assignment, place in _placed(path, data)]
    return len(placed) - len(set(placed))


Placed: TypeAlias = tuple[Assignment, int]
"""A variable that is set, and what it is set in: a number for each table or list."""


def _placed(path: str, data: bytes) -> list[Placed]:
    text = data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    return list(_in_yaml(path, text) if path.endswith(YAML) else ((found, 0) for found in _in_lines(path, text)))


# ---------------------------------------------------------------- lines of NAME=value


def _in_lines(path: str, text: str) -> Iterator[Assignment]:
    for number, line in enumerate(text.split("\n"), 1):
        found = _LINE.fullmatch(line)
        if found is not None:
            at = _within(path, number, *found.span("name"))
            written = found["value"]
            if written is None:
                yield Assignment(found["name"], UNKNOWN, at, at)
            else:
                value, length = _unquoted(written)
                start = found.start("value")
                yield Assignment(found["name"], value, at, _within(path, number, start, start + length))


def _unquoted(written: str) -> tuple[str | Unknown, int]:
    """The value, and how long it is as it is written. One that goes on in the next line is not known."""
    quote = written[:1]
    if quote not in ("'", '"') or not quote:
        value = _COMMENT.sub("", written).rstrip()
        return _known(value), len(value)
    end = written.find(quote, 1)
    if end < 0 or "\\" in written[:end]:
        return UNKNOWN, len(written)
    return _known(written[1:end]), end + 1


def _known(value: str) -> str | Unknown:
    return UNKNOWN if "$" in value or _FILLER in value else value


def _within(path: str, line: int, start: int, end: int) -> At:
    return At(path, line, start + 1, line, end + 1)


# ---------------------------------------------------------------- YAML


def _in_yaml(path: str, text: str) -> Iterator[Placed]:
    try:
        numbers = count()
        for document in compose_all(_without_templates(text), Loader=BaseLoader):
            yield from _Walk(path, numbers).node(document, "", -1)
    except (MarkedYAMLError, ReaderError, RecursionError):
        return


def _without_templates(text: str) -> str:
    """The text with whatever stands in `{{ }}` made plain, at the same places; lines of nothing else are left empty."""
    if "{{" not in text:
        return text
    filled = _TEMPLATED.sub(lambda found: re.sub(r"[^\n]", _FILLER, found[0]), text)
    lines = (line if line.strip(f" {_FILLER}") else line.replace(_FILLER, " ") for line in filled.split("\n"))
    return "\n".join(lines)


class _Walk:
    """Goes through the nodes of one document, and takes none twice that anchors and aliases repeat."""

    def __init__(self, path: str, numbers: Iterator[int]) -> None:
        self._path = path
        self._numbers = numbers
        self._seen: set[int] = set()

    def node(self, node: Node | None, called: str, around: int) -> Iterator[Placed]:
        """What stands in a node, which is `called` so by the table around it; `around` is the number of that table, or
        of the list that it stands in."""
        if node is None or id(node) in self._seen:
            return
        self._seen.add(id(node))
        if isinstance(node, MappingNode):
            yield from self._mapping(node, around)
        elif isinstance(node, SequenceNode):
            number = next(self._numbers)
            for item in node.value:
                if isinstance(item, ScalarNode):
                    yield from ((found, number) for found in self._item(item) if called in _LISTS)
                else:
                    yield from self.node(item, called, number)

    def _mapping(self, node: MappingNode, around: int) -> Iterator[Placed]:
        number = next(self._numbers)
        entries = {key.value: value for key, value in node.value if isinstance(key, ScalarNode)}
        name = entries.get("name")
        if isinstance(name, ScalarNode) and name.value.startswith(VARIABLE_PREFIX):
            yield self._assignment(name, entries.get("value")), around
        for key, value in node.value:
            called = key.value if isinstance(key, ScalarNode) else ""
            if called.startswith(VARIABLE_PREFIX):
                yield self._assignment(key, value), number
            else:
                yield from self.node(value, called, number)

    def _assignment(self, name: ScalarNode, value: Node | None) -> Assignment:
        at = self._at(name)
        if isinstance(value, MappingNode):  # with a description beside it
            inner = {key.value: node for key, node in value.value if isinstance(key, ScalarNode)}
            value = inner.get("value")
        if not isinstance(value, ScalarNode) or (not value.style and value.value in _NOT_GIVEN):
            return Assignment(name.value, UNKNOWN, at, at)
        return Assignment(name.value, _known(value.value), at, self._at(value))

    def _item(self, node: ScalarNode) -> Iterator[Assignment]:
        found = _ITEM.fullmatch(node.value)
        if found is None:
            return
        at = value_at = whole = self._at(node)
        quote = 1 if node.style else 0
        if whole.line == whole.end_line and whole.end_column - whole.column == len(node.value) + 2 * quote:
            start = whole.column - 1 + quote
            at = _within(self._path, whole.line, start, start + found.end("name"))
            value_at = _within(self._path, whole.line, start + found.end("name") + 1, start + len(node.value))
        value = found["value"]
        yield Assignment(found["name"], UNKNOWN if value is None else _known(value), at, value_at)

    def _at(self, node: Node) -> At:
        start, end = node.start_mark, node.end_mark
        return At(self._path, start.line + 1, start.column + 1, end.line + 1, end.column + 1)
