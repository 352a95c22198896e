"""VA: attribute values that are out of range, of the wrong kind, or at odds with one another."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from ..config.defaults import nanoseconds
from ..config.profiles import Settled
from ..diagnostics import Action, Context, Fault, Needs, Related, Severity, rule
from ..facts import Element, Interval, Items, Member, Ref, Setting, Slot, Unknown, Value, Written
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
        if attribute.kind in _NUMERIC and all_fail(slot, _judge(_out_of_range, attribute)):
            yield Fault(
                slot.at,
                subject(written, attribute.name),
                "{value} is out of range: '{attribute}' must be {range}",
                {"value": show(slot.values[0]), "attribute": attribute.name, "range": _range(attribute)},
            )


def _out_of_range(attribute: Attribute, value: Value) -> bool | None:
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
        if all_fail(slot, _judge(_wrong_kind, attribute)):
            yield Fault(
                slot.at,
                subject(written, attribute.name),
                "{value} is no value for '{attribute}'",
                {"value": show(slot.values[0]), "attribute": attribute.name},
                expected=_expectation(attribute),
            )


def _expectation(attribute: Attribute) -> str:
    if attribute.members is not None:
        return f"{attribute.kind.value} of {attribute.members.__name__}"
    return attribute.kind.value


def _wrong_kind(attribute: Attribute, value: Value) -> bool | None:
    if isinstance(value, Unknown):
        return None
    return None if _fits(attribute.kind, value) else True


def _fits(kind: AttributeKind, value: Value) -> bool:
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


class _Pair(NamedTuple):
    """Two attributes of which the first may not exceed the second."""

    policy: str
    lower: str
    upper: str
    meaning: str


_PAIRS: Final = (
    _Pair("circuit_breaker", "minimum_calls", "window_size", "the window never holds that many calls"),
    _Pair("retry", "delay", "max_delay", "the first wait would already be cut"),
    _Pair("adaptive_limit", "min_limit", "initial_limit", "the limit would start below its own minimum"),
    _Pair("adaptive_limit", "initial_limit", "max_limit", "the limit would start above its own maximum"),
    _Pair("adaptive_limit", "min_limit", "max_limit", "no limit lies between them"),
)


@rule("R4C-VA-004", "pair-out-of-order", view=Written)
def pair_out_of_order(written: Written, context: Context) -> Iterator[Fault]:
    """Two bounds that exclude each other leave nothing in between: a breaker that needs more calls than its window
    holds never opens."""
    declaration = written.declaration
    for pair in _PAIRS:
        lower, upper = declaration.slots.get(pair.lower), declaration.slots.get(pair.upper)
        if pair.policy != declaration.policy or lower is None or upper is None:
            continue
        if _exceeds(pair, lower, upper) and not (pair.lower == "minimum_calls" and _may_be_time(written, context)):
            later, earlier, name = max((lower, upper, pair.upper), (upper, lower, pair.lower), key=lambda x: x[0].at)
            yield Fault(
                later.at,
                subject(written, pair.lower, pair.upper),
                "'{lower}' is more than '{upper}': {meaning}",
                {"lower": pair.lower, "upper": pair.upper, "meaning": pair.meaning},
                related=(Related(earlier.at, f"{name} is {show(earlier.value)}"),) if earlier.at.line else (),
            )


def _exceeds(pair: _Pair, lower: Slot, upper: Slot) -> bool:
    below, above = (POLICIES[pair.policy].attributes[name] for name in (pair.lower, pair.upper))
    pairs = [(_comparable(below, a), _comparable(above, b)) for a in lower.values for b in upper.values]
    return lower.certain and upper.certain and all(a is not None and b is not None and a > b for a, b in pairs)


def _comparable(attribute: Attribute, value: Value) -> float | None:
    """The value as a number, if it is valid by itself: what is wrong with one alone, other rules say."""
    if attribute.kind is AttributeKind.DURATION:
        return nanoseconds(value)
    if not isinstance(value, int | float) or not _fits(attribute.kind, value) or _out_of_range(attribute, value):
        return None
    return value


def _may_be_time(written: Written, context: Context) -> bool:
    """Whether the window may hold seconds, so that calls and seconds would be compared."""
    declaration = written.declaration
    slot = declaration.slots.get("window_type")
    if slot is not None:
        return not (slot.certain and slot.value == Member("WindowType", "COUNT"))
    if not declaration.closed or declaration.writes("config") is not False:
        return True
    meanings = (key.meaning for file in context.project.files for key in file.keys)
    return any(isinstance(meaning, Setting) and meaning.attribute == "window_type" for meaning in meanings)


class _Idle(NamedTuple):
    """Attributes without effect where another one has a certain value."""

    attributes: tuple[str, ...]
    because: str
    has: Callable[[Value], bool]
    reason: str


def _is_zero(value: Value) -> bool:
    return nanoseconds(value) == 0


def _is_one(value: Value) -> bool:
    return value == 1 and not isinstance(value, bool)


_WAITING: Final = ("delay", "backoff", "multiplier", "max_delay", "jitter")
_IDLE: Final = (
    _Idle(_WAITING, "max_attempts", _is_one, "a single attempt is never repeated"),
    _Idle(
        ("multiplier",), "backoff", lambda value: value == Member("Backoff", "FIXED"), "a fixed back-off never grows"
    ),
    _Idle(("multiplier", "max_delay", "jitter"), "delay", _is_zero, "there is no wait"),
)
# Written to say that there is none.
_NOTHING: Final = Member("Jitter", "NONE")


@rule("R4C-VA-005", "value-without-effect", view=Written, severity=Severity.WARNING)
def value_without_effect(written: Written, context: Context) -> Iterator[Fault]:
    """Whoever writes a value expects it to count. One that another value beside it switches off says something that
    does not happen."""
    slots = written.declaration.slots
    said: set[str] = set()
    for idle in _IDLE if written.declaration.policy == "retry" else ():
        cause = slots.get(idle.because)
        # A template may well say how to wait for those who allow more attempts than it does.
        if idle.because == "max_attempts" and not written.element:
            continue
        if cause is None or not cause.certain or not all(map(idle.has, cause.values)):
            continue
        for name in idle.attributes:
            slot = slots.get(name)
            if slot is not None and slot.certain and name not in said and slot.value != _NOTHING:
                said.add(name)
                yield Fault(
                    slot.at,
                    subject(written, name, idle.because),
                    "'{name}' has no effect: {reason}",
                    {"name": name, "reason": idle.reason},
                    help=f"remove it, or change '{idle.because}'",
                    related=(Related(cause.at, f"{idle.because} is {show(cause.values[0])}"),) if cause.at.line else (),
                )


@rule("R4C-VA-006", "text-for-member", view=Written, needs=Needs.KINDS, fix=Action.MEMBER)
def text_for_member(written: Written, context: Context) -> Iterator[Fault]:
    """The name of a member is not the member: a text is refused, or, if nobody looks, equals none of them."""
    for attribute, slot in _attributes(written):
        members = attribute.members
        text = all_fail(slot, _as_text) if attribute.kind is AttributeKind.MEMBER and members is not None else None
        if members is not None and text is not None:
            near = text if text in members.__members__ else did_you_mean(text, members.__members__)
            yield Fault(
                slot.at,
                subject(written, attribute.name),
                "{value} is no member of {enum}",
                {"value": show(text), "enum": members.__name__},
                suggestions=(f"{members.__name__}.{near}",) if near is not None else (),
                expected="" if near is not None else " | ".join(f"{members.__name__}.{m}" for m in members.__members__),
                words=(text,),
                certain=near == text or (near is not None and certain(text, near, members.__members__)),
            )


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
