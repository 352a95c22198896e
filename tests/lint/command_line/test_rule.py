"""`r4c rule`: all rules, and the pages of one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from resilience4cata.rules import all_rules

from .calls import write


def test_all_rules_as_text(run: Any) -> None:
    """A line for each rule: code, name, severity and who reports it."""
    code, out, _ = run("rule", "--all")
    assert (0, len(all_rules())) == (code, len(out.splitlines()))
    line = next(line for line in out.splitlines() if line.startswith("R4C-DU-001"))
    assert ["R4C-DU-001", "invalid-duration", "error", "lint", "mypy", "build"] == line.split()


def test_all_rules_as_json(run: Any) -> None:
    found = json.loads(run("rule", "--all", "--format", "json")[1])
    rule = all_rules()["R4C-DU-001"]
    assert list(all_rules()) == [item["code"] for item in found]
    assert {
        "code": "R4C-DU-001",
        "name": "invalid-duration",
        "severity": "error",
        "on_by_default": True,
        "reported_by": ["lint", "mypy", "build"],
        "fix": ["--fix", "--unsafe-fixes"],
        "why": rule.why,
        "url": "https://resilience4cata.readthedocs.io/en/rules/R4C-DU-001.html",
    } == next(item for item in found if item["code"] == "R4C-DU-001")


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch, here: Path) -> Path:
    """A package whose pages can be written by a test."""
    from resilience4cata_lint import pages

    package = here / "lint" / "resilience4cata_lint"
    monkeypatch.setattr(pages, "_HERE", package)
    write("docs/en/rules/R4C-DU-001.md", "# R4C-DU-001\n\nOf a *checkout*.\n")
    write("docs/es/rules/R4C-DU-001.md", "# R4C-DU-001\n\nEn español.\n")
    return package


HEAD = (
    "R4C-DU-001 (invalid-duration)\n"
    "error · on by default · reported by r4c, mypy, build() · repaired by --fix or --unsafe-fixes\n"
)
URL = "https://resilience4cata.readthedocs.io/{}/rules/R4C-DU-001.html\n"


def test_page_of_a_checkout(run: Any, pages: Path) -> None:
    expected = HEAD + URL.format("en") + "\n# R4C-DU-001\n\nOf a *checkout*.\n"
    assert (0, expected, "") == run("rule", "DU-001")


def test_page_in_spanish(run: Any, pages: Path) -> None:
    head = HEAD.replace("on by default · reported by", "activada de forma predeterminada · la comunican")
    head = head.replace("repaired by --fix or", "la repara --fix o")
    expected = head + URL.format("es") + "\n# R4C-DU-001\n\nEn español.\n"
    assert (0, expected, "") == run("rule", "invalid-duration", "--lang", "es")


def test_page_of_an_installed_package(run: Any, pages: Path) -> None:
    """What is shipped with the code comes first."""
    write("lint/resilience4cata_lint/pages/en/R4C-DU-001.md", "# Shipped\n")
    assert run("rule", "DU-001")[1].endswith("\n\n# Shipped\n")


def test_page_as_json(run: Any, pages: Path) -> None:
    found = json.loads(run("rule", "DU-001", "--format", "json")[1])
    assert ("R4C-DU-001", "# R4C-DU-001\n\nOf a *checkout*.\n") == (found["code"], found["page"])


def test_page_drawn(run: Any, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal the page is laid out, and what is known about the rule stands below."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    out = run("rule", "DU-001")[1]
    assert "*checkout*" not in out
    assert "reported by r4c, mypy, build()" in out


def test_missing_page(run: Any, pages: Path) -> None:
    message = "the page of R4C-VA-001 is missing in the language 'en'; see https://resilience4cata.readthedocs.io"
    assert (2, "", f"r4c: error: {message}/en/rules/R4C-VA-001.html\n") == run("rule", "VA-001")


@pytest.mark.parametrize("word", ["FB", "fb", "R4C-FB", " r4c-fb "])
def test_a_family(run: Any, word: str) -> None:
    """One line for each of its rules."""
    code, out, err = run("rule", word)
    expected = [rule for rule in all_rules() if rule.startswith("R4C-FB-")]
    assert (0, expected, "") == (code, [line.split()[0] for line in out.splitlines()], err)
    found = json.loads(run("rule", word, "--format", "json")[1])
    assert expected == [item["code"] for item in found]


def test_everything(run: Any) -> None:
    """`ALL` is a word like others."""
    assert run("rule", "--all") == run("rule", "all")


@pytest.mark.parametrize(
    "word", ["FB", "fb", "R4C-VA", "va-1", "VA-001", "r4c-va-001", "Missing-Fallback", "ALL", "r4c"]
)
def test_one_word_everywhere(run: Any, word: str) -> None:
    """What `rule` takes, the options and the settings of the project take too, and the other way round."""
    assert 0 == run("rule", word)[0]
    for option in ("--select", "--extend-select", "--ignore"):
        assert 0 == run("check", option, word, "--exit-zero", ".")[0]
    for key in ("select", "extend-select", "ignore"):
        write("pyproject.toml", f'[tool.r4c]\n{key} = ["{word}"]\n')
        assert 0 == run("check", "--exit-zero", ".")[0]
    write("pyproject.toml", f'[tool.r4c.per-file-ignores]\n"*" = ["{word}"]\n')
    assert 0 == run("check", "--exit-zero", ".")[0]


@pytest.mark.parametrize("word", ["FBB", "missing_fallback", "FB-0002", "RFB002", "FB,VA"])
def test_no_word_anywhere(run: Any, word: str) -> None:
    """What `rule` refuses, the others refuse in the same words; it never advises what was written."""
    refused = run("rule", word)
    assert (2, "") == refused[:2]
    assert f"did you mean '{word}'" not in refused[2]
    if "," not in word:
        assert refused == run("check", "--select", word, ".")


@pytest.mark.parametrize(
    ("word", "code"), [("fb-2", "R4C-FB-002"), ("FB-002", "R4C-FB-002"), ("r4c-du-1", "R4C-DU-001")]
)
def test_numbers_may_be_short(run: Any, word: str, code: str) -> None:
    """`r4c rule fb-2` is as good as the whole code, and so is `--select`."""
    assert run("rule", code) == run("rule", word)
    assert 0 == run("check", "--select", word, "--exit-zero", ".")[0]
