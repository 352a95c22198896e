"""Which variables of known keys are near one that no key has.

Names are compared part by part (section, name, policy, attribute): what all of them share, the prefix first of all,
says nothing about what was meant. So each part that is not known has to be near one that could stand there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias, Union

from ..suggestions import certain, did_you_mean, distance

Tree: TypeAlias = Mapping[str, Union["Tree", None]]
"""What may stand in one place of a variable, each with what may follow it; None where it ends."""

# As far away as some slips together: a part that is not there at all is the last thing to think of.
_MISSING: Final = 8
# No key has more, and each multiplies the ways to divide a name into parts.
_MOST_WORDS: Final = 40
_MOST: Final = 5
_FEW: Final = 50


class Near(NamedTuple):
    """A known name, how far away it is, and whether nothing else is likely to be meant."""

    distance: int
    name: str
    is_certain: bool


class _Way(NamedTuple):
    """Parts that words could stand for; `slips` are those that differ, `is_certain` if each is a certain slip."""

    distance: int = 0
    parts: tuple[str, ...] = ()
    slips: int = 0
    is_certain: bool = True

    def behind(self, head: _Way) -> _Way:
        return _Way(
            head.distance + self.distance,
            head.parts + self.parts,
            head.slips + self.slips,
            head.is_certain and self.is_certain,
        )


def similar(name: str, tree: Tree, levels: Iterable[str] = ()) -> list[Near]:
    """The names in a tree that are near another one, the nearest first; if none is, those in one of `levels`, which
    may be missing."""
    words = tuple(name.split("_"))
    if len(words) > _MOST_WORDS:
        return []
    ways = [*_equal(_folded(name), tree), *_ways(words, tree)]
    for level in levels if not ways else ():
        below = tree.get(level) or {}
        ways += (way.behind(_absent(level)) for way in _ways(words, below))
    found: dict[str, _Way] = {}
    for way in sorted(ways):
        found.setdefault("_".join(way.parts), way)
    ways = list(found.values())
    return [
        Near(way.distance, "_".join(way.parts), way.slips == 1 and way.is_certain and _is_nearest(way, ways))
        for way in ways[:_MOST]
    ]


def _is_nearest(way: _Way, ways: Iterable[_Way]) -> bool:
    return all(other is way or other.distance > way.distance for other in ways)


def _folded(name: str) -> str:
    return name.replace("_", "").casefold()


def _equal(rest: str, tree: Tree) -> Iterator[_Way]:
    """The names that are the same but for case and underscores."""
    for part, below in tree.items():
        folded = _folded(part)
        if below is None:
            yield from [_Way(0, (part,), 1)] if folded == rest else ()
        elif folded and rest.startswith(folded):
            yield from (_Way(0, (part, *way.parts), 1) for way in _equal(rest[len(folded) :], below))


def _absent(part: str) -> _Way:
    return _Way(_MISSING, (part,), 1, is_certain=False)


def _ways(words: tuple[str, ...], tree: Tree) -> Iterator[_Way]:
    """Every way to read words as parts that may stand in this place and behind it."""
    if not words:
        ends = [part for part, below in tree.items() if below is None]
        yield from map(_absent, ends if len(ends) == 1 else ())
        return
    yield from _without_first(words, tree)
    for below, parts in _alike(tree):
        if below is None:
            first = _nearest("_".join(words), parts)  # what ends here is all that is left
            yield from [first] if first is not None else ()
            continue
        for count in _cuts(words, below) if len(parts) > _FEW else range(1, len(words) + 1):
            first = _nearest("_".join(words[:count]), parts)
            if first is not None:
                yield from (rest.behind(first) for rest in _ways(words[count:], below))
                if len(parts) > _FEW:
                    break


def _cuts(words: tuple[str, ...], below: Tree) -> list[int]:
    """Where a name may end: few things may follow one of many, and what fits best is tried first."""
    rests = ((min(_ways(words[count:], below), default=None), count) for count in range(1, len(words) + 1))
    return [count for _, count in sorted((rest, count) for rest, count in rests if rest is not None)]


def _without_first(words: tuple[str, ...], tree: Tree) -> Iterator[_Way]:
    """The only part that may stand here and before these words, if it is all that is missing."""
    whole = "_".join(words)
    owners = [part for part, below in tree.items() if below is not None and below.get(whole, below) is None]
    if len(owners) == 1:
        yield _Way(_MISSING, (owners[0], whole), 1, is_certain=False)


def _alike(tree: Tree) -> Iterator[tuple[Tree | None, list[str]]]:
    """The parts of one place, those together that the same may follow."""
    groups: dict[int, tuple[Tree | None, list[str]]] = {}
    for part, below in tree.items():
        groups.setdefault(id(below), (below, []))[1].append(part)
    yield from groups.values()


def _nearest(head: str, parts: list[str]) -> _Way | None:
    if head in parts:
        return _Way(0, (head,))
    near = did_you_mean(head, parts)
    return None if near is None else _Way(max(distance(head, near), 1), (near,), 1, certain(head, near, parts))
