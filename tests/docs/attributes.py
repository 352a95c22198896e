"""The tables of attributes on the pages of policies, made from the schema.

`python -m tests.docs.attributes` writes them between the markers of each page. What is shown in Spanish stands in
`docs/es/attributes.toml`, by the English words of the schema: an attribute without a translation, or whose English
words changed, fails the tests until it has one.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Mapping
from enum import Enum
from functools import cache

from resilience4cata.schema import POLICIES, UNSET, Attribute, AttributeKind

from .pages import DOCS, LANGUAGES, Page

TRANSLATIONS = DOCS / "es" / "attributes.toml"
DOCUMENTED = ("circuit_breaker", "retry", "timeout", "bulkhead", "rate_limiter", "fallback")

BEGIN, END = "<!-- attributes: made from the schema, do not edit -->", "<!-- end of attributes -->"
_TABLE = re.compile(f"{re.escape(BEGIN)}\n\n(?P<table>.*?)\n{re.escape(END)}", re.DOTALL)

HEADER = ("attribute", "kind", "default", "bounds", "live", "what it is")
KINDS = {
    AttributeKind.DURATION: "duration",
    AttributeKind.INTEGER: "whole number",
    AttributeKind.NUMBER: "number",
    AttributeKind.BOOLEAN: "`True`, `False`",
    AttributeKind.EXCEPTIONS: "exception types",
    AttributeKind.CLASSIFIER: "`Classifier`",
    AttributeKind.HANDLER: "handler or function",
    AttributeKind.METHODS: "name or names",
    AttributeKind.INSTANCE_NAME: "instance name",
    AttributeKind.TEMPLATE_NAME: "template name",
    AttributeKind.BUDGET_NAME: "budget name",
}
LIVE = {True: "yes", False: "no"}


@cache
def translations() -> Mapping[str, str]:
    """English words of a table, and the Spanish for them."""
    read: dict[str, str] = tomllib.loads(TRANSLATIONS.read_text(encoding="utf-8"))
    return read


def words(policy: str) -> set[str]:
    """All words of a policy's table that are not the same in each language."""
    attributes = POLICIES[policy].attributes.values()
    kinds = {KINDS[a.kind] for a in attributes if a.kind in KINDS and not KINDS[a.kind].startswith("`")}
    return {*HEADER, *LIVE.values(), *kinds, *(a.doc for a in attributes)}


def in_language(text: str, language: str) -> str:
    return text if language == "en" else translations().get(text, text)


def table(policy: str, language: str) -> str:
    """The table of a policy's attributes in Markdown."""
    rows = [[in_language(title, language) for title in HEADER], ["---"] * len(HEADER)]
    for attribute in POLICIES[policy].attributes.values():
        kind = _members(attribute) if attribute.members else KINDS[attribute.kind]
        live = LIVE[attribute.live] if attribute.configurable else "-"
        cells = (f"`{attribute.name}`", kind, _default(attribute), _bounds(attribute), live, attribute.doc)
        rows.append([in_language(cell, language) for cell in cells])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _members(attribute: Attribute) -> str:
    assert attribute.members is not None
    return ", ".join(f"`{attribute.members.__name__}.{member.name}`" for member in attribute.members)


def _default(attribute: Attribute) -> str:
    match attribute.default:
        case value if value is UNSET:
            return "-"
        case Enum(name=name):
            return f"`{name}`"
        case type(__name__=name):
            return f"`{name}`"
        case value:
            return f"`{value}`"


def _bounds(attribute: Attribute) -> str:
    if attribute.kind is AttributeKind.DURATION:
        return "≥ 0" if attribute.zero else "> 0"
    if attribute.above is not None:
        return f"> {attribute.above:g}, ≤ {attribute.maximum:g}"
    return f"≥ {attribute.minimum:g}" if attribute.minimum is not None else "-"


def shown(page: Page) -> str | None:
    """The table that a page has; None for a page without markers."""
    found = _TABLE.search(page.text)
    return found["table"] if found is not None else None


def main() -> int:
    for language in LANGUAGES:
        for policy in DOCUMENTED:
            page = Page(language, f"policies/{policy}")
            if not page.path.is_file():
                print(f"no page: {page.path}", file=sys.stderr)
                continue
            before, _, rest = page.text.partition(BEGIN)
            after = rest.partition(END)[2]
            made = f"{BEGIN}\n\n{table(policy, language)}\n{END}"
            page.path.write_text(f"{before}{made}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
