"""Chains of `Resilience.builder()`: what they are told, and whether anything else may make templates."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath, PurePosixPath
from typing import TYPE_CHECKING, Final

from resilience4cata.facts import NOWHERE, UNKNOWN, Declaration, Override, Template

from .declarations import member_arguments
from .objects import Builder, Built, External, Where
from .outside import helper_name
from .terms import Argument, Attribute, Call, Path, Term
from .values import BUILDER_METHODS

if TYPE_CHECKING:
    from .world import World

# Neither can bring a template: they set keys of templates that something else defines.
_WITHOUT_TEMPLATES: Final = frozenset(
    {"resilience4cata.ConfigSources.environment", "resilience4cata.ConfigSources.options"}
)
_FILE: Final = "resilience4cata.ConfigSources.file"


class Templates:
    """Collects what builders are told, in a project of which the configuration files in `read` are known.

    `closed` is False once something was met that cannot be followed.
    """

    def __init__(self, world: World, read: Iterable[str]) -> None:
        self._world = world
        self._read = frozenset(PurePosixPath(source).name for source in read)
        self.templates: list[Template] = []
        self.defaults: list[Declaration] = []
        self.overrides: list[Override] = []
        self.locked: list[str] = []
        self.closed = True
        self._profiles: list[str] = []
        self._profiles_known = True

    @property
    def profiles(self) -> tuple[str, ...] | None:
        """The profiles that code activates, None if none or if they are not known."""
        return tuple(self._profiles) if self._profiles and self._profiles_known else None

    def look(self, call: Call, where: Where) -> str | None:
        """Take in one call of a method. For a template, returns what its policies stand within."""
        method = method_of(call)
        if method is None:
            return None
        on_builder = self._is_on_builder(call, where)
        if method == "config" and (on_builder or self._has_policies(call, where)):
            self.closed = self.closed and on_builder
            return self._template(call, where)
        if not on_builder:
            return None
        if method == "source":
            self.closed = self.closed and all(self._is_known_source(a, where) for a in call.arguments)
        elif method == "defaults":
            self.defaults.extend(self._declarations(call.arguments, where))
        elif method == "profiles":
            self._take_profiles(call, where)
        elif method == "instance":
            self._take_override(call, where)
        elif method == "locked":
            names = (self._world.values.one(a.value, where) for a in call.arguments if not a.stars)
            self.locked.extend(name for name in names if isinstance(name, str))
        elif method not in BUILDER_METHODS and method != "build":
            self.closed = False
        return None

    def _is_on_builder(self, call: Call, where: Where) -> bool:
        function = call.function
        owner = Path(function.parts[:-1], function.span) if isinstance(function, Path) else _base(function)
        return owner is not None and isinstance(self._world.values.evaluate(owner, where), Builder)

    def _has_policies(self, call: Call, where: Where) -> bool:
        members = member_arguments(call)
        return any(isinstance(self._world.values.evaluate(a.value, where), Built) for a in members)

    def _template(self, call: Call, where: Where) -> str:
        first = next((a for a in call.arguments if a.keyword == "name"), call.arguments[0] if call.arguments else None)
        usable = first is not None and first.keyword in (None, "name") and not first.stars
        name = self._world.values.one(first.value, where) if first is not None and usable else None
        extends = next((a.value for a in call.arguments if a.keyword == "extends"), None)
        if any(a.stars == 2 for a in call.arguments):
            self.closed = False
        if first is None or not isinstance(name, str):
            self.closed = False
            return "config(...)"
        parent = None if extends is None else self._world.values.one(extends, where)
        self.templates.append(
            Template(
                name,
                where.file.at(first.value.span),
                tuple(self._declarations(tuple(member_arguments(call)), where)),
                extends=parent if isinstance(parent, str) else None,
                extends_at=where.file.at(extends.span) if extends is not None else NOWHERE,
            )
        )
        return f'config("{name}")'

    def _declarations(self, arguments: tuple[Argument, ...], where: Where) -> list[Declaration]:
        found = [self._world.values.evaluate(a.value, where) for a in arguments if not a.stars]
        return [f.policy for f in found if isinstance(f, Built) and isinstance(f.policy, Declaration)]

    def _take_override(self, call: Call, where: Where) -> None:
        first = next((a for a in call.arguments if a.keyword in (None, "name") and not a.stars), None)
        name = self._world.values.one(first.value, where) if first is not None else UNKNOWN
        if first is not None and isinstance(name, str):
            found = self._declarations(tuple(member_arguments(call)), where)
            # One builder of several may be meant, and nobody tells which.
            at = where.file.at(first.value.span)
            self.overrides.append(Override(name, at, tuple(found), certain=False))

    def _take_profiles(self, call: Call, where: Where) -> None:
        for argument in call.arguments:
            value = self._world.values.one(argument.value, where)
            if isinstance(value, str) and not argument.stars:
                self._profiles.append(value)
            else:
                self._profiles_known = False

    def _is_known_source(self, argument: Argument, where: Where) -> bool:
        term = argument.value
        if argument.stars or not isinstance(term, Call):
            return False
        found = self._world.values.evaluate(term.function, where)
        name = _source_name(found.name) if isinstance(found, External) else ""
        if name != _FILE:
            return name in _WITHOUT_TEMPLATES
        paths = [UNKNOWN if a.stars else self._world.values.one(a.value, where) for a in term.arguments]
        return len(paths) == 1 and isinstance(paths[0], str) and PurePath(paths[0]).name in self._read


def method_of(call: Call) -> str | None:
    """The last name of a dotted callable."""
    function = call.function
    if isinstance(function, Attribute):
        return function.name
    return function.parts[-1] if isinstance(function, Path) and len(function.parts) > 1 else None


def _base(function: Term) -> Term | None:
    return function.base if isinstance(function, Attribute) else None


def _source_name(name: str) -> str:
    owner, _, method = name.rpartition(".")
    return f"{helper_name(owner)}.{method}"
