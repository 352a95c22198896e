"""Effective settings with their provenance: all nine layers of the configuration, over facts alone.

Pure: nothing is read, imported or remembered. Whatever is not known (an open `**options`, a template from an unknown
source, an unknown base class) makes the attributes that it may concern UNKNOWN, unless a stronger layer sets them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from ..facts import (
    NOWHERE,
    UNKNOWN,
    At,
    ConfigFile,
    Declaration,
    Element,
    Global,
    Key,
    Kind,
    Project,
    Setting,
    Template,
    entries,
)
from ..records import dataclass, field, replace
from ..schema import POLICIES
from .defaults import adjusted, built_in
from .layers import SettingKey, Surroundings, Write, writes_of
from .origin import Doubt, Effective, Given, Layer, Origin, unknown

SELECTORS = ("name", "config")
"""Attributes that choose an instance or a template; they are resolved too, but no file sets them."""


def resolve(element: Element, project: Project, profiles: Iterable[str] = ()) -> Mapping[SettingKey, Effective]:
    """What counts for the policies that the element declares, by policy and attribute.

    A class stands for those of its public methods that have no policies of their own. `profiles` are active in this
    order, later ones win. Also has `name` and `config` where they are written.
    """
    return Resolver.of(project, profiles).resolve(element)


def active_profiles(project: Project) -> tuple[str, ...]:
    """The profiles that code activates, else those of the last source that says so."""
    if project.profiles is not None:
        return project.profiles
    key = last_global(project.files, "profiles.active")
    return tuple(word for word in entries(key.value) if isinstance(word, str)) if key is not None else ()


def last_global(files: Iterable[ConfigFile], name: str) -> Key | None:
    """The key that counts of those that stand alone and have this name: that of the last source."""
    found = [key for file in files for key in file.keys if key.meaning == Global(name)]
    return found[-1] if found else None


def sources_known(project: Project) -> bool:
    """Whether every source of templates is known and could be read."""
    return project.templates_closed and not any(file.broken for file in project.files)


@dataclass(slots=True)
class _Stack:
    """What the layers give to the attributes of one policy, weakest first."""

    policy: str
    given: dict[str, list[Given]] = field(default_factory=dict)

    def put(self, attribute: str, given: Given) -> None:
        """Lay a value on top; attribute "" lays it on every setting (only ever UNKNOWN)."""
        schema = POLICIES[self.policy]
        names = [attribute] if attribute else [a.name for a in schema.attributes.values() if a.configurable]
        for name in names:
            self.given.setdefault(name, []).append(given)

    def effective(self) -> dict[str, Effective]:
        """The strongest of each attribute; built-in defaults give way to their neighbours."""
        values = {name: given[-1].value for name, given in self.given.items()}
        found = {}
        for name, (*weaker, strongest) in self.given.items():
            value = strongest.value
            if strongest.origin.layer is Layer.BUILT_IN:
                value = adjusted(self.policy, name, values)
            found[name] = Effective(value, strongest.origin, tuple(reversed(weaker)), strongest.slot, strongest.doubt)
        return found


@dataclass(frozen=True, slots=True)
class Resolver:
    """Resolves many elements of one project under one choice of profiles."""

    around: Surroundings
    profiles: tuple[str, ...]
    locked: Collection[str]

    @classmethod
    def of(cls, project: Project, profiles: Iterable[str] = ()) -> Resolver:
        return cls(Surroundings.of(project), tuple(profiles), locked_instances(project))

    @property
    def project(self) -> Project:
        return self.around.project

    def resolve(self, element: Element) -> Mapping[SettingKey, Effective]:
        """See the module's `resolve`."""
        writes = writes_of(element, self.around)
        policies = dict.fromkeys(w.policy for w in writes if w.policy in POLICIES)
        found: dict[SettingKey, Effective] = {}
        for policy in policies:
            own = [w for w in writes if w.policy in (policy, "")]
            for attribute, effective in self._policy(policy, own, element).items():
                found[policy, attribute] = effective
        return found

    def _policy(self, policy: str, writes: list[Write], element: Element) -> Mapping[str, Effective]:
        stack = _Stack(policy)
        for attribute, value in built_in(policy).items():
            stack.put(attribute, Given(value, Origin(Layer.BUILT_IN)))
        upper = _Stack(policy)
        for write in writes:
            if write.given is not None:
                upper.put(write.attribute, write.given)
                if not write.attribute:
                    for selector in SELECTORS:
                        upper.put(selector, write.given)
        for attribute, given in self._base(policy, upper.given.get("config")):
            stack.put(attribute, given)
        for attribute, several in upper.given.items():
            for given in several:
                stack.put(attribute, given)
        for attribute, given in self._overrides(policy, upper.given.get("name"), element):
            stack.put(attribute, given)
        return stack.effective()

    def _base(self, policy: str, config: list[Given] | None) -> Iterator[tuple[str, Given]]:
        """Layers 2 to 4."""
        template = config[-1].value if config else None
        at = config[-1].origin.at if config else NOWHERE
        yield from _written(self.project.defaults, policy, Origin(Layer.DEFAULTS))
        yield from self._keys("defaults", "", policy, None, Layer.DEFAULTS)
        yield from self._chain(template, policy, None, Origin(Layer.TEMPLATE, at=at))
        for profile in self.profiles:
            yield from self._keys("defaults", "", policy, profile, Layer.PROFILE_DEFAULTS)
            yield from self._chain(template, policy, profile, Origin(Layer.PROFILE_TEMPLATE, at=at))
        if not sources_known(self.project):
            yield "", unknown(Origin(Layer.DEFAULTS, "an unknown source"), Doubt.SOURCE)

    def _chain(self, name: object, policy: str, profile: str | None, chosen: Origin) -> Iterator[tuple[str, Given]]:
        """A template with those that it extends, root first. `chosen` has the layer, and the place of the choice."""
        if name is None:
            return
        chain = self.ancestry(name) if isinstance(name, str) else None
        if chain is None:
            yield "", unknown(replace(chosen, name=name if isinstance(name, str) else ""), Doubt.TEMPLATE)
            return
        for title in reversed(chain):
            for template in self._templates(title, profile):
                origin = Origin(chosen.layer, title, template.at, profile)
                yield from _written(template.declarations, policy, origin)

    def _templates(self, name: str, profile: str | None) -> Iterator[Template]:
        return (t for t in self.project.templates if t.name == name and t.profile == profile)

    def ancestry(self, name: str) -> list[str] | None:
        """The template and those that it extends, itself first; None if one is not known or they form a circle."""
        chain: list[str] = []
        current: str | None = name
        while current is not None:
            known = [t for t in self.project.templates if t.name == current]
            if not known or current in chain:
                return None
            chain.append(current)
            current = parent_of(known, self.profiles)
        return chain

    def _keys(
        self, kind: str, name: str, policy: str, profile: str | None, layer: Layer
    ) -> Iterator[tuple[str, Given]]:
        for attribute, key in self.around.keys.get((kind, name, policy, profile), ()):
            yield attribute, Given(key.value, Origin(layer, name, key.at, profile))

    def _overrides(self, policy: str, name: list[Given] | None, element: Element) -> Iterator[tuple[str, Given]]:
        """Layers 8, unless the instance is locked, and 9: of the builder, then those of a running program."""
        own = element_id(element)
        # A policy without instances to share, a timeout, is the element's own in any case.
        instance = name[-1].value if name and "name" in POLICIES[policy].attributes else own
        if instance is UNKNOWN:
            yield from self._overrides_of_any(policy, own)
        elif isinstance(instance, str):
            if instance not in self.locked:
                for profile in (None, *self.profiles):
                    yield from self._keys("instance", instance, policy, profile, Layer.INSTANCE)
            for override in self.project.overrides:
                if override.name == instance:
                    layer = Layer.RECONFIGURED if override.at_run_time else Layer.OVERRIDE
                    found = _written(override.declarations, policy, Origin(layer, instance, override.at))
                    yield from found if override.certain else _perhaps(found, Doubt.CODE)

    def _overrides_of_any(self, policy: str, own: str | None) -> Iterator[tuple[str, Given]]:
        """The own instance or any shared one may be meant, so every override of these may or may not count."""
        for file in self.project.files:
            for key in file.keys:
                meaning = key.meaning
                if not isinstance(meaning, Setting) or (meaning.kind, meaning.policy) != ("instance", policy):
                    continue
                if _may_be(meaning.name, own):
                    origin = Origin(Layer.INSTANCE, meaning.name, key.at)
                    yield meaning.attribute, unknown(origin, Doubt.INSTANCE)
        for override in self.project.overrides:
            if _may_be(override.name, own):
                origin = Origin(Layer.OVERRIDE, override.name, override.at)
                yield from _perhaps(_written(override.declarations, policy, origin), Doubt.INSTANCE)


