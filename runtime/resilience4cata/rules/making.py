"""Classes named by policies that could not be made when a program began to use them."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics import Context, Fault
from ..facts import At, Declaration, Slot, Unmade
from .words import on, show


def not_made(unmade: Unmade, attribute: str, context: Context) -> Iterator[Fault]:
    """The fault of a class that is given as `attribute`, and of which no object could be made."""
    if unmade.attribute != attribute:
        return
    slot = Slot((unmade.value,), unmade.at)
    key = _key_at(unmade.at, context)
    written = on(Declaration(unmade.policy, {attribute: slot}, unmade.at), unmade.element.definition.id, attribute)
    yield Fault(
        unmade.at,
        key or written,
        "{value} cannot be made: {reason}",
        {"value": show(unmade.value), "reason": unmade.reason},
    )


def _key_at(at: At, context: Context) -> str:
    """The key of configuration that stands at a place, as it is written there."""
    keys = (key for file in context.project.files for key in file.keys)
    return next((key.text for key in keys if at.line and key.at == at), "")
