"""From entries of a format to keys with a meaning, and from keys to templates.

A format says how a key is divided into parts and where they stand; the grammar says what they mean. Keys that are not
ours are left out: properties files and `pyproject.toml` are shared with others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from typing import Final, Literal

from ..facts import (
    NOWHERE,
    At,
    ConfigFile,
    Declaration,
    Empty,
    Extends,
    Global,
    Items,
    Key,
    Meaning,
    Setting,
    Slot,
    Template,
    Unrecognised,
    Value,
)
from ..records import dataclass, field, replace
from ..schema import POLICIES, Attribute
from ..suggestions import distance
from . import grammar
from .grammar import Path
from .values import coerce

PREFIX: Final = "resilience4cata"
TYPED: Final = (".toml", ".yaml", ".yml")
"""Formats whose values are more than text."""

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_OWNER: Final = re.compile(r"[\w.-]+(#\w+)?")
_LEVELS: Final = ("defaults", "configs", "instances", "profiles", "budgets")


def attribute_of(meaning: Meaning) -> Attribute | None:
    """What is known about the value of a key with this meaning."""
    if isinstance(meaning, Setting):
        return POLICIES[meaning.policy].attributes[meaning.attribute]
    return grammar.global_attribute(meaning.name) if isinstance(meaning, Global) else None


@lru_cache
def is_near_prefix(word: str) -> bool:
    """Whether somebody meant our prefix; nearer than a suggestion must be, since other libraries have similar names."""
    folded = re.sub("[-_.]", "", word.lower())
    return word != PREFIX and distance(folded, PREFIX) <= 2


def properties_key(name: str, value: str, place: Callable[[int, int], At], value_at: At) -> Key | None:
    """The meaning of a key in a properties file, None if it is not ours; `place` places a range of its characters."""
    found = _properties_meaning(name)
    if found is None:
        return None
    path, offset, meaning = found
    parts_at = []
    for part in path:
        parts_at.append(place(offset, offset + len(part)))
        offset += len(part) + 1
    text = name.removeprefix(f"{PREFIX}.")
    if not text.isprintable():
        text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    coerced = _coerced(meaning, value, textual=True)
    is_certain = name != "/".join(path) or _is_prefix(path[0])
    return Key(path, coerced, place(0, len(name)), value_at, meaning, text, tuple(parts_at), certain=is_certain)


def _properties_meaning(name: str) -> tuple[Path, int, Meaning] | None:
    """The parts of a key, the offset of the first, and what they mean; None if the key is not ours."""
    head, dot, rest = name.partition(".")
    if name == PREFIX:
        return (PREFIX,), 0, Unrecognised(1)
    if head == PREFIX:
        path = tuple(rest.split("."))
        meaning = grammar.interpret(path, lambda p, i, level: ".".join((PREFIX, *p[:i], level, *p[i:])))
        return path, len(PREFIX) + 1, meaning
    if dot and is_near_prefix(head):
        return tuple(name.split(".")), 0, Unrecognised(0, (PREFIX,))
    segments = tuple(name.split("/"))
    found = slash_meaning(segments)
    return (segments, 0, found) if found is not None else None


def toml_key(path: Path, parts_at: tuple[At, ...], value: Value, value_at: At, root: Path) -> Key | None:
    """The meaning of a TOML key, `path` from the file's root; our tree begins below `root`. None if it is not ours."""
    at = parts_at[-1]
    inside = path[: len(root)] == root and path != root
    own, own_at = (path[len(root) :], parts_at[len(root) :]) if inside else (path, parts_at)
    segments = _segments(own, own_at) if inside or len(root) == 1 else ()
    meaning = slash_meaning(tuple(segment for segment, _ in segments))
    if isinstance(meaning, Unrecognised) and "/" not in own[0]:
        meaning = None
    has_slashes = meaning is not None
    if has_slashes:
        own, own_at = tuple(segment for segment, _ in segments), tuple(place for _, place in segments)
        text = "/".join(own)
    else:
        text = ".".join(map(quoted, own))
        if inside:
            meaning = grammar.interpret(own, lambda p, i, level: f"{level}.{quoted(p[i])}")
        else:
            meaning = Unrecognised(len(path)) if path == root else _astray(path, root)
    if meaning is None:
        return None
    is_certain = inside or not has_slashes or _is_prefix(own[0])
    return Key(own, _coerced(meaning, value, textual=False), at, value_at, meaning, text, own_at, certain=is_certain)


def _astray(path: Path, root: Path) -> Unrecognised | None:
    """A tree that somebody meant for us and that stands where nobody reads it."""
    last = len(root) - 1
    if path[:last] == root[:last] and len(path) > last:
        if is_near_prefix(path[last]):
            return Unrecognised(last, (PREFIX,))
        if _is_prefix(path[last].partition(".")[0]) and path[last] != PREFIX:  # dots between quotes
            return Unrecognised(last)
    if path[0] == PREFIX:  # in pyproject.toml, which is read below `tool`
        return Unrecognised(0, (), f"{root[0]}.{PREFIX}")
    return Unrecognised(0) if path[:2] == ("tool", PREFIX) else None


def _coerced(meaning: Meaning, value: Value, *, textual: bool) -> Value:
    attribute = attribute_of(meaning)
    if attribute is not None:
        return coerce(attribute, value, textual=textual)
    if isinstance(meaning, Global) and textual and isinstance(value, str) and value.strip():
        return Items(tuple(word.strip() for word in value.split(",")))
    return value


def quoted(part: str) -> str:
    """A part of a TOML key as it may be written there."""
    if _BARE.fullmatch(part):
        return part
    escaped = part.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped) + '"'


