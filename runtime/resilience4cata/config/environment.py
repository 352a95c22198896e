"""Environment variables such as `RESILIENCE4CATA_CONFIGS_EXTERNAL_RETRY_DELAY`.

A variable cannot be turned back into a key, so the keys that are known are looked up: the schema times the names that
are declared. What is set, has our prefix and belongs to no key is told, and so is what belongs to several.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property, partial
from typing import Final, Literal, NamedTuple

from ..facts import UNKNOWN, Ambiguous, At, ConfigFile, Key, Similar, Unknown, Variable
from ..records import dataclass, field, replace
from ..schema import POLICIES
from . import grammar, tree
from .similar_variables import Tree, similar

VARIABLE_PREFIX: Final = "RESILIENCE4CATA_"
FILE_VARIABLE: Final = "RESILIENCE4CATA_FILE"

Kind = Literal["template", "instance", "profile", "budget"]


@dataclass(frozen=True, slots=True)
class Names:
    """The names that keys may hold: those that code and the other sources declare."""

    templates: frozenset[str] = frozenset()
    instances: frozenset[str] = frozenset()
    profiles: frozenset[str] = frozenset()
    budgets: frozenset[str] = frozenset()


class EnvironmentSource:
    """The variables of the process, or of a mapping. `names` are added when they are known."""

    def __init__(self, environment: Mapping[str, str] | None = None, names: Names | None = None) -> None:
        self.environment = os.environ if environment is None else environment
        self.names = names or Names()

    def knowing(self, names: Names) -> EnvironmentSource:
        """The same variables, read with these names."""
        return EnvironmentSource(self.environment, names)

    @property
    def is_set(self) -> bool:
        """Whether there is any variable of ours."""
        return any(self._ours())

    def _ours(self) -> Iterator[str]:
        return filter(is_ours, self.environment)

    def load(self) -> ConfigFile:
        """The keys that are set, in the order of their variables. An empty value is one, and no valid one."""
        places = ((name, At(f"env {name}")) for name in sorted(self._ours()))
        assignments = [Assignment(name, self.environment[name], at, at) for name, at in places]
        return read_variables("env", assignments, self.names)


class Assignment(NamedTuple):
    """A variable that is given a value, and where both stand. The value is UNKNOWN where something else decides it."""

    name: str
    value: str | Unknown
    at: At
    value_at: At


def read_variables(source: str, assignments: Iterable[Assignment], names: Names) -> ConfigFile:
    """The keys that variables of ours set, in their order; what else has our prefix is told.

    `names` are those that keys may hold.
    """
    ours = [assignment for assignment in assignments if is_ours(assignment.name)]
    if not ours:
        return ConfigFile(source)
    owners = _Owners.of(names)
    keys, unknown, ambiguous = [], [], []
    for assignment in ours:
        name, at = assignment.name, assignment.at
        known = sorted(owners.keys(name))
        if len(known) == 1:
            key = _key(known[0], assignment)
            if key is not None:
                keys.append(key)
        elif known:
            ambiguous.append(Ambiguous(name, at, tuple(k.partition(".")[2] for k in known)))
        else:
            unknown.append(owners.unknown(assignment))
    return ConfigFile(source, tuple(keys), unknown=tuple(unknown), ambiguous=tuple(ambiguous))


def is_ours(variable: str) -> bool:
    """Whether a variable is meant for a key; one names a file."""
    return variable.startswith(VARIABLE_PREFIX) and variable != FILE_VARIABLE


def _key(name: str, assignment: Assignment) -> Key | None:
    """The key of this name with what is assigned as its value."""
    value = assignment.value
    text = value if isinstance(value, str) else ""
    key = tree.properties_key(name, text, partial(_everywhere, assignment.at), assignment.value_at)
    return key if key is None or isinstance(value, str) else replace(key, value=UNKNOWN)


def _everywhere(at: At, start: int, end: int) -> At:
    """The place of any part of a variable's name: the variable."""
    return at


def variable_of(key: str) -> str:
    """The environment variable of a key: upper case, every character that is no letter or digit an underscore."""
    return "".join(c.upper() if c.isascii() and c.isalnum() else "_" for c in key)


class _Owner(NamedTuple):
    """What keys begin with (`configs.external`), as a key and as a variable, and what may follow: by variable."""

    key: str
    variable: str
    rest: Mapping[str, str]


@cache
def _settings() -> Mapping[str, str]:
    """`retry.max-attempts` by `RETRY_MAX_ATTEMPTS`, for every attribute that files may set."""
    keys = (f"{schema.key}.{a.key}" for schema in POLICIES.values() for a in schema.settable())
    return {variable_of(key): key for key in keys}


@cache
def _and(*words: str) -> Mapping[str, str]:
    return {**_settings(), **{variable_of(word): word for word in words}}


def _singles() -> Mapping[str, str]:
    keys = (".".join(path) for path in (*grammar.GLOBALS, grammar.PROFILES_ACTIVE))
    return {variable_of(key): key for key in keys}


