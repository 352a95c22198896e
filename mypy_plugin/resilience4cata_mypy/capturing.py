"""What `match` statements give names to."""

from __future__ import annotations

from collections.abc import Iterator

from mypy.nodes import MatchStmt, NameExpr
from mypy.patterns import (
    AsPattern,
    ClassPattern,
    MappingPattern,
    OrPattern,
    Pattern,
    SequencePattern,
    StarredPattern,
)


def captured(node: MatchStmt) -> Iterator[NameExpr]:
    """The names that the patterns of a `match` statement bind."""
    waiting: list[Pattern | None] = list(node.patterns)
    while waiting:
        match waiting.pop():
            case AsPattern(pattern=inner, name=name):
                waiting.append(inner)
            case OrPattern(patterns=inner) | SequencePattern(patterns=inner):
                waiting += inner
                continue
            case StarredPattern(capture=name):
                pass
            case MappingPattern(values=inner, rest=name):
                waiting += inner
            case ClassPattern(positionals=inner, keyword_values=others):
                waiting += (*inner, *others)
                continue
            case _:
                continue
        if name is not None:
            yield name
