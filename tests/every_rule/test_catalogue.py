"""Each rule has its fixtures, its pages in both languages, and its code for ever."""

from pathlib import Path

import pytest

from resilience4cata.diagnostics import Rule
from resilience4cata.rules import all_rules
from tests.docs.pages import Page as Guide
from tests.every_rule import lock, page_parts
from tests.every_rule.fixtures import EXPECTED, FRONT_ENDS, PARTS, RULES, Fixture, all_fixtures
from tests.every_rule.pages import HEADINGS, Page, not_verbatim

each_rule = pytest.mark.parametrize("rule", all_rules().values(), ids=lambda rule: rule.code)
each_fixture = pytest.mark.parametrize("fixture", tuple(all_fixtures()), ids=lambda fixture: fixture.code)
each_language = pytest.mark.parametrize("language", HEADINGS)


@each_rule
def test_fixture_is_complete(rule: Rule) -> None:
    """A rule's folder holds what is bad, good and fixed, and what is expected."""
    folder = RULES / rule.code
    missing = [part for part in PARTS if not (folder / f"{part}.py").is_file() and not (folder / part).is_dir()]
    assert ([], True) == (missing, (folder / EXPECTED).is_file())


@each_fixture
def test_fixture_belongs_to_a_rule(fixture: Fixture) -> None:
    """No folder is left behind by a rule that went away, and each one shows faults of its own rule alone."""
    assert {fixture.code} == {finding.report.code for finding in fixture.findings}
    assert fixture.code in all_rules()


@each_fixture
def test_front_ends_can_know(fixture: Fixture) -> None:
    """Only a front end that can know the facts of a rule is expected to report it, and each of them does somewhere."""
    named = {front_end for finding in fixture.findings for front_end in finding.reports}
    assert [] == sorted(named - set(FRONT_ENDS))
    assert sorted(all_rules()[fixture.code].reported_by) == sorted(named)


@each_fixture
def test_faults_are_in_what_is_bad(fixture: Fixture) -> None:
    """Good and repaired code is expected to be clean."""
    assert [] == [f.report.path for f in fixture.findings if not f.report.path.startswith("bad")]


@each_rule
@each_language
def test_page_has_its_headings(rule: Rule, language: str) -> None:
    """Pages have the same headings in the same order, in each language its own words."""
    page = Page(rule.code, language)
    assert (f"# {rule.code}: {rule.name}", HEADINGS[language]) == (page.title, page.headings)


@each_rule
@each_language
def test_page_says_something_everywhere(rule: Rule, language: str) -> None:
    """No section of a page is empty, and both examples show code."""
    page = Page(rule.code, language)
    lines = [line for line in page.text.splitlines() if line]
    empty = [line for line, following in zip(lines, [*lines[1:], "#"], strict=True) if line[0] == following[0] == "#"]
    assert [] == empty
    assert {"bad", "fixed"} == {part for part, blocks in page.examples.items() if blocks}


@each_rule
@each_language
def test_page_names_the_front_ends(rule: Rule, language: str) -> None:
    """The line below the title says who reports the rule."""
    line = Page(rule.code, language).text.splitlines()[2]
    words = {"lint": ("r4c", "linter"), "mypy": ("mypy",), "build": ("build()",)}
    named = [front_end for front_end in FRONT_ENDS if any(word in line for word in words[front_end])]
    assert list(rule.reported_by) == named


@each_fixture
@each_language
def test_page_shows_the_fixture(fixture: Fixture, language: str) -> None:
    """The code of a page is a part of the fixture, to the character."""
    assert [] == not_verbatim(Page(fixture.code, language), fixture)


@each_fixture
def test_pages_show_the_same_code(fixture: Fixture) -> None:
    """Code is not translated."""
    assert Page(fixture.code, "en").examples == Page(fixture.code, "es").examples


@each_fixture
@each_language
def test_page_says_what_is_reported(fixture: Fixture, language: str) -> None:
    """Below an example stands what is reported in it, word for word; `python -m tests.every_rule.lock` writes it."""
    page = Page(fixture.code, language)
    assert page_parts.made(page, fixture) == page.text


@each_rule
@each_language
def test_what_explains_a_rule_leads_to_it(rule: Rule, language: str) -> None:
    """A page about a rule's subject leads back, to its family or to itself; last comes how it is silenced."""
    page = Guide(language, f"rules/{rule.code}")
    *explained, silence = (path for path, _ in page.links if path.startswith(("../policies/", "../guides/")))
    marks = f"index.md#{rule.code.split('-')[1].lower()}-", f"/{rule.code}.md"
    texts = {path: (page.path.parent / path).read_text(encoding="utf-8") for path in explained}
    assert [] == [path for path, text in texts.items() if not any(mark in text for mark in marks)]
    assert silence == "../guides/suppressions.md"


def test_codes_are_for_ever() -> None:
    """No code vanishes or changes its name."""
    assert [] == lock.broken(lock.locked(), lock.known())


def test_codes_are_locked() -> None:
    """New codes are added by `python -m tests.every_rule.lock`, and the file is sorted."""
    assert lock.shown(lock.known()) == lock.LOCK.read_text(encoding="utf-8")


def test_lock_refuses_what_breaks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The lock is not rewritten if a code vanished or has another name."""
    path = tmp_path / "codes.lock"
    text = "R4C-FB-002 lost-fallback\nR4C-ZZ-999 gone\n"
    path.write_text(text, encoding="utf-8")
    status = lock.main(path)
    assert (1, text) == (status, path.read_text(encoding="utf-8"))
    assert capsys.readouterr().err.splitlines() == [
        "R4C-FB-002 was named lost-fallback, and now is missing-fallback",
        "R4C-ZZ-999 was named gone, and now is gone",
    ]


def test_lock_adds_new_codes(tmp_path: Path) -> None:
    """A lock that lacks rules gets them."""
    path = tmp_path / "codes.lock"
    path.write_text("R4C-FB-002 missing-fallback\n", encoding="utf-8")
    assert (0, lock.known()) == (lock.main(path), lock.locked(path))
