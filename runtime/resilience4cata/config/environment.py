"""Environment variables such as `RESILIENCE4CATA_CONFIGS_EXTERNAL_RETRY_DELAY`.

A variable cannot be turned back into a key, so the keys that are known are looked up: the schema times the names that
are declared. What is set, has our prefix and belongs to no key is told, and so is what belongs to several.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from typing import Final, Literal, NamedTuple

from ..facts import UNKNOWN, Ambiguous, At, ConfigFile, Unknown, Variable
from ..records import dataclass, field, replace
from ..schema import POLICIES
from ..suggestions import did_you_mean
from . import grammar, tree

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
    for name, value, at, value_at in ours:
        known = sorted(owners.keys(name))
        if len(known) == 1:
            text = value if isinstance(value, str) else ""
            key = tree.properties_key(known[0], text, partial(_everywhere, at), value_at)
            if key is not None:
                keys.append(key if isinstance(value, str) else replace(key, value=UNKNOWN))
        elif known:
            ambiguous.append(Ambiguous(name, at, tuple(k.partition(".")[2] for k in known)))
        else:
            unknown.append(owners.unknown(name, at))
    return ConfigFile(source, tuple(keys), unknown=tuple(unknown), ambiguous=tuple(ambiguous))


def is_ours(variable: str) -> bool:
    """Whether a variable is meant for a key; one names a file."""
    return variable.startswith(VARIABLE_PREFIX) and variable != FILE_VARIABLE


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


@dataclass(slots=True)
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

    def unknown(self, variable: str, at: At) -> Variable:
        """What is not known about a variable that belongs to no key."""
        named = _named(variable, self.names.profiles)
        if named is not None:
            kind, section, written, rest = named
            word = written.lower().replace("_", "-")
            # Two names that are not alike are no slip of each other, however much their variables share.
            near = did_you_mean(word, self._of(kind))
            others = () if near is None else (f"{section}{variable_of(near)}_{rest}",)
            return Variable(variable, at, kind, word, others)
        owner = max((o for o in self.owners if variable.startswith(o.variable)), key=lambda o: len(o.variable))
        # Without a level that is known, one may be missing.
        owners = self._few() if owner.variable == VARIABLE_PREFIX else (owner,)
        return Variable(variable, at, candidates=tuple(o.variable + rest for o in owners for rest in o.rest))

    def _few(self) -> Iterator[_Owner]:
        """The beginnings without names, which a key that lacks its level could have."""
        return (owner for owner in self.owners if owner.key.count(".") < 3)

    def _of(self, kind: Kind) -> Iterable[str]:
        return {
            "template": self.names.templates,
            "instance": self.names.instances,
            "profile": self.names.profiles,
            "budget": self.names.budgets,
        }[kind]


_SECTIONS: Final[Mapping[str, Kind]] = {
    "CONFIGS": "template",
    "INSTANCES": "instance",
    "PROFILES": "profile",
    "BUDGETS": "budget",
}


def _named(variable: str, profiles: Iterable[str]) -> tuple[Kind, str, str, str] | None:
    """Kind, beginning, name and rest of a variable that is right but for a name that nobody declares.

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
    found = _inside_profile(tail) if kind == "profile" else _before(tail, kind)
    return None if found is None else (kind, f"{start}{section}_", *found)


def _inside_profile(tail: str) -> tuple[str, str] | None:
    found = [tail.find(f"_{inner}_") for inner in ("DEFAULTS", "CONFIGS", "INSTANCES")]
    end = min((position for position in found if position > 0), default=None)
    return None if end is None else (tail[:end], tail[end + 1 :])


def _before(tail: str, kind: Kind) -> tuple[str, str] | None:
    """The name before the longest ending that keys of this kind may have."""
    if kind == "budget":
        endings: Iterable[str] = map(variable_of, grammar.BUDGET)
    else:
        endings = _and("extends" if kind == "template" else "locked")
    fitting = (ending for ending in endings if tail.endswith(f"_{ending}") and len(tail) > len(ending) + 1)
    rest = max(fitting, key=len, default=None)
    return None if rest is None else (tail[: -len(rest) - 1], rest)
