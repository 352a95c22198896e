"""OR: the order of layers, where it is changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import Final, NamedTuple

from ..config.order import arranged, default_order, is_order, layers_of
from ..config.origin import Layer
from ..config.profiles import Settled
from ..config.resolve import last_global
from ..diagnostics import Action, Context, Fault, Needs, Offer, Related, Severity, rule
from ..facts import (
    Applied,
    At,
    Composed,
    ConfigFile,
    Declaration,
    Element,
    Global,
    Key,
    Member,
    Project,
    Setting,
    Slot,
    Value,
    Written,
    entries,
)
from .cases import Verdict
from .effective import effective_faults
from .places import named
from .spans import in_words, least_waits
from .words import listed, subject

_LAYERS: Final = ("order", "layers")


# ---------------------------------------------------------------- a layer twice


@rule("R4C-OR-001", "layer-twice", view=(Written, ConfigFile))
def layer_twice(view: Written | ConfigFile, context: Context) -> Iterator[Fault]:
    """A call passes each layer once. An order that names one twice says two things about its place, and only the first
    is heard."""
    if isinstance(view, Written):
        slot = view.declaration.slots.get("layers")
        if view.declaration.policy == "order" and slot is not None and slot.certain:
            yield from (_twice(slot.at, subject(view, "layers"), layer) for layer in _repeated(slot.value))
    else:
        yield from (_twice(key.value_at, key.text, layer) for key in _orders(view) for layer in _repeated(key.value))


def _orders(file: ConfigFile) -> Iterator[Key]:
    """The keys that set an order, that of everything or of some."""
    for key in file.keys:
        meaning = key.meaning
        is_own = isinstance(meaning, Setting) and (meaning.policy, meaning.attribute) == _LAYERS
        if is_own or meaning == Global("order"):
            yield key


def _members(value: Value) -> list[str]:
    return [entry.name for entry in entries(value) if isinstance(entry, Member)]


def _repeated(value: Value) -> list[str]:
    layers = _members(value)
    return [layer for layer in dict.fromkeys(layers) if layers.count(layer) > 1]


def _twice(at: At, title: str, layer: str) -> Fault:
    return Fault(at, title, "the layer {layer} is named twice", {"layer": layer}, help="name each layer once")


# ---------------------------------------------------------------- surprising orders


class _Surprise(NamedTuple):
    """A layer that runs inside of another, and what follows from that."""

    inner: str
    outer: str
    consequence: str


_SURPRISES: Final = (
    _Surprise("fallback", "retry", "what the fallback gives is a success, so nothing is tried again"),
    _Surprise("fallback", "hedge", "what the fallback gives is a success, so no other attempt can win"),
    _Surprise("fallback", "circuit_breaker", "what the fallback gives is a success, so the breaker never opens"),
    _Surprise("retry", "bulkhead", "a slot is held during all waits between attempts"),
)


@rule(
    "R4C-OR-002",
    "surprising-order",
    view=(Element, Composed, ConfigFile),
    severity=Severity.WARNING,
    needs=Needs.EFFECTIVE,
)
def surprising_order(view: Element | Composed | ConfigFile, context: Context) -> Iterator[Fault]:
    """Orders can be changed, and some changes mean more than they seem to: a policy further in decides what those
    around it get to see."""
    if not isinstance(view, ConfigFile):
        yield from effective_faults(view, context, _surprises, (_LAYERS,), of_composed=True)
    else:
        for key in view.keys:
            if key.meaning == Global("order"):
                yield from _surprises_of_all(key)


def _surprises(settled: Settled) -> Iterator[Verdict]:
    if settled.written(*_LAYERS) is None:
        return
    for inner, outer, consequence in _SURPRISES:
        if settled.get(inner, "enabled") and settled.get(outer, "enabled") and settled.is_within(inner, outer):
            yield _surprise(inner, outer, consequence)
    timeout = settled.span("timeout", "value")
    if timeout is not None and settled.is_within("retry", "timeout"):
        waits = sum(least_waits(settled))
        if timeout < waits:
            values = {"timeout": in_words(timeout), "waits": in_words(waits)}
            yield Verdict(
                "the timeout {timeout} bounds all attempts, and the waits between them take {waits} at least: "
                "the last attempt is never made",
                values,
                (_LAYERS,),
                (("timeout", "value"), ("retry", "delay")),
                help="leave the timeout inside of the retry, and bound the whole by max_duration",
            )


def _surprise(inner: str, outer: str, consequence: str) -> Verdict:
    return Verdict(
        "{inner} runs inside of {outer}: {consequence}",
        {"inner": inner, "outer": outer, "consequence": consequence},
        (_LAYERS,),
        help=f"put {inner.upper()} before {outer.upper()}",
    )


def _surprises_of_all(key: Key) -> Iterator[Fault]:
    layers = arranged(layers_of(key.value), default_order())
    for inner, outer, consequence in _SURPRISES:
        if layers.index(inner) > layers.index(outer):
            verdict = _surprise(inner, outer, consequence)
            yield Fault(key.value_at, key.text, verdict.message, verdict.values, help=verdict.help)


# ---------------------------------------------------------------- layers that are not there


@rule(
    "R4C-OR-003",
    "absent-layer",
    view=Element,
    severity=Severity.WARNING,
    needs=Needs.EFFECTIVE,
    # A policy may be missing instead.
    fix=Offer(Action.DROP_LAYERS, is_safe=False),
)
def absent_layer(element: Element, context: Context) -> Iterator[Fault]:
    """An order on a function speaks about its own layers. One that the function does not have is a policy that was
    forgotten, or an order that was copied."""
    return effective_faults(element, context, _absent, (_LAYERS,))


def _absent(settled: Settled) -> Iterator[Verdict]:
    found = settled.written(*_LAYERS)
    if found is None or found.origin.layer is not Layer.METHOD_DIRECT or not is_order(found.value):
        return
    absent = [layer for layer in layers_of(found.value) if settled.lacks(layer)]
    if absent:
        names = tuple(layer.upper() for layer in dict.fromkeys(absent))
        yield Verdict(
            "the order names {layers}, which the function does not have",
            {"layers": listed(names)},
            (_LAYERS,),
            help="remove it, or add the policy",
            words=names,
        )


# ---------------------------------------------------------------- written otherwise


@rule(
    "R4C-OR-004",
    "written-out-of-order",
    view=Element,
    severity=Severity.WARNING,
    needs=Needs.SYNTAX,
    on_by_default=False,
    fix=Offer(Action.REORDER, is_safe=True),
)
def written_out_of_order(element: Element, context: Context) -> Iterator[Fault]:
    """Decorators run in one order, however they are written. Written in that order, they can be read."""
    direct = [a for a in element.policies if isinstance(a.policy, Declaration)]
    order = _order_of(direct, context.project)
    written = [(a, a.policy.policy) for a in direct if isinstance(a.policy, Declaration) and a.policy.policy in order]
    for (_, above), (applied, below) in pairwise(written):
        if order.index(below) < order.index(above):
            right = sorted(written, key=lambda pair: order.index(pair[1]))
            yield Fault(
                applied.at,
                f"@{named(applied)} on {element.definition.id}",
                "{below} is written inside of {above} and runs around it",
                {"below": below, "above": above},
                help=f"write them as they run: {', '.join(policy for _, policy in right)}",
                places=tuple(applied.at for applied, _ in right),
            )
            return


def _order_of(direct: Sequence[Applied], project: Project) -> tuple[str, ...]:
    """The order of an element by what is written on it; empty where it is not known."""
    key = last_global(project.files, "order")
    order = arranged(layers_of(key.value) if key is not None else (), default_order())
    for applied in direct:
        policy = applied.policy
        if isinstance(policy, Declaration) and policy.policy == "order":
            value = policy.value("layers")
            return arranged(layers_of(value), order) if is_order(value) else ()
    return order


# ---------------------------------------------------------------- two orders


@rule("R4C-OR-005", "composed-orders-differ", view=Element)
def composed_orders_differ(element: Element, context: Context) -> Iterator[Fault]:
    """If the order of the last one won, swapping two decorators would change which policy sees what. Which of the two
    is meant, only a person can say."""
    if any(isinstance(a.policy, Declaration) and a.policy.policy == "order" for a in element.policies):
        return
    composed = [(a, slot) for a in element.policies if isinstance(a.policy, Composed) and (slot := _brought(a.policy))]
    for (earlier, one), (later, other) in combinations(composed, 2):
        orders = [arranged(layers_of(slot.value), default_order()) for slot in (one, other)]
        if orders[0] != orders[1]:
            places = ((slot.at, slot) for slot in (one, other) if slot.at.line)
            yield Fault(
                later.at,
                f"@{named(later)} on {element.definition.id}",
                "{later} orders {ours}, {earlier} orders {theirs}",
                {
                    "later": named(later),
                    "earlier": named(earlier),
                    "ours": ", ".join(_members(other.value)),
                    "theirs": ", ".join(_members(one.value)),
                },
                help="write an order on the function itself",
                related=tuple(Related(at, f"{', '.join(_members(slot.value))} is set here") for at, slot in places),
            )


def _brought(composed: Composed) -> Slot | None:
    """The order that a composed policy certainly brings: its own, or the one of its members if there is one alone."""
    own = [m.slots.get("layers") for m in composed.members if isinstance(m, Declaration) and m.policy == "order"]
    nested = [_brought(member) for member in composed.members if isinstance(member, Composed)]
    slots = [slot for slot in own or nested if slot is not None]
    return slots[0] if len(slots) == 1 and slots[0].certain and is_order(slots[0].value) else None
