"""What the target of `r4c describe` means: a dotted name, the end of one, or a place in a file."""

# Paths stay the texts they were given as.
# ruff: noqa: PTH116

from __future__ import annotations

import ast
import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from resilience4cata.config.instances import Instances
from resilience4cata.diagnostics import Context, printable
from resilience4cata.facts import At, Definition, Element, Kind
from resilience4cata.records import dataclass
from resilience4cata.suggestions import did_you_mean_path

from . import files
from .inputs import no_such_path
from .locate import Modules, Shown
from .oracle import LintTypes
from .outcome import UsageError
from .world import World

_PLACE: Final = re.compile(r"(?P<path>.+\.pyi?w?)(?::(?P<line>\d+)(?::\d+)?)?")
_MOST: Final = 10


def path_in(target: str) -> str | None:
    """The file of a target that is a place, `src/acme/users.py:42`; None for a name."""
    found = _PLACE.fullmatch(target)
    return found["path"] if found is not None else None


@dataclass(frozen=True)
class Part:
    """One group of files that were linked together: what was known about it, what has an id in it, and its views."""

    context: Context
    instances: Instances
    views: Sequence[object]

    @property
    def world(self) -> World | None:
        oracle = self.context.oracle
        return oracle.world if isinstance(oracle, LintTypes) else None

    @cached_property
    def guarded(self) -> list[Target]:
        elements = [e for several in self.instances.elements.values() for e in several]
        classes = [e for e in self.context.project.elements if e.definition.kind is Kind.CLASS]
        return [Target(e, self, True) for e in (*elements, *classes)]

    def others(self) -> Iterator[Target]:
        """Functions and classes that carry no policies, in the files that were looked at so far."""
        known = {(t.id, t.element.definition.at) for t in self.guarded}
        for element in self._defined():
            if (element.definition.id, element.definition.at) not in known:
                yield Target(element, self, False)

    def _defined(self) -> Iterator[Element]:
        world = self.world
        for file in world.files() if world is not None else ():
            assert world is not None
            for index, function in enumerate(file.functions):
                definition = world.definitions.function(world.function_object(file, index))
                yield Element(definition, world.scope(file, function.scope))
            for index, facts in enumerate(file.classes):
                cls = world.class_object(file, index)
                yield Element(world.definitions.cls(cls), world.scope(file, facts.scope), world.class_scope(cls))


class Target(NamedTuple):
    """What is to be described, and the part that it belongs to.

    `inherited_as` is the name that it was asked for by, where that is the name of a subclass.
    """

    element: Element
    part: Part
    guarded: bool
    inherited_as: str = ""

    @property
    def id(self) -> str:
        return self.element.definition.id

    @property
    def place(self) -> str:
        return place_of(self.element.definition.at)


def place_of(at: At) -> str:
    """`src/acme/users.py:42`."""
    return f"{printable(at.source)}:{at.line}"


