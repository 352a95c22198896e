"""The whole grammar of configuration keys: what a path of parts means.

Policies and attributes come from the schema, so a new policy needs no change here. A key that means nothing gives
`Unrecognised` with the first part that is wrong and what could stand there; where a level is missing
(`external.retry.delay` for `configs.external.retry.delay`), it says which.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Final, Literal

from ..facts import Extends, Global, Meaning, Setting, Unrecognised
from ..records import dataclass
from ..schema import POLICIES, UNSET, Attribute, AttributeKind, PolicySchema, policy_by_key
from ..suggestions import certain, did_you_mean

Path = tuple[str, ...]
Repair = Callable[[Path, int, str], str]
"""How a format writes the path with one level inserted before part `index`; see `Style.repair` in `tree`."""

NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
"""What names of templates and composed policies look like."""

_SECTIONS: Final = ("defaults", "configs", "instances")


def _global(kind: AttributeKind, doc: str, default: object = UNSET, **bounds: float) -> Attribute:
    return Attribute(kind, default=default, doc=doc, zero=False, **bounds)  # type: ignore[arg-type]


GLOBALS: Final[Mapping[Path, Attribute]] = {
    ("enabled",): _global(AttributeKind.BOOLEAN, "False lets every call pass all policies.", True),
    ("order",): _global(AttributeKind.LAYERS, "Order of the layers, outermost first."),
    ("strict",): _global(AttributeKind.BOOLEAN, "Whether unknown keys and names fail.", True),
    ("events", "per-call"): _global(AttributeKind.BOOLEAN, "Whether each successful call makes an event.", False),
    ("fallback", "when-disabled"): _global(
        AttributeKind.BOOLEAN, "Whether fallbacks still apply when all is disabled.", False
    ),
    ("offload", "max-workers"): _global(AttributeKind.INTEGER, "Threads for offloaded calls.", 32, minimum=1),
    ("classification", "unwrap"): _global(
        AttributeKind.EXCEPTIONS, "Types replaced by their cause before classification.", ()
    ),
    ("classification", "bypass"): _global(
        AttributeKind.EXCEPTIONS,
        "Types that pass through every policy; a list replaces both.",
        (MemoryError, RecursionError),
    ),
}
BUDGET: Final[Mapping[str, Attribute]] = {
    "ttl": _global(AttributeKind.DURATION, "How long a call counts towards the budget.", "10s"),
    "min-per-second": _global(AttributeKind.NUMBER, "Retries a second that are always allowed.", 10, minimum=0),
    "percent": _global(AttributeKind.NUMBER, "Retries allowed as a percentage of calls.", 20, minimum=0),
}
PROFILES_ACTIVE: Final = ("profiles", "active")


def global_attribute(name: str) -> Attribute | None:
    """What is known about the value of a `Global` key; None for those that are no attribute (`profiles.active`)."""
    parts = tuple(name.split("."))
    if parts[0] == "budgets":
        return BUDGET.get(parts[-1])
    if parts[0] == "instances":
        return LOCKED
    return GLOBALS.get(parts)


LOCKED: Final = _global(AttributeKind.BOOLEAN, "Whether layer 8 is ignored for the instance.")


def interpret(path: Path, repair: Repair, known_ids: Collection[str] = ()) -> Meaning:
    """What the parts below the prefix mean. `known_ids` are instance ids, of which the longest that fits is taken."""
    return _Reading(path, repair, known_ids).tree(0, None)


def interpret_slash(segments: Path) -> Meaning:
    """What `acme.Client/charge/timeout/value` (an instance) or `external-call/timeout/value` (a family or class)
    means."""
    if "#" in segments[0]:
        # An id as it is written elsewhere.
        repaired = (*segments[0].split("#"), *segments[1:])
        is_right = isinstance(interpret_slash(repaired), Setting)
        return Unrecognised(0, (), "/".join(repaired) if is_right else None)
    if not all(segments):
        return Unrecognised(segments.index(""), policy_keys())
    position = _policy_position(segments)
    name = "#".join(segments[:position])
    kind: Literal["family", "instance"] = "family" if position == 1 else "instance"
    return _Reading(segments, _with_slashes, ()).policy(position, lambda p, a: Setting(kind, name, p, a))


def _policy_position(segments: Path) -> int:
    """Where the policy stands, or belongs: behind a composed policy or class (1), or behind a method (2)."""
    places = [place for place in (1, 2) if place < len(segments)]
    if len(segments) > 3:
        places.reverse()
    keys = policy_keys()
    exact = next((place for place in places if policy_by_key(segments[place]) is not None), None)
    near = next((place for place in places if len(segments[place]) > 3 and did_you_mean(segments[place], keys)), None)
    # Classes and modules have dots in their names, and methods and functions in them.
    has_methods = "." in segments[0] and not is_attribute(segments[1])
    return exact or near or (2 if has_methods else 1)


def is_attribute(word: str) -> bool:
    """Whether any policy has an attribute of this name that keys may set."""
    return any(schema.by_key(word) is not None for schema in POLICIES.values())


def _with_slashes(path: Path, index: int, level: str) -> str:
    return "/".join((*path[:index], level, *path[index:]))


def _no_repair(path: Path, index: int, level: str) -> str:
    return ""


def policy_keys() -> Path:
    """All policies as they are written in keys, those first that have anything to set."""
    return tuple(schema.key for schema in POLICIES.values() if next(schema.settable(), None) is not None)


def attribute_keys(schema: PolicySchema) -> Path:
    """The settable attributes of a policy as they are written in keys."""
    return tuple(attribute.key for attribute in schema.settable())


def _is_plain(meaning: Meaning) -> bool:
    """Whether a key means something, for a name that nobody would doubt."""
    match meaning:
        case Setting(kind="template", name=name) | Extends(template=name):
            return NAME.fullmatch(name) is not None
        case Setting(kind="instance", name=name):
            return name != "" and ("." not in name or "#" in name)
        case Unrecognised():
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Reading:
    """One path being read; each method reads from part `i` on."""

    path: Path
    repair: Repair
    known_ids: Collection[str]

    def tree(self, i: int, profile: str | None) -> Meaning:
        """The root of the tree, or of a profile's tree, which has no global keys."""
        if i == len(self.path):
            return Unrecognised(i, _SECTIONS)
        match self.path[i]:
            case "defaults":
                return self.policy(i + 1, lambda p, a: Setting("defaults", "", p, a, profile))
            case "configs":
                return self._template(i + 1, profile)
            case "instances":
                return self._instance(i + 1, profile)
            case "profiles" if profile is None:
                return self._profile(i + 1)
            case "budgets" if profile is None:
                return self._budget(i + 1)
        found = self._single() if profile is None else None
        return found or self._unknown_section(i, profile)

    def _single(self) -> Meaning | None:
        """A key of `GLOBALS`; None if the first part begins none, or is a policy with its `defaults` missing."""
        below = [key for key in GLOBALS if key[0] == self.path[0]]
        if not below or self._without_defaults(0):
            return None
        found = next((key for key in below if self.path[: len(key)] == key), None)
        if found is None:
            return Unrecognised(1, tuple(key[1] for key in below))
        return Global(".".join(found)) if found == self.path else Unrecognised(len(found))

    def _without_defaults(self, i: int) -> bool:
        schema = policy_by_key(self.path[i])
        return schema is not None and len(self.path) > i + 1 and schema.by_key(self.path[i + 1]) is not None

    def _unknown_section(self, i: int, profile: str | None) -> Unrecognised:
        sections = (
            _SECTIONS if profile is not None else (*_SECTIONS, "profiles", "budgets", *{k[0]: 0 for k in GLOBALS})
        )
        word = did_you_mean(self.path[i], sections)
        if policy_by_key(self.path[i]) is not None:
            levels: Path = ("defaults",)
        elif word is not None and self._goes_further((*self.path[:i], word, *self.path[i + 1 :]), i):
            levels = ()
        else:
            levels = ("configs", "instances")
        return Unrecognised(i, sections, self._with_level(i, levels))

    def _goes_further(self, path: Path, i: int) -> bool:
        meaning = _Reading(path, _no_repair, self.known_ids).tree(0, None)
        return not isinstance(meaning, Unrecognised) or meaning.index > i

    def _with_level(self, i: int, levels: Path) -> str | None:
        """The whole key with the first of the levels inserted that makes it a good one."""
        for level in levels:
            repaired = (*self.path[:i], level, *self.path[i:])
            if _is_plain(_Reading(repaired, _no_repair, self.known_ids).tree(0, None)):
                return self.repair(self.path, i, level) or None
        return None

    def policy(self, i: int, made: Callable[[str, str], Setting], others: Path = ()) -> Meaning:
        """`<policy>.<attribute>`; `others` are words that may stand in the policy's place."""
        if i >= len(self.path):
            return Unrecognised(len(self.path), (*policy_keys(), *others))
        schema = policy_by_key(self.path[i])
        if schema is None:
            return Unrecognised(i, (*policy_keys(), *others), self._missing_policy(i))
        attribute = schema.by_key(self.path[i + 1]) if i + 1 < len(self.path) else None
        if attribute is None:
            return Unrecognised(i + 1, attribute_keys(schema))
        return made(schema.name, attribute.name) if i + 2 == len(self.path) else Unrecognised(i + 2)

    def _missing_policy(self, i: int) -> str | None:
        """The key with the only policy inserted that has an attribute of this name, if that is all that is missing."""
        owners = [schema.key for schema in POLICIES.values() if schema.by_key(self.path[i]) is not None]
        alone = len(owners) == 1 and i + 1 == len(self.path)
        return self.repair(self.path, i, owners[0]) or None if alone else None

    def _template(self, i: int, profile: str | None) -> Meaning:
        if i == len(self.path):
            return Unrecognised(i)
        rest = self.path[i:]
        if rest[1:] == ("extends",):
            return Extends(rest[0], profile)
        if rest[1:2] == ("extends",):
            return Unrecognised(i + 2)
        end = i + 1
        if len(rest) == 2 and self._without_defaults(i):
            return Unrecognised(i)
        if len(rest) > 3 and policy_by_key(rest[1]) is None and self._ends_well():
            # A name with dots in it: malformed, and read as one, so that it is called that.
            end = len(self.path) - 2
        name = ".".join(self.path[i:end])
        return self.policy(end, lambda p, a: Setting("template", name, p, a, profile), ("extends",))

    def _ends_well(self) -> bool:
        """Whether the last two parts are a policy and an attribute that it has."""
        schema = policy_by_key(self.path[-2])
        return schema is not None and schema.by_key(self.path[-1]) is not None

    def _instance(self, i: int, profile: str | None) -> Meaning:
        rest = self.path[i:]
        if not rest:
            return Unrecognised(i)
        if len(rest) > 1 and rest[-1] == "locked":
            return Global(f"instances.{'.'.join(rest[:-1])}.locked")
        end = i + self._id_length(rest)
        name = ".".join(self.path[i:end])
        others = ("locked",) if end + 1 == len(self.path) else ()
        return self.policy(end, lambda p, a: Setting("instance", name, p, a, profile), others)

    def _id_length(self, rest: Path) -> int:
        """How many parts make up the id: the longest known one, else all before the policy."""
        lengths = range(len(rest) - 1, 0, -1)
        known = next((n for n in lengths if ".".join(rest[:n]) in self.known_ids), None)
        if known is not None:
            return known
        if len(rest) > 2 and policy_by_key(rest[-2]) is not None:
            return len(rest) - 2
        keys = policy_keys()
        exact = next((n for n in range(1, len(rest)) if rest[n] in keys), None)
        near = next((n for n in range(1, len(rest)) if len(rest[n]) > 3 and did_you_mean(rest[n], keys)), None)
        return exact or near or max(1, len(rest) - 2)

    def _profile(self, i: int) -> Meaning:
        if self.path[i:] == ("active",):
            return Global("profiles.active")
        if i >= len(self.path) or self.path[i] in _SECTIONS:
            return Unrecognised(i)
        if i + 1 == len(self.path) and certain(self.path[i], PROFILES_ACTIVE[1]):
            return Unrecognised(i, PROFILES_ACTIVE[1:])
        return self.tree(i + 1, self.path[i])

    def _budget(self, i: int) -> Meaning:
        rest = self.path[i:]
        if len(rest) < 2:
            return Unrecognised(len(self.path), tuple(BUDGET) if rest else ())
        if rest[1] not in BUDGET:
            return Unrecognised(i + 1, tuple(BUDGET))
        return Global(".".join(self.path)) if len(rest) == 2 else Unrecognised(i + 2)
