"""CFG-019: lists of templates that lose what they were meant to add to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..config.resolve import Resolver, sources_known
from ..diagnostics import Context, Fault, Needs, Related, Severity, rule
from ..facts import Project, Slot, Template, Value, all_refs
from ..schema import POLICIES, AttributeKind
from .configuration import title_of
from .words import listed


@rule(
    "R4C-CFG-019",
    "dropped-list-members",
    view=Project,
    severity=Severity.WARNING,
    needs=Needs.FILES | Needs.TEMPLATES,
)
def dropped_list_members(project: Project, context: Context) -> Iterator[Fault]:
    """Lists are replaced, not merged: a template that writes one to add a type to its parent's loses all the others."""
    if not sources_known(project):
        return
    resolver = Resolver.of(project)
    for template in project.templates:
        chain = resolver.ancestry(template.name) if template.profile is None else None
        for attribute, policy, slot in _lists(template) if chain else ():
            inherited = _inherited(policy, attribute, (chain or [])[1:], project.templates)
            dropped = _dropped(slot.value, inherited.value) if inherited is not None else []
            if inherited is not None and dropped:
                yield Fault(
                    slot.at if slot.at.line else template.at,
                    f"{title_of(template)}.{POLICIES[policy].key}.{POLICIES[policy].attributes[attribute].key}",
                    "this list replaces the inherited one and drops {dropped}",
                    {"dropped": listed(dropped)},
                    help="repeat what is to stay: lists are not merged",
                    related=(Related(inherited.at, "inherited from here"),) if inherited.at.line else (),
                )


def _lists(template: Template) -> Iterator[tuple[str, str, Slot]]:
    for declaration in template.declarations:
        attributes = POLICIES[declaration.policy].attributes
        for name, slot in declaration.slots.items():
            if name in attributes and attributes[name].kind is AttributeKind.EXCEPTIONS and slot.certain:
                yield name, declaration.policy, slot


def _inherited(policy: str, attribute: str, chain: Sequence[str], templates: Sequence[Template]) -> Slot | None:
    """The list that counts without the template: the nearest parent's, of several sources the last."""
    for name in chain:
        slots: list[Mapping[str, Slot]] = [
            declaration.slots
            for template in templates
            if (template.name, template.profile) == (name, None)
            for declaration in template.declarations
            if declaration.policy == policy and attribute in declaration.slots
        ]
        if slots:
            return slots[-1][attribute]
    return None


def _dropped(own: Value, inherited: Value) -> list[str]:
    """The members of the inherited list of which certainly neither the type itself nor a base is in one's own.

    An empty list is no slip: it can only be meant.
    """
    ours, theirs = all_refs(own), all_refs(inherited)
    if not ours or not theirs:
        return []
    kept = {ref.name for ref in ours}
    return [
        ref.short
        for ref in theirs
        if ref.name not in kept and ref.ancestors is not None and kept.isdisjoint(ref.ancestors)
    ]
