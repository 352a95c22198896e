"""Rules that offer an edit: it repairs their own fixture, and writes what a person wrote there."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from resilience4cata.rules import all_rules
from resilience4cata_lint.cli import main
from tests.every_rule.fixtures import RULES, Fixture
from tests.every_rule.projects import Project, lay_out

FIXABLE = [code for code, rule in all_rules().items() if rule.fix is not None]

FURTHER = {
    # Names of composed policies are given once in the fixture.
    "R4C-CFG-001": {'currency_call = resilience_policy("currency-call", circuit_breaker(config="external"))'},
    # The other profile goes.
    "R4C-CFG-005": {'active = ["prod", "canary"]'},
    # The person writes what lasts as long in hours.
    "R4C-DU-001": {'@retry(max_attempts=2, delay="1d")'},
    # Not all overrides are meant to inherit.
    "R4C-LOC-011": {
        "from resilience4cata import circuit_breaker, inherit_policies, resilience_policy, retry, timeout",
    },
    # With the right code the suppressions are of no use, and are gone.
    "R4C-SUP-002": {
        'carrier = resilience_policy("external-call", retry(max_attempts=3))  # r4c: ignore[R4C-CMP-005, R4C-CMP-007]',
        'depot = resilience_policy("depot", retry(max_attempts=2))  # r4c: ignore[R4C-FB-002]',
    },
    # What kept mypy silent is not needed any more, and one text is no member at all.
    "R4C-VA-006": {
        "from resilience4cata import Jitter, Layer, WindowType, adaptive_limit, circuit_breaker, order, retry, timeout",
        "@retry(jitter=Jitter.FULL)  # type: ignore[arg-type]",
        "@circuit_breaker(window_type=WindowType.TIME)  # type: ignore[arg-type]",
        "@order(Layer.TIMEOUT, Layer.RETRY)  # type: ignore[arg-type]",
    },
}
"""Lines that an edit writes and the person does not, who goes further."""


@pytest.fixture
def bad(tmp_path: Path, code: str) -> Project:
    """The wrong part of a rule's fixture, as a project."""
    return next(project for project in lay_out([Fixture(RULES / code)], tmp_path) if project.part in {"", "bad"})


def contents(folder: Path) -> dict[str, str]:
    """All text below a folder, by path."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix not in {".pyc", ".json"})
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}


def found(project: Project, *options: str) -> list[dict[str, Any]]:
    """What the linter reports of the rule itself in the wrong part."""
    code, output = project.fixture.code, project.root / "output.json"
    with contextlib.chdir(project.folder):
        given = ("--select", code, "--format", "json", "--output-file", str(output), *options)
        assert main(["check", "--no-cache", *given]) in {0, 1}
    entries: list[dict[str, Any]] = json.loads(output.read_text(encoding="utf-8"))
    return [entry for entry in entries if project.part or entry["path"].startswith("bad")]


@pytest.mark.parametrize("code", FIXABLE)
def test_repaired(bad: Project, code: str) -> None:
    """What is offered repairs; what is left has no suggestion, more than one, or is a constant."""
    offered = [entry for entry in found(bad) if entry["fix"] is not None]
    left = found(bad, "--fix", "--unsafe-fixes")
    assert offered
    assert [] == [entry for entry in left if entry["fix"] is not None]
    constants = [entry for entry in left if len(entry["suggestions"]) == 1]
    assert (1 if code == "R4C-CFG-001" else 0) == len(constants)


@pytest.mark.parametrize("code", FIXABLE)
def test_as_a_person_does(bad: Project, code: str) -> None:
    """Each line that is written stands in the part that a person repaired, and something is written."""
    before = contents(bad.folder)
    found(bad, "--fix", "--unsafe-fixes")
    persons = {line.replace(".fixed.", ".bad.") for text in _fixed(bad.fixture) for line in text.splitlines()}
    changed = {path: text for path, text in contents(bad.folder).items() if before[path] != text}
    added = {
        line for path, text in changed.items() for line in text.splitlines() if line not in before[path].splitlines()
    }
    assert changed
    assert FURTHER.get(code, set()) == added - persons


def _fixed(fixture: Fixture) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in fixture.files("fixed") if path.suffix != ".pyc"]
