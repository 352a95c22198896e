"""The parts of a rule's page that are made: what the rule says about each example, and what to read besides.

`python -m tests.every_rule.lock` writes them. Messages are those of the fixture, to which every front end is held; a
page leaves out the name of the package that the tests put it in, unless its code has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..docs.pages import Page as Guide
from ..docs.pages import all_pages
from .fixtures import Finding, Fixture, all_fixtures
from .pages import HEADINGS, Page

_BY_FAMILY = {
    "FB": ("policies/fallback",),
    "DU": ("guides/configuration",),
    "VA": ("guides/configuration",),
    "CMP": ("guides/composition-and-order",),
    "OR": ("guides/composition-and-order",),
    "LOC": ("guides/composition-and-order",),
    "CL": ("guides/classification",),
    "TB": ("policies/timeout", "policies/retry"),
    "NE": ("policies/retry",),
    "AS": ("guides/sync-and-async",),
    "CFG": ("guides/configuration",),
    "IN": ("guides/sync-and-async", "guides/operation"),
    "SUP": ("guides/suppressions",),
    "SRC": ("guides/command-line",),
}
"""What explains the subject of a family."""
_FOR_ALL = "guides/suppressions"

_EXAMPLE = re.compile(rf"(?<=^## )(?:{HEADINGS['en'][2]}|{HEADINGS['es'][2]})\n.*?(?=^## )", re.MULTILINE | re.DOTALL)
_SAID = re.compile(r"\n```text\n.*?^```\n", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^```\w+\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_BESIDES = re.compile(rf"(?<=^## )({HEADINGS['en'][5]}|{HEADINGS['es'][5]})\n.*?(?=^## )", re.MULTILINE | re.DOTALL)


def made(page: Page, fixture: Fixture) -> str:
    """The page's text with the parts that are made."""
    text = _EXAMPLE.sub(lambda example: _with_messages(_SAID.sub("", example[0]), fixture), page.text)
    return _BESIDES.sub(lambda besides: f"{besides[1]}\n\n{_besides(page)}\n\n", text)


def _with_messages(example: str, fixture: Fixture) -> str:
    # Where the code itself names the package, so do the messages.
    text = _CODE.sub(lambda block: block[0] + _said(block[1], fixture), example)
    return text if f"{fixture.package}." in example else re.sub(rf"\b{fixture.package}\.(?:bad\.)?", "", text)


def _said(code: str, fixture: Fixture) -> str:
    """What is reported within a piece of the fixture, as the linter prints it below place and code."""
    messages = dict.fromkeys(map(_message, _within(code, fixture)))
    return f"\n```text\n{''.join(messages)}```\n" if messages else ""


def _within(code: str, fixture: Fixture) -> Iterator[Finding]:
    for path in fixture.files("bad"):
        before, found, _ = f"\n{path.read_text(encoding='utf-8', errors='replace')}".partition(f"\n{code}")
        first = before.count("\n") + 1
        lines = range(first, first + code.count("\n"))
        name = path.relative_to(fixture.folder).as_posix()
        inside = (f for f in fixture.findings if found and f.report.path == name and f.report.line in lines)
        yield from sorted(inside, key=lambda finding: finding.report)


def _message(finding: Finding) -> str:
    subject, message, suggestion = finding.words
    head = f"{subject}:\n    {message}" if subject else message
    return f"{head}\n    {suggestion}\n" if suggestion else f"{head}\n"


def _besides(page: Page) -> str:
    """Links to what explains the rule's family, to the policies whose pages name the rule, and to how to silence it."""
    naming = (
        guide.name
        for guide in all_pages(page.language)
        if guide.name.startswith("policies/") and f"/{page.code}.md" in guide.text
    )
    names = dict.fromkeys((*_BY_FAMILY.get(page.code.split("-")[1], ()), *naming, _FOR_ALL))
    return ", ".join(f"[{Guide(page.language, name).headings[0][1]}](../{name}.md)" for name in names)


def write() -> None:
    """Write the parts into every page."""
    for fixture in all_fixtures():
        for language in HEADINGS:
            page = Page(fixture.code, language)
            page.path.write_text(made(page, fixture), encoding="utf-8")
