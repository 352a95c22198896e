"""The pages of the documentation, and what their fenced blocks mean to the tests.

A fence names its language, and what can be run is run, top to bottom, in one fresh process for each page:

- `python` runs in one namespace; what it prints stands in a `text` block right below. One that begins with a comment
  `# app/users.py` is written to that file instead, for others to import; what nobody imported is imported at the end.
- `toml`, `properties`, `yaml` and `ini` are files too (`# resilience4cata.toml` in the first line names them), read
  and checked by the library. The word `wrong` after the language says that it is to be refused.
- `console` holds commands behind `$ ` and what they print.
- `not-run` after the language is for what a test cannot do; the tests know the number of these.

Both languages show the same code; only comments are translated.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LANGUAGES = ("en", "es")
FOLDERS = ("policies", "guides", "reference")
CONFIGURATION = ("toml", "properties", "yaml", "ini")

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# (?P<name>[\w./-]+\.(?:py|toml|properties|ya?ml|ini|env))\n")
_COMMENT = re.compile(r"^\s*[#!].*\n|\s+#.*$", re.MULTILINE)
_HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """One fenced block: language, the words after it, text, and the line on which the text begins."""

    language: str
    words: tuple[str, ...]
    text: str
    line: int
    output: str = ""

    @property
    def runs(self) -> bool:
        return "not-run" not in self.words

    @property
    def file(self) -> str:
        """The file that the block is, if it says so."""
        found = _FILE.match(self.text)
        return found["name"] if found is not None else ""

    @property
    def meaning(self) -> tuple[str, ...]:
        """What has to be the same in each language: everything but comments."""
        code = self.text
        if self.language == "python":
            code = ast.dump(ast.parse(code))
        elif self.language in CONFIGURATION:
            code = _COMMENT.sub("", code)
        return self.language, *self.words, self.file, code


@dataclass(frozen=True)
class Page:
    """A page in one language; `name` is its path below the language, without suffix: `policies/retry`."""

    language: str
    name: str
    docs: Path = DOCS

    @property
    def path(self) -> Path:
        return self.docs / self.language / f"{self.name}.md"

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def blocks(self) -> list[Block]:
        """Every block, in order; `output` is the `text` block right below, which is no block of its own then."""
        text, found = self.text, list[Block]()
        end = -1
        for fence in _FENCE.finditer(text):
            language, *words = fence["info"].split() or [""]
            line = text.count("\n", 0, fence.start("text")) + 1
            block = Block(language, tuple(words), fence["text"], line)
            is_output = language == "text" and found and not text[end : fence.start()].strip()
            if is_output and found[-1].language == "python" and not found[-1].output:
                before = found.pop()
                block = Block(before.language, before.words, before.text, before.line, block.text)
            found.append(block)
            end = fence.end()
        return found

    @property
    def prose(self) -> str:
        """The text without its blocks."""
        return _FENCE.sub("", self.text)

    @property
    def headings(self) -> list[tuple[str, str]]:
        """Level (`##`) and words of each heading."""
        return _HEADING.findall(self.prose)

    def section(self, *beginnings: str) -> str:
        """The second-level section whose title begins in one of these ways, one for each language."""
        _, *sections = re.split(r"^## ", self.text, flags=re.MULTILINE)
        return next(text for text in sections if text.startswith(beginnings))

    @property
    def anchors(self) -> set[str]:
        """What `#…` in a link may name, as GitHub makes it of headings."""
        return {re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-") for _, words in self.headings}

    @property
    def links(self) -> list[tuple[str, str]]:
        """Path and anchor of each link to a file."""
        found = re.findall(r"\]\(([^)\s]+)\)", self.prose)
        return [(path, anchor) for path, _, anchor in (link.partition("#") for link in found if "://" not in link)]


def all_pages(language: str) -> list[Page]:
    """Every page but those of rules, which have tests of their own."""
    root = DOCS / language
    paths = sorted(path for folder in FOLDERS for path in (root / folder).glob("*.md"))
    return [Page(language, path.relative_to(root).with_suffix("").as_posix()) for path in [root / "index.md", *paths]]
