"""What `r4c check` finds and prints: formats, exit codes, selections, standard input."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from .calls import COUNTED, FAULTY, MISSING_FALLBACK, write


def test_clean(run: Any) -> None:
    """Nothing found: exit 0."""
    write("acme.py", "x = 1\n")
    assert (0, "All checks passed.\n", "") == run("check")


def test_empty_folder(run: Any) -> None:
    """Nothing to check is nothing found, but most likely a mistake."""
    Path("empty").mkdir()
    warning = "r4c: warning: nothing to check in empty\n"
    assert (0, "All checks passed.\n", warning) == run("check", "empty")
    write("empty/clean.py", "")
    assert (0, "All checks passed.\n", "") == run("check", "empty")


def test_findings(run: Any) -> None:
    """Something found: exit 1, each finding as all front ends word it, the counts last."""
    write("acme.py", FAULTY)
    assert (1, MISSING_FALLBACK + COUNTED, "") == run("check", "--select", "FB")


def test_exit_zero(run: Any) -> None:
    write("acme.py", FAULTY)
    assert 0 == run("check", "--exit-zero")[0]


def test_concise(run: Any) -> None:
    """One line for each finding, in the order of places."""
    write("acme.py", FAULTY)
    first, second, *counts = run("check", "--format", "concise")[1].splitlines()
    assert first.startswith('acme.py:8:14: error: [R4C-DU-001] [*] @timeout("2 s") on acme.UserClient.find: ')
    assert (
        'acme.py:9:6: error: [R4C-FB-002] [*] @fallback(method="find_fallbak") on acme.UserClient.find: '
        "no method named 'find_fallbak' found; did you mean 'find_fallback'?"
    ) == second
    assert ["Found 2 errors in 1 file (checked 1 file)", "[*] 2 fixable with --fix"] == counts


def test_json(run: Any) -> None:
    """A list of objects, and nothing else on standard output."""
    write("acme.py", FAULTY)
    code, out, _ = run("check", "--format", "json", "--statistics")
    found = json.loads(out)
    assert (1, 2) == (code, len(found))
    assert {
        "code": "R4C-DU-001",
        "name": "invalid-duration",
        "severity": "error",
        "path": "acme.py",
        "line": 8,
        "column": 14,
        "end_line": 8,
        "end_column": 19,
        "suggestion": "did you mean '2s'?",
        "expected": None,
        "url": "https://resilience4cata.readthedocs.io/en/rules/R4C-DU-001.html",
    }.items() <= found[0].items()


def test_json_of_nothing(run: Any) -> None:
    write("clean.py", "")
    assert (0, "[]\n", "") == run("check", "--format", "json")


def test_statistics(run: Any) -> None:
    """The findings of each rule, counted."""
    write("acme.py", FAULTY)
    lines = run("check", "--statistics", "--format", "concise")[1].splitlines()
    assert ["1  R4C-DU-001  invalid-duration", "1  R4C-FB-002  missing-fallback"] == lines[2:4]


@pytest.mark.parametrize("name", ["json", "gitlab", "sarif", "junit"])
def test_statistics_beside_a_document(run: Any, name: str) -> None:
    """A document stays one: the counts go to standard error."""
    write("acme.py", FAULTY)
    plain = run("check", "--format", name)
    counts = "1  R4C-DU-001  invalid-duration\n1  R4C-FB-002  missing-fallback\n"
    assert (*plain[:2], counts) == run("check", "--format", name, "--statistics")
    assert (1, "", counts) == run("check", "--format", name, "--statistics", "--output-file", "report")
    assert plain[1] == Path("report").read_text(encoding="utf-8")


def test_output_file(run: Any) -> None:
    """The findings go there, the exit code stays."""
    write("acme.py", FAULTY)
    assert (1, "", "") == run("check", "--output-file", "out.txt")
    assert MISSING_FALLBACK in Path("out.txt").read_text(encoding="utf-8")


def test_select_and_ignore(run: Any) -> None:
    write("acme.py", FAULTY)
    assert "Found 1 error in 1 file (checked 1 file)" in run("check", "--select", "DU")[1]
    assert "Found 1 error in 1 file (checked 1 file)" in run("check", "--ignore", "invalid-duration")[1]
    assert (0, "All checks passed.\n", "") == run("check", "--ignore", "DU,FB-002")


def test_stdin(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input is checked as the file it is said to be."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FAULTY.encode())))
    code, out, _ = run("check", "-", "--stdin-filename", "acme.py", "--select", "FB")
    assert (1, MISSING_FALLBACK + COUNTED) == (code, out)


def test_same_names_without_a_project(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function is called the same in a run over everything, over its file, and over what an editor holds of it."""
    write("shop/acme.py", FAULTY)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FAULTY.encode())))
    reports = [run("check", *paths)[1] for paths in ((), ("shop/acme.py",), ("-", "--stdin-filename", "shop/acme.py"))]
    assert "on shop.acme.UserClient.find:" in reports[0]
    assert reports == [reports[0]] * 3


def test_stdin_without_a_name(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"import resilience4cata\nx = (\n")))
    code, out, _ = run("check", "-", "--format", "concise")
    assert (1, "<stdin>:2:5: error: [R4C-SRC-001]") == (code, out[:33])


def test_config_names_a_project(run: Any) -> None:
    """A `pyproject.toml` is taken for the settings."""
    write("acme.py", FAULTY)
    write("settings/pyproject.toml", '[tool.r4c]\nselect = ["DU"]\n')
    assert "Found 1 error in 1 file (checked 1 file)" in run("check", "--config", "settings/pyproject.toml")[1]
    message = "r4c: error: --config takes one pyproject.toml\n"
    twice = ("--config", "settings/pyproject.toml") * 2
    assert (2, "", message) == run("check", *twice)


def test_config_names_configuration(run: Any) -> None:
    """Any other file is configuration of the policies, and then all of it."""
    write("acme.py", 'from resilience4cata import retry\n\n\n@retry(config="externl")\ndef f(): ...\n')
    write("x.properties", "resilience4cata.configs.external.retry.delay=1s\n")
    lines = run("check", "acme.py", "--config", "x.properties", "--format", "concise")[1].splitlines()
    assert ["acme.py:4:15: error: [R4C-CFG-001]"] == [line[:34] for line in lines[:-2]]
