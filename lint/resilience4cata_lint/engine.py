"""One run of the linter: discover, read, gate, extract, link, check, and put into words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from resilience4cata.records import dataclass, field, replace

from . import configuration, deployments
from .coverage import Coverage
from .inputs import Inputs, Stdin, gather, import_roots, shown_in
from .locate import Modules
from .per_file import PerFile
from .reading import Failure, Means, Reader, in_groups
from .selection import Selection, selected
from .texts import Sources

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Context, Diagnostic, Finding
    from resilience4cata.facts import Project, Unreadable

    from .configuration import Configuration
    from .extract import FileFacts
    from .fixing.offers import Offers
    from .link import Linked
    from .options import Options


@dataclass(slots=True)
class Report:
    """What a run found. `files` counts what was looked at, `failures` are faults of the linter itself.

    `sources` gives the text around a place. `skipped` are named files of a kind that is not checked. `coverage` tells
    what was looked at, `seen` are the views of each group of files, with what was known about it. `fixed` are findings
    that were there before edits were made. `outdated` counts the entries of a baseline that no longer occur.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)
    files: int = 0
    failures: list[Failure] = field(default_factory=list)
    sources: Sources = field(default_factory=Sources)
    skipped: list[str] = field(default_factory=list)
    coverage: Coverage = field(default_factory=Coverage)
    seen: list[tuple[Sequence[object], Context]] = field(default_factory=list)
    fixed: list[Diagnostic] = field(default_factory=list)
    outdated: int = 0
    _offers: Offers | None = None

    @property
    def offers(self) -> Offers:
        """The edits for the findings."""
        if self._offers is None:
            from .fixing.offers import Offers

            self._offers = Offers(self.sources)
        return self._offers


def analyse(
    paths: Sequence[str],
    options: Options,
    selection: Selection | None = None,
    stdin: Stdin | None = None,
    means: Means | None = None,
) -> Report:
    """Check files and folders, or what came in by standard input, and report in the order of places.

    Raises UsageError for paths, settings and selections that mean nothing.
    """
    overrides = {stdin.path: stdin.data} if stdin else {}
    inputs, modules = gather(paths, options, stdin), import_roots(paths, options)
    return examine(inputs, modules, options, selection, overrides, means)


def examine(
    inputs: Inputs,
    modules: Modules,
    options: Options,
    selection: Selection | None = None,
    overrides: Mapping[str, bytes] | None = None,
    means: Means | None = None,
) -> Report:
    """Check what was gathered; `overrides` holds sources that are in no file.

    Raises UsageError for settings and selections that mean nothing.
    """
    selection, means = selection or Selection(), means or Means()
    # Words that mean no rule are refused even where nothing is found; otherwise the rules are loaded only when needed.
    codes = selected(options, selection) if selection or options.chooses_rules else None
    per_file = PerFile(options)
    shown = shown_in(options)
    reader = Reader(shown, modules, overrides or {}, means)
    reader.read(inputs.given, inputs.context, inputs.named)
    settings = configuration.read(inputs, options, shown)
    report = Report(
        files=len(inputs.given) + len(settings.reported),
        sources=Sources({shown(path): data for path, data in reader.overrides.items()}),
        failures=reader.failures,
        skipped=inputs.skipped,
        coverage=Coverage((*inputs.given, *settings.reported), inputs.folders, codes, inputs.closed),
    )
    unreadable = [
        *(replace(fact, at=replace(fact.at, source=shown(fact.at.source))) for fact in inputs.unreadable),
        *reader.unreadable,
    ]
    if reader.facts or settings.files or settings.deployments or unreadable or reader.unrelated:
        from .settle import settle

        reported = {*settings.reported, *(fact.at.source for fact in (*unreadable, *reader.unrelated))}
        findings = _findings(reader, inputs, settings, unreadable, report.seen)
        codes = selected(options, selection) if codes is None else codes
        settled = settle(findings, report.seen, reader, report.sources, reported)
        kept = (f for f in settled if f.rule.code in codes and not per_file.ignores(f.fault.at.source, f.rule.code))
        report.diagnostics = _in_words(kept)
    reader.forget()
    if means.cache is not None:
        means.cache.forget_gone()
    return report


