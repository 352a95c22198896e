"""Measure our packages as users have them: pip compiles what it installs, a checkout may never have been compiled."""

from __future__ import annotations

import compileall
import os
from pathlib import Path

PACKAGES = ("runtime", "mypy_plugin", "lint")


def compile_packages() -> None:
    """Write byte code for all modules, and let the Pythons that this one starts use and write it, as is usual."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for package in PACKAGES:
        compileall.compile_dir(Path(__file__).parents[2] / package, quiet=2)
