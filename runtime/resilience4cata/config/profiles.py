"""Which profiles may be active, and what counts for an element under each choice of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from ..durations import MAX_NANOSECONDS
from ..facts import UNKNOWN, Element, Empty, Extends, Global, Key, Project, Setting, Value, entries
from ..records import dataclass
from .defaults import nanoseconds
from .description import layers_in_order
from .layers import SettingKey, writes_of
from .order import is_order
from .origin import Effective, Layer
from .resolve import Resolver, active_profiles

Choice = tuple[str, ...]
"""Profiles in the order of their activation; () for none."""


def choices(project: Project) -> tuple[Choice, ...]:
    """Every choice that the project shows to be possible: none, each profile by itself, each set that is activated."""
    keys = [key for file in project.files for key in file.keys]
    single = ((name,) for key in keys if (name := profile_of(key)) is not None)
    activated = (
        tuple(word for word in entries(key.value) if isinstance(word, str))
        for key in keys
        if key.meaning == Global("profiles.active")
    )
    return tuple(dict.fromkeys(((), *single, *activated, active_profiles(project))))


def profile_of(key: Key) -> str | None:
    """The profile that a key belongs to, if it means anything."""
    return key.meaning.profile if isinstance(key.meaning, Setting | Extends | Empty) else None


def valid_span(value: Value) -> int | None:
    """The length of a duration, if it has one that clocks can count."""
    found = nanoseconds(value)
    return found if found is not None and 0 <= found <= MAX_NANOSECONDS else None


@dataclass(frozen=True)
class Settled:
    """What counts for one element under one choice of profiles.

    A policy that is certainly switched off counts as one that is not there.
    """

    element: Element
    resolver: Resolver
    values: Mapping[SettingKey, Effective]

    @cached_property
    def _layers(self) -> tuple[str, ...] | None:
        """The declared policies from the outermost to the innermost; None if their order is not known."""
        own = self.values.get(("order", "layers"))
        is_known = self.element.order_known if own is None else is_order(own.value)
        return layers_in_order(self.values, self.resolver.project) if is_known else None

    def get(self, policy: str, attribute: str) -> Effective | None:
        """What counts for an attribute; None if the policy is not declared, or switched off."""
        enabled = self.values.get((policy, "enabled"))
        is_off = enabled is not None and enabled.value is False
        return None if is_off else self.values.get((policy, attribute))

    def written(self, policy: str, attribute: str) -> Effective | None:
        """The same, only if somebody wrote it: defaults give way, they contradict nothing."""
        found = self.get(policy, attribute)
        return None if found is None or found.origin.layer is Layer.BUILT_IN or found.value is UNKNOWN else found

    def span(self, policy: str, attribute: str) -> int | None:
        """A valid duration that somebody wrote, in nanoseconds."""
        found = self.written(policy, attribute)
        return valid_span(found.value) if found is not None else None

    def lacks(self, policy: str) -> bool:
        """Whether the element certainly declares no such policy."""
        if (policy, "enabled") in self.values:
            return False
        return all(write.policy for write in writes_of(self.element, self.resolver.around))

    def is_within(self, inner: str, outer: str) -> bool:
        """Whether one declared policy certainly runs inside of another."""
        layers = self._layers
        if layers is None or inner not in layers or outer not in layers:
            return False
        return layers.index(inner) > layers.index(outer)


class Prospects:
    """Resolves the elements of a project under several choices of profiles."""

    def __init__(self, project: Project, chosen: Collection[Choice]) -> None:
        plain = Resolver.of(project)
        self.around = plain.around
        self._resolvers = {choice: Resolver(plain.around, choice, plain.locked) for choice in chosen}

    def of(self, element: Element) -> Iterator[tuple[Choice, Settled]]:
        """What counts for an element, under each choice in turn."""
        for choice, resolver in self._resolvers.items():
            yield choice, Settled(element, resolver, resolver.resolve(element))