class Targets:
    """Finds targets among the files of a run. `paths` are all of its Python files, `modules` knows their names."""

    def __init__(self, parts: Sequence[Part], paths: Sequence[str], modules: Modules, shown: Shown) -> None:
        self._parts = parts
        self._paths = paths
        self._modules = modules
        self._shown = shown

    def find(self, target: str) -> Target:
        """What a target means. Raises UsageError if that is nothing, or several things."""
        place = _PLACE.fullmatch(target)
        if place is not None:
            return self._at(place["path"], place["line"])
        # Python reads names so, whatever keyboard they come from.
        wanted = unicodedata.normalize("NFKC", target).replace("#", ".").strip(".")
        if not wanted:
            msg = "name a function, method or class, or a place such as src/acme/users.py:42"
            raise UsageError(msg)
        found = self._named(wanted)
        if not found:
            self._load(wanted)
            found = self._named(wanted)
        if not found:
            raise UsageError(self._unknown(target, wanted))
        if len(found) > 1:
            raise UsageError(_several(target, found))
        return found[0]

    def _all(self) -> list[Target]:
        found = [target for part in self._parts for target in (*part.guarded, *part.others())]
        return list({(target.id, target.element.definition.at): target for target in reversed(found)}.values())[::-1]

    def _named(self, wanted: str) -> Sequence[Target]:
        """The targets of this name, else those whose names end so; among these, guarded ones come first."""
        everything = self._all()
        exact = [target for target in everything if target.id == wanted]
        if exact:
            return _visible(exact)
        ending = [target for target in everything if target.id.endswith(f".{wanted}")]
        found = [target for target in ending if target.guarded] or ending or self._inherited(wanted, everything)
        return _visible(found) if len({target.id for target in found}) == 1 else found

    def _inherited(self, wanted: str, everything: Sequence[Target]) -> list[Target]:
        """What a class has from its bases under the last part of the name."""
        owner, _, name = wanted.rpartition(".")
        scopes = [t.element.body for t in everything if t.element.body is not None and _ends(t.id, owner)]
        found = [scope.lookup(name) for scope in scopes if owner]
        ids = {definition.id for definition in found if isinstance(definition, Definition)}
        return [target._replace(inherited_as=wanted) for target in everything if target.id in ids]

    def _load(self, wanted: str) -> None:
        """Look into the files that may define the name, which need not know the library."""
        parts = wanted.split(".")
        for part in self._parts:
            for length in range(len(parts), 0, -1):
                if part.world is not None and part.world.module(".".join(parts[:length])) is not None:
                    break
        marks = [f"{keyword} {parts[-1]}".encode() for keyword in ("def", "class")]
        for path in self._paths:
            data = _data(path)
            if any(mark in data for mark in marks):
                self._load_file(path)

    def _load_file(self, path: str) -> None:
        for part in self._parts:
            if part.world is not None:
                part.world.module(self._modules.of(path).name)

    def _at(self, path: str, line: str | None) -> Target:
        path = self._existing(path)
        self._load_file(path)
        source = self._shown(path)
        there = [target for target in self._all() if target.element.definition.at.source == source]
        if line is None:
            raise UsageError(_without_line(path, [target for target in there if target.guarded] or there))
        names = list(_around(path, int(line)))
        around = [t for name, at in names for t in there if _ends(t.id, name) and t.element.definition.at.line == at]
        if not around:
            msg = f"there is no function, method or class at {printable(path)}:{line}"
            raise UsageError(msg)
        functions = [target for target in around if target.element.body is None]
        guarded = [target for target in functions if target.guarded]
        return (guarded or functions or around)[0]

    def _existing(self, path: str) -> str:
        try:
            os.stat(path)
        except OSError as error:
            raise UsageError(no_such_path(path, error)) from error
        return os.path.normpath(path)

    def _unknown(self, target: str, wanted: str) -> str:
        everything = self._all()
        size = wanted.count(".") + 1
        ends = {".".join(t.id.split(".")[-size:]): t.id for t in everything}
        near = did_you_mean_path(wanted, ends)
        if near is not None:
            return f"nothing is called '{target}'; did you mean '{near}'?"
        within = [t for t in everything if t.id.startswith(f"{wanted}.")]
        if within:
            found = [t for t in within if t.guarded] or within
            return f"'{target}' is a module; describe something in it:{_listed(found)}"
        example = next((t.id for t in everything if t.guarded), "acme.users.UserClient.find")
        return f"nothing is called '{target}'; a target looks like '{example}' or 'src/acme/users.py:42'"


def _ends(id: str, name: str) -> bool:
    return id == name or id.endswith(f".{name}")


def _visible(found: Sequence[Target]) -> Sequence[Target]:
    """Of several definitions of one name in one body the one that the name leads to: it may be overloaded.

    Of a property that is its getter, or else, if that is not guarded, the last accessor that is.
    """
    if any(target.element.definition.accessor for target in found):
        guarded = [target for target in found if target.guarded]
        return sorted(guarded or found, key=lambda target: not target.element.definition.accessor)[-1:]
    return [target for target in found if _is_seen(target.element)] or found


def _is_seen(element: Element) -> bool:
    seen = element.scope.lookup(element.definition.name)
    return isinstance(seen, Definition) and seen.at == element.definition.at


def _several(target: str, found: Sequence[Target]) -> str:
    return f"'{target}' may be any of these; write more of the name, or the place:{_listed(found)}"


def _without_line(path: str, found: Sequence[Target]) -> str:
    if not found:
        return f"{printable(path)} defines nothing that could be described"
    return f"add a line, as in '{found[0].place}':{_listed(found)}"


def _listed(found: Sequence[Target]) -> str:
    ordered = sorted(found, key=lambda target: (target.element.definition.at, target.id))
    lines = [f"\n  {target.id} ({target.place})" for target in ordered[:_MOST]]
    return "".join(lines) + (f"\n  and {len(found) - _MOST} more" if len(found) > _MOST else "")


def _data(path: str) -> bytes:
    try:
        return files.read(path)
    except OSError:
        return b""


def _around(path: str, line: int) -> Iterator[tuple[str, int]]:
    """Names and lines of the definitions around a line, the innermost first. Decorators belong to what they are on."""
    try:
        tree = ast.parse(_data(path))
    except (SyntaxError, ValueError, RecursionError) as error:
        msg = f"{printable(path)} cannot be read as Python; see 'r4c check {printable(path)}'"
        raise UsageError(msg) from error
    yield from reversed(list(_enclosing(tree, "", line)))


def _enclosing(node: ast.AST, prefix: str, line: int) -> Iterator[tuple[str, int]]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _enclosing(child, prefix, line)
            continue
        first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
        if first <= line <= (child.end_lineno or child.lineno):
            yield f"{prefix}{child.name}", child.lineno
            inside = "." if isinstance(child, ast.ClassDef) else ".<locals>."
            yield from _enclosing(child, f"{prefix}{child.name}{inside}", line)
