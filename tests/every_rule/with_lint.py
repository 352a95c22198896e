"""The linter as a front end: `r4c check` on a project as a whole, in its folder."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from resilience4cata_lint.cli import main

from .fixtures import Report, one_line
from .projects import Project


def run(project: Project, output: Path) -> list[Report]:
    """What the linter reports; `output` is a file that it may write. Raises RuntimeError if the linter fails."""
    with contextlib.chdir(project.folder):
        status = main(["check", "--format", "json", "--output-file", str(output)])
    if status not in {0, 1}:
        msg = f"r4c check ended with {status} on {project.package}"
        raise RuntimeError(msg)
    return sorted(_report(project, entry) for entry in json.loads(output.read_text(encoding="utf-8")))


def _report(project: Project, entry: dict[str, str | int | None]) -> Report:
    text = one_line(str(entry["subject"]), str(entry["message"]), str(entry["suggestion"] or ""))
    path = project.in_fixture(str(entry["path"]))
    return Report(path, int(entry["line"] or 0), int(entry["column"] or 0), str(entry["code"]), text)
