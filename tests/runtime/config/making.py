"""Little projects for tests: elements, their scopes, and files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from resilience4cata.config.sources import read
from resilience4cata.config.tree import templates_of
from resilience4cata.facts import (
    UNKNOWN,
    Applied,
    At,
    Composed,
    ConfigFile,
    Declaration,
    Decorator,
    Definition,
    Element,
    Foreign,
    Kind,
    Project,
    Scope,
    Slot,
    Unknown,
    Value,
)


@dataclass(frozen=True)
class SomeScope:
    """A class or module with nothing but what resolution asks for."""

    id: str
    is_class: bool = True
    ancestors: tuple[str, ...] | None = None
    methods: tuple[Definition, ...] | Unknown = ()
    defines: tuple[str, ...] | None = None

    def lookup(self, name: str) -> Definition | Unknown | None:
        return UNKNOWN if self.defines is None or name in self.defines else None

    def names(self) -> Sequence[str]:
        return ()

    def public_methods(self) -> Sequence[Definition] | Unknown:
        return self.methods

    def subclasses(self) -> Sequence[Scope]:
        return ()


def policy(name: str, /, line: int = 1, *, closed: bool = True, **slots: Value) -> Declaration:
    """A declaration whose attributes stand side by side on one line."""
    placed = {key: Slot((value,), At("app.py", line, 10 * i)) for i, (key, value) in enumerate(slots.items(), 1)}
    return Declaration(name, placed, At("app.py", line, 2), closed)


def composed(name: Value, *members: Declaration | Composed | Unknown, line: int = 1, closed: bool = True) -> Composed:
    """A composed policy in the variable `policies.<name>`."""
    variable = f"policies.{str(name).replace('-', '_')}"
    return Composed(Slot((name,), At("policies.py", line, 5)), members, At("policies.py", line, 1), variable, closed)


Written = Declaration | Composed | str


def decorators(written: Sequence[Written], line: int) -> tuple[Decorator, ...]:
    """Policies one below the other; a text is a foreign decorator."""
    return tuple(
        Foreign(item, At("app.py", line + i, 2)) if isinstance(item, str) else Applied(item, At("app.py", line + i, 2))
        for i, item in enumerate(written)
    )


def method(
    id: str,
    *written: Written,
    line: int = 1,
    bases: tuple[str, ...] | None = (),
    abstract: bool = False,
    known: bool = True,
) -> Element:
    """A method; `bases` are the ancestors of its class beside itself and object, None if they are not known."""
    owner, _, name = id.rpartition(".")
    ancestors = None if bases is None else (owner, *bases, "builtins.object")
    definition = Definition(
        id,
        name,
        owner,
        Kind.METHOD,
        At("app.py", line + len(written)),
        abstract=abstract,
        decorators=decorators(written, line),
        decorators_known=known,
    )
    return Element(definition, SomeScope(owner, ancestors=ancestors))


def function(id: str, *written: Written, line: int = 1) -> Element:
    """A module's function."""
    owner, _, name = id.rpartition(".")
    definition = Definition(id, name, owner, Kind.FUNCTION, At("app.py", line), decorators=decorators(written, line))
    return Element(definition, SomeScope(owner, is_class=False))


def cls(
    id: str,
    *written: Written,
    line: int = 1,
    bases: tuple[str, ...] | None = (),
    methods: tuple[str, ...] | Unknown = (),
) -> Element:
    """A class with public methods of these names."""
    owner, _, name = id.rpartition(".")
    definition = Definition(id, name, owner, Kind.CLASS, At("app.py", line), decorators=decorators(written, line))
    ancestors = None if bases is None else (id, *bases, "builtins.object")
    inside: tuple[Definition, ...] | Unknown = UNKNOWN
    if not isinstance(methods, Unknown):
        inside = tuple(Definition(f"{id}.{m}", m, id, Kind.METHOD, At("app.py", 99)) for m in methods)
    return Element(definition, SomeScope(owner, is_class=False), SomeScope(id, ancestors=ancestors, methods=inside))


def files(**texts: str) -> tuple[ConfigFile, ...]:
    """Files by name: `a_toml="…"`, `b_properties="…"`."""
    return tuple(read(name.replace("_", "."), text.encode()) for name, text in texts.items())


def project(*elements: Element, sources: tuple[ConfigFile, ...] = (), known: bool = True) -> Project:
    """A closed project whose sources of templates are all known, or not."""
    return Project(
        elements=elements,
        files=sources,
        templates=templates_of(sources),
        closed=True,
        templates_closed=known,
    )
