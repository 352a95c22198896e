"""The mypy plugin as a front end: one run over all projects, and one for each whose own settings matter."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from resilience4cata_mypy.settings import load

from .fixtures import Report
from .projects import Project

_CONFIGURATION = """\
[mypy]
plugins = resilience4cata_mypy
strict = True
show_column_numbers = True
pretty = False
color_output = False
"""
_ERROR = re.compile(r"(?P<path>.+?):(?P<line>\d+):(?P<column>\d+): error: (?P<text>.*?)(?:  \[(?P<code>[\w-]+)\])?$")
_OURS = "R4C-"


class Output(dict[Project, list[Report]]):
    """What the plugin reports for each project; `own` is what mypy says itself, with codes of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.own: dict[Project, list[Report]] = defaultdict(list)


def run(projects: Sequence[Project], cache: Path) -> Output:
    """Check all projects, which stand below one root. Raises RuntimeError if mypy itself fails."""
    output = Output()
    alone = [project for project in projects if _needs_settings(project)]
    # mypy does not begin where settings are wrong or cannot be read.
    together = [project for project in projects if project not in alone and not _is_refused(project)]
    output.update((project, []) for project in projects)
    groups = [(projects[0].root, together), *((project.folder, [project]) for project in alone)]
    for folder, group in groups:
        _add(output, _check(folder, group, cache), folder, group)
    return output


def _needs_settings(project: Project) -> bool:
    # Where nothing is expected of mypy, silence can be seen in the common run, which takes a fraction of the time.
    return project.has_settings and bool(project.fixture.expected("mypy"))


def _is_refused(project: Project) -> bool:
    return project.has_settings and bool(load(str(project.folder / "pyproject.toml")).problems)


def _check(folder: Path, group: Sequence[Project], cache: Path) -> list[re.Match[str]]:
    # The plugin reads the settings of the project beside this file.
    configuration = folder / "mypy.ini"
    wanted = sorted({code for project in group for code in project.switched_on})
    enabled = f"enable_error_code = {', '.join(wanted)}\n" if wanted else ""
    configuration.write_text(_CONFIGURATION + enabled, encoding="utf-8")
    files = [str(path.relative_to(folder)) for project in group for path in project.parsable]
    command = [sys.executable, "-m", "mypy", "--config-file", configuration.name, "--cache-dir", str(cache)]
    result = subprocess.run(
        [*command, *files], cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if result.returncode not in {0, 1} or "INTERNAL ERROR" in result.stdout + result.stderr:
        raise RuntimeError(result.stdout + result.stderr)
    return [match for line in result.stdout.splitlines() if (match := _ERROR.match(line))]


def _add(output: Output, errors: Iterable[re.Match[str]], folder: Path, group: Sequence[Project]) -> None:
    by_file: Mapping[Path, Project] = {path: project for project in group for path in project.parsable}
    for error in errors:
        path = folder / error["path"]
        project = by_file[path]
        shown = project.in_fixture(path.relative_to(project.folder).as_posix())
        code = error["code"] or ""
        report = Report(shown, int(error["line"]), int(error["column"]), code, error["text"])
        (output if code.startswith(_OURS) else output.own)[project].append(report)
    for project in group:
        output[project].sort()
