"""Words that mean rules, and which rules count: `select`, `extend-select` and `ignore`.

A word is the same wherever one is taken, in any case: a code (`R4C-FB-002`, `FB-002`, `fb-2`), the name of a rule
(`missing-fallback`), a family (`FB`, `R4C-FB`), or `ALL`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from resilience4cata.records import dataclass

from .options import Options, UsageError

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Rule


EVERYTHING: Final = 0
FAMILY: Final = 1
EXACTLY: Final = 2
"""How exactly a word means a rule."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What the command line says beside the project's options; None or empty where it says nothing."""

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.select is not None or bool(self.ignore or self.extend_select)


def split(texts: Iterable[str]) -> tuple[str, ...]:
    """The words of options that take lists: `--select FB,DU --select CL-001`."""
    return tuple(word for text in texts for word in text.replace(",", " ").split())


def selected(options: Options, selection: Selection) -> frozenset[str]:
    """The codes that are reported. Raises UsageError for a word that means no rule.

    The command line's `select` replaces the project's settings; `ignore` wins over `select`, unless `select` names the
    rule and `ignore` only its family.
    """
    from resilience4cata.rules import all_rules

    rules = all_rules()
    chosen = {code: 0 for code, rule in rules.items() if rule.on_by_default}
    if selection.select is not None:
        chosen = _weights(selection.select, rules.values())
    else:
        if options.select is not None:
            chosen = _weights(options.select, rules.values(), "select")
        _add(chosen, _weights(options.extend_select, rules.values(), "extend-select"))
        _drop(chosen, _weights(options.ignore, rules.values(), "ignore"))
    _add(chosen, _weights(selection.extend_select, rules.values()))
    _drop(chosen, _weights(selection.ignore, rules.values()))
    return frozenset(chosen)


def codes_of(words: Sequence[str], setting: str = "") -> frozenset[str]:
    """The codes that words mean. Raises UsageError for a word that means no rule; `setting` is the key that has it."""
    from resilience4cata.rules import all_rules

    return frozenset(_weights(words, all_rules().values(), setting))


def _add(chosen: dict[str, int], added: dict[str, int]) -> None:
    for code, weight in added.items():
        chosen[code] = max(weight, chosen.get(code, 0))


def _drop(chosen: dict[str, int], ignored: dict[str, int]) -> None:
    for code, weight in ignored.items():
        if code in chosen and weight >= chosen[code]:
            del chosen[code]


def _weights(words: Sequence[str], rules: Iterable[Rule], setting: str = "") -> dict[str, int]:
    """The codes that words mean, each with how exactly it was named."""
    rules = list(rules)
    weights: dict[str, int] = {}
    for word in words:
        found = meant(word, rules)
        if not found:
            place = f"{setting} in [tool.r4c]: " if setting else ""
            raise UsageError(place + unknown_rule(word, rules))
        for code, weight in found.items():
            weights[code] = max(weight, weights.get(code, 0))
    return weights


def meant(word: str, rules: Sequence[Rule]) -> dict[str, int]:
    """The codes that a word means, none if it means nothing, with how exactly."""
    from resilience4cata.rules import full_code

    wanted = word.strip().upper().removeprefix("R4C-")
    if wanted in {"ALL", "R4C"}:
        return {rule.code: EVERYTHING for rule in rules}
    family = {rule.code: FAMILY for rule in rules if rule.family == wanted}
    exact = {rule.code: EXACTLY for rule in rules if rule.code == full_code(wanted) or rule.name.upper() == wanted}
    return exact or family


def unknown_rule(word: str, rules: Sequence[Rule]) -> str:
    """What to say about a word that means no rule."""
    from resilience4cata.suggestions import did_you_mean

    short = {rule.code.removeprefix("R4C-"): rule.code for rule in rules}
    names = {rule.name: rule.name for rule in rules}
    families = {rule.family: rule.family for rule in rules}
    candidates = {**families, **short, **{code: code for code in short.values()}, **names}
    suggestion = did_you_mean(word.strip(), candidates)
    advice = f"did you mean '{candidates[suggestion]}'?" if suggestion else "'r4c rule --all' lists them"
    return f"no rule, family or name '{word}'; {advice}"
