"""VA: attribute values that are right, and do nothing where they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from ..config.defaults import nanoseconds
from ..diagnostics import Context, Fault, Related, Severity, rule
from ..facts import Declaration, Element, Items, Member, Value, Written
from .words import on, show, subject


class _Idle(NamedTuple):
    """Attributes without effect where another one has a certain value."""

    attributes: tuple[str, ...]
    because: str
    has: Callable[[Value], bool]
    reason: str


def _is_one(value: Value) -> bool:
    return value == 1 and not isinstance(value, bool)


def _is_zero(value: Value) -> bool:
    return nanoseconds(value) == 0


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


@rule("R4C-VA-005", "value-without-effect", view=(Written, Element), severity=Severity.WARNING)
def value_without_effect(view: Written | Element, context: Context) -> Iterator[Fault]:
    """Whoever writes a value expects it to count. One that another value beside it switches off says something that
    does not happen."""
    if isinstance(view, Element):
        yield from _needlessly_offloaded(view)
    elif view.declaration.policy == "order":
        yield from _without_layers(view)
    else:
        yield from _switched_off(view)


def _switched_off(written: Written) -> Iterator[Fault]:
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


def _needlessly_offloaded(element: Element) -> Iterator[Fault]:
    definition = element.definition
    for applied in element.policies if definition.is_async and not definition.yields else ():
        policy = applied.policy
        # What was made elsewhere may well be meant for other functions too.
        if isinstance(policy, Declaration) and policy.policy == "timeout" and policy.at == applied.at:
            slot = policy.slots.get("offload")
            if slot is not None and slot.certain and slot.value is True:
                yield Fault(
                    slot.at,
                    on(policy, definition.id, "offload"),
                    "'offload' has no effect: an async function is cancelled, and runs on no thread of its own",
                    help="remove it",
                )


def _without_layers(written: Written) -> Iterator[Fault]:
    declaration = written.declaration
    slot = declaration.slots.get("layers")
    if declaration.closed and (slot is None or (slot.certain and slot.value == Items((), "tuple"))):
        yield Fault(
            declaration.at,
            subject(written),
            "no layer is named, so the order stays as it is",
            help="name layers, outermost first, or remove it",
        )
