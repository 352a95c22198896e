"""The pages of rules: where they are, their headings in each language, and the code they show."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from .fixtures import ROOT, Fixture

DOCS = ROOT / "docs"

HEADINGS = {
    "en": ("What it does", "Why is this bad?", "Example", "Use instead", "Options", "See also", "Sources"),
    "es": ("¿Qué hace?", "¿Por qué es un problema?", "Ejemplo", "En su lugar", "Opciones", "Véase también", "Fuentes"),
}
"""The second-level headings by language; they correspond one to one."""

_PARTS = {"Example": "bad", "Use instead": "fixed", "Ejemplo": "bad", "En su lugar": "fixed"}
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Page:
    """A rule's page in one language."""

    code: str
    language: str
    docs: Path = DOCS

    @property
    def path(self) -> Path:
        return self.docs / self.language / "rules" / f"{self.code}.md"

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def title(self) -> str:
        return self.text.partition("\n")[0]

    @property
    def headings(self) -> tuple[str, ...]:
        return tuple(_HEADING.findall(self.text))

    @property
    def examples(self) -> dict[str, list[str]]:
        """The code that is shown for each part of the fixture, `bad` and `fixed`."""
        _, *sections = _HEADING.split(self.text)
        by_heading = dict(zip(sections[::2], sections[1::2], strict=True))
        return {part: _blocks(by_heading.get(name, "")) for name, part in _PARTS.items() if name in by_heading}


def _blocks(section: str) -> list[str]:
    return [text for language, text in _BLOCK.findall(section) if language != "text"]


def not_verbatim(page: Page, fixture: Fixture) -> list[str]:
    """Code of the page that no file of the right part holds as it is."""
    found: list[str] = []
    for part, blocks in page.examples.items():
        texts = [path.read_text(encoding="utf-8", errors="replace") for path in fixture.files(part)]
        found += [block for block in blocks if not any(f"\n{block}" in f"\n{text}" for text in texts)]
    return found
