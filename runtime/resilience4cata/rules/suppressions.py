"""SUP: comments that silence findings and do not do so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..diagnostics import Action, Context, Fault, Needs, Offer, Severity, rule
from ..facts import Suppression
from ..suggestions import did_you_mean

_DIRECTIVES: Final = ("ignore", "file-ignore")


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
    if suppression.stray:
        return
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
    not exist silences nothing, and neither does a comment for r4c that says neither `ignore` nor `file-ignore`.
    """
    from . import all_rules, find_rule

    if suppression.stray:
        yield _without_directive(suppression)
        return
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


def _without_directive(suppression: Suppression) -> Fault:
    word = suppression.stray
    beginning = "r4c: " if word.lower().startswith("r4c") else ""
    known = [f"{beginning}{directive}" for directive in _DIRECTIVES]
    # What has codes in brackets was meant to silence them, whatever it says.
    suggestion = did_you_mean(word, known) or (known[0] if suppression.text.endswith("]") else None)
    return Fault(
        suppression.at,
        suppression.text,
        "no directive '{word}'",
        {"word": word},
        suggestions=(suggestion,) if suggestion else (),
        help="" if suggestion else "write 'ignore[…]' or 'file-ignore[…]' with codes, or begin the comment otherwise",
        words=(word,),
        rivals=tuple(known),
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