def _in_words(findings: Iterable[Finding]) -> list[Diagnostic]:
    from resilience4cata.diagnostics import in_order

    return [finding.diagnostic() for finding in in_order(findings)]


def _findings(
    reader: Reader,
    inputs: Inputs,
    settings: Configuration,
    unreadable: Sequence[Unreadable],
    seen: list[tuple[Sequence[object], Context]],
) -> Iterator[Finding]:
    """Link and check each group; what belongs to none (configuration, unreadable files) goes with the first.

    `seen` gets the views of each group with their context.
    """
    from resilience4cata.diagnostics import FRONT_ENDS, Context, Needs
    from resilience4cata.facts import NoTypes, Project

    provides = FRONT_ENDS["lint"] if inputs.closed else FRONT_ENDS["lint"] & ~Needs.PROJECT
    alone: tuple[object, ...] = (*unreadable, *reader.unrelated, *settings.files)
    given = settings.deployments
    groups = list(in_groups(reader, inputs.given))
    if not groups:
        project = Project((), (), settings.templates, settings.files, inputs.closed, settings.known)
        views = (*project.templates, project, *alone, *deployments.views(given, project))
        seen.append((views, Context(provides, NoTypes(), project)))
        yield from _checked(*seen[-1], reader.failures)
    else:
        from .references import followed, in_place_of
        from .usage import with_bounded_sockets, with_used_templates
    for files, roots in groups:
        linked = _linked(files, roots, reader, settings, closed=inputs.closed and len(groups) == 1)
        if linked is not None:
            project = _with_known_templates(linked.project, settings)
            if unreadable:
                project = replace(project, closed=False)
            project = followed(project, linked.oracle.world)
            project = with_used_templates(project, linked.views, reader, inputs.given)
            project = with_bounded_sockets(project, reader)
            outside = (*in_place_of(alone, project.files), *deployments.views(given, project))
            views = (*linked.views, *project.templates, project, *outside)
            seen.append((views, Context(provides, linked.oracle, project)))
            yield from _checked(*seen[-1], reader.failures)
        alone, given = (), ()


def _linked(
    files: Sequence[FileFacts], roots: Sequence[str], reader: Reader, settings: Configuration, *, closed: bool
) -> Linked | None:
    """The files linked; None if the linker itself failed."""
    from .link import link

    try:
        return link(
            files,
            config_files=settings.files,
            templates=settings.templates,
            closed=closed,
            sources_known=True,
            loader=lambda module: reader.load(module, roots),
        )
    except Exception as error:
        reader.failures.append(Failure(f"{len(files)} files around {files[0].path}", error))
        return None


def _with_known_templates(project: Project, settings: Configuration) -> Project:
    """The project as linked on the assumption that all sources of templates are known, corrected if they are not.

    Templates in code are a source of their own, if all of the project's code was seen.
    """
    in_code = len(project.templates) > len(settings.templates)
    known = settings.known or (settings.code_known and in_code)
    return project if known else replace(project, templates_closed=False)


def _checked(views: Sequence[object], context: Context, failures: list[Failure]) -> list[Finding]:
    """The rules' findings. If a rule fails, the views that it fails on are named and left out."""
    from resilience4cata import rules

    try:
        return rules.check(views, context)
    except Exception:
        sound = [view for view in views if _stands(view, context, failures)]
    return rules.check(sound, context)


def _stands(view: object, context: Context, failures: list[Failure]) -> bool:
    from resilience4cata import rules

    try:
        rules.check([view], context)
    except Exception as error:
        failures.append(Failure(_place_of(view), error))
        return False
    return True


def _place_of(view: object) -> str:
    """Where a view stands, for somebody who reports that a rule failed on it."""
    from resilience4cata.diagnostics import show_place
    from resilience4cata.facts import At

    for holder in (view, getattr(view, "definition", None), getattr(view, "declaration", None)):
        at = getattr(holder, "at", None)
        if isinstance(at, At):
            return show_place(at)
    return str(getattr(view, "source", "the whole project"))