@dataclass(eq=False)
class _Owners:
    """Every beginning of known keys, and the section of each name."""

    names: Names
    owners: list[_Owner] = field(default_factory=list)

    @classmethod
    def of(cls, names: Names) -> _Owners:
        found = cls(names)
        found._add("", _singles())
        found._tree("")
        for name in names.budgets:
            found._add(f"budgets.{name}", {variable_of(word): word for word in grammar.BUDGET})
        for profile in names.profiles:
            found._tree(f"profiles.{profile}.")
        return found

    def _tree(self, start: str) -> None:
        self._add(f"{start}defaults", _settings())
        for name in self.names.templates:
            self._add(f"{start}configs.{name}", _and("extends"))
        for name in self.names.instances:
            self._add(f"{start}instances.{name}", _settings() if start else _and("locked"))

    def _add(self, key: str, rest: Mapping[str, str]) -> None:
        whole = f"{tree.PREFIX}.{key}." if key else f"{tree.PREFIX}."
        self.owners.append(_Owner(whole, variable_of(whole), rest))

    def keys(self, variable: str) -> Iterator[str]:
        """The known keys whose variable this is."""
        for owner in self.owners:
            if variable.startswith(owner.variable):
                rest = owner.rest.get(variable[len(owner.variable) :])
                if rest is not None:
                    yield f"{owner.key}{rest}"

    def unknown(self, assignment: Assignment) -> Variable:
        """What is not known about a variable that belongs to no key, and which ones of known keys could be meant."""
        variable, at = assignment.name, assignment.at
        candidates = tuple(self._similar(assignment))
        named = _named(variable, self.names.profiles)
        if named is None:
            return Variable(variable, at, candidates=candidates)
        kind, written = named
        return Variable(variable, at, kind, written.lower().replace("_", "-"), candidates)

    def _similar(self, assignment: Assignment) -> Iterator[Similar]:
        name = assignment.name.removeprefix(VARIABLE_PREFIX)
        for near in similar(name, self._parts, ("DEFAULTS", "CONFIGS", "INSTANCES")):
            variable = f"{VARIABLE_PREFIX}{near.name}"
            if variable == FILE_VARIABLE:
                yield Similar(variable, None, near.is_certain)
            keys = list(self.keys(variable))
            # What several keys share would be told to be ambiguous, and is no help.
            key = _key(keys[0], assignment) if len(keys) == 1 else None
            if key is not None:
                yield Similar(variable, key, near.is_certain)

    @cached_property
    def _parts(self) -> Tree:
        """Everything that known variables consist of behind the prefix."""
        root: dict[str, Tree | None] = {FILE_VARIABLE.removeprefix(VARIABLE_PREFIX): None}
        for path in grammar.GLOBALS:
            _put(root, path)
        profiles: dict[str, Tree | None] = dict.fromkeys(map(variable_of, self.names.profiles), self._sections(""))
        _put(profiles, grammar.PROFILES_ACTIVE[1:])
        budgets = dict.fromkeys(map(variable_of, self.names.budgets), _ends(grammar.BUDGET))
        return {**root, **self._sections("locked"), "PROFILES": profiles, "BUDGETS": budgets}

    def _sections(self, of_instances: str) -> dict[str, Tree | None]:
        """The sections that profiles have as well; `of_instances` is what else than settings an instance has."""
        settings = _setting_parts()
        templates, instances = {**settings, **_ends(["extends"])}, {**settings, **_ends(filter(None, [of_instances]))}
        return {
            "DEFAULTS": settings,
            "CONFIGS": dict.fromkeys(map(variable_of, self.names.templates), templates),
            "INSTANCES": dict.fromkeys(map(variable_of, self.names.instances), instances),
        }


def _put(tree: dict[str, Tree | None], path: Iterable[str]) -> None:
    """Add a key of one or two parts."""
    first, *rest = map(variable_of, path)
    tree[first] = {**(tree.get(first) or {}), **_ends(rest)} if rest else None


def _ends(words: Iterable[str]) -> dict[str, Tree | None]:
    return dict.fromkeys(map(variable_of, words))


@cache
def _setting_parts() -> Tree:
    """The policies with the attributes that files may set."""
    return {variable_of(s.key): _ends(a.key for a in s.settable()) for s in POLICIES.values() if any(s.settable())}


_SECTIONS: Final[Mapping[str, Kind]] = {
    "CONFIGS": "template",
    "INSTANCES": "instance",
    "PROFILES": "profile",
    "BUDGETS": "budget",
}


def _named(variable: str, profiles: Iterable[str]) -> tuple[Kind, str] | None:
    """Kind and name of a variable that is right but for a name that nobody declares.

    Where its section or its rest is not right either, the name cannot be told from them: None.
    """
    start = VARIABLE_PREFIX
    for profile in profiles:
        inside = f"{VARIABLE_PREFIX}PROFILES_{variable_of(profile)}_"
        start = inside if variable.startswith(inside) else start
    section, _, tail = variable.removeprefix(start).partition("_")
    kind = _SECTIONS.get(section)
    if kind is None or (start != VARIABLE_PREFIX and kind in ("profile", "budget")):
        return None
    name = _inside_profile(tail) if kind == "profile" else _before(tail, kind)
    return None if name is None else (kind, name)


def _inside_profile(tail: str) -> str | None:
    found = [tail.find(f"_{inner}_") for inner in ("DEFAULTS", "CONFIGS", "INSTANCES")]
    end = min((position for position in found if position > 0), default=None)
    return None if end is None else tail[:end]


def _before(tail: str, kind: Kind) -> str | None:
    """The name before the longest ending that keys of this kind may have."""
    if kind == "budget":
        endings: Iterable[str] = map(variable_of, grammar.BUDGET)
    else:
        endings = _and("extends" if kind == "template" else "locked")
    fitting = (ending for ending in endings if tail.endswith(f"_{ending}") and len(tail) > len(ending) + 1)
    rest = max(fitting, key=len, default=None)
    return None if rest is None else tail[: -len(rest) - 1]