def _may_be(instance: str, own: str | None) -> bool:
    """Whether an element whose instance is not known may have this one: that of another function it has not."""
    return instance == own or "#" not in instance


def _perhaps(written: Iterable[tuple[str, Given]], doubt: Doubt) -> Iterator[tuple[str, Given]]:
    """Values that may or may not count."""
    return ((attribute, unknown(given.origin, doubt)) for attribute, given in written)


def _written(declarations: Iterable[Declaration], policy: str, origin: Origin) -> Iterator[tuple[str, Given]]:
    for declaration in declarations:
        if declaration.policy != policy:
            continue
        if not declaration.closed:
            yield "", unknown(origin, Doubt.OPTIONS)
        for name, slot in declaration.slots.items():
            at = slot.at if slot.at.line else origin.at
            value = slot.value if slot.certain else UNKNOWN
            yield name, Given(value, Origin(origin.layer, origin.name, at, origin.profile), slot)


def parent_of(templates: Iterable[Template], profiles: Iterable[str]) -> str | None:
    """What the templates of one name extend: the last active profile that says so wins, then the last source."""
    order: tuple[str | None, ...] = (None, *profiles)
    extending = [t for t in templates if t.extends is not None and t.profile in order]
    # The first maximum counts, and among equals that is to be the last source.
    return max(reversed(extending), key=lambda t: order.index(t.profile)).extends if extending else None


def element_id(element: Element) -> str | None:
    """The id of an element's own instance, `acme.payments.PaymentsClient#charge`; a class has none.

    What has no owner, a pipeline, is known by its name alone.
    """
    definition = element.definition
    if definition.kind is Kind.CLASS:
        return None
    return f"{definition.owner}#{definition.name}" if definition.owner else definition.name


def locked_instances(project: Project) -> Mapping[str, At]:
    """Ids of instances that ignore layer 8, and where that is said; what code locks, no source unlocks."""
    said: dict[str, Key] = {}
    for file in project.files:
        for key in file.keys:
            instance = locked_by(key)
            if instance is not None:
                said[instance] = key
    found = {instance: key.at for instance, key in said.items() if key.value is True}
    return found | dict.fromkeys(project.locked, NOWHERE)


def locked_by(key: Key) -> str | None:
    """The instance that `instances.<id>.locked` speaks of."""
    name = key.meaning.name if isinstance(key.meaning, Global) else ""
    instance = name.removeprefix("instances.").removesuffix(".locked")
    return instance if name == f"instances.{instance}.locked" else None
