"""The tables of attributes say what the schema says, in both languages."""

import pytest

from resilience4cata.schema import POLICIES

from .attributes import DOCUMENTED, shown, table, translations, words
from .pages import LANGUAGES, Page


@pytest.mark.parametrize("policy", DOCUMENTED)
@pytest.mark.parametrize("language", LANGUAGES)
def test_tables_are_up_to_date(policy: str, language: str) -> None:
    """The page has the table that the schema gives; `python -m tests.docs.attributes` writes it."""
    assert table(policy, language) == shown(Page(language, f"policies/{policy}"))


def test_every_word_is_translated() -> None:
    """Nothing that a table shows lacks its Spanish, and no translation is left over."""
    assert set().union(*map(words, DOCUMENTED)) == set(translations())


def test_every_policy_that_runs_has_a_page() -> None:
    """A policy is documented, or is one of those that only checks know so far."""
    assert {*DOCUMENTED, "order", "hedge", "adaptive_limit"} == set(POLICIES)
