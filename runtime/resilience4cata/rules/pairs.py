"""VA: two bounds that leave nothing between them, in one place or in the settings that come out of all layers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final, NamedTuple

from ..config.defaults import nanoseconds
from ..config.layers import SettingKey
from ..config.profiles import Settled
from ..diagnostics import Context, Fault, Needs, Related, rule
from ..facts import Composed, Element, Member, Setting, Slot, Value, Written
from ..schema import POLICIES, Attribute, AttributeKind
from .cases import Verdict
from .effective import Judge, effective_faults
from .spans import DELAY, attempts, in_words
from .values import fits, out_of_range
from .words import show, subject

_COUNT: Final = Member("WindowType", "COUNT")


class _Pair(NamedTuple):
    """Two attributes of which the first may not exceed the second."""

    policy: str
    lower: str
    upper: str
    meaning: str

    @property
    def settings(self) -> tuple[SettingKey, SettingKey]:
        return (self.policy, self.lower), (self.policy, self.upper)

    @property
    def attributes(self) -> tuple[Attribute, Attribute]:
        known = POLICIES[self.policy].attributes
        return known[self.lower], known[self.upper]


_PAIRS: Final = (
    _Pair("circuit_breaker", "minimum_calls", "window_size", "the window never holds that many calls"),
    _Pair("retry", "delay", "max_delay", "the first wait would already be cut"),
    _Pair("adaptive_limit", "min_limit", "initial_limit", "the limit would start below its own minimum"),
    _Pair("adaptive_limit", "initial_limit", "max_limit", "the limit would start above its own maximum"),
    _Pair("adaptive_limit", "min_limit", "max_limit", "no limit lies between them"),
)


@rule("R4C-VA-004", "pair-out-of-order", view=(Written, Element, Composed))
def pair_out_of_order(view: Written | Element | Composed, context: Context) -> Iterator[Fault]:
    """Two bounds that exclude each other leave nothing in between: a breaker that needs more calls than its window
    holds never opens."""
    if isinstance(view, Written):
        yield from _in_one_place(view, context)
    elif Needs.EFFECTIVE in context.provides:
        for judge, needed in _JUDGES:
            yield from effective_faults(view, context, judge, needed, of_composed=True, apart=True)


def _comparable(attribute: Attribute, value: Value) -> float | None:
    """The value as a number, if it is valid by itself: what is wrong with one alone, other rules say."""
    if attribute.kind is AttributeKind.DURATION:
        return nanoseconds(value)
    if not isinstance(value, int | float) or not fits(attribute.kind, value) or out_of_range(attribute, value):
        return None
    return value


# ---------------------------------------------------------------- in one call or table


def _in_one_place(written: Written, context: Context) -> Iterator[Fault]:
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
    below, above = pair.attributes
    pairs = [(_comparable(below, a), _comparable(above, b)) for a in lower.values for b in upper.values]
    return lower.certain and upper.certain and all(a is not None and b is not None and a > b for a, b in pairs)


def _may_be_time(written: Written, context: Context) -> bool:
    """Whether the window may hold seconds, so that calls and seconds would be compared."""
    declaration = written.declaration
    slot = declaration.slots.get("window_type")
    if slot is not None:
        return not (slot.certain and slot.value == _COUNT)
    if not declaration.closed or declaration.writes("config") is not False:
        return True
    meanings = (key.meaning for file in context.project.files for key in file.keys)
    return any(isinstance(meaning, Setting) and meaning.attribute == "window_type" for meaning in meanings)


# ---------------------------------------------------------------- in settings from several places


def _out_of_order(pair: _Pair, settled: Settled) -> Iterator[Verdict]:
    lower, upper = (settled.written(*setting) for setting in pair.settings)
    if lower is None or upper is None:
        return
    below, above = pair.attributes
    least, most = _comparable(below, lower.value), _comparable(above, upper.value)
    if least is None or most is None or least <= most or not _is_used(pair, settled):
        return
    yield Verdict(
        "{lower} {least} is more than {upper} {most}: {meaning}",
        {
            "lower": pair.lower,
            "least": _in_words(below, lower.value),
            "upper": pair.upper,
            "most": _in_words(above, upper.value),
            "meaning": pair.meaning,
        },
        pair.settings,
    )


def _is_used(pair: _Pair, settled: Settled) -> bool:
    """Whether both bounds limit the same thing, and limit it at all."""
    if pair.lower == "minimum_calls":
        kind = settled.get(pair.policy, "window_type")
        return kind is not None and kind.as_known == _COUNT
    return DELAY not in pair.settings or attempts(settled) != 1


def _in_words(attribute: Attribute, value: Value) -> str:
    length = nanoseconds(value) if attribute.kind is AttributeKind.DURATION else None
    return show(value) if length is None else in_words(length)


# Made once, since what a judge finds is kept under the judge.
_JUDGES: Final[tuple[tuple[Judge, tuple[SettingKey, ...]], ...]] = tuple(
    (partial(_out_of_order, pair), pair.settings) for pair in _PAIRS
)
