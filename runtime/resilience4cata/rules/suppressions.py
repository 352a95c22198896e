"""SUP: comments that silence findings and do not do so."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics import Action, Context, Fault, Needs, Offer, Severity, rule
from ..facts import Suppression
from ..suggestions import did_you_mean


@rule(
    "R4C-SUP-001",
    "unused-suppression",
    view=Suppression,
    severity=Severity.WARNING,
    needs=Needs.SOURCES,
    fix=Offer(Action.DROP_SUPPRESSION, is_safe=True),
)
def unused_suppression(suppression: Suppression, context: Context) -> Iterator[Fault]:
    """A suppression that outlived its finding hides the next one that appears on its line, and readers look in vain for
    the fault that it speaks of.
    """
    if not suppression.code:
        message, advice = "names no code, so nothing is silenced", "name the code of the finding, or remove it"
        # Somebody meant to silence something.
        yield Fault(suppression.at, suppression.text, message, help=advice, certain=False)
    elif suppression.needed is False:
        message = "nothing is reported as {code} here"
        yield Fault(suppression.at, suppression.text, message, {"code": suppression.code}, help="remove it")


@rule("R4C-SUP-002", "unknown-suppression", view=Suppression, needs=Needs.SOURCES, fix=Action.WRITE)
def unknown_suppression(suppression: Suppression, context: Context) -> Iterator[Fault]:
    """Only whole codes are honoured in suppressions, so that nobody silences more than was looked at; a code that does
    not exist silences nothing.
    """
    from . import all_rules, find_rule

    code = suppression.code
    if code and code not in all_rules():
        suggestion = _meant(code)
        suggestions = (suggestion,) if suggestion else ()
        advice = "" if suggestion else "'r4c rule --all' lists the codes"
        yield Fault(
            suppression.at,
            suppression.text,
            "no code '{code}'",
            {"code": code},
            suggestions=suggestions,
            help=advice,
            words=(code,),
            rivals=tuple(all_rules()),
            certain=True if find_rule(code) is not None else None,
        )


def _meant(word: str) -> str | None:
    """The code that was meant by one without `R4C-`, by a rule's name, or by something similar."""
    from . import all_rules, find_rule

    rule = find_rule(word)
    if rule is not None:
        return rule.code
    names = {key: rule.code for rule in all_rules().values() for key in (rule.code, rule.name)}
    similar = did_you_mean(word, names)
    return names[similar] if similar is not None else None
