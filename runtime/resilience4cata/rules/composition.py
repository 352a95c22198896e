"""CMP: composed policies, and several policies on one element."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Final, NamedTuple

from ..config.equality import same
from ..diagnostics import Action, Context, Fault, Needs, Offer, Related, Severity, rule
from ..facts import Applied, At, Composed, Declaration, Element, NotAPolicy, PipelineCall, Project, Slot
from ..schema import POLICIES
from ..suggestions import certain
from .places import named
from .words import on, show

# Names and templates choose an instance and a starting point; they are no settings that two policies could disagree on.
# Orders are compared by what they lead to, in R4C-OR-005.
_NO_SETTINGS: Final = frozenset({"name", "config", "handler", "method", "layers"})

# Between the words of `externalCall`, and of `HTTPCall`.
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@rule("R4C-CMP-002", "member-not-a-policy", view=(Composed, PipelineCall), needs=Needs.KINDS)
def member_not_a_policy(composed: Composed | PipelineCall, context: Context) -> Iterator[Fault]:
    """A member that is no policy guards nothing, and whoever applies the composed policy believes it does."""
    for member in composed.members:
        if isinstance(member, NotAPolicy):
            yield Fault(
                member.at,
                composed.title,
                "{member} is not a policy",
                {"member": member.text},
                expected="policies such as retry(...), or other composed policies",
            )


@rule("R4C-CMP-003", "policy-twice", view=(Composed, Element))
def policy_twice(view: Composed | Element, context: Context) -> Iterator[Fault]:
    """Two retries in one place do not retry twice: the attributes of both would be mixed, and nobody could say which
    one counts."""
    if isinstance(view, Composed):
        members = [member for member in view.members if isinstance(member, Declaration)]
        yield from _repeated([(member, member.at) for member in members], view.title)
    else:
        direct = [(a.policy, a.at) for a in view.policies if isinstance(a.policy, Declaration)]
        yield from _repeated(direct, "", view.definition.id)


def _repeated(declarations: Iterable[tuple[Declaration, At]], title: str, element: str = "") -> Iterator[Fault]:
    first: dict[str, At] = {}
    for declaration, at in declarations:
        earlier = first.setdefault(declaration.policy, at)
        if earlier is not at:
            yield Fault(
                at,
                f"@{declaration.policy}() on {element}" if element else title,
                "{policy} is written twice",
                {"policy": declaration.policy},
                help="write its attributes in one place",
                related=(Related(earlier, "first written here"),) if earlier.line else (),
            )


class _Given(NamedTuple):
    """A value that a composed policy gives to an attribute, and the innermost composed policy that writes it."""

    slot: Slot
    source: Composed


def settings_of(composed: Composed) -> Mapping[tuple[str, str], _Given | None]:
    """What a composed policy sets, by policy and attribute; None where that is not known.

    What it writes itself beats what its composed members bring; among those, one value is only known if they agree.
    """
    found: dict[tuple[str, str], _Given | None] = {}
    for member in composed.members:
        if isinstance(member, Composed):
            for key, given in settings_of(member).items():
                agreed = key not in found or _agree(key, found[key], given)
                found[key] = given if agreed else None
    for member in composed.members:
        if isinstance(member, Declaration):
            for name, slot in member.slots.items():
                if name not in _NO_SETTINGS:
                    found[member.policy, name] = _Given(slot, composed) if slot.certain else None
    return found


def _agree(key: tuple[str, str], left: _Given | None, right: _Given | None) -> bool:
    return left is not None and right is not None and not _differ(key, left.slot, right.slot)


def _differ(key: tuple[str, str], left: Slot, right: Slot) -> bool:
    """Whether two slots of one attribute certainly hold different values, however each is spelled."""
    policy, name = key
    attribute = POLICIES[policy].attributes.get(name)
    if attribute is None or not (left.certain and right.certain):
        return False
    return all(same(attribute, ours, theirs) is False for ours in left.values for theirs in right.values)


@rule("R4C-CMP-004", "composed-policies-disagree", view=Element)
def composed_policies_disagree(element: Element, context: Context) -> Iterator[Fault]:
    """If the last one won, swapping two decorators would change a timeout. Which of the two values is meant, only a
    person can say."""
    composed = [(a, a.policy) for a in element.policies if isinstance(a.policy, Composed)]
    direct = {
        (a.policy.policy, name)
        for a in element.policies
        if isinstance(a.policy, Declaration)
        for name in a.policy.slots
    }
    for (_, left), (later, right) in combinations(composed, 2):
        for key, one, other in _disagreements(left, right):
            if key not in direct:
                yield _disagreement(element.definition.id, later, key, one, other)


def _disagreements(left: Composed, right: Composed) -> Iterator[tuple[tuple[str, str], _Given, _Given]]:
    theirs = settings_of(right)
    for key, one in settings_of(left).items():
        other = theirs.get(key)
        if one is not None and other is not None and _differ(key, one.slot, other.slot):
            yield key, one, other


def _disagreement(element: str, later: Applied, key: tuple[str, str], one: _Given, other: _Given) -> Fault:
    policy, attribute = key
    return Fault(
        later.at,
        f"@{named(later)} on {element}",
        "composed policies disagree on {policy} {attribute}: {one} from {source} but {other} from {other_source}",
        {
            "policy": policy,
            "attribute": attribute,
            "one": show(one.slot.values[0]),
            "source": one.source.title,
            "other": show(other.slot.values[0]),
            "other_source": other.source.title,
        },
        help="set it explicitly on the method to resolve",
        related=tuple(
            Related(given.slot.at, f"{show(given.slot.values[0])} is set here")
            for given in (one, other)
            if given.slot.at.line
        ),
    )


@rule(
    "R4C-CMP-005",
    "name-unlike-variable",
    view=Composed,
    severity=Severity.WARNING,
    needs=Needs.SYNTAX,
    # The slip may be in the variable, and configuration knows the name.
    fix=Offer(Action.WRITE, is_safe=False),
)
def name_unlike_variable(composed: Composed, context: Context) -> Iterator[Fault]:
    """The variable is how code finds a composed policy, the name is how configuration finds it. Where they have nothing
    in common, or nearly everything, one of them is a slip."""
    variable, name = (composed.variable or "").rpartition(".")[2].strip("_"), composed.name.value
    if not variable or not isinstance(name, str) or not name:
        return
    wanted = _HUMP.sub("-", variable).lower().replace("_", "-")
    words, others = set(wanted.split("-")), set(re.split(r"[^a-z0-9]+", name.lower()))
    if words == others or (words & others and not certain(name, wanted)):
        return
    yield Fault(
        composed.name.at,
        composed.title,
        "the name '{name}' does not match the variable '{variable}'",
        {"name": name, "variable": variable},
        suggestions=(wanted,),
        words=(name,),
    )


@rule(
    "R4C-CMP-006",
    "repeated-value",
    view=Element,
    severity=Severity.WARNING,
    needs=Needs.SYNTAX,
    on_by_default=False,
    fix=Offer(Action.DROP_ARGUMENT, is_safe=False),
)
def repeated_value(element: Element, context: Context) -> Iterator[Fault]:
    """A value that the composed policy beside it gives anyway says nothing today, and holds on to the old value on the
    day when the composed policy changes."""
    composed = [(a, settings_of(a.policy)) for a in element.policies if isinstance(a.policy, Composed)]
    for applied in element.policies:
        policy = applied.policy
        if not isinstance(policy, Declaration) or policy.at != applied.at:
            continue
        for name, slot in policy.slots.items():
            key = policy.policy, name
            givers = [(giver, given[key]) for giver, given in composed if key in given]
            if givers and all(given is not None and _same(key, slot, given.slot) for _, given in givers):
                giver, given = givers[0]
                related = (Related(given.slot.at, f"'{name}' is given here"),) if given and given.slot.at.line else ()
                yield Fault(
                    slot.at,
                    on(policy, element.definition.id, name),
                    "'{attribute}' repeats the value that {giver} gives",
                    {"attribute": name, "giver": named(giver)},
                    help="remove it",
                    related=related,
                    words=(name,),
                )


def _same(key: tuple[str, str], left: Slot, right: Slot) -> bool:
    """Whether two slots of one attribute certainly hold the same value, however each is spelled."""
    attribute = POLICIES[key[0]].attributes.get(key[1])
    is_certain = attribute is not None and left.certain and right.certain
    return attribute is not None and is_certain and same(attribute, left.value, right.value) is True


@rule("R4C-CMP-007", "composed-name-taken", view=Project, needs=Needs.PROJECT)
def composed_name_taken(project: Project, context: Context) -> Iterator[Fault]:
    """The name is the configuration key of a whole family. If two different bundles share it, one line of configuration
    tunes both, and half of it fits neither."""
    first: dict[str, Composed] = {}
    for composed in sorted(project.composed, key=lambda c: c.at):
        name = composed.name.value
        if not isinstance(name, str):
            continue
        earlier = first.setdefault(name, composed)
        if earlier is not composed and _may_coexist(earlier, composed) and _certainly_differ(earlier, composed):
            yield Fault(
                composed.at,
                composed.title,
                "another composed policy has the name '{name}' and other members",
                {"name": name},
                help="give each its own name, or import the first",
                related=(Related(earlier.at, "the other is defined here"),),
            )


def _may_coexist(left: Composed, right: Composed) -> bool:
    """Whether both are there at once: not two definitions of one variable, nor what functions (tests, most often) make
    for themselves."""
    local = any("<locals>" in (composed.variable or "") for composed in (left, right))
    return not local and (left.variable is None or left.variable != right.variable)


def _certainly_differ(left: Composed, right: Composed) -> bool:
    ours, theirs = _contents(left), _contents(right)
    if ours is None or theirs is None:
        return False
    if ours.keys() != theirs.keys():
        return True
    return any(
        slot is not None and other is not None and _differ(key, slot, other)
        for key, slot, other in ((key, ours[key], theirs[key]) for key in ours)
    )


def _contents(composed: Composed) -> Mapping[tuple[str, str], Slot | None] | None:
    """Everything that a composed policy brings, whatever the order it was written in; None if that is not all known.

    A policy without attributes counts as itself, under the attribute "".
    """
    contents: dict[tuple[str, str], Slot | None] = {}
    for member in composed.members:
        if isinstance(member, Composed):
            nested = _contents(member)
            if nested is None:
                return None
            contents.update((key, slot) for key, slot in nested.items() if key not in contents)
        elif isinstance(member, Declaration) and member.closed:
            contents[member.policy, ""] = None
            contents.update(((member.policy, name), slot) for name, slot in member.slots.items())
        else:
            return None
    return contents if composed.closed else None


@rule(
    "R4C-CMP-008",
    "composed-policy-called",
    view=Element,
    needs=Needs.SYNTAX,
    fix=Offer(Action.REFER, is_safe=True),
)
def composed_policy_called(element: Element, context: Context) -> Iterator[Fault]:
    """A composed policy is a decorator already. Called without the function that it should guard, it raises TypeError
    at import."""
    for applied in element.policies:
        if applied.called_again:
            yield Fault(
                applied.at,
                f"@{named(applied)}() on {element.definition.id}",
                "a composed policy is applied without parentheses",
                help="remove ()",
            )
