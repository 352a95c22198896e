"""`build()` on mutants: one process that has loaded the library, and a fork of it for each.

Run as a script, it reads the mutants' files from standard input and answers with what `build()` finds in each.
"""

from __future__ import annotations

import compileall
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import traceback
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any, NoReturn

from ..every_rule.fixtures import ROOT, Report, one_line
from .folders import copy_shop, mutated
from .mutant import Mutant

Found = list[tuple[str, int, int, str, str]]


def run(mutants: Sequence[Mutant], folder: Path) -> Mapping[str, list[Report]]:
    """What `build()` reports of each mutant, by name. Raises RuntimeError if a process fails."""
    copy_shop(folder)
    # A mutated file may be as long and as old as what it replaces: only its content tells.
    compileall.compile_dir(folder, quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    jobs = json.dumps([dict(mutant.files) for mutant in mutants])
    command = [sys.executable, "-B", "-m", __name__, str(folder)]
    result = subprocess.run(
        command, input=jobs, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if result.returncode != 0:
        raise RuntimeError(result.stderr)
    answers: list[Found] = json.loads(result.stdout)
    return {m.name: [Report(*found) for found in answer] for m, answer in zip(mutants, answers, strict=True)}


def _answer(files: Mapping[str, str]) -> Found:
    """Check one mutant in a fork, since what is imported and recorded stays."""
    with mutated(Path(), Mutant("", "", files, ())):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            _end_with(writing)
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as pipe:
            answer: Found = json.load(pipe)
        os.waitpid(child, 0)
    return answer


def _end_with(writing: int) -> NoReturn:
    """Answer into a pipe and end the fork, whatever happens: it must not go on with the work of its parent."""
    try:
        with os.fdopen(writing, "w", encoding="utf-8") as pipe:
            json.dump(_check(), pipe)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _check() -> Found:
    """Import the shop in the working folder and build it; nothing is found in what cannot be imported."""
    from resilience4cata import DefinitionError

    try:
        for module in pkgutil.walk_packages([os.curdir]):
            importlib.import_module(module.name)
        app: Any = importlib.import_module("shop.app")
    except (SyntaxError, TypeError, NameError):  # the three faults that show at import
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            diagnostics = app.create_resilience().diagnostics
    except DefinitionError as error:
        diagnostics = error.diagnostics
    return [
        (d.at.source, d.at.line, d.at.column, d.code, one_line(d.subject, d.message, d.suggestion)) for d in diagnostics
    ]


def main(arguments: Sequence[str]) -> None:
    """Answer the jobs of standard input for the copy of the shop in the folder that is the only argument."""
    jobs: list[dict[str, str]] = json.load(sys.stdin)
    os.chdir(arguments[0])
    sys.path.insert(0, os.curdir)
    json.dump([_answer(job) for job in jobs], sys.stdout)


if __name__ == "__main__":
    # What every fork needs is loaded once.
    import asyncio  # noqa: F401
    import csv  # noqa: F401
    import smtplib  # noqa: F401
    import sqlite3  # noqa: F401
    import urllib.request  # noqa: F401

    from resilience4cata import Resilience

    Resilience.builder().build()
    main(sys.argv[1:])
