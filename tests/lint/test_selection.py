"""Which rules count."""

import pytest

from resilience4cata.rules import all_rules
from resilience4cata_lint.options import Options, UsageError
from resilience4cata_lint.selection import Selection, selected, split

DEFAULT = frozenset(code for code, rule in all_rules().items() if rule.on_by_default)
# Whoever names a family means all of it, also what is off by default.
DURATIONS = frozenset(code for code in all_rules() if code.startswith("R4C-DU-"))


def chosen(
    select: str | None = None, ignore: str = "", extend: str = "", *, project: tuple[str | None, str] = (None, "")
) -> frozenset[str]:
    options = Options(".", select=None if project[0] is None else split([project[0]]), ignore=split([project[1]]))
    return selected(options, Selection(None if select is None else split([select]), split([ignore]), split([extend])))


def test_default() -> None:
    """All rules that are on by default."""
    assert DEFAULT == chosen()


@pytest.mark.parametrize(
    "word", ["R4C-DU-001", "r4c-du-001", "DU-001", "du-001", "invalid-duration", "Invalid-Duration"]
)
def test_spellings_of_a_rule(word: str) -> None:
    """Codes with and without the prefix, names, in any case."""
    assert {"R4C-DU-001"} == chosen(word)


@pytest.mark.parametrize("word", ["DU", "du", "R4C-DU"])
def test_spellings_of_a_family(word: str) -> None:
    assert DURATIONS == chosen(word)


@pytest.mark.parametrize("word", ["ALL", "R4C"])
def test_everything(word: str) -> None:
    """Also what is off by default."""
    assert frozenset(all_rules()) == chosen(word)


def test_ignore_wins_unless_select_is_more_exact() -> None:
    """`--select DU-001 --ignore DU` keeps the one rule."""
    assert DURATIONS - {"R4C-DU-001"} == chosen("DU", "DU-001")
    assert frozenset() == chosen("DU", "DU")
    assert {"R4C-DU-001"} == chosen("DU-001", "DU")
    assert DEFAULT - DURATIONS == chosen(ignore="DU")


def test_extend() -> None:
    """Rules are added to what is selected otherwise."""
    assert {"R4C-DU-001", "R4C-DU-002"} == chosen("DU-001", extend="DU-002")


def test_the_command_line_and_the_project() -> None:
    """`--select` replaces what the project says, `--ignore` adds to it."""
    assert DURATIONS - {"R4C-DU-001"} == chosen(project=("DU", "DU-001"))
    assert {"R4C-DU-001"} == chosen("DU-001", project=("FB", "DU-001"))
    assert DURATIONS - {"R4C-DU-001", "R4C-DU-002"} == chosen(ignore="DU-002", project=("DU", "DU-001"))


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("R4C-FB-0002", "did you mean 'R4C-FB-002'?"),
        ("FB-0022", "did you mean 'R4C-FB-002'?"),
        ("CLF", "did you mean 'CL'?"),
        ("missing-falback", "did you mean 'missing-fallback'?"),
        ("qwertyuiop", "'r4c rule --all' lists them"),
    ],
)
def test_words_that_mean_nothing(word: str, advice: str) -> None:
    """Each gets the nearest code, family or name."""
    with pytest.raises(UsageError) as caught:
        chosen(word)
    assert f"no rule, family or name '{word}'; {advice}" == str(caught.value)


def test_split() -> None:
    """Commas and blanks separate, and options may be repeated."""
    assert ("a", "b", "c", "d") == split(["a,b", " c , d"])
