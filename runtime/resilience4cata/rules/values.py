"""VA: attribute values that are out of range, of the wrong kind, or without effect."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Final

from ..config.defaults import nanoseconds
from ..config.profiles import Settled
from ..diagnostics import Action, Context, Fault, Needs, Related, Severity, rule
from ..facts import At, Element, Interval, Items, Member, Ref, Slot, Unknown, Value, Written
from ..schema import POLICIES, Attribute, AttributeKind
from ..suggestions import certain, did_you_mean
from .cases import Verdict
from .effective import effective_faults
from .words import all_fail, show, subject

_NUMERIC: Final = (AttributeKind.INTEGER, AttributeKind.NUMBER)


def _attributes(written: Written) -> Iterator[tuple[Attribute, Slot]]:
    schema = POLICIES[written.declaration.policy]
    for name, slot in written.declaration.slots.items():
        attribute = schema.attributes.get(name)
        if attribute is not None:
            yield attribute, slot


def _judge(check: Callable[[Attribute, Value], bool | None], attribute: Attribute) -> Callable[[Value], bool | None]:
    return lambda value: check(attribute, value)


@rule("R4C-VA-001", "value-out-of-range", view=Written)
def value_out_of_range(written: Written, context: Context) -> Iterator[Fault]:
    """A threshold above 100 percent is never reached and no attempt at all is never made: such a policy does nothing,
    and nobody notices until it should have."""
    for attribute, slot in _attributes(written):
        if attribute.kind in _NUMERIC and all_fail(slot, _judge(out_of_range, attribute)):
            yield Fault(
                slot.at,
                subject(written, attribute.name),
                "{value} is out of range: '{attribute}' must be {range}",
                {"value": show(slot.values[0]), "attribute": attribute.name, "range": _range(attribute)},
            )


def out_of_range(attribute: Attribute, value: Value) -> bool | None:
    """True for a number, or a truth value in its place, that the attribute cannot have."""
    if isinstance(value, bool):
        return True
    if not isinstance(value, int | float) or (attribute.kind is AttributeKind.INTEGER and isinstance(value, float)):
        return None
    below = attribute.minimum is not None and value < attribute.minimum
    not_above = attribute.above is not None and value <= attribute.above
    beyond = attribute.maximum is not None and value > attribute.maximum
    endless = isinstance(value, float) and not math.isfinite(value)
    return True if below or not_above or beyond or endless else None


def _range(attribute: Attribute) -> str:
    bounds = [f"above {attribute.above:g}"] if attribute.above is not None else []
    bounds += [f"at least {attribute.minimum:g}"] if attribute.minimum is not None else []
    bounds += [f"at most {attribute.maximum:g}"] if attribute.maximum is not None else []
    return f"{attribute.kind.value}, {' and '.join(bounds)}"


@rule("R4C-VA-002", "unknown-attribute", view=Written, needs=Needs.SYNTAX, fix=Action.ARGUMENT)
def unknown_attribute(written: Written, context: Context) -> Iterator[Fault]:
    """The call raises TypeError, at import time if it decorates: a whole service does not start for a misspelt word."""
    declaration = written.declaration
    attributes = POLICIES[declaration.policy].attributes
    for name, slot in declaration.slots.items():
        if name not in attributes and slot.certain:
            suggestion = did_you_mean(name, attributes)
            yield Fault(
                slot.at,
                subject(written, name),
                "{policy} has no attribute '{name}'",
                {"policy": declaration.policy, "name": name},
                suggestions=(suggestion,) if suggestion else (),
                help="" if suggestion else f"it has {', '.join(attributes)}",
                words=(name,),
                rivals=tuple(attributes),
            )
    for slot in declaration.positional:
        yield Fault(
            slot.at,
            subject(written),
            "{policy} takes {its} attributes by name, not by position: {value}",
            {
                "policy": declaration.policy,
                "its": "its other" if POLICIES[declaration.policy].positional else "its",
                "value": show(slot.values[0]),
            },
            help=f"it has {', '.join(attributes)}",
        )


@rule("R4C-VA-003", "wrong-kind", view=Written, needs=Needs.KINDS)
def wrong_kind(written: Written, context: Context) -> Iterator[Fault]:
    """Text is not a number and a list is not a tuple of types; Python accepts both until the value is used."""
    for attribute, slot in _attributes(written):
        for single in _single_values(attribute, slot):
            if all_fail(single, _judge(_wrong_kind, attribute)):
                yield Fault(
                    single.at,
                    subject(written, attribute.name),
                    "{value} is no value for '{attribute}'",
                    {"value": show(single.values[0]), "attribute": attribute.name},
                    expected=_expectation(attribute),
                )


def _expectation(attribute: Attribute) -> str:
    members = _members(attribute)
    if members is None:
        return attribute.kind.value
    return f"{AttributeKind.MEMBER.value} of {members.__name__}"


def _single_values(attribute: Attribute, slot: Slot) -> Iterator[Slot]:
    """The slot itself; of layers, a slot for each of them, at the place of all."""
    if attribute.kind is not AttributeKind.LAYERS:
        yield slot
    elif slot.certain and len(slot.values) == 1 and isinstance(slot.value, Items):
        yield from (Slot((layer,), slot.at) for layer in slot.value.items)


def _members(attribute: Attribute) -> type[Enum] | None:
    """The enumeration to which a value belongs, or each of the layers."""
    if attribute.kind is AttributeKind.LAYERS and isinstance(attribute.default, tuple):
        return type(attribute.default[0])
    return attribute.members


def _wrong_kind(attribute: Attribute, value: Value) -> bool | None:
    if isinstance(value, Unknown):
        return None
    return None if fits(attribute.kind, value) else True


def fits(kind: AttributeKind, value: Value) -> bool:
    """Whether a value may be of this kind; what other rules judge better, and what is not certain, fits."""
    match kind:
        case AttributeKind.DURATION:  # numbers are R4C-DU-002
            return isinstance(value, str | Interval | int | float) and not isinstance(value, bool)
        case AttributeKind.INTEGER:
            return isinstance(value, int)
        case AttributeKind.NUMBER:
            return isinstance(value, int | float)
        case AttributeKind.BOOLEAN:
            return isinstance(value, bool)
        case AttributeKind.MEMBER:  # text is R4C-VA-006
            return isinstance(value, Member | str) or (isinstance(value, Ref) and value.is_class is None)
        case AttributeKind.LAYERS:  # one of them
            named = isinstance(value, str) or (isinstance(value, Ref) and value.is_class is None)
            return named or (isinstance(value, Member) and value.enum == "Layer")
        case AttributeKind.EXCEPTIONS:  # single things that are no types are R4C-CL-002
            return not isinstance(value, Items) or value.kind == "tuple"
        case AttributeKind.METHODS:
            return isinstance(value, str) or _is_tuple_of_text(value)
        case AttributeKind.INSTANCE_NAME | AttributeKind.TEMPLATE_NAME | AttributeKind.BUDGET_NAME:
            return isinstance(value, str)
        case _:
            return True


def _is_tuple_of_text(value: Value) -> bool:
    if not isinstance(value, Items) or value.kind != "tuple":
        return False
    return all(isinstance(item, str | Unknown) for item in value.items)


@rule("R4C-VA-006", "text-for-member", view=Written, needs=Needs.KINDS, fix=Action.MEMBER)
def text_for_member(written: Written, context: Context) -> Iterator[Fault]:
    """The name of a member is not the member: a text is refused, or, if nobody looks, equals none of them."""
    for attribute, slot in _attributes(written):
        members = _members(attribute)
        for single in _single_values(attribute, slot) if members is not None else ():
            text = all_fail(single, _as_text)
            if members is not None and text is not None:
                yield _no_member(single.at, subject(written, attribute.name), text, members)


def _no_member(at: At, title: str, text: str, members: type[Enum]) -> Fault:
    near = text if text in members.__members__ else did_you_mean(text, members.__members__)
    return Fault(
        at,
        title,
        "{value} is no member of {enum}",
        {"value": show(text), "enum": members.__name__},
        suggestions=(f"{members.__name__}.{near}",) if near is not None else (),
        expected="" if near is not None else " | ".join(f"{members.__name__}.{m}" for m in members.__members__),
        words=(text,),
        certain=near == text or (near is not None and certain(text, near, members.__members__)),
    )


def _is_zero(value: Value) -> bool:
    return nanoseconds(value) == 0


def _as_text(value: Value) -> str | None:
    return value if isinstance(value, str) else None


_MANY: Final = 1_000
# Python refuses to write out numbers of some thousand digits.
_COUNTABLE: Final = 10**18


@rule(
    "R4C-VA-007",
    "runaway-retry",
    view=(Written, Element),
    severity=Severity.WARNING,
    needs=Needs.EFFECTIVE,
)
def runaway_retry(view: Written | Element, context: Context) -> Iterator[Fault]:
    """Retries without a wait that grows, or without an end, hit a service that is down as fast and as long as they
    can."""
    if isinstance(view, Element):
        return effective_faults(view, context, _endless, (("retry", "max_attempts"),), _is_many)
    return _without_growth(view)


def _without_growth(written: Written) -> Iterator[Fault]:
    slots = written.declaration.slots
    backoff, delay = slots.get("backoff"), slots.get("delay")
    if written.declaration.policy != "retry" or backoff is None or delay is None:
        return
    is_growing = backoff.certain and backoff.value == Member("Backoff", "EXPONENTIAL")
    if is_growing and delay.certain and all(map(_is_zero, delay.values)):
        yield Fault(
            delay.at,
            subject(written, "delay", "backoff"),
            "a delay of zero never grows: each retry follows at once",
            help="give 'delay' a length",
            related=(Related(backoff.at, "backoff is Backoff.EXPONENTIAL"),) if backoff.at.line else (),
        )


def _is_many(value: Value) -> bool:
    return isinstance(value, int) and value >= _MANY


def _endless(settled: Settled) -> Iterator[Verdict]:
    attempts, longest = settled.written("retry", "max_attempts"), settled.get("retry", "max_duration")
    budget = settled.get("retry", "budget")
    is_bounded = longest is None or not _is_zero(longest.value) or budget is None or budget.value is not None
    if attempts is None or is_bounded or isinstance(attempts.value, bool):
        return
    if isinstance(attempts.value, int) and _is_many(attempts.value):
        yield Verdict(
            "{attempts} attempts, and nothing bounds how long they take",
            {"attempts": f"{attempts.value:,}" if attempts.value < _COUNTABLE else "countless"},
            (("retry", "max_attempts"),),
            help="add max_duration",
        )
