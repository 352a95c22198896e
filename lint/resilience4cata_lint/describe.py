"""`r4c describe`: what counts for one function, method or class, and where each value comes from.

The project is read as `r4c check` reads it, and nothing of it is run.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from resilience4cata.config.instances import Instances
from resilience4cata.config.profiles import choices, profile_of
from resilience4cata.config.resolve import Resolver, active_profiles, last_global
from resilience4cata.diagnostics import FRONT_ENDS, Context
from resilience4cata.facts import NOWHERE, Project
from resilience4cata.records import replace
from resilience4cata.suggestions import did_you_mean

from .cache import open_cache
from .commands import is_looked_at, options_for, print_json
from .described import Described, Outlook, described
from .engine import examine
from .inputs import gather, import_roots, shown_in
from .link import link
from .locate import Modules, Shown, relative
from .options import Options
from .oracle import LintTypes
from .outcome import CLEAN, UsageError
from .progress import watched
from .reading import Means, Reader
from .remarks import Remarks
from .targets import Part, Target, Targets, path_in
from .team import Team


def run(parsed: argparse.Namespace) -> int:
    """Describe the target on standard output. Raises UsageError for a target or a profile that does not exist."""
    path = path_in(parsed.target)
    options = options_for(parsed.config, [path] if path is not None else [os.curdir])
    found = Overview(options).describe(parsed.target, parsed.profile, Remarks(parsed.lang))
    if parsed.format == "json":
        print_json(found.as_dict())
    elif is_looked_at(sys.stdout):
        from .output.settings import draw

        draw(found, sys.stdout, colour=not os.environ.get("NO_COLOR"))
    else:
        print("\n".join(found.lines()))
    return CLEAN


class Overview:
    """What can be seen of the project that `options` belong to; it is read once, for any number of targets."""

    def __init__(self, options: Options) -> None:
        paths = list(map(relative, options.paths or (options.root,)))
        inputs, modules = gather(paths, options), import_roots(paths, options)
        with Team(None) as team, watched() as watch:
            report = examine(inputs, modules, options, means=Means(open_cache(options), team, watch))
        for failure in report.failures[:1]:
            # What the linter itself failed on may be missing in every answer.
            raise failure.error
        shown = shown_in(options)
        files = (*inputs.given, *inputs.context)
        linked = [(views, c) for views, c in report.seen if isinstance(c.oracle, LintTypes)]
        linked = linked or [((), _unguarded(files, modules, shown))]
        parts = [Part(context, _instances(context.project), views) for views, context in linked]
        self._targets = Targets(parts, files, modules, shown)
        self._diagnostics = report.diagnostics

    def describe(self, target: str, profiles: Sequence[str], remarks: Remarks) -> Described:
        """All about a target, as if `profiles` were active if there are any. Raises UsageError as `run` does."""
        found = self._targets.find(target)
        known = found.part.context.project.templates_closed
        return described(found, _outlook(found, profiles), self._diagnostics, remarks, known=known)


def _unguarded(files: Sequence[str], modules: Modules, shown: Shown) -> Context:
    """The context of a project in which nothing has to do with the library."""
    reader = Reader(shown, modules)
    roots = sorted({modules.of(path).root for path in files})
    linked = link((), closed=False, sources_known=True, loader=lambda module: reader.load(module, roots))
    return Context(FRONT_ENDS["lint"], linked.oracle, linked.project)


def _instances(project: Project) -> Instances:
    """What there is in a project, as if all its sources were known: a note says so if they are not."""
    return Instances(Resolver.of(replace(project, templates_closed=True)))


def _outlook(target: Target, named: Sequence[str]) -> Outlook:
    """The profiles that are named, else those that the project activates, else each that it knows beside none."""
    project = target.part.context.project
    if named:
        _refuse_unknown(named, project)
        return Outlook([tuple(dict.fromkeys(named))])
    if project.profiles is not None:
        return Outlook([project.profiles], next(iter(project.profiles_at), NOWHERE))
    key = last_global(project.files, "profiles.active")
    return Outlook([active_profiles(project)], key.at) if key is not None else Outlook(choices(project))


def _refuse_unknown(named: Sequence[str], project: Project) -> None:
    keys = (key for file in project.files for key in file.keys)
    known = dict.fromkeys(name for key in keys if (name := profile_of(key)) is not None)
    for name in named:
        if name not in known and name not in (project.profiles or ()):
            near = did_you_mean(name, known)
            advice = f"did you mean '{near}'?" if near else f"there are {', '.join(map(repr, known)) or 'none'}"
            msg = f"no profile '{name}' in the configuration; {advice}"
            raise UsageError(msg)
