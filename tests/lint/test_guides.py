"""The guides of the linter: their commands are ones, and both languages show the same."""

import re
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from resilience4cata_lint import cli
from resilience4cata_lint.options import load

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = ("ci", "flake8", "pre-commit", "suppressions")

by_guide = pytest.mark.parametrize("name", GUIDES)


def text(name: str, language: str = "en") -> str:
    return (DOCS / language / "guides" / f"{name}.md").read_text(encoding="utf-8")


def blocks(name: str, language: str = "en") -> list[tuple[str, str]]:
    """Each block of code: its language, and its text."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text(name, language), re.MULTILINE | re.DOTALL)


@by_guide
def test_languages_agree(name: str) -> None:
    """The same code, tables and headings; only words differ."""
    shapes = [re.findall(r"^(#+|\|)", text(name, language), re.MULTILINE) for language in ("en", "es")]
    assert (blocks(name, "en"), shapes[0]) == (blocks(name, "es"), shapes[1])


@by_guide
def test_commands(name: str) -> None:
    """Every `r4c …` can be read by the command line."""
    lines = [line for _, block in blocks(name) for line in block.splitlines()]
    commands = [found[1].split("#")[0] for line in lines if (found := re.match(r"\W*(?:run: )?(r4c [a-z].*)", line))]
    for command in commands:
        cli._parse(command.split()[1:])
    assert (name in {"ci", "suppressions"}) is bool(commands)


@by_guide
@pytest.mark.parametrize("language", ["en", "es"])
def test_links(name: str, language: str) -> None:
    """Links lead somewhere."""
    folder = DOCS / language / "guides"
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)]+)\)", text(name, language))]
    assert [] == [target for target in targets if not (folder / target).is_file()]
    assert f"(guides/{name}.md)" in (DOCS / language / "index.md").read_text(encoding="utf-8")


def test_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands under `[tool.r4c]` is understood."""
    monkeypatch.chdir(tmp_path)
    (settings,) = (block for _, block in blocks("suppressions") if "[tool.r4c]" in block)
    Path("pyproject.toml").write_text(settings, encoding="utf-8")
    options = load(["."])
    table = tomllib.loads(settings)["tool"]["r4c"]
    assert list(table["per-file-ignores"]) == [pattern for pattern, _ in options.per_file_ignores]


@pytest.mark.parametrize("language", ["en", "es"])
def test_letters(language: str) -> None:
    """The guide to flake8 lists each family that has rules, in its table and for ruff."""
    letters = sorted(p.name for p in entry_points(group="flake8.extension") if p.value.startswith("resilience4cata"))
    guide = text("flake8", language)
    (ruff,) = (tomllib.loads(block) for kind, block in blocks("flake8", language) if kind == "toml")
    assert (letters, letters) == (
        sorted(re.findall(r"\| `(R\w\w)` \|", guide)),
        ruff["tool"]["ruff"]["lint"]["external"],
    )
