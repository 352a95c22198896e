"""`fixtures/codes.lock`: every code and name that was ever given, one rule a line.

`python -m tests.every_rule.lock` adds new ones, lists them on the index pages of the documentation, and writes
the parts of their own pages that are made.
Codes are stable for ever: one that vanishes or changes its name breaks the settings and suppressions of users.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from resilience4cata.rules import all_rules

from ..docs import rules as listed
from . import page_parts
from .fixtures import ROOT

LOCK = ROOT / "fixtures" / "codes.lock"


def locked(path: Path = LOCK) -> dict[str, str]:
    """Names by code, as they were given. Raises FileNotFoundError."""
    return dict(line.split(" ", 1) for line in path.read_text(encoding="utf-8").splitlines())


def known() -> dict[str, str]:
    """Names by code, as the rules have them now."""
    return {rule.code: rule.name for rule in all_rules().values()}


def broken(given: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """What became of codes that were given and are no longer what they were."""
    return [
        f"{code} was named {name}, and now {f'is {now[code]}' if code in now else 'is gone'}"
        for code, name in given.items()
        if now.get(code) != name
    ]


def shown(rules: Mapping[str, str]) -> str:
    """The file's text."""
    return "".join(f"{code} {name}\n" for code, name in sorted(rules.items()))


def main(path: Path = LOCK) -> int:
    """Add the codes of new rules. Refuses, with status 1, if one that was given has vanished or changed its name."""
    given = locked(path) if path.exists() else {}
    problems = broken(given, known())
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        path.write_text(shown(known()), encoding="utf-8")
        if path == LOCK:
            listed.write()
            page_parts.write()
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
