"""Effective settings as live values: what runs needs integers, classes and objects, not facts about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from ..config.defaults import adjusted, built_in
from ..config.grammar import BUDGET, GLOBALS
from ..config.instances import Instances
from ..config.layers import SettingKey
from ..config.order import arranged, default_order
from ..config.origin import Effective, Given
from ..config.origin import Layer as Source
from ..config.resolve import element_id, last_global
from ..durations import nanoseconds
from ..facts import UNKNOWN, At, Element, Interval, Items, Member, Ref, Slot, Value, entries
from ..policies.order import DEFAULT_ORDER, Layer
from ..records import dataclass, replace, sealed
from ..schema import POLICIES, Attribute, AttributeKind
from .oracle import LiveTypes
from .policies import PolicyFacts
from .project import Assembly
from .scopes import ClassScope

PolicySettings = Mapping[str, Any]
"""Values by attribute. Durations are whole nanoseconds, exception lists tuples of classes, classifiers objects."""

_NOTHING: Final = object()


@sealed
@dataclass(frozen=True, slots=True)
class Budget:
    """A shared retry budget: calls of the last `ttl` nanoseconds allow `percent` of them as retries, and always
    `min_per_second`."""

    ttl: int
    min_per_second: float
    percent: float


@sealed
@dataclass(frozen=True, slots=True)
class Options:
    """The keys that stand alone. `order` lists all layers, outermost first; `budgets` are the retry budgets by name."""

    enabled: bool
    strict: bool
    order: tuple[Layer, ...]
    events_per_call: bool
    fallback_when_disabled: bool
    offload_max_workers: int
    classification_unwrap: tuple[type[BaseException], ...]
    classification_bypass: tuple[type[BaseException], ...]
    budgets: Mapping[str, Budget]


class NotMade(Exception):
    """A class given as an attribute of a policy of which no object could be made. `error` is what it raised."""

    def __init__(self, policy: str, attribute: str, error: Exception) -> None:
        super().__init__(policy, attribute, error)
        self.policy = policy
        self.attribute = attribute
        self.error = error


class Settings:
    """Makes settings of effective values, once for each element.

    Classifiers that `before` made of classes are used again: they may remember what they have seen.
    """

    def __init__(self, assembly: Assembly, *, strict: bool = True, before: Settings | None = None) -> None:
        self._assembly = assembly
        self.strict = strict
        self._objects = assembly.objects
        self._made: dict[tuple[str, At, type | None], Mapping[str, PolicySettings]] = {}
        self._classifiers: dict[type, object] = dict(before._classifiers) if before is not None else {}

    @property
    def instances(self) -> Instances:
        """What can be tuned and described."""
        return self._assembly.instances

    @property
    def policy_facts(self) -> PolicyFacts:
        """Makes facts of further policies, whose live values are then known here."""
        return self._assembly.policy_facts

    @property
    def oracle(self) -> LiveTypes:
        """Answers questions about the types in the facts."""
        return self._assembly.oracle

    @property
    def profiles(self) -> tuple[str, ...]:
        """The active profiles, in order of activation."""
        return self.instances.resolver.profiles

    def knows(self, source: str) -> bool:
        """Whether `source` is a file of code in which places can be told more exactly."""
        return self._assembly.knows(source)

    def make_all(self) -> tuple[tuple[Element, NotMade], ...]:
        """Make the settings of every element there is, so that whatever fails does so now: all that failed."""
        failed = []
        for elements in self.instances.elements.values():
            for element in elements:
                try:
                    self.of(element)
                except NotMade as error:
                    failed.append((element, error))
        return tuple(failed)

    def of(self, element: Element) -> Mapping[str, PolicySettings]:
        """Every attribute of every policy that the element declares, by policy; what nobody sets is None.

        A policy with instances has its instance's id as `name`. Raises NotMade for a classifier that cannot be made.
        """
        scope = element.scope
        # Classes of one name may have been made at one place, by a loop.
        cls = scope.cls if isinstance(scope, ClassScope) else None
        key = (element.definition.id, element.definition.at, cls)
        if key not in self._made:
            effective = self.instances.resolver.resolve(element)
            policies = dict.fromkeys(policy for policy, _ in effective)
            found = {policy: self._policy(policy, effective, element) for policy in policies}
            self._made[key] = MappingProxyType(found)
        return self._made[key]

    def _policy(self, policy: str, effective: Mapping[SettingKey, Effective], element: Element) -> PolicySettings:
        attributes = [a for a in POLICIES[policy].attributes.values() if a.kind is not AttributeKind.TEMPLATE_NAME]
        told = {a.name: self._told(policy, a, effective.get((policy, a.name))) for a in attributes}
        facts = {name: given.value if given is not None else UNKNOWN for name, given in told.items()}
        found: dict[str, Any] = {}
        for attribute in attributes:
            given = told[attribute.name]
            if given is not None and given.origin.layer is Source.BUILT_IN:
                given = replace(given, value=adjusted(policy, attribute.name, facts))
            value = self._live(policy, attribute, given) if given is not None else None
            found[attribute.name] = value if value is not _NOTHING else None
            if attribute.kind is AttributeKind.INSTANCE_NAME and found[attribute.name] is None:
                found[attribute.name] = element_id(element)
        return MappingProxyType(found)

    def _told(self, policy: str, attribute: Attribute, effective: Effective | None) -> Given | None:
        """What the strongest layer gives whose value can be told; a default as it is before it gives way to others."""
        if effective is None:
            return None
        if effective.origin.layer is Source.BUILT_IN:
            return Given(built_in(policy)[attribute.name], effective.origin)
        strongest = Given(effective.value, effective.origin, effective.slot, effective.doubt)
        several = (strongest, *effective.shadowed)
        return next((given for given in several if self._live(policy, attribute, given) is not _NOTHING), None)

    def written(self, slot: Slot) -> tuple[object] | None:
        """The value that code writes in a slot, in a tuple of one; None if that is not known."""
        return self._assembly.policy_facts.live(slot)

    def _live(self, policy: str, attribute: Attribute, given: Given) -> Any:
        try:
            return self._of_given(attribute, given)
        except _Failed as failed:
            error = failed.error
        raise NotMade(policy, attribute.name, error)

    def _of_given(self, attribute: Attribute, given: Given) -> Any:
        written = self.written(given.slot) if given.slot is not None else None
        if written is not None:
            return self._from_code(attribute, written[0])
        return _NOTHING if given.value is UNKNOWN else self._from_fact(attribute, given.value)

    def _from_code(self, attribute: Attribute, value: Any) -> Any:
        match attribute.kind:
            case AttributeKind.DURATION:
                return nanoseconds(value)
            case AttributeKind.EXCEPTIONS | AttributeKind.METHODS:
                return tuple(_flat(value))
            case AttributeKind.CLASSIFIER:
                return self._classifier(value)
        return value

    def _from_fact(self, attribute: Attribute, value: Value) -> Any:
        """The live value that a fact describes."""
        match attribute.kind:
            case AttributeKind.DURATION:
                return _length(value)
            case AttributeKind.EXCEPTIONS:
                return tuple(self._objects_of(value))
            case AttributeKind.CLASSIFIER:
                return self._classifier(self._objects[value.name]) if isinstance(value, Ref) else None
            case AttributeKind.MEMBER if isinstance(value, Member) and attribute.members is not None:
                return attribute.members[value.name]
            case AttributeKind.LAYERS:
                return tuple(Layer[item.name] for item in entries(value) if isinstance(item, Member))
        return value

    def _objects_of(self, value: Value) -> Iterator[object]:
        for item in entries(value):
            if isinstance(item, Items):
                yield from self._objects_of(item)
            elif isinstance(item, Ref):
                yield self._objects.get(item.name) or self._assembly.paths.follow(item.name)

    def _classifier(self, value: Any) -> Any:
        """The object; a class is called once, whoever names it."""
        if not isinstance(value, type):
            return value
        if value not in self._classifiers:
            try:
                self._classifiers[value] = value()
            except Exception as error:
                raise _Failed(error) from error
        return self._classifiers[value]

    def options(self) -> Options:
        """The keys that stand alone, with their defaults."""
        values = {".".join(path): self._global(".".join(path), attribute) for path, attribute in GLOBALS.items()}
        order = arranged((layer.name.lower() for layer in values["order"]), default_order())
        return Options(
            enabled=values["enabled"],
            strict=self.strict,
            order=tuple(Layer[name.upper()] for name in order),
            events_per_call=values["events.per-call"],
            fallback_when_disabled=values["fallback.when-disabled"],
            offload_max_workers=values["offload.max-workers"],
            classification_unwrap=values["classification.unwrap"],
            classification_bypass=values["classification.bypass"],
            budgets=MappingProxyType(dict(self._budgets())),
        )

    def _global(self, name: str, attribute: Attribute) -> Any:
        key = last_global(self._assembly.project.files, name)
        if key is not None:
            return self._from_fact(attribute, key.value)
        match attribute.kind:
            case AttributeKind.LAYERS:
                return DEFAULT_ORDER
            case AttributeKind.DURATION:
                return nanoseconds(str(attribute.default))
        return attribute.default

    def _budgets(self) -> Iterator[tuple[str, Budget]]:
        keys = (key for file in self._assembly.project.files for key in file.keys)
        names = dict.fromkeys(key.path[1] for key in keys if key.path[:1] == ("budgets",) and len(key.path) == 3)
        for name in names:
            values = {part: self._global(f"budgets.{name}.{part}", attribute) for part, attribute in BUDGET.items()}
            yield name, Budget(values["ttl"], values["min-per-second"], values["percent"])


class _Failed(Exception):
    """What the class of a classifier raised."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


def _length(value: Value) -> int | None:
    if isinstance(value, Interval):
        return value.nanoseconds
    return nanoseconds(value) if isinstance(value, str) else None


def _flat(value: Any) -> Iterator[Any]:
    """The members of nested tuples, as `except` reads them."""
    for item in value if isinstance(value, tuple) else (value,):
        if isinstance(item, tuple):
            yield from _flat(item)
        else:
            yield item
