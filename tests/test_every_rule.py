"""Every rule's fixture through all three front ends, as it is written and with its imports rewritten."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.every_rule import with_build, with_lint, with_mypy
from tests.every_rule.fixtures import FRONT_ENDS, Fixture, Report, all_fixtures
from tests.every_rule.projects import Project, lay_out
from tests.every_rule.rewriting import REWRITINGS, Rewriting

FIXTURES = tuple(all_fixtures())
Form = Rewriting | None
FORMS: tuple[Form, ...] = (None, *REWRITINGS)


class Forms:
    """Each form of all fixtures, laid out and checked when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.projects = cache(self._lay_out)
        self.lint = cache(self._lint)
        self.mypy = cache(self._mypy)
        self.build = cache(self._build)

    def reports(self, form: Form, front_end: str, fixture: Fixture) -> list[Report]:
        """What a front end reports for one fixture."""
        checks: dict[str, Callable[[Form], Mapping[Project, list[Report]]]]
        checks = {"lint": self.lint, "mypy": self.mypy, "build": self.build}
        found = checks[front_end](form)
        return sorted(report for project in self.of(form, fixture) for report in found[project])

    def of(self, form: Form, fixture: Fixture) -> list[Project]:
        return [project for project in self.projects(form) if project.fixture is fixture]

    def _lay_out(self, form: Form) -> list[Project]:
        root = self._folder / (form.name if form is not None else "original")
        root.mkdir()
        return lay_out(FIXTURES, root, form)

    def _lint(self, form: Form) -> dict[Project, list[Report]]:
        output = self._folder / "lint.json"
        return {project: with_lint.run(project, output) for project in self.projects(form)}

    def _mypy(self, form: Form) -> with_mypy.Output:
        # One cache for all forms, since most of it is about the standard library.
        return with_mypy.run(self.projects(form), self._folder / "mypy_cache")

    def _build(self, form: Form) -> with_build.Output:
        return with_build.run(self.projects(form))


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> Forms:
    return Forms(tmp_path_factory.mktemp("every_rule"))


def lines(reports: list[Report], *, columns: bool) -> list[str]:
    return [report.shown(columns=columns) for report in reports]


by_code = pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.code)


@by_code
@pytest.mark.parametrize("front_end", FRONT_ENDS)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name if form is not None else "original")
def test_reports(forms: Forms, form: Form, front_end: str, fixture: Fixture) -> None:
    """Each front end reports exactly what is expected of it, however the library is imported."""
    columns = form is None
    expected = lines(fixture.expected(front_end), columns=columns)
    assert expected == lines(forms.reports(form, front_end, fixture), columns=columns)


@by_code
def test_mypy_accepts_what_is_right(forms: Forms, fixture: Fixture) -> None:
    """mypy itself has nothing to say about good and repaired code, under strict."""
    said = forms.mypy(None).own
    own = [r.shown() for project in forms.of(None, fixture) for r in said[project] if not is_bad(r.path)]
    assert [] == own


@by_code
def test_build_sees_what_is_importable(forms: Forms, fixture: Fixture) -> None:
    """Only a module of which `build()` is expected to see nothing may fail to import."""
    not_importable = forms.build(None).not_importable
    failed = [module for project in forms.of(None, fixture) for module in not_importable[project]]
    seen = {report.path.removesuffix(".py") for report in fixture.expected("build")}
    paths = [module.removeprefix(f"{fixture.package}.").replace(".", "/") for module in failed]
    assert [] == [path for path in paths if not is_bad(path) or path in seen]


def is_bad(path: str) -> bool:
    return path.startswith("bad")
