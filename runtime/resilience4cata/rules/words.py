"""How rules put values and policies into words: one spelling for every message."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from ..durations import MAX_NANOSECONDS, format_duration
from ..facts import UNKNOWN, Declaration, Interval, Items, Member, Ref, Slot, Value, Written
from ..schema import POLICIES

T = TypeVar("T")

_LONGEST = 60
_LONG = 10**4_000
_DAY = 24 * 3600 * 10**9
# Units of durations as arguments of timedelta, which has nothing finer.
_KEYWORDS = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds", "us": "microseconds"}


def show(value: Value) -> str:
    """A value as it would be written in code: `"2s"`, `150`, `timedelta(seconds=2)`, `(OSError, KeyError)`."""
    if value is UNKNOWN:
        return "..."
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Interval):
        return _timedelta(value.nanoseconds)
    if isinstance(value, Member):
        return f"{value.enum}.{value.name}"
    if isinstance(value, Ref):
        return value.short
    if isinstance(value, Items):
        return _display(value)
    # Python refuses to write out numbers of some thousand digits in the decimal system.
    text = hex(value) if isinstance(value, int) and abs(value) >= _LONG else repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _timedelta(nanoseconds: int) -> str:
    """A call in the largest unit that divides the length; for one beyond all durations, whole days are enough."""
    size = abs(nanoseconds)
    text = format_duration(size) if size <= MAX_NANOSECONDS else f"{size // _DAY}d"
    number = text.rstrip("dhmnsu")
    keyword = _KEYWORDS.get(text[len(number) :])
    signed = f"-{number}" if nanoseconds < 0 else number
    return f"timedelta({keyword}={signed})" if keyword else f"timedelta({signed})"


def _quoted(text: str) -> str:
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    escaped = shown.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{"".join(c if c.isprintable() else _escape(c) for c in escaped)}"'


def _escape(character: str) -> str:
    # repr() knows Python's own escapes; inside double quotes they are the same.
    return repr(character)[1:-1]


def _display(items: Items) -> str:
    shown = [show(item) for item in items.items] + ([] if items.closed else ["..."])
    comma = "," if items.kind == "tuple" and len(shown) == 1 else ""
    inside = f"{', '.join(shown)}{comma}"
    return {"tuple": f"({inside})", "list": f"[{inside}]", "set": f"{{{inside}}}"}[items.kind]


def spell(declaration: Declaration, *attributes: str) -> str:
    """A declaration reduced to the attributes that matter: `fallback(method="find_fallbak")`."""
    schema = POLICIES.get(declaration.policy)
    positional = schema.positional if schema else ()
    parts = []
    for name in attributes:
        slot = declaration.slots.get(name)
        if slot is not None:
            text = " | ".join(map(_as_layers if name == "layers" else show, slot.values))
            parts.append(text if name in positional else f"{name}={text}")
    if not declaration.called:
        return declaration.policy
    return f"{declaration.policy}({', '.join(parts)})"


def _as_layers(value: Value) -> str:
    """Layers as arguments, one after the other."""
    return ", ".join(map(show, value.items)) if isinstance(value, Items) else show(value)


def on(declaration: Declaration, element: str, *attributes: str) -> str:
    """The subject of a finding about a policy on an element: `@timeout("2 s") on acme.users.UserClient.find`."""
    return f"@{spell(declaration, *attributes)} on {element}"


def subject(written: Written, *attributes: str) -> str:
    """The subject of a finding about a declaration, wherever it stands."""
    if written.element:
        return on(written.declaration, written.element, *attributes)
    spelled = spell(written.declaration, *attributes)
    return f"{spelled} in {written.within}" if written.within else spelled


def listed(words: Iterable[str]) -> str:
    """`'a'`, `'a' and 'b'`, `'a', 'b' and 'c'`."""
    quoted = [f"'{word}'" for word in words]
    return " and ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1] if quoted else "")))


def all_fail(slot: Slot, judge: Callable[[Value], T | None]) -> T | None:
    """The first verdict of `judge` if it fails every value that the slot may have, else None."""
    if not slot.certain:
        return None
    verdicts = [judge(value) for value in slot.values]
    return verdicts[0] if verdicts and all(v is not None for v in verdicts) else None
