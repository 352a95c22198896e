"""A composed policy by itself: what counts wherever it is used and nothing is added."""

from __future__ import annotations

from collections.abc import Iterable

from ..facts import Applied, At, Composed, Declaration, Definition, Element, Kind, LocalScope, Slot, Written
from .words import subject


class Alone(Element):
    """An element that has one composed policy and nothing else, neither a class around it nor a body."""

    __slots__ = ()

    @classmethod
    def of(cls, composed: Composed) -> Alone:
        """The element that stands for a composed policy."""
        decorators = (Applied(composed, composed.at),)
        definition = Definition(composed.title, "", "", Kind.OTHER, composed.at, is_async=None, decorators=decorators)
        return cls(definition, LocalScope(""))

    @property
    def composed(self) -> Composed:
        """The composed policy."""
        (applied,) = self.policies
        assert isinstance(applied.policy, Composed)
        return applied.policy

    def place(self, declaration: Declaration, written_at: At, attributes: Iterable[str]) -> tuple[At, str]:
        """Where to report a value of one of its policies, and the subject for that.

        A policy that is written elsewhere, in a variable or another composed policy, may well be right by itself.
        """
        composed = self.composed
        if not _stands_in(declaration.at, composed.at):
            return composed.at, composed.title
        return written_at, subject(Written(declaration, within=composed.title), *attributes)


def declared_within(policy: object, slot: Slot | None) -> tuple[Composed, Declaration] | None:
    """The declaration that writes a value, and the innermost composed policy that it is a member of."""
    if not isinstance(policy, Composed) or slot is None:
        return None
    for member in policy.members:
        if isinstance(member, Declaration) and any(own is slot for own in member.slots.values()):
            return policy, member
        found = declared_within(member, slot)
        if found is not None:
            return found
    return None


def _stands_in(inner: At, outer: At) -> bool:
    start, end = (outer.line, outer.column), (outer.end_line or inner.line, outer.end_column or inner.column)
    return inner.source == outer.source and start <= (inner.line, inner.column) <= end
