"""Every generated fault is reported where it is, by every front end that can see it, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from tests.mutations.mutant import BUILD, LINT, MYPY
from tests.mutations.operators import OPERATORS, some_mutants
from tests.mutations.table import Outcome, disagreements, outcome

pytestmark = pytest.mark.slow
by_front_end = pytest.mark.parametrize("front_end", [LINT, MYPY, BUILD])
Ask = Callable[[str], Outcome]

# Mutants of each operator. Starting an application takes a process of its own: `python -m tests.mutations` starts all.
MOST = {LINT: 4, MYPY: 4, BUILD: 1}


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """What a front end makes of a choice of mutants; each is run once."""

    @cache
    def run(front_end: str) -> Outcome:
        return outcome(front_end, some_mutants(MOST[front_end]), tmp_path_factory.mktemp("mutations") / front_end)

    return run


@by_front_end
def test_every_fault_is_caught(front_end: str, ask: Ask) -> None:
    """What a front end can see, it reports with the right code at the right line."""
    assert [] == ask(front_end).missed()


@by_front_end
def test_nothing_else_is_reported(front_end: str, ask: Ask) -> None:
    """One fault has no findings beside those that it deserves."""
    assert [] == ask(front_end).beside()


@pytest.mark.parametrize("front_end", [MYPY, BUILD])
def test_one_fault_has_one_text(front_end: str, ask: Ask) -> None:
    """What the linter reports as well is said in the same words."""
    assert [] == disagreements(ask(LINT), ask(front_end))


def test_the_choice_is_wide() -> None:
    """Every operator is in it, with at least 200 faults, for most of the rules."""
    mutants = some_mutants(MOST[LINT])
    assert {operator.__name__ for operator in OPERATORS} == {mutant.operator for mutant in mutants}
    assert len({mutant.name for mutant in mutants}) == len(mutants)
    assert len(mutants) >= 200
    assert len({expected.code for mutant in mutants for expected in mutant.expected}) >= 94
