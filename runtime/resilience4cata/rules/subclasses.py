"""LOC-011: policies that do not reach subclasses, although they look as if they did."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics import Action, Context, Fault, Needs, Offer, Related, Severity, rule
from ..facts import Definition, Element, Kind, Scope
from .targets import unguarded
from .tunings import instances_of

_METHODS = (Kind.METHOD, Kind.STATIC_METHOD, Kind.CLASS_METHOD)


@rule(
    "R4C-LOC-011",
    "override-drops-policies",
    view=Element,
    severity=Severity.WARNING,
    needs=Needs.SYNTAX | Needs.PROJECT,
    # Or it is meant, which @unguarded says.
    fix=Offer(Action.INHERIT, is_safe=False),
)
def override_drops_policies(element: Element, context: Context) -> Iterator[Fault]:
    """Overriding a concrete method replaces it, policies included, as Python programmers expect of decorators. Where
    the override does the same work in another way, the guard is gone without a word."""
    original = element.definition
    if original.kind not in _METHODS or original.is_contract or not element.policies or not element.scope.is_class:
        return
    for scope in element.scope.subclasses():
        override = _override(scope, original)
        if override is None or instances_of(context).declared(Element(override, scope)) != frozenset():
            continue
        yield Fault(
            override.at,
            override.id,
            "this override drops the policies of {original}",
            {"original": original.id},
            help="add @inherit_policies to keep them, or @unguarded to show that it is meant",
            related=(Related(original.at, "the guarded method"),),
        )


def _override(scope: Scope, original: Definition) -> Definition | None:
    """The definition in the body of a subclass that takes the place of the original, calling nothing of it."""
    found = scope.lookup(original.name)
    if not isinstance(found, Definition) or found.owner != scope.id or found.kind not in _METHODS:
        return None
    # What somebody else's decorator makes of it may be guarded in another way.
    if found.signature is None or not found.works_alone or found.abstract or unguarded(found):
        return None
    return found
