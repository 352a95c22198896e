"""The fixture folders of `fixtures/rules`: what they hold, and what each front end is expected to report there.

A folder is flat (`bad.py`, `good.py`, `fixed.py` and what they need), or holds `bad/`, `good/` and `fixed/`, each a
project of its own with configuration files.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
RULES = ROOT / "fixtures" / "rules"
EXPECTED = "expected.toml"
PARTS = ("bad", "good", "fixed")
FRONT_ENDS = ("lint", "mypy", "build")


class Report(NamedTuple):
    """One finding of a front end: `path` relative to the fixture folder, `text` all that fits on one line."""

    path: str
    line: int
    column: int
    code: str
    text: str

    def shown(self, *, columns: bool = True) -> str:
        """One line to compare and to read."""
        place = f"{self.path}:{self.line}:{self.column}" if columns else f"{self.path}:{self.line}"
        return f"{place}: [{self.code}] {self.text}"


class Finding(NamedTuple):
    """One `[[finding]]` of an `expected.toml`: its subject, message and suggestion, and who reports it."""

    report: Report
    words: tuple[str, str, str]
    reports: tuple[str, ...]


def one_line(subject: str, message: str, suggestion: str) -> str:
    """Subject, message and suggestion as every front end joins them."""
    headline = f"{subject}: {message}" if subject else message
    return f"{headline}; {suggestion}" if suggestion else headline


@dataclass(frozen=True)
class Fixture:
    """One fixture folder. Raises KeyError on first use of `findings` if a finding lacks a field."""

    folder: Path

    @property
    def code(self) -> str:
        return self.folder.name

    @property
    def package(self) -> str:
        """The package that the folder is copied to: subjects begin with it."""
        return self.code.lower().replace("-", "_")

    @property
    def parts(self) -> tuple[str, ...]:
        """The projects that the folder holds, by sub-folder; ("",) for a flat one."""
        return PARTS if (self.folder / "bad").is_dir() else ("",)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What is expected, in the order of the file."""
        table = tomllib.loads((self.folder / EXPECTED).read_text(encoding="utf-8"))
        return tuple(map(self._finding, table.get("finding", [])))

    def _finding(self, entry: dict[str, Any]) -> Finding:
        path = str(entry.get("path", "bad.py"))
        if self.parts != ("",) and path.partition("/")[0] not in self.parts:
            path = f"bad/{path}"
        words = entry["subject"], entry["message"], entry["suggestion"]
        report = Report(path, entry["line"], entry["column"], entry.get("code", self.code), one_line(*words))
        return Finding(report, words, tuple(entry["reports"]))

    def expected(self, front_end: str) -> list[Report]:
        """What `front_end` has to report, and nothing else."""
        return sorted(finding.report for finding in self.findings if front_end in finding.reports)

    def files(self, part: str) -> list[Path]:
        """All files named after a part (`bad`, `good` or `fixed`), or in the sub-folder of that name."""
        return sorted(p for p in self.folder.rglob("*") if p.is_file() and _belongs(p.relative_to(self.folder), part))


def _belongs(path: Path, part: str) -> bool:
    return path.parts[0] == part or path.parts[0].startswith((f"{part}.", f"{part}_"))


def all_fixtures() -> Iterator[Fixture]:
    """Every fixture folder, in the order of codes."""
    return (Fixture(folder) for folder in sorted(RULES.iterdir()) if (folder / EXPECTED).is_file())
