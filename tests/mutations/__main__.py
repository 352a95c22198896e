"""`python -m tests.mutations [NUMBER]`: the share of generated faults that each front end catches.

NUMBER bounds the mutants of each operator. Exits with 1 if anything is missed, or reported beside the faults.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .operators import OPERATORS, all_mutants, some_mutants
from .table import RUNNERS, disagreements, lines, outcome


def main(arguments: Sequence[str]) -> int:
    """Run, and print the table."""
    mutants = some_mutants(int(arguments[0])) if arguments else all_mutants()
    codes = {expected.code for mutant in mutants for expected in mutant.expected}
    print(f"{len(mutants)} faults by {len(OPERATORS)} operators, for {len(codes)} rules", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        outcomes = [outcome(name, mutants, Path(folder, name)) for name in RUNNERS]
    print(*lines(outcomes), sep="\n")
    wrong = [f"{each.front_end} missed {line}" for each in outcomes for line in each.missed()]
    wrong += [f"{each.front_end} beside {line}" for each in outcomes for line in each.beside()]
    wrong += [f"in two ways: {line}" for each in outcomes[1:] for line in disagreements(outcomes[0], each)]
    print(*wrong, sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
