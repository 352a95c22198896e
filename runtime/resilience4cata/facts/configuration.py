"""Configuration sources as read."""

from __future__ import annotations

from typing import Literal

from ..records import dataclass, sealed
from .policies import Declaration
from .values import NOWHERE, At, Value


@dataclass(frozen=True, slots=True)
class Setting:
    """A key that sets a policy's attribute. `kind` is the layer, `name` the template, instance, family or class."""

    kind: Literal["defaults", "template", "instance", "family"]
    name: str
    policy: str
    attribute: str
    profile: str | None = None


@dataclass(frozen=True, slots=True)
class Extends:
    """`configs.<template>.extends`."""

    template: str
    profile: str | None = None


@dataclass(frozen=True, slots=True)
class Global:
    """A key that stands alone: `strict`, `order`, `budgets.<name>.ttl`, `instances.<id>.locked`, …"""

    name: str


@dataclass(frozen=True, slots=True)
class Unrecognised:
    """A key whose part number `index` (from 0) means nothing; `candidates` could stand there.

    `index` is the number of parts where the key ends too early: one of the `candidates` is missing behind it.

    `suggestion` is a whole repaired key where one word is not enough (a missing `configs` level); `note` says what else
    is known about the fault.
    """

    index: int
    candidates: tuple[str, ...] = ()
    suggestion: str | None = None


@dataclass(frozen=True, slots=True)
class Empty:
    """A table that sets nothing: it names a template or instance (`kind`, `name`), or nothing in particular ("")."""

    kind: Literal["", "template", "instance"] = ""
    name: str = ""
    profile: str | None = None


Meaning = Setting | Extends | Global | Empty | Unrecognised


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A dotted path in a value that leads nowhere: `known` leads somewhere, its next part `missing` does not.

    `candidates` could stand there. `reason` says why else it leads nowhere: a module that fails when it is imported.
    """

    path: str
    known: str = ""
    missing: str = ""
    candidates: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Key:
    """One entry of a configuration source: its key's parts as written, its value, and where both stand.

    One that is not `certain` has slashes and stands beside our tree: it may be somebody else's.
    """

    path: tuple[str, ...]
    value: Value
    at: At
    value_at: At
    meaning: Meaning
    text: str = (
        ""  # the key as it is written there, "acme.Client/charge/timeout/value" or "configs.external.retry.delay"
    )
    parts_at: tuple[At, ...] = ()  # where each part of `path` stands, if known
    unresolved: tuple[Unresolved, ...] = ()
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Repeated:
    """A key written twice in one source; `at` is the second, `first` the first."""

    key: str
    at: At
    first: At


@dataclass(frozen=True, slots=True)
class Broken:
    """A source that cannot be read: `reason` says why, lower case, without a final stop.

    `missing` tells that there is no such file; `candidates` are those that stand beside it.
    """

    at: At
    reason: str
    missing: bool = False
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Similar:
    """A variable that a known key has, with that key, as if it had the value of another variable that none has; without
    a key, the one that names a file.

    `is_certain` tells that the names differ by one slip, and that no other known name is as near.
    """

    name: str
    key: Key | None
    is_certain: bool = False


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable with our prefix that no known key has.

    `unknown` says what is not known about it: a part of the key itself ("key"), or the name `word` of a template,
    instance, profile or budget. `candidates` could be meant, the nearest first.
    """

    name: str
    at: At
    unknown: Literal["key", "template", "instance", "profile", "budget"] = "key"
    word: str = ""
    candidates: tuple[Similar, ...] = ()


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """An environment variable that is set and that several known keys share, so that none of them gets its value."""

    name: str
    at: At
    keys: tuple[str, ...]


@sealed
@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A configuration source as read: its keys in order, and what was wrong with reading it.

    Only the environment has `unknown` and `ambiguous` variables. `profiles` are those that files of variables define
    together; None for a source that takes part in the project's settings.
    """

    source: str
    keys: tuple[Key, ...] = ()
    repeated: tuple[Repeated, ...] = ()
    broken: Broken | None = None
    unknown: tuple[Variable, ...] = ()
    ambiguous: tuple[Ambiguous, ...] = ()
    profiles: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """A named template, from code (`builder.config(…)`) or from files; `extends` with the place where it is written."""

    name: str
    at: At
    declarations: tuple[Declaration, ...] = ()
    extends: str | None = None
    extends_at: At = NOWHERE
    profile: str | None = None


@dataclass(frozen=True, slots=True)
class Override:
    """`builder.instance("payments", …)`: attributes that count for one instance whatever else is written.

    `at_run_time` tells that it is `reconfigure("payments", …)` of a running program, `standing` that this was accepted
    before: what it names was there, and may be gone. One that is not `certain` may be another program's, that of the
    tests for instance.
    """

    name: str
    at: At
    declarations: tuple[Declaration, ...] = ()
    at_run_time: bool = False
    standing: bool = False
    certain: bool = True
