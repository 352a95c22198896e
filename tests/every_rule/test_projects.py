"""Fixture folders of both layouts, as projects that front ends can check."""

from pathlib import Path

import pytest

from tests.every_rule import with_build, with_lint, with_mypy
from tests.every_rule.fixtures import Fixture, Report
from tests.every_rule.projects import lay_out
from tests.every_rule.rewriting import REWRITINGS

CODE = """\
from resilience4cata import retry


@retry(max_attempts={attempts})
def find(id: str) -> str:
    return id
"""
EXPECTED = """\
[[finding]]
{path}line = 4
column = 21
subject = "@retry(max_attempts=0) on {module}.find"
message = "0 is out of range: 'max_attempts' must be a whole number, at least 1"
suggestion = ""
reports = ["lint", "mypy", "build"]
"""
FLAT = {
    "bad.py": CODE.format(attempts=0),
    "good.py": CODE.format(attempts=2),
    "expected.toml": EXPECTED.format(path="", module="r4c_va_001.bad"),
}
NESTED = {
    "bad/app.py": CODE.format(attempts=0),
    "bad/pyproject.toml": '[tool.r4c]\nconfig-files = ["shop.toml"]\n',
    "bad/shop.toml": "",
    "good/app.py": CODE.format(attempts=2),
    "good/pyproject.toml": "[tool.resilience4cata]\n",
    "good/resilience4cata.toml": "",
    "fixed/app.py": CODE.format(attempts=2),
    "expected.toml": EXPECTED.format(path='path = "app.py"\n', module="r4c_va_001.bad.app"),
}


def fixture(folder: Path, files: dict[str, str]) -> Fixture:
    """A fixture folder with these files."""
    for name, text in files.items():
        path = folder / "R4C-VA-001" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Fixture(folder / "R4C-VA-001")


@pytest.mark.parametrize(("files", "path"), [(FLAT, "bad.py"), (NESTED, "bad/app.py")], ids=["flat", "nested"])
def test_front_ends_see_projects(tmp_path: Path, files: dict[str, str], path: str) -> None:
    """Each front end reports the fault at its place in the fixture folder, whatever the layout, and none elsewhere."""
    made = fixture(tmp_path, files)
    (tmp_path / "copy").mkdir()
    projects = lay_out([made], tmp_path / "copy")
    text = "@retry(max_attempts=0) on " + (f"r4c_va_001.{path.removesuffix('.py').replace('/', '.')}.find")
    text += ": 0 is out of range: 'max_attempts' must be a whole number, at least 1"
    expected = [Report(path, 4, 21, "R4C-VA-001", text)]
    lint = {project: with_lint.run(project, tmp_path / "lint.json") for project in projects}
    mypy, build = with_mypy.run(projects, tmp_path / "cache"), with_build.run(projects)
    found = [[report for project in projects for report in reports[project]] for reports in (lint, mypy, build)]
    assert ([expected] * 3, expected) == (found, made.expected("lint"))


def test_configuration(tmp_path: Path) -> None:
    """Files of configuration are those that the settings list, else those with the usual names."""
    (tmp_path / "copy").mkdir()
    projects = lay_out([fixture(tmp_path, NESTED)], tmp_path / "copy")
    expected = {"bad": ["shop.toml"], "good": ["pyproject.toml", "resilience4cata.toml"], "fixed": []}
    assert expected == {project.part: project.configuration for project in projects}


def test_what_cannot_be_parsed_stays(tmp_path: Path) -> None:
    """A file with a syntax error is copied as it is, and only the linter is shown it."""
    broken = "from resilience4cata import retry\n\ndef find(:\n"
    made = fixture(tmp_path, {"bad.py": broken, "good.py": CODE.format(attempts=1)})
    (tmp_path / "copy").mkdir()
    (project,) = lay_out([made], tmp_path / "copy", REWRITINGS[0])
    assert ["__init__.py", "good.py"] == [path.name for path in project.parsable]
    assert broken == (project.folder / "bad.py").read_text(encoding="utf-8")
