"""What a rule finds wrong with effective settings, as it is told: the values that decide, and where each is written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from ..config.layers import SettingKey, applied_with
from ..config.origin import Effective, Layer
from ..config.profiles import Choice
from ..diagnostics import Fault, Related
from ..facts import Applied, At, Declaration, Element, Key, Setting, Slot
from ..records import dataclass
from ..schema import POLICIES
from .places import named
from .words import listed, on, show, spell


class Verdict(NamedTuple):
    """What is wrong: a message, and the settings that decide it, of which the last one written is reported.

    `related` settings belong to the reason and are shown beside, `words` are those that an edit is about. `about` tells
    apart what a message says of several things: of each exception type in a list.
    """

    message: str
    values: Mapping[str, object]
    deciding: tuple[SettingKey, ...]
    related: tuple[SettingKey, ...] = ()
    help: str = ""
    words: tuple[str, ...] = ()
    about: str = ""

    @property
    def kind(self) -> object:
        """What stays the same whatever the values are."""
        return self.message, self.deciding, self.about


@dataclass(frozen=True, slots=True)
class Given:
    """A value that counts: where it is written, the words for that, and whether that is on the element itself."""

    setting: SettingKey
    effective: Effective
    at: At
    subject: str
    is_on_element: bool
    written_at: At

    @property
    def text(self) -> str:
        policy, attribute = self.setting
        name = policy if attribute in POLICIES[policy].positional else attribute
        return f"{name} is {show(self.effective.value)}"


@dataclass(frozen=True, slots=True)
class Case:
    """A verdict on one element and the values that it rests on, the one to point at first.

    `profiles` are those without which nothing would be wrong. `deciding` are where the deciding values are written.
    """

    element: Element
    verdict: Verdict
    given: tuple[Given, ...]
    profiles: Choice
    deciding: tuple[Given, ...]

    @property
    def at(self) -> At:
        return self.given[0].at

    @property
    def is_on_element(self) -> bool:
        return self.given[0].is_on_element

    def is_same(self, other: Case) -> bool:
        """Whether one edit would repair both."""
        values = [[(given.effective.slot, given.written_at) for given in case.deciding] for case in (self, other)]
        return self.verdict.kind == other.verdict.kind and values[0] == values[1]

    def fault(self, others: Collection[Case] = ()) -> Fault:
        """The fault, which `others` have as well."""
        first, *rest = self.given
        id = self.element.definition.id
        message, values = self.verdict.message, dict(self.verdict.values)
        related = [Related(first.written_at, first.text)] if first.written_at != first.at else []
        related += [Related(given.written_at, given.text) for given in rest]
        if not self.is_on_element:
            message += ", on {element}"
            values["element"] = f"{id} and {len(others)} more" if others else id
            related.append(Related(_place_on(self.element, first.setting[0]), f"it counts for {id}"))
        if self.profiles:
            message += ", with {profiles}"
            word = "profile" if len(self.profiles) == 1 else "profiles"
            values["profiles"] = f"{word} {listed(self.profiles)}"
        seen = [r for r in dict.fromkeys(related) if r.at.line and r.at != first.at]
        return Fault(
            first.at,
            first.subject,
            message,
            values,
            help=self.verdict.help,
            related=tuple(seen),
            words=self.verdict.words,
        )


def given_on(
    element: Element, setting: SettingKey, effective: Effective, applied: Applied, place: At, attributes: Iterable[str]
) -> Given:
    """A value of a policy on the element itself, `written_at` `place`, with the attributes that its subject shows."""
    policy, id = applied.policy, element.definition.id
    is_direct = isinstance(policy, Declaration)
    subject = on(policy, id, *attributes) if isinstance(policy, Declaration) else f"@{named(applied)} on {id}"
    at = place if is_direct and policy.at == applied.at else applied.at
    return Given(setting, effective, at, subject, True, place)


def are_together(given: Iterable[Given], keys: Mapping[At, Key]) -> bool:
    """Whether values of one policy are written in one call, or in one table of a file that has these keys."""
    return len({_written_in(one, keys) for one in given}) == 1


def _written_in(given: Given, keys: Mapping[At, Key]) -> object:
    key, origin = keys.get(given.written_at), given.effective.origin
    if key is None or not isinstance(key.meaning, Setting):
        return origin.layer, origin.name, origin.profile, given.written_at.source
    return key.meaning.kind, key.meaning.name, key.meaning.profile, key.at.source


def _place_on(element: Element, policy: str) -> At:
    applied = applied_with(element, lambda declaration: declaration.policy == policy)
    return applied.at if applied is not None else element.definition.at


def words_of(setting: SettingKey, effective: Effective) -> str:
    """The words for a value that code writes in another place."""
    policy, attribute = setting
    origin = effective.origin
    slot = effective.slot or Slot((effective.value,), origin.at)
    spelled = spell(Declaration(policy, {attribute: slot}, origin.at), attribute)
    match origin.layer:
        case Layer.CLASS_DIRECT | Layer.METHOD_DIRECT:
            return f"@{spelled} on {origin.name.rpartition(' on ')[2]}"
        case Layer.TEMPLATE:
            return f'{spelled} in config("{origin.name}")'
        case Layer.DEFAULTS:
            return f"{spelled} in defaults(...)"
        case Layer.OVERRIDE:
            return f'{spelled} in instance("{origin.name}")'
        case Layer.RECONFIGURED:
            return f'{spelled} in reconfigure("{origin.name}")'
    return f'{spelled} in resilience_policy("{origin.name}")'
