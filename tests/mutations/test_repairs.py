"""`--fix` takes a generated fault back, to the byte, or leaves everything as it is."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from resilience4cata.rules import all_rules
from resilience4cata_lint.cli import main
from tests.mutations.folders import copy_shop, mutated
from tests.mutations.mutant import Mutant
from tests.mutations.operators import some_mutants

pytestmark = pytest.mark.slow

MOST = 2
# What these take away, or add besides the fault, cannot be known.
LOSING = ("no_parentheses", "policy_above_a_bare")

# Here a person has to choose, or the edit is not safe, or what was meant stands there already.
LEFT = {
    "absent_layer",
    "decimal_comma",
    "invalid_value",
    "misspelt_variable",
    "name_of_a_template",
    "orphaned_override",
    "override_drops_policies",
    "policy_above_registration",
    "renamed_method",
    "unlike_its_variable",
}


def offered(mutant: Mutant) -> bool:
    return any(all_rules()[expected.code].fix is not None for expected in mutant.expected)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*.*") if path.is_file() and ".r4c_cache" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_repaired_or_left_alone(tmp_path: Path) -> None:
    """What is safe to write is what stood there before, and is written wherever one thing alone can be meant."""
    folder = copy_shop(tmp_path / "shop")
    correct = contents(folder)
    results: dict[str, list[str]] = {"repaired": [], "left": [], "otherwise": []}
    for mutant in filter(offered, some_mutants(MOST)):
        if mutant.operator in LOSING:
            continue
        with contextlib.chdir(folder), mutated(folder, mutant):
            faulty = contents(folder)
            assert main(["check", "--fix", "--jobs", "1"]) in {0, 1}
            now = contents(folder)
        result = "repaired" if now == correct else "left" if now == faulty else "otherwise"
        results[result].append(mutant.name)
    assert [] == results["otherwise"]
    assert LEFT == {name.partition(":")[0] for name in results["left"]}
    assert not LEFT & {name.partition(":")[0] for name in results["repaired"]}
