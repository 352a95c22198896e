"""Everything that `build()` looks at, as one project of facts: what code recorded, what a builder was told, and what
the configuration sources say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import copy
from functools import cached_property
from types import MappingProxyType
from typing import Final, NamedTuple

from ..config.environment import EnvironmentSource, Names
from ..config.instances import Instances, guarded
from ..config.resolve import Resolver, active_profiles, element_id, last_global
from ..config.sources import ConfigSource, in_precedence, load
from ..config.tree import templates_of, with_known_ids
from ..facts import (
    NOWHERE,
    At,
    ConfigFile,
    Declaration,
    Empty,
    Extends,
    Key,
    Override,
    Project,
    Setting,
    Template,
    Unrecognised,
    Written,
    entries,
)
from ..policies import Policy
from ..policies.declaration import Site
from ..records import dataclass, field, replace
from ..rules import views_of
from .extraction import Chosen, Extraction, extract, inside
from .listeners import CodeListener, listener_of
from .oracle import LiveTypes
from .paths import Paths
from .pipelines import Asked, pipeline_facts
from .places import Places
from .policies import PolicyFacts


class CodeTemplate(NamedTuple):
    """`.config(name, *policies, extends=…)` as it was called."""

    name: str
    policies: tuple[Policy, ...]
    extends: str | None
    site: Site


class CodeOverride(NamedTuple):
    """`.instance(name, *policies)`, or `reconfigure(name, *policies)`, as it was called.

    One that is `standing` was accepted before.
    """

    name: str
    policies: tuple[Policy, ...]
    site: Site
    standing: bool = False


class Additions(NamedTuple):
    """What was said since `build()`: the pipelines by name, and overrides of instances."""

    pipelines: Mapping[str, Asked] = MappingProxyType({})
    overrides: tuple[CodeOverride, ...] = ()


NO_ADDITIONS: Final = Additions()


@dataclass(slots=True)
class Told:
    """What a builder was told. `profiles_site` is where it was told which profiles are active, `locked` has the call
    that locks each instance and the position of its name there."""

    sources: list[ConfigSource] = field(default_factory=list)
    profiles: tuple[str, ...] = ()
    profiles_site: Site | None = None
    templates: list[CodeTemplate] = field(default_factory=list)
    defaults: list[Policy] = field(default_factory=list)
    overrides: list[CodeOverride] = field(default_factory=list)
    locked: dict[str, tuple[Site, int]] = field(default_factory=dict)
    listeners: list[CodeListener] = field(default_factory=list)
    strict: bool | None = None
    makes_handlers: bool = False

    def copy(self) -> Told:
        """The same, for itself."""
        return replace(
            self,
            sources=[*self.sources],
            templates=[*self.templates],
            defaults=[*self.defaults],
            overrides=[*self.overrides],
            locked={**self.locked},
            listeners=[*self.listeners],
        )


class Loaded:
    """The sources as they are at one moment, from the weakest to the strongest; dotted paths are followed.

    The environment is read later, when all names are known; its place among the files is kept.
    """

    def __init__(self, sources: Iterable[ConfigSource]) -> None:
        self.paths = Paths()
        self.sources = in_precedence(sources)
        self.files: dict[int, ConfigFile] = {
            position: self.paths.file(load(source))
            for position, source in enumerate(self.sources)
            if not isinstance(source, EnvironmentSource)
        }

    def completed(self, names: Names) -> tuple[ConfigFile, ...]:
        """All files, with the environment as it is read with these names."""
        files = dict(self.files)
        for position, source in enumerate(self.sources):
            if isinstance(source, EnvironmentSource):
                files[position] = self.paths.file(load(source.knowing(names)))
        return tuple(files[position] for position in sorted(files))

    def profiles_of_environment(self) -> Iterator[str]:
        """Profiles that the environment activates, whose names other variables may hold."""
        for source in self.sources:
            if isinstance(source, EnvironmentSource):
                key = last_global([source.load()], "profiles.active")
                yield from (word for word in entries(key.value) if isinstance(word, str)) if key is not None else ()

    @property
    def reads_variables(self) -> bool:
        """Whether there is any variable of ours."""
        return any(isinstance(source, EnvironmentSource) and source.is_set for source in self.sources)


class Assembly:
    """The project of facts for one builder; `exact` are the source files that may be read for exact places.

    `pipelines` are the elements of the pipelines by name; `policy_facts` makes facts of further policies.
    """

    def __init__(
        self,
        told: Told,
        loaded: Loaded,
        chosen: Chosen,
        exact: Collection[str] = (),
        *,
        closed: bool = False,
        additions: Additions = NO_ADDITIONS,
    ) -> None:
        self._told = told
        self._loaded = loaded
        self.extraction: Extraction = extract(chosen, exact)
        facts = self.extraction.policies
        self._templates = tuple(map(self._template, told.templates))
        self._defaults = tuple(map(facts.declaration, told.defaults))
        self._overrides = tuple(_override(override, self.extraction.places, facts) for override in told.overrides)
        files = self._files()
        self.project = Project(
            elements=self.extraction.elements,
            composed=self.extraction.composed,
            templates=(*self._templates, *templates_of(files)),
            files=files,
            closed=closed,
            templates_closed=True,
            defaults=self._defaults,
            profiles=told.profiles or None,
            profiles_at=tuple(self._profiles_at()),
            overrides=self._overrides,
            locked=tuple(told.locked),
            locked_at=tuple(self._locked_at()),
            makes_handlers=told.makes_handlers,
        )
        self._add(additions, exact)

    def with_additions(self, additions: Additions, exact: Collection[str] = ()) -> Assembly:
        """The same with other additions. Nothing is read again, and nothing that was declared meanwhile comes in.

        `exact` are source files that may be read for exact places of the additions.
        """
        made = copy(self)
        vars(made).pop("instances", None)
        made._add(additions, exact)
        return made

    def further(self, extraction: Extraction, additions: Additions) -> Assembly:
        """The same with more that was declared; the sources were read before, and may speak of it."""
        made = copy(self)
        vars(made).pop("instances", None)
        made.extraction = extraction
        files = made._files()
        templates = (*self._templates, *templates_of(files))
        made.project = replace(self.project, files=files, templates=templates)
        made._add(additions, ())
        return made

    def beside(self, extraction: Extraction, additions: Additions) -> Assembly:
        """The same with what a function made, which no source can speak of."""
        made = copy(self)
        vars(made).pop("instances", None)
        made.extraction = extraction
        made._add(additions, ())
        return made

    def _add(self, additions: Additions, exact: Collection[str]) -> None:
        """Facts of their own, so that they are forgotten together with the additions."""
        places = Places(exact)
        self.policy_facts = facts = self.extraction.policies.further(places)
        self._added_places = places
        later = (replace(_override(override, places, facts), at_run_time=True) for override in additions.overrides)
        # Without pipelines nothing needs to be resolved yet.
        resolver = Resolver.of(self.project if additions.pipelines else Project(), active_profiles(self.project))
        made = [pipeline_facts(name, asked, facts, resolver) for name, asked in additions.pipelines.items()]
        self.pipelines = {pipeline.call.name: pipeline.element for pipeline in made}
        self._pipeline_calls = tuple(pipeline.call for pipeline in made)
        self.project = replace(
            self.project,
            elements=(*self.extraction.elements, *self.pipelines.values()),
            composed=facts.composed,
            overrides=(*self._overrides, *later),
        )

    @property
    def views(self) -> tuple[object, ...]:
        """What rules look at."""
        project = self.project
        pipelines = (view for element in self.pipelines.values() for view in views_of(element))
        listeners = (listener_of(listener, self.extraction.places) for listener in self._told.listeners)
        return (*self.extraction.views, *pipelines, *self._pipeline_calls, *self.configuration, *listeners, project)

    @property
    def configuration(self) -> tuple[object, ...]:
        """The same without what is declared: templates, files, and the policies given to the builder."""
        return (*self._written(), *self.project.templates, *self.project.files)

    @cached_property
    def instances(self) -> Instances:
        """What can be tuned and described."""
        return Instances(Resolver.of(self.project, active_profiles(self.project)))

    @property
    def oracle(self) -> LiveTypes:
        """Answers questions about the types in these facts."""
        return self.extraction.oracle_for(self.policy_facts)

    @property
    def loaded(self) -> Loaded:
        """The sources as they were read."""
        return self._loaded

    @property
    def paths(self) -> Paths:
        """Follows dotted paths."""
        return self._loaded.paths

    @property
    def objects(self) -> dict[str, object]:
        """The classes and other objects that values name, by full name."""
        return {**self.policy_facts.objects, **self.paths.objects}

    def knows(self, source: str) -> bool:
        """Whether `source` is a file of code in which places can be told more exactly."""
        return self.extraction.places.knows(source) or self._added_places.knows(source)

    def _files(self) -> tuple[ConfigFile, ...]:
        weak = tuple(self._loaded.files.values())
        ids: frozenset[str] = frozenset()
        if self._loaded.reads_variables or any(map(_may_hold_ids, weak)):
            elements = guarded(Project(elements=self.extraction.elements, composed=self.extraction.composed))
            ids = frozenset(id for element in elements if (id := element_id(element)) and "<locals>" not in id)
        names = self._names(weak, ids) if self._loaded.reads_variables else Names()
        return tuple(with_known_ids(file, ids) if ids else file for file in self._loaded.completed(names))

    def _names(self, files: tuple[ConfigFile, ...], ids: frozenset[str]) -> Names:
        keys = [key for file in files for key in file.keys]
        profiles = {profile for key in keys if (profile := _profile_of(key)) is not None}
        told = {override.name for override in self._told.overrides} | {*self._told.locked}
        budgets = {key.path[1] for key in keys if key.path[:1] == ("budgets",) and len(key.path) > 2}
        templates = (*self._templates, *templates_of(files))
        return Names(
            templates=frozenset(template.name for template in templates),
            instances=ids | told | frozenset(self._shared_names()),
            profiles=frozenset((*profiles, *self._told.profiles, *self._loaded.profiles_of_environment())),
            budgets=frozenset(budgets),
        )

    def _shared_names(self) -> Iterator[str]:
        composed = list(self.extraction.composed)
        declared = [a.policy for e in self.extraction.elements for a in e.policies if isinstance(a.policy, Declaration)]
        declared += [m for policy in composed for m in policy.members if isinstance(m, Declaration)]
        for declaration in declared:
            name = declaration.value("name")
            if isinstance(name, str):
                yield name

    def _template(self, template: CodeTemplate) -> Template:
        places, facts = self.extraction.places, self.extraction.policies
        call = places.call(*template.site)
        return Template(
            template.name,
            places.argument(call, "name", 0),
            tuple(facts.declaration(policy, call) for policy in template.policies),
            template.extends,
            places.argument(call, "extends") if template.extends is not None else NOWHERE,
        )

    def _profiles_at(self) -> Iterator[At]:
        if self._told.profiles_site is not None:
            call = self.extraction.places.call(*self._told.profiles_site)
            for position in range(len(self._told.profiles)):
                yield self.extraction.places.argument(call, "", position)

    def _locked_at(self) -> Iterator[At]:
        places = self.extraction.places
        return (places.argument(places.call(*site), "", position) for site, position in self._told.locked.values())

    def _written(self) -> Iterator[Written]:
        """The policies given to the builder. One that was made elsewhere stands there, not within the template."""
        for template, called in zip(self._templates, self._told.templates, strict=True):
            call = self.extraction.places.call(*called.site)
            for declaration in template.declarations:
                here = inside(declaration.at, call)
                yield Written(declaration, within=f'config("{template.name}")' if here else "")
        overrides = (declaration for override in self.project.overrides for declaration in override.declarations)
        yield from map(Written, (*self._defaults, *overrides))


def _override(override: CodeOverride, places: Places, facts: PolicyFacts) -> Override:
    call = places.call(*override.site)
    declarations = tuple(facts.declaration(policy, call) for policy in override.policies)
    return Override(override.name, places.argument(call, "name", 0), declarations, standing=override.standing)


def _may_hold_ids(file: ConfigFile) -> bool:
    """Whether knowing the ids of instances would tell more about a key."""
    return any(isinstance(key.meaning, Unrecognised) and "instances" in key.path for key in file.keys)


def _profile_of(key: Key) -> str | None:
    return key.meaning.profile if isinstance(key.meaning, Setting | Extends | Empty) else None
