"""The linter on mutants: one folder, one process and one cache for all, as somebody who edits has it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from resilience4cata_lint.cli import main

from ..every_rule.fixtures import Report, one_line
from .folders import copy_shop, mutated
from .mutant import Mutant


def run(mutants: Sequence[Mutant], folder: Path) -> Mapping[str, list[Report]]:
    """What the linter reports of each mutant, by name. Raises RuntimeError if the linter fails."""
    copy_shop(folder)
    return {mutant.name: _run(mutant, folder) for mutant in mutants}


def _run(mutant: Mutant, folder: Path) -> list[Report]:
    output = folder.with_name("lint.json")
    with contextlib.chdir(folder), mutated(folder, mutant):
        status = main(["check", "--format", "json", "--jobs", "1", "--output-file", str(output)])
    if status not in {0, 1}:
        msg = f"r4c check ended with {status} on {mutant.name}"
        raise RuntimeError(msg)
    return [
        Report(
            entry["path"],
            entry["line"] or 0,
            entry["column"] or 0,
            entry["code"],
            one_line(entry["subject"], entry["message"], entry["suggestion"] or ""),
        )
        for entry in json.loads(output.read_text(encoding="utf-8"))
    ]
