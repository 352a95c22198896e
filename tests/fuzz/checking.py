"""`r4c check` in this process, on input that nobody would write; what goes wrong inside is raised."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from resilience4cata_lint.cli import main

OUTPUT = "report.json"


def check(*arguments: str) -> list[dict[str, Any]]:
    """Run it in the working folder. Returns what it reports; raises what it fails on, see `raising`."""
    Path(OUTPUT).unlink(missing_ok=True)
    status = main(["check", "--jobs", "1", "--format", "json", "--output-file", OUTPUT, *arguments])
    assert status in {0, 1, 2}
    # Refused as a whole, for instance for settings that cannot be read: there is no report then.
    if not Path(OUTPUT).exists():
        assert status == 2
        return []
    found: list[dict[str, Any]] = json.loads(Path(OUTPUT).read_text(encoding="utf-8"))
    return found


def outside(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Findings whose place is not in the file that they name; a whole file has no line."""
    return [finding for finding in found if not _is_inside(finding)]


def _is_inside(finding: dict[str, Any]) -> bool:
    line = finding["line"] or 0
    path = Path(finding["path"])
    if line == 0 or not path.is_file():
        return True
    # A finding may stand behind the last line end. Python and TOML end lines at different characters: at most so many.
    lines = path.read_bytes().decode("utf-8", "replace").splitlines()
    return 0 < line <= len(lines) + 1
