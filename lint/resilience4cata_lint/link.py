"""From the facts of all files to what rules look at: imports followed, bases found, policies read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from resilience4cata.facts import At, Composed, ConfigFile, Element, Project, Template, Written
from resilience4cata.records import dataclass, field
from resilience4cata.rules import views_of

from .applications import applications
from .declarations import member_arguments
from .listeners import listeners
from .objects import Built, Where
from .oracle import LintTypes
from .symbols import FileFacts
from .templates import Templates
from .terms import Call, Term, children
from .world import Loader, World

__all__ = ["Linked", "link"]


@dataclass(frozen=True, slots=True)
class Linked:
    """`views` are what `rules.check` takes, `project` is everything together, `oracle` what is known about types."""

    views: tuple[object, ...]
    project: Project
    oracle: LintTypes = field(default_factory=LintTypes)


def link(
    files: Sequence[FileFacts],
    *,
    config_files: Sequence[ConfigFile] = (),
    templates: Sequence[Template] = (),
    closed: bool,
    sources_known: bool,
    loader: Loader | None = None,
) -> Linked:
    """Link files with one another.

    `templates` are those of `config_files`. `closed` tells whether `files` are the whole project, `sources_known`
    whether no further source may bring templates. `loader` finds other modules of the project by dotted name.
    """
    linker = _Linker(World(files, loader), [file.source for file in config_files])
    views = tuple(view for file in files for view in linker.views(file))
    made = linker.templates
    project = Project(
        elements=tuple(view for view in views if isinstance(view, Element)),
        composed=tuple(view for view in views if isinstance(view, Composed)),
        templates=(*made.templates, *templates),
        files=tuple(config_files),
        closed=closed,
        templates_closed=sources_known and made.closed,
        defaults=tuple(made.defaults),
        profiles=made.profiles,
        overrides=tuple(made.overrides),
        locked=tuple(made.locked),
        bounds_sockets=any(file.bounds_sockets for file in files),
    )
    return Linked(views, project, LintTypes(linker.world))


class _Linker:
    """Walks through the definitions and calls of files and gives each policy once, where it is written."""

    def __init__(self, world: World, config_files: Sequence[str]) -> None:
        self.world = world
        self.templates = Templates(world, config_files)
        self._given: set[At] = set()

    def views(self, file: FileFacts) -> Iterator[object]:
        """The views of one file: its decorated definitions, then its other policies."""
        world = self.world
        for index, facts in enumerate(file.classes):
            if facts.decorators:
                cls, where = world.class_object(file, index), Where(file, facts.scope)
                element = Element(world.definitions.cls(cls), world.scope(*where[:2]), world.class_scope(cls))
                yield from self._decorated(element, where, facts.decorators)
        for index, function in enumerate(file.functions):
            if function.decorators:
                definition, where = (
                    world.definitions.original(world.function_object(file, index)),
                    Where(file, function.scope),
                )
                yield from self._decorated(Element(definition, world.scope(*where[:2])), where, function.decorators)
        for site in file.sites:
            yield from self._written(site.call, Where(file, site.scope), "")
        yield from applications(file, world)
        yield from listeners(file, world)

    def _decorated(self, element: Element, where: Where, decorators: Sequence[Term]) -> Iterator[object]:
        if element.policies:
            # A policy held by a variable is written elsewhere, and judged there.
            here = {applied.at for applied in element.policies if applied.policy.at == applied.at}
            for view in views_of(element):
                if not isinstance(view, Written) or view.declaration.at in here:
                    yield view
            self._given |= here - {a.at for a in element.policies if isinstance(a.policy, Composed)}
        for term in decorators:
            yield from self._written(term, where, "")

    def _written(self, term: Term, where: Where, within: str) -> Iterator[object]:
        """The policies written in an expression; those directly in it stand within `within`."""
        if not isinstance(term, Call):
            for child in children(term):
                yield from self._written(child, where, within)
            return
        # What a chain of calls begins with comes first.
        yield from self._written(term.function, where, "")
        members = self.templates.look(term, where)
        found = self.world.values.evaluate(term, where)
        if isinstance(found, Built) and found.policy.at == where.file.at(term.span):
            if found.policy.at not in self._given:
                self._given.add(found.policy.at)
                yield found.policy if isinstance(found.policy, Composed) else Written(found.policy, within=within)
            if isinstance(found.policy, Composed):
                members = found.policy.title
        direct = {id(argument) for argument in member_arguments(term)} if members is not None else set()
        for argument in term.arguments:
            yield from self._written(argument.value, where, members if id(argument) in direct and members else "")
