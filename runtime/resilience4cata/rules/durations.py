"""DU: durations that are none, lack a unit, or make no sense."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ..config.defaults import inspected, nanoseconds
from ..diagnostics import Action, Context, Fault, Needs, Offer, Severity, rule
from ..durations import MAX_NANOSECONDS, Problem, format_duration
from ..facts import Interval, Slot, Value, Written
from ..schema import POLICIES, Attribute, AttributeKind
from .words import all_fail, show, subject

# What each reason of `durations.Problem` means to somebody who wrote the text.
_REASONS: Final = {
    "empty": "it is empty",
    "no-number": "the number is missing",
    "decimal": "only whole numbers are allowed",
    "too-fine": "nothing is finer than a nanosecond",
    "exponent": "exponents are not allowed",
    "compound": "only one number and unit are allowed",
    "space": "blanks are not allowed",
    "case": "units are written in another case",
    "case-m": "a capital M is no unit",
    "unit": "the unit is unknown",
    "calendar": "months and years have no fixed length",
    "non-ascii": "only ASCII characters are allowed",
    "separator": "digits are not grouped",
    "leading-zero": "a number does not start with zero",
    "sign": "there is no sign",
    "iso-date": "ISO durations here have no date part",
    "iso-empty": "the ISO duration has no parts",
    "iso-unit": "a number in an ISO duration has no unit of its own",
    "iso-t": "the T of an ISO duration is missing",
    "iso-p": "the P of an ISO duration is missing",
    "iso-comma": "the decimal mark is a point",
    "iso-fraction": "only seconds have a fraction, with a digit on both sides of the point",
    "iso-order": "ISO parts come once each, in the order hours, minutes, seconds",
    "clock": "a time of day is not a duration",
    "order": "the number comes before the unit",
    "word": "it is made of words",
    "format": "it has another form",
}

_FORM: Final = "a number and a unit (ns us ms s m h d)"


def _durations(written: Written) -> Iterator[tuple[Attribute, Slot]]:
    schema = POLICIES[written.declaration.policy]
    for name, slot in written.declaration.slots.items():
        attribute = schema.attributes.get(name)
        if attribute is not None and attribute.kind is AttributeKind.DURATION:
            yield attribute, slot


def _problem_with(code: str) -> Callable[[Value], Problem | None]:
    """A judge that gives the problem of a text if it has this code."""

    def judge(value: Value) -> Problem | None:
        verdict = inspected(value) if isinstance(value, str) else None
        return verdict if isinstance(verdict, Problem) and verdict.code == code else None

    return judge


@rule("R4C-DU-001", "invalid-duration", view=Written, fix=Action.WRITE)
def invalid_duration(written: Written, context: Context) -> Iterator[Fault]:
    """A duration that the grammar does not know cannot be waited for: the mistake would surface when the policy is
    first needed, or be read as another length than the author meant."""
    for attribute, slot in _durations(written):
        problem = all_fail(slot, _problem_with("R4C-DU-001"))
        if problem is not None:
            where = "" if problem.position is None else f", at character {problem.position + 1}"
            yield Fault(
                slot.at,
                subject(written, attribute.name),
                "{value} is not a duration: {reason}{where}",
                {
                    "value": show(slot.values[0]),
                    "reason": _REASONS[problem.reason],
                    "where": where,
                },
                suggestions=problem.suggestions,
                expected="" if problem.suggestions else _FORM,
                words=_text(slot),
            )


def _text(slot: Slot) -> tuple[str, ...]:
    """The text that is written, if it is one."""
    return (slot.value,) if isinstance(slot.value, str) else ()


@rule("R4C-DU-002", "duration-without-unit", view=Written)
def duration_without_unit(written: Written, context: Context) -> Iterator[Fault]:
    """A bare number is seconds to one reader and milliseconds to the next; a factor of a thousand is easily missed."""
    for attribute, slot in _durations(written):
        suggestions = all_fail(slot, lambda value: _with_unit(value, context))
        if suggestions is not None:
            yield Fault(
                slot.at,
                subject(written, attribute.name),
                "{value} has no unit",
                {"value": show(slot.values[0])},
                suggestions=suggestions,
                expected="" if suggestions else _FORM,
            )


def _with_unit(value: Value, context: Context) -> tuple[str, ...] | None:
    if isinstance(value, str):
        verdict = inspected(value)
        return verdict.suggestions if isinstance(verdict, Problem) and verdict.code == "R4C-DU-002" else None
    # Type checkers refuse numbers in their own words.
    if (
        Needs.KINDS not in context.provides
        or isinstance(value, bool)
        or not isinstance(value, int | float)
        or value < 0
    ):
        return None
    return tuple(reading for unit in ("s", "ms") for reading in _reading(value, unit))


def _reading(number: float, unit: str) -> tuple[str, ...]:
    # A number with more digits than any duration has is not worth turning into text.
    if not number < MAX_NANOSECONDS:
        return ()
    text = f"{number}{unit}"
    verdict = inspected(text)
    return (text,) if isinstance(verdict, int) else verdict.suggestions[:1]


@rule("R4C-DU-003", "negative-duration", view=Written)
def negative_duration(written: Written, context: Context) -> Iterator[Fault]:
    """Nothing waits for less than no time. A minus is a slip whose meaning nobody can guess, so none is dropped."""
    for attribute, slot in _durations(written):
        suggestions = all_fail(slot, lambda value: _negative(value, context))
        if suggestions is not None:
            yield Fault(
                slot.at,
                subject(written, attribute.name),
                "{value} is negative",
                {"value": show(slot.values[0])},
                suggestions=suggestions,
                help="" if suggestions else "a duration is zero or more",
            )


def _negative(value: Value, context: Context) -> tuple[str, ...] | None:
    if isinstance(value, Interval):
        return () if value.nanoseconds < 0 else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return () if value < 0 and Needs.KINDS in context.provides else None
    problem = _problem_with("R4C-DU-003")(value)
    return problem.suggestions if problem is not None else None


@rule("R4C-DU-004", "duration-too-long", view=Written)
def duration_too_long(written: Written, context: Context) -> Iterator[Fault]:
    """Clocks count nanoseconds in 64 bits, which end after 292 years; more is a slip of the unit or of the keyboard."""
    for attribute, slot in _durations(written):
        if all_fail(slot, _too_long):
            yield Fault(
                slot.at,
                subject(written, attribute.name),
                "{value} is longer than 2^63-1 nanoseconds",
                {"value": show(slot.values[0])},
                help="the longest duration is 106751d",
            )


def _too_long(value: Value) -> bool | None:
    if isinstance(value, Interval):
        return True if value.nanoseconds > MAX_NANOSECONDS else None
    return True if _problem_with("R4C-DU-004")(value) is not None else None


@rule("R4C-DU-005", "zero-duration", view=Written)
def zero_duration(written: Written, context: Context) -> Iterator[Fault]:
    """Where zero has no meaning it would refuse every call or none: a timeout of zero, a period without length."""
    for attribute, slot in _durations(written):
        if not attribute.zero and all_fail(slot, lambda value: True if nanoseconds(value) == 0 else None):
            yield Fault(
                slot.at,
                subject(written, attribute.name),
                "{attribute} cannot be zero",
                {"attribute": _named(written, attribute)},
                help="to switch the policy off, use 'enabled'",
            )


@rule(
    "R4C-DU-006",
    "roundabout-duration",
    view=Written,
    severity=Severity.WARNING,
    needs=Needs.SYNTAX,
    on_by_default=False,
    fix=Offer(Action.WRITE, is_safe=True),
)
def roundabout_duration(written: Written, context: Context) -> Iterator[Fault]:
    """The same length in other words has to be worked out: whoever compares `60000ms` with `1m` counts zeros."""
    for attribute, slot in _durations(written):
        canonical = _canonical(slot.value) if slot.certain else None
        if canonical is not None and canonical != slot.value:
            yield Fault(
                slot.at,
                subject(written, attribute.name),
                "{value} is a roundabout way to write {canonical}",
                {"value": show(slot.value), "canonical": show(canonical)},
                suggestions=(canonical,),
                words=_text(slot),
            )


def _canonical(value: Value) -> str | None:
    """The shortest spelling of a text that is a duration; zero may be written in any unit."""
    length = inspected(value) if isinstance(value, str) else None
    return format_duration(length) if isinstance(length, int) and length else None


def _named(written: Written, attribute: Attribute) -> str:
    return written.declaration.policy if attribute.positional else f"'{attribute.name}'"
