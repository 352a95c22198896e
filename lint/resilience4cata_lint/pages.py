"""The page of a rule: `docs/<language>/rules/<code>.md`, also inside an installed package, for reading offline."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .options import UsageError

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Rule

LANGUAGES: Final = ("en", "es")

_HERE: Final = Path(__file__).parent
_NAMES: Final = {"lint": "r4c", "mypy": "mypy", "build": "build()"}
_FACTS: Final = {
    ("en", True): "on by default · reported by",
    ("en", False): "off by default · reported by",
    ("es", True): "activada de forma predeterminada · la comunican",
    ("es", False): "desactivada de forma predeterminada · la comunican",
}
_FIXED: Final = {"en": "repaired by", "es": "la repara"}
_OR: Final = {"en": " or ", "es": " o "}
_SEVERITIES: Final = {("es", "warning"): "advertencia"}


def page(rule: Rule, language: str) -> str:
    """The text of the rule's page, in Markdown. Raises UsageError if it is missing."""
    places = (_HERE / "pages" / language, _HERE.parents[1] / "docs" / language / "rules")
    for folder in places:
        file = folder / f"{rule.code}.md"
        if file.is_file():
            return file.read_text(encoding="utf-8")
    msg = f"the page of {rule.code} is missing in the language '{language}'; see {rule.url(language)}"
    raise UsageError(msg)


def as_dict(rule: Rule, language: str = "en") -> dict[str, object]:
    """The facts about a rule, as JSON gives them."""
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.value,
        "on_by_default": rule.on_by_default,
        "reported_by": list(rule.reported_by),
        "fix": repairs(rule),
        "why": rule.why,
        "url": rule.url(language),
    }


def facts_line(rule: Rule, language: str) -> str:
    """`error · on by default · reported by r4c, mypy, build() · repaired by --fix`."""
    severity = _SEVERITIES.get((language, rule.severity.value), rule.severity.value)
    who = ", ".join(_NAMES.get(name, name) for name in rule.reported_by)
    options = _OR[language].join(repairs(rule))
    fixed = f" · {_FIXED[language]} {options}" if options else ""
    return f"{severity} · {_FACTS[language, rule.on_by_default]} {who}{fixed}"


def repairs(rule: Rule) -> list[str]:
    """The options of `r4c check` that repair findings of a rule: both where it depends on how near a suggestion is."""
    if rule.fix is None:
        return []
    possible = {True: ["--fix"], False: ["--unsafe-fixes"], None: ["--fix", "--unsafe-fixes"]}
    return possible[rule.fix.is_safe]


def table(rules: Iterable[Rule]) -> list[str]:
    """One line per rule: code, name, severity, who reports it, and whether it is off by default."""
    rules = list(rules)
    names = max((len(rule.name) for rule in rules), default=0)
    codes = max((len(rule.code) for rule in rules), default=0)
    return [_row(rule, codes, names) for rule in rules]


def _row(rule: Rule, codes: int, names: int) -> str:
    who = " ".join(name if name in rule.reported_by else " " * len(name) for name in _NAMES)
    default = "" if rule.on_by_default else "  off by default"
    return f"{rule.code:<{codes}}  {rule.name:<{names}}  {rule.severity.value:<7}  {who}{default}".rstrip()
