"""`r4c check` in this process on files in the working folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from resilience4cata_lint.cli import main

from ..folder import write

Run = Callable[..., tuple[int, str, str]]
"""`r4c check` with options: exit code, standard output, standard error."""


def runner(capsys: pytest.CaptureFixture[str]) -> Run:
    """What runs it, without a cache."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(("check", "--no-cache", *arguments))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def repaired(source: str, *options: str, path: str = "acme.py") -> str:
    """What becomes of a file; `--unsafe-fixes` counts, and every rule."""
    write(path, source)
    assert main(("check", "--no-cache", "--fix", "--unsafe-fixes", "--extend-select", "ALL", *options, ".")) in {0, 1}
    return Path(path).read_bytes().decode()
