"""Our hooks in the file of pre-commit: all that somebody wrote stays, and what is not understood is left alone."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from resilience4cata_lint.cli import main
from resilience4cata_lint.hooks import completed

OTHER = """\
# Hooks of the shop.
default_stages: [pre-commit]
repos:
  - repo: https://example.org/a   # why
    rev: v1
    hooks:
      - id: a
        args: [--x,
               --y]   # z
      # - id: b
  # next

# the end
ci:
  autofix: false
"""
FLAT = """\
repos:
- repo: local
  hooks:
  - id: a
    entry: |
      first
        second

fail_fast: true"""
OURS = [["r4c", "r4c-project"]]


def hooks(text: str) -> list[list[str]]:
    """The ids of the hooks of each repository."""
    return [[hook["id"] for hook in repository["hooks"]] for repository in yaml.safe_load(text)["repos"]]


@pytest.mark.parametrize(
    ("text", "above"),
    [
        (OTHER, "      # - id: b\n"),
        (FLAT, "        second\n"),
        ("repos:\n- repo: local\n  hooks: [{id: a}]", "  hooks: [{id: a}]\n"),
        ("---\nrepos:\n  - repo: local\n    hooks:\n      - &a\n        id: a\n      - *a\n...\n", "      - *a\n"),
        (
            "repos:\n  - repo: local\n    hooks:\n      - id: a\n        files: 'b\n          c'\nci: {}\n",
            "          c'\n",
        ),
    ],
)
def test_behind_the_last_repository(text: str, above: str) -> None:
    """Our repository stands behind the last one and what belongs to it, as far to the right; all other lines stay."""
    after = completed(text)
    assert after is not None
    assert hooks(text) + OURS == hooks(after)
    head, line, tail = (text if above in text else f"{text}\n").partition(above)
    assert (head + line, tail) == (after[: len(head + line)], after[len(after) - len(tail) :])
    indent = "" if "\n- repo" in text else "  "
    ours = f"{indent}- repo: local\n{indent}  hooks:\n{indent}    - id: r4c\n"
    assert after[len(head + line) :].startswith(ours)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("repos: []\n", "repos:"),
        ("repos:\n", "repos:"),
        ("repos: []  # none\nci: {}\n", "repos:  # none"),
        ("repos: [ ] \n", "repos:"),
        ("repos: null\n", "repos:"),
    ],
)
def test_no_repository(text: str, first: str) -> None:
    """They become the first."""
    after = completed(text)
    assert after is not None
    assert ([first, "  - repo: local"], OURS) == (after.splitlines()[:2], hooks(after))


@pytest.mark.parametrize(
    "text",
    [
        "repos: [{repo: local, hooks: []}]\n",
        "",
        "ci: {}\n",
        "repos: {a: 1}\n",
        "repos: text\n",
        "- repos\n",
        "[",
        "repos: []\n---\nb: 1\n",
        "repos: !!seq []\n",
        "a: &a []\nrepos: *a\n",
        # What is kept to the last blank line cannot be added to without a change of it.
        "repos:\n  - repo: local\n    hooks:\n      - id: a\n        entry: |+\n          x\n\n\n# end\n",
        # Line ends of both kinds.
        "repos:\r\n  - repo: local\n    hooks: []\n",
        "repos: [\x00]\n",
    ],
)
def test_left_to_people(text: str) -> None:
    """What is written in another way, or not at all."""
    assert completed(text) is None


@pytest.mark.parametrize(
    "hook",
    ["id: r4c", "id: r4c-fix", "id: r4c-project", "id: x\n        entry: python -m resilience4cata_lint check"],
)
def test_there_already(hook: str) -> None:
    """A file that has one of our hooks is as somebody wants it."""
    text = f"repos:\n  - repo: ../a\n    hooks:\n      - {hook}\n"
    assert text == completed(text)


def test_bytes_that_stay() -> None:
    """The mark of UTF-8 and the line ends of Windows."""
    after = completed("\ufeff" + OTHER.replace("\n", "\r\n"))
    assert after is not None
    assert (True, after.count("\n")) == (after.startswith("\ufeff# Hooks"), after.count("\r\n"))


def test_a_file_that_it_cannot_decode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written at all."""
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text("", encoding="utf-8")
    Path(".pre-commit-config.yaml").write_bytes(b"repos: [] # \xff\n")
    assert main(["init"]) == 2
    assert ["", b"repos: [] # \xff\n"] == [
        Path("pyproject.toml").read_text(encoding="utf-8"),
        Path(".pre-commit-config.yaml").read_bytes(),
    ]


def test_pre_commit_takes_it(tmp_path: Path) -> None:
    """The file is one for pre-commit itself."""
    file = tmp_path / "hooks.yaml"
    file.write_text(completed("repos: []\n") or "", encoding="utf-8")
    command = [sys.executable, "-m", "pre_commit", "validate-config", str(file)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (0, "") == (result.returncode, result.stdout)
