"""What rules say about files, and about views of a project, short enough to compare."""

from collections.abc import Iterable

from resilience4cata import rules
from resilience4cata.diagnostics import FRONT_ENDS, Context, Diagnostic
from resilience4cata.facts import ConfigFile, Project
from tests.runtime.config.making import files, project


def diagnostics(views: Iterable[object], within: Project, front_end: str = "build") -> list[Diagnostic]:
    context = Context(FRONT_ENDS[front_end], project=within)
    return [finding.diagnostic() for finding in rules.check(views, context)]


def of_files(*sources: ConfigFile, within: Project | None = None) -> list[Diagnostic]:
    """What is said about files, their templates and the project that has nothing else."""
    within = within or project(sources=sources)
    return diagnostics((*sources, *within.templates, within), within)


def about_values(*sources: ConfigFile) -> list[Diagnostic]:
    """What is said about values, and nothing about instances and profiles that the project does not have."""
    return [d for d in of_files(*sources) if d.code not in ("R4C-CFG-005", "R4C-CFG-009")]


def short(found: Iterable[Diagnostic]) -> list[tuple[str, str, str]]:
    """Code without its beginning, place and line."""
    return [(d.code.removeprefix("R4C-"), d.place, d.line) for d in found]


def toml(text: str) -> list[tuple[str, str, str]]:
    return short(of_files(*files(a_toml=text)))


def properties(text: str) -> list[tuple[str, str, str]]:
    return short(of_files(*files(a_properties=text)))
