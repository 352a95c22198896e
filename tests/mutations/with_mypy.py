"""The mypy plugin on mutants: one run over one shop, in which the mutants stand beside what they are mutants of.

A mutant that concerns one module is a further module (`shop.users.client_m17`): whatever it imports is the correct
shop. One that shows in another file than it stands in is a package of its own (`shop_m17`).
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..every_rule.fixtures import Report
from .folders import copy_shop
from .mutant import Mutant

_MARK = re.compile(r"_m\d+\b")
_PACKAGE = re.compile(r"\bshop(?=\.| import)")
_OURS = "R4C-"


def run(mutants: Sequence[Mutant], folder: Path) -> Mapping[str, list[Report]]:
    """What the plugin reports of each mutant, by name; those of other files than modules are left out.

    Raises RuntimeError if mypy itself fails.
    """
    copy_shop(folder)
    marks = {f"_m{index}": mutant for index, mutant in enumerate(mutants) if _is_visible(mutant)}
    for mark, mutant in marks.items():
        _lay_out(mutant, mark, folder)
    found: dict[str, list[Report]] = {mutant.name: [] for mutant in marks.values()}
    for entry in _errors(folder, [f"shop{mark}" for mark in marks if (folder / f"shop{mark}").is_dir()]):
        match = _MARK.search(str(entry["file"]))
        assert match is not None, entry
        found[marks[match[0]].name].append(_report(entry, match[0]))
    return found


def _is_visible(mutant: Mutant) -> bool:
    try:
        for path, content in mutant.files.items():
            ast.parse(content)
            if not path.endswith(".py"):
                return False
    except SyntaxError:
        # It would end the run for all, with mypy's own words.
        return False
    return True


def _lay_out(mutant: Mutant, mark: str, folder: Path) -> None:
    ((path, content),) = mutant.files.items()
    if all(expected.path == path or not expected.path.endswith(".py") for expected in mutant.expected):
        (folder / path).with_name(f"{Path(path).stem}{mark}.py").write_text(content, encoding="utf-8")
        return
    package = copy_shop(folder / f"whole{mark}") / "shop"
    (package.parent / path).write_text(content, encoding="utf-8")
    package = package.rename(folder / f"shop{mark}")
    for module in package.rglob("*.py"):
        text = module.read_text(encoding="utf-8")
        module.write_text(_PACKAGE.sub(f"shop{mark}", text), encoding="utf-8")


def _errors(folder: Path, packages: Sequence[str]) -> list[dict[str, str | int]]:
    command = [sys.executable, "-m", "mypy", "--output", "json", "--hide-error-context", "--cache-dir", ".mypy_cache"]
    result = subprocess.run(
        [*command, "shop", *packages], cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if result.returncode not in {0, 1} or "INTERNAL ERROR" in result.stdout + result.stderr:
        raise RuntimeError(result.stdout + result.stderr)
    entries = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    return [e for e in entries if e["severity"] == "error" and str(e["code"]).startswith(_OURS)]


def _report(entry: Mapping[str, str | int], mark: str) -> Report:
    # mypy counts columns from 0.
    path, text = (str(entry[field]).replace(mark, "") for field in ("file", "message"))
    return Report(path, int(entry["line"]), int(entry["column"]) + 1, str(entry["code"]), text)
