"""What counts for one element, and why, in words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from ..durations import format_duration
from ..facts import UNKNOWN, Element, Interval, Items, Member, Project, Ref, Value
from ..records import dataclass, sealed
from ..schema import POLICIES
from .layers import SettingKey
from .order import arranged, default_order, is_order, layers_of
from .origin import Effective, Given, Layer, Origin, describe
from .resolve import SELECTORS, Resolver, element_id, last_global

Shown = Callable[[Effective | Given], str]

Remarks = Mapping[SettingKey, Sequence[str]]
"""What is to be said below settings, and below the order of the layers (`BELOW_LAYERS`)."""

BELOW_LAYERS: Final = ("", "")
_NO_REMARKS: Final[Remarks] = MappingProxyType({})


@sealed
@dataclass(frozen=True, slots=True)
class DescribedSetting:
    """One effective setting: its value in words, where it comes from, and what it shadows, strongest first.

    `reason` says why the value is not known, which happens only where nothing runs: to `r4c describe`.
    """

    policy: str
    attribute: str
    value: str
    origin: Origin
    shadowed: tuple[tuple[str, Origin], ...] = ()
    reason: str = ""

    def __str__(self) -> str:
        """`wait_in_open=30s <- configs.external (prod profile, resilience4cata.toml:7)`."""
        return describe(self.attribute, self.origin, self.value, self.reason)

    @property
    def source(self) -> str:
        """Where the value comes from, and why it is not known if it is not."""
        return self.origin.because(self.reason)


@sealed
@dataclass(frozen=True, slots=True)
class Description:
    """The effective settings of one element; printed, it says all of it.

    `id` is the element's own instance, `layers` its policies in the order in which they run, outermost first,
    `instances` those of them that are shared, with the name of the instance, and `off` those that are switched off.
    `ordered` is False where the order is not known, which happens only where nothing runs.
    """

    id: str
    layers: tuple[str, ...]
    settings: tuple[DescribedSetting, ...]
    instances: tuple[tuple[str, str], ...] = ()
    ordered: bool = True
    off: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def of(self, policy: str) -> Mapping[str, DescribedSetting]:
        """The settings of one policy by attribute."""
        return {setting.attribute: setting for setting in self.settings if setting.policy == policy}

    def as_dict(self) -> dict[str, Any]:
        """Plain values, fit for JSON. `settings` has `value`, `origin` and `shadowed` by policy and attribute."""
        settings: dict[str, dict[str, Any]] = {policy: {} for policy in self.layers}
        for setting in self.settings:
            settings[setting.policy][setting.attribute] = {
                "value": setting.value,
                "origin": setting.origin.text,
                "shadowed": [{"value": value, "origin": origin.text} for value, origin in setting.shadowed],
            } | ({"reason": setting.reason} if setting.reason else {})
        return {
            "id": self.id,
            "layers": [*self.layers],
            "instances": dict(self.instances),
            "settings": settings,
        }

    @property
    def way_in(self) -> str:
        """The layers that a call passes through: `retry -> timeout (off) -> the function`."""
        layers = [f"{layer} (off)" if layer in self.off else layer for layer in self.layers]
        if self.ordered:
            return " -> ".join((*layers, "the function"))
        return f"{', '.join(layers)} (in an order that is not known) -> the function"

    def heading(self, policy: str) -> str:
        """What stands above the settings of a policy: `retry (instance 'payments')`."""
        return next((f"{policy} (instance '{name}')" for own, name in self.instances if own == policy), policy)

    def lines(self, remarks: Remarks = _NO_REMARKS) -> Iterator[str]:
        """The printed form line by line, with remarks below what they belong to."""
        yield self.id
        yield f"  {self.way_in}"
        yield from (f"  {remark}" for remark in remarks.get(BELOW_LAYERS, ()))
        for policy in self.layers:
            yield f"  {self.heading(policy)}"
            for setting in self.settings:
                if setting.policy == policy:
                    yield f"    {setting}"
                    yield from (f"      {remark}" for remark in remarks.get((policy, setting.attribute), ()))


def description_of(
    element: Element,
    resolver: Resolver,
    shown: Shown | None = None,
    reason: Shown | None = None,
    always: Collection[SettingKey] = (),
) -> Description:
    """The description of a function or method; `shown` puts values into words that facts do not know.

    `reason` says why a value is not known ("" if it is), where that may happen. Settings that are in `always` are shown
    also where they say nothing.
    """
    effective = resolver.resolve(element)
    shown = shown or _of_facts
    layers = layers_in_order(effective, resolver.project)
    found = []
    for policy in layers:
        for attribute in POLICIES[policy].attributes:
            value = effective.get((policy, attribute))
            if value is None or attribute in SELECTORS:
                continue
            if not _says_nothing(value) or (policy, attribute) in always:
                shadowed = tuple((shown(given), given.origin) for given in value.shadowed)
                why = reason(value) if reason is not None else ""
                found.append(DescribedSetting(policy, attribute, shown(value), value.origin, shadowed, why))
    names = ((policy, effective[policy, "name"].value) for policy in layers if (policy, "name") in effective)
    instances = tuple((policy, name) for policy, name in names if isinstance(name, str))
    own = effective.get(("order", "layers"))
    ordered = own is None or is_order(own.value)
    off = tuple(_switched_off(layers, effective, resolver.project))
    return Description(element_id(element) or element.definition.id, layers, tuple(found), instances, ordered, off)


def _switched_off(
    layers: Collection[str], effective: Mapping[SettingKey, Effective], project: Project
) -> Iterator[str]:
    """The layers that certainly let every call pass: switched off themselves, or all of them at once."""
    everything, fallbacks = (last_global(project.files, name) for name in ("enabled", "fallback.when-disabled"))
    for policy in layers:
        own = effective.get((policy, "enabled"))
        answers = policy == "fallback" and fallbacks is not None and fallbacks.value is True
        if (own is not None and own.value is False) or (
            everything is not None and everything.value is False and not answers
        ):
            yield policy


def layers_in_order(effective: Mapping[SettingKey, Effective], project: Project) -> tuple[str, ...]:
    """The declared policies in the order in which they run: that of the element, else that of the project."""
    declared = {policy for policy, _ in effective}
    key = last_global(project.files, "order")
    order = arranged(layers_of(key.value) if key is not None else (), default_order())
    own = effective.get(("order", "layers"))
    return tuple(layer for layer in arranged(layers_of(own.value) if own else (), order) if layer in declared)


def _says_nothing(value: Effective) -> bool:
    """Whether an attribute is not set and has no default (`classifier`)."""
    return value.value is None and value.origin.layer is Layer.BUILT_IN


def _of_facts(value: Effective | Given) -> str:
    return in_words(value.value)


def in_words(value: Value) -> str:
    """A value as provenance shows it: `30s`, `FULL`, `(OSError, KeyError)`, `none`."""
    if value is None:
        return "none"
    if isinstance(value, str):
        return value
    if value is UNKNOWN:
        return "..."
    if isinstance(value, Interval):
        return format_duration(value.nanoseconds)
    if isinstance(value, Member):
        return value.name
    if isinstance(value, Ref):
        return value.short
    if isinstance(value, Items):
        return f"({', '.join([*map(in_words, value.items), *([] if value.closed else ['...'])])})"
    return repr(value)
