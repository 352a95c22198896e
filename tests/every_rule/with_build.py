"""`build()` as a front end: one process imports every project and checks each by itself.

Run as a script, it reads a list of jobs from standard input and answers with what `build()` finds in each.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from .fixtures import ROOT, Report, one_line
from .projects import Project


class Job(TypedDict):
    """A project for the other process. `modules` are dotted names, `configuration` files relative to `folder`.

    `environment` are the variables of the process that starts it.
    """

    folder: str
    package: str
    modules: list[str]
    configuration: list[str]
    environment: dict[str, str]


class Answer(TypedDict):
    """What `build()` found there, and which modules could not be imported."""

    found: list[tuple[str, int, int, str, str]]
    not_importable: list[str]


class Output(dict[Project, list[Report]]):
    """What `build()` reports for each project; `not_importable` are modules that it cannot see."""

    def __init__(self) -> None:
        super().__init__()
        self.not_importable: dict[Project, list[str]] = {}


def run(projects: Sequence[Project]) -> Output:
    """Check all projects, which stand below one root. Raises RuntimeError if the process fails."""
    jobs = json.dumps([_job(project) for project in projects])
    command = [sys.executable, "-m", __name__, str(projects[0].root)]
    result = subprocess.run(
        command, input=jobs, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if result.returncode != 0:
        raise RuntimeError(result.stderr)
    answers: list[Answer] = json.loads(result.stdout)
    output = Output()
    for project, answer in zip(projects, answers, strict=True):
        output[project] = sorted(Report(project.in_fixture(found[0]), *found[1:]) for found in answer["found"])
        output.not_importable[project] = answer["not_importable"]
    return output


def _job(project: Project) -> Job:
    return Job(
        folder=str(project.folder),
        package=project.package,
        modules=[_dotted(path.relative_to(project.root)) for path in project.modules],
        configuration=project.configuration,
        environment=project.environment,
    )


def _dotted(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _answer(job: Job) -> Answer:
    """Import and check one project. Runs in the other process."""
    from resilience4cata import ConfigSources, DefinitionError, Resilience

    not_importable = [module for module in job["modules"] if not _importable(module)]
    with contextlib.chdir(job["folder"]):
        builder = Resilience.builder().only(job["package"])
        for name in job["configuration"]:
            builder.source(ConfigSources.file(name))
        if job["environment"]:
            builder.source(ConfigSources.environment(job["environment"]))
        if not not_importable:
            builder.scan(job["package"])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                diagnostics = builder.build().diagnostics
        except DefinitionError as error:
            diagnostics = error.diagnostics
    found = [
        (d.at.source, d.at.line, d.at.column, d.code, one_line(d.subject, d.message, d.suggestion)) for d in diagnostics
    ]
    return Answer(found=found, not_importable=not_importable)


def _importable(module: str) -> bool:
    try:
        importlib.import_module(module)
    except (NameError, SyntaxError, TypeError):  # the faults that show at import
        return False
    return True


def main(arguments: Sequence[str]) -> None:
    """Answer the jobs of standard input; the packages stand below the folder that is the only argument."""
    sys.path.insert(0, arguments[0])
    jobs: list[Job] = json.load(sys.stdin)
    json.dump([_answer(job) for job in jobs], sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])