def _segments(path: Path, parts_at: tuple[At, ...]) -> list[tuple[str, At]]:
    """The segments of a path with slashes in it, each with its place; none if there is no slash."""
    segments: list[tuple[str, At]] = []
    for part, at in zip(path, parts_at, strict=True):
        # Between quotes and without escapes, characters stand where they are counted.
        is_plain = at.line == at.end_line and at.end_column - at.column == len(part) + 2
        offset = at.column + 1
        for segment in part.split("/"):
            end = offset + len(segment)
            segments.append((segment, replace(at, column=offset, end_column=end) if is_plain else at))
            offset = end + 1
    return segments if len(segments) > len(path) else []


def _is_prefix(word: str) -> bool:
    """Whether our prefix is meant, however it is spelled."""
    return word == PREFIX or is_near_prefix(word)


def slash_meaning(segments: Path) -> Meaning | None:
    """The meaning of a key with slashes; None if its first segment can be no name of ours.

    What means nothing may be somebody else's: that is for those to tell who know which names there are.
    """
    if len(segments) < 2 or not _OWNER.fullmatch(segments[0]):
        return None
    if _is_prefix(segments[0]):
        repaired = (PREFIX, *segments[1:])
        found = _properties_meaning(".".join(repaired))
        is_right = found is not None and not isinstance(found[2], Unrecognised)
        return Unrecognised(0, (), ".".join(repaired) if is_right else None)
    meaning = grammar.interpret_slash(segments)
    # Without our prefix, what begins like a key of our tree is none.
    return None if isinstance(meaning, Unrecognised) and segments[0] in _LEVELS else meaning


def empty_table(key: Key) -> Key:
    """The key of a table that sets nothing; unchanged where such a table means nothing, or where a value belongs."""
    meaning = key.meaning
    if not isinstance(meaning, Unrecognised) or meaning.index < len(key.path):
        return key
    path, profile = key.path, None
    if path[:1] == ("profiles",):
        profile, path = "".join(path[1:2]) or None, path[2:]
    kind: Literal["", "template", "instance"] = ""
    if len(path) > 1:
        kind = "template" if path[0] == "configs" else "instance" if path[0] == "instances" else ""
    return replace(key, meaning=Empty(kind, path[1] if kind else "", profile))


def with_known_ids(file: ConfigFile, ids: Collection[str]) -> ConfigFile:
    """The file with its keys of instances read again: of the ids that fit, the longest one that exists is meant."""
    textual = not file.source.endswith(TYPED)
    return replace(file, keys=tuple(_with_known_ids(key, ids, textual=textual) for key in file.keys))


def _with_known_ids(key: Key, ids: Collection[str], *, textual: bool) -> Key:
    start = 2 if key.path[:1] == ("profiles",) else 0
    if not isinstance(key.meaning, Unrecognised) or key.path[start : start + 1] != ("instances",):
        return key
    meaning = grammar.interpret(key.path, lambda p, i, level: "", ids)
    if isinstance(meaning, Unrecognised):
        # A part further in is wrong then, which says more.
        return replace(key, meaning=meaning) if meaning.index > key.meaning.index else key
    return replace(key, meaning=meaning, value=_coerced(meaning, key.value, textual=textual))


# ---------------------------------------------------------------- templates


@dataclass(slots=True)
class _Draft:
    """A template of one file while its keys are being collected."""

    at: At
    slots: dict[str, dict[str, Slot]] = field(default_factory=dict)
    places: dict[str, At] = field(default_factory=dict)
    extends: str | None = None
    extends_at: At = NOWHERE


def templates_of(files: Iterable[ConfigFile]) -> tuple[Template, ...]:
    """The templates of files, in order: one for each file, profile and name, with a declaration for each policy table.

    Values that cannot be what the attribute asks for are left as they are written. Several of one name are one template
    whose later settings win.
    """
    return tuple(template for file in files for template in _templates_in(file))


def _templates_in(file: ConfigFile) -> Iterable[Template]:
    drafts: dict[tuple[str | None, str], _Draft] = {}
    for key in file.keys:
        name, profile = _template_of(key.meaning)
        if name is None:
            continue
        draft = drafts.setdefault((profile, name), _Draft(name_at(key, name, profile)))
        if isinstance(key.meaning, Setting):
            draft.places.setdefault(key.meaning.policy, policy_at(key))
            draft.slots.setdefault(key.meaning.policy, {})[key.meaning.attribute] = Slot((key.value,), key.value_at)
        elif isinstance(key.meaning, Extends) and isinstance(key.value, str):
            draft.extends, draft.extends_at = key.value, key.value_at
    for (profile, name), draft in drafts.items():
        declarations = tuple(Declaration(p, slots, draft.places[p]) for p, slots in draft.slots.items())
        yield Template(name, draft.at, declarations, draft.extends, draft.extends_at, profile)


def _template_of(meaning: Meaning) -> tuple[str | None, str | None]:
    """Name and profile of the template that a key belongs to; the name is None if it belongs to none."""
    match meaning:
        case Setting(kind="template") | Empty(kind="template"):
            return meaning.name, meaning.profile
        case Extends():
            return meaning.template, meaning.profile
    return None, None


def name_at(key: Key, name: str, profile: str | None) -> At:
    """Where the name of the template or instance stands in the key; a name with dots may be several parts."""
    start = 1 if profile is None else 3
    ends = (n for n in range(start + 1, len(key.path) + 1) if ".".join(key.path[start:n]) == name)
    end = next(ends, None)
    if end is None or not key.parts_at:
        return key.at
    first, last = key.parts_at[start], key.parts_at[end - 1]
    return At(first.source, first.line, first.column, last.end_line, last.end_column)


def policy_at(key: Key) -> At:
    """Where the policy stands in a key that sets an attribute."""
    return key.parts_at[-2] if len(key.parts_at) > 1 else key.at
