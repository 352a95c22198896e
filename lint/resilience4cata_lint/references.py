"""Dotted paths in configuration, followed into the project's code and to what the interpreter brings along."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from resilience4cata.facts import (
    UNKNOWN,
    ConfigFile,
    Foreign,
    Items,
    Key,
    Project,
    Ref,
    Setting,
    Unknown,
    Unresolved,
    Value,
)
from resilience4cata.records import replace
from resilience4cata.schema import AttributeKind

from .candidates import of_library
from .objects import ClassObject, FunctionObject
from .outside import MISSING, find
from .symbols import Defined, FileFacts, Imported

if TYPE_CHECKING:
    from .world import World

_PATHS: Final = (AttributeKind.EXCEPTIONS, AttributeKind.CLASSIFIER)
_TUNING: Final = ("instance", "family")


def followed(project: Project, world: World | None) -> Project:
    """The project with each path in its files replaced by the class it names, or marked as leading nowhere.

    Also knows on which of the definitions that keys name there may be policies of others, which nobody can see here.
    """
    if world is None:
        return project
    keys = [key for file in project.files for key in file.keys]
    if any(_paths_of(key) for key in keys):
        project = replace(project, files=tuple(map(_Follower(world).file, project.files)))
    owners = {key.meaning.name for key in keys if isinstance(key.meaning, Setting) and key.meaning.kind in _TUNING}
    return replace(project, uncertain=frozenset(_uncertain(owners, world))) if owners else project


def _uncertain(owners: Iterable[str], world: World) -> Iterator[str]:
    for owner in owners:
        for name in _definitions_of(owner, world):
            found = world.by_full_name(name)
            if isinstance(found, ClassObject | FunctionObject):
                of = world.definitions
                definition = of.cls(found) if isinstance(found, ClassObject) else of.function(found)
                if any(isinstance(d, Foreign) and _may_be_ours(d.name) for d in definition.decorators):
                    yield name


def _definitions_of(owner: str, world: World) -> Iterator[str]:
    """The class of an id with its bases, and the method in each of them."""
    cls, _, method = owner.partition("#")
    scope = world.scope_of(cls)
    for name in (scope.ancestors if scope is not None else None) or (cls,):
        yield name
        if method:
            yield f"{name}.{method}"


def _may_be_ours(name: str | Unknown) -> bool:
    """Whether a decorator may bring policies: one of others may be a policy, or apply some."""
    if isinstance(name, Unknown):
        return True
    first = name.partition(".")[0]
    return first not in sys.stdlib_module_names and not of_library(first)


def in_place_of(views: Sequence[object], files: Iterable[ConfigFile]) -> Iterator[object]:
    """The views, with these files for those of the same source."""
    by_source = {file.source: file for file in files}
    for view in views:
        yield by_source.get(view.source, view) if isinstance(view, ConfigFile) else view


def _paths_of(key: Key) -> tuple[Value, ...]:
    from resilience4cata.config.tree import attribute_of

    attribute = attribute_of(key.meaning)
    if attribute is None or attribute.kind not in _PATHS:
        return ()
    return key.value.items if isinstance(key.value, Items) else (key.value,)


class _Follower:
    def __init__(self, world: World) -> None:
        self._world = world

    def file(self, file: ConfigFile) -> ConfigFile:
        return replace(file, keys=tuple(map(self._key, file.keys)))

    def _key(self, key: Key) -> Key:
        values = _paths_of(key)
        if not values:
            return key
        found = tuple(self._follow(value) if isinstance(value, Ref) else value for value in values)
        kept = tuple(UNKNOWN if isinstance(value, Unresolved) else value for value in found)
        unresolved = tuple(value for value in found if isinstance(value, Unresolved))
        value = replace(key.value, items=kept) if isinstance(key.value, Items) else kept[0]
        return replace(key, value=value, unresolved=unresolved)

    def _follow(self, ref: Ref) -> Value | Unresolved:
        """The class that a reference names, the reference itself where nobody knows, or why it leads nowhere."""
        path = ref.name
        if ref.ancestors is not None:
            return ref
        parts = path.split(".")
        if len(parts) == 1:
            return ref if hasattr(builtins, path) else Unresolved(path, "", path, tuple(_types(builtins)))
        for length in range(len(parts) - 1, 0, -1):
            known = ".".join(parts[:length])
            file = self._world.module(known)
            if file is not None:
                return self._in_file(ref, known, parts[length:], file)
        owner, name = path.rpartition(".")[::2]
        outside = find(owner)
        if outside is not MISSING and not hasattr(outside, name):
            return Unresolved(path, owner, name, tuple(_types(outside)))
        return ref

    def _in_file(self, ref: Ref, known: str, rest: Sequence[str], file: FileFacts) -> Value | Unresolved:
        name = rest[0]
        if self._lacks(file, name):
            candidates = tuple(_names(file)) if len(rest) == 1 else ()
            return Unresolved(ref.name, known, name, candidates)
        found = self._world.names.in_module(file, name) if len(rest) == 1 else UNKNOWN
        if not isinstance(found, ClassObject):
            return ref
        return Ref(found.id, True, self._world.class_scope(found).ancestors)

    def _lacks(self, file: FileFacts, name: str) -> bool:
        """Whether a module certainly has no such name."""
        facts = file.scopes[0]
        if name in facts.bindings or facts.open or "__getattr__" in facts.bindings:
            return False
        if self._world.module(f"{file.module}.{name}") is not None:
            return False
        return not facts.stars or self._world.names.star_may_have(file, name) is None


def _names(file: FileFacts) -> Iterator[str]:
    """Names of a module that may be classes: what it defines or imports."""
    for name, bindings in file.scopes[0].bindings.items():
        to = bindings[-1].to
        if isinstance(to, Imported) or (isinstance(to, Defined) and to.kind == "class"):
            yield name


def _types(owner: object) -> Iterator[str]:
    return (name for name, value in vars(owner).items() if isinstance(value, type))
