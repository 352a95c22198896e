"""Begin a rule: `python -m tests.every_rule.new_rule R4C-XX-001 some-name` makes its fixture folder and its pages.

What it prints is the function to add to the family's module. The tests fail until fixtures and pages are filled in.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from .fixtures import EXPECTED, PARTS, RULES
from .pages import DOCS, HEADINGS, Page

_CODE = re.compile(r"R4C-[A-Z]{2,3}-\d{3}")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

_FINDING = """\
[[finding]]
line = 1
column = 1
subject = ""
message = ""
suggestion = ""
reports = ["lint", "mypy", "build"]
"""
_FUNCTION = '''\
@rule("{code}", "{name}", view=Element, needs=Needs.SCOPES)
def {function}(element: Element, context: Context) -> Iterator[Fault]:
    """Why this is a mistake, in one or two sentences."""
    yield Fault(at, subject, "what is wrong with {{this}}", {{"this": value}}, help="what to do")
'''


def files(code: str, name: str, rules: Path = RULES, docs: Path = DOCS) -> dict[Path, str]:
    """The files of a new rule with their first text. Raises ValueError for a malformed code or name."""
    if not _CODE.fullmatch(code):
        msg = f"'{code}' is no code: write R4C, a family and three digits, such as R4C-FB-001"
        raise ValueError(msg)
    if not _NAME.fullmatch(name):
        msg = f"'{name}' is no name: write words in lower case, joined by '-'"
        raise ValueError(msg)
    made = {rules / code / f"{part}.py": '"""What this code is about."""\n' for part in PARTS}
    made[rules / code / EXPECTED] = _FINDING
    made.update({Page(code, language, docs).path: _page(code, name, language) for language in HEADINGS})
    return made


def _page(code: str, name: str, language: str) -> str:
    severity = {"en": "Error. Reported by", "es": "Error. Lo señalan"}[language]
    sections = "".join(f"\n## {heading}\n" for heading in HEADINGS[language])
    return f"# {code}: {name}\n\n{severity}\n{sections}"


def function(code: str, name: str) -> str:
    """The function to fill in, in the module of the rule's family."""
    return _FUNCTION.format(code=code, name=name, function=name.replace("-", "_"))


def main(arguments: Sequence[str], rules: Path = RULES, docs: Path = DOCS) -> int:
    """Make the files and print the function. Refuses, with status 1, what is malformed or exists."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 1
    code, name = arguments
    try:
        made = files(code, name, rules, docs)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    existing = [path for path in made if path.exists()]
    if existing:
        print(f"{existing[0]} exists", file=sys.stderr)
        return 1
    for path, text in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(path)
    print(f"\nAdd to the module of the family, in runtime/resilience4cata/rules:\n\n{function(code, name)}")
    print("Then: python -m tests.every_rule.lock")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
