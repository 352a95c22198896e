"""Every page does what it says: its code runs, its files are read, its links lead somewhere, and it has a twin."""

import re
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from resilience4cata import ConfigSources, DefinitionError, Resilience

from . import rules
from .pages import CONFIGURATION, DOCS, FOLDERS, LANGUAGES, Block, Page, all_pages
from .running import run

# These are about the linter; their commands and settings are tested with it.
OF_THE_LINTER = {f"guides/{name}" for name in ("ci", "flake8", "pre-commit", "suppressions")}
LANGUAGES_OF_BLOCKS = {"python", "text", "console", "sh", "json", "vim", *CONFIGURATION}
NOT_RUN = {"guides/getting-started": 1}
"""How many blocks of a page cannot be run; 0 unless it stands here."""

PAGES = [page for language in LANGUAGES for page in all_pages(language)]
OTHERS = [page for page in PAGES if page.name not in OF_THE_LINTER]


def name_of(page: Page) -> str:
    return f"{page.language}/{page.name}"


each_page = pytest.mark.parametrize("page", PAGES, ids=name_of)
each_other_page = pytest.mark.parametrize("page", OTHERS, ids=name_of)


def examined(page: Page) -> Iterator[Block]:
    """The blocks that this module answers for."""
    return (b for b in page.blocks if page.name not in OF_THE_LINTER or (b.language == "python" and not b.file))


@each_page
def test_code_runs(page: Page, tmp_path: Path) -> None:
    """All blocks run, in order, and print what the page says."""
    blocks = [block for block in examined(page) if block.runs]
    said = [(b.line, b.text if b.language == "console" else b.output) for b in blocks]
    assert said == [(b.line, printed) for b, printed in zip(blocks, run(page, blocks, tmp_path), strict=True)]


@each_other_page
def test_blocks_are_known(page: Page) -> None:
    """Each fence names a language that is tested, and those that do not run are counted."""
    unknown = [(b.line, b.language, b.words) for b in page.blocks if b.language not in LANGUAGES_OF_BLOCKS]
    assert [] == unknown
    assert NOT_RUN.get(page.name, 0) == sum(not block.runs for block in page.blocks)


def is_ours(block: Block) -> bool:
    """Whether a file may hold configuration of the library; of YAML most of what is shown is for other tools."""
    if block.language == "yaml" and "resilience4cata" not in block.text:
        return False
    return block.runs and block.language in {"toml", "properties", "yaml"}


@each_other_page
def test_configuration_is_read(page: Page, tmp_path: Path) -> None:
    """Files are accepted as they stand, or refused where the page says that they are wrong."""
    blocks = list(filter(is_ours, page.blocks))
    wrong = [block.line for block in blocks if "wrong" in block.words]
    assert wrong == [block.line for block in blocks if refused(block, tmp_path)]


def refused(block: Block, folder: Path) -> bool:
    """Whether the library finds an error in a file by itself; declarations of the process are left out."""
    path = folder / (Path(block.file).name or f"resilience4cata.{block.language}")
    path.write_text(block.text, encoding="utf-8")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            Resilience.builder().only("nothing").source(ConfigSources.file(path)).build()
    except DefinitionError:
        return True
    return False


@each_page
def test_links_lead_somewhere(page: Page) -> None:
    """Each link names a file that is there, and a heading in it."""
    assert [] == list(dead_links(page))


@pytest.mark.parametrize("folder", ["en/rules", "es/rules", "adr"])
def test_links_of_short_pages_lead_somewhere(folder: str) -> None:
    """The same holds for the pages of rules, and for decisions."""
    pages = [Page(folder, path.stem) for path in sorted((DOCS / folder).glob("*.md"))]
    assert [] == [link for page in pages for link in dead_links(page)]


def dead_links(page: Page) -> Iterator[str]:
    """The links of a page to files that are not there, or to headings that these do not have."""
    for path, anchor in page.links:
        target = (page.path.parent / path).resolve() if path else page.path
        if not target.exists() or (anchor and anchor not in Page(str(target.parent), target.stem).anchors):
            yield f"{page.path}: {path}#{anchor}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_rules_are_linked_where_they_are_named(language: str) -> None:
    """Prose about another rule leads to its page; code, such as a comment that silences one, does not."""
    found = []
    for path in sorted((DOCS / language).rglob("*.md")):
        text = re.sub(
            r"`[^`\n]*`|\[[^\]]*\]\([^)]*\)|^#.*$", "", Page(str(path.parent), path.stem).prose, flags=re.MULTILINE
        )
        found += [f"{path}: {code}" for code in re.findall(r"R4C-[A-Z]+-\d{3}", text) if code != path.stem]
    assert [] == found


def test_pages_have_twins() -> None:
    """What is there in one language is there in the other."""
    names = [{path.relative_to(DOCS / language) for path in (DOCS / language).rglob("*.*")} for language in LANGUAGES]
    assert names[0] == {name for name in names[1] if name.name != "attributes.toml"}


@pytest.mark.parametrize("name", [page.name for page in all_pages("en")])
def test_twins_agree(name: str) -> None:
    """The same code and the same sections in both languages."""
    english, spanish = (Page(language, name) for language in LANGUAGES)
    assert [b.meaning for b in english.blocks] == [b.meaning for b in spanish.blocks]
    assert [b.output for b in english.blocks] == [b.output for b in spanish.blocks]
    assert [level for level, _ in english.headings] == [level for level, _ in spanish.headings]


@pytest.mark.parametrize("language", LANGUAGES)
def test_index_lists_the_rules(language: str) -> None:
    """The list of rules is that of the catalogue; `python -m tests.every_rule.lock` writes it."""
    assert rules.made(language) == rules.shown(Page(language, "index"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_index_names_every_page(language: str) -> None:
    """The index links each page once."""
    links = Counter(path for path, _ in Page(language, "index").links if path.startswith(FOLDERS))
    assert {f"{page.name}.md": 1 for page in all_pages(language) if page.name != "index"} == dict(links)
