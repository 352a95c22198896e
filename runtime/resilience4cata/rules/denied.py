"""CL: allow lists and deny lists that contradict each other, in one place or in what comes out of all layers.

The deny list is asked first and is final.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple

from ..config.layers import SettingKey
from ..config.profiles import Settled
from ..diagnostics import Context, Fault, Needs, Related, rule
from ..facts import Composed, Element, Ref, Slot, Value, Written, all_refs, refs_in
from ..schema import POLICIES, AttributeKind
from .cases import Verdict
from .effective import Judge, effective_faults
from .spans import attempts
from .words import subject


class _Lists(NamedTuple):
    """The attributes of a policy that are its allow list and its deny list."""

    policy: str
    allow: str
    deny: str

    @property
    def settings(self) -> tuple[SettingKey, SettingKey]:
        return (self.policy, self.allow), (self.policy, self.deny)

    def on(self, written: Written) -> tuple[Slot, Slot] | None:
        """Both lists of a policy, if both are written."""
        allow, deny = (written.declaration.slots.get(name) for name in (self.allow, self.deny))
        return None if allow is None or deny is None else (allow, deny)

    def among(self, settled: Settled) -> tuple[Value, Value] | None:
        """Both lists as they count, if somebody wrote both and the policy does anything with them."""
        allow, deny = (settled.written(*setting) for setting in self.settings)
        is_idle = self.policy == "retry" and attempts(settled) == 1
        return None if allow is None or deny is None or is_idle else (allow.value, deny.value)


def _all_lists() -> Iterator[_Lists]:
    for name, schema in POLICIES.items():
        lists = {a.deny: a.name for a in schema.attributes.values() if a.kind is AttributeKind.EXCEPTIONS}
        if len(lists) == 2:
            yield _Lists(name, lists[False], lists[True])


_LISTS: Final[Mapping[str, _Lists]] = {lists.policy: lists for lists in _all_lists()}


def _names(slot: Slot) -> Value:
    """What is certainly in a list as it is written; nothing where that is not known."""
    return slot.value if slot.certain else None


# ---------------------------------------------------------------- the same type in both


@rule("R4C-CL-001", "allowed-and-denied", view=(Written, Element, Composed))
def allowed_and_denied(view: Written | Element | Composed, context: Context) -> Iterator[Fault]:
    """The deny list is asked first and is final, so a type in both lists is denied: one of the two entries says the
    opposite of what happens."""
    if isinstance(view, Written):
        yield from _both_in_one_place(view)
    elif Needs.EFFECTIVE in context.provides:
        for judge, needed in _IN_BOTH:
            yield from effective_faults(view, context, judge, needed, of_composed=True, apart=True)


_CONTRADICTION: Final = "{type} is in '{allow}' and in '{deny}', which is asked first"
_ONE_TOO_MANY: Final = "remove it from one of them"


def _common(allowed: Value, denied: Value) -> Iterator[str]:
    """The types that both lists name, in the order of the allow list."""
    names = {ref.name for ref in refs_in(denied)}
    return (name for name in dict.fromkeys(ref.name for ref in refs_in(allowed)) if name in names)


def _both_in_one_place(written: Written) -> Iterator[Fault]:
    lists = _LISTS.get(written.declaration.policy)
    slots = lists.on(written) if lists is not None else None
    if lists is None or slots is None:
        return
    allow, deny = slots
    for name in _common(_names(allow), _names(deny)):
        later, earlier, other = max((allow, deny, lists.deny), (deny, allow, lists.allow), key=lambda x: x[0].at)
        yield Fault(
            later.at,
            subject(written, lists.allow, lists.deny),
            _CONTRADICTION,
            {"type": name.rpartition(".")[2], "allow": lists.allow, "deny": lists.deny},
            help=_ONE_TOO_MANY,
            related=(Related(earlier.at, f"also in {other}"),) if earlier.at.line else (),
        )


def _in_both(lists: _Lists, settled: Settled) -> Iterator[Verdict]:
    values = lists.among(settled)
    for name in _common(*values) if values is not None else ():
        yield Verdict(
            _CONTRADICTION,
            {"type": name.rpartition(".")[2], "allow": lists.allow, "deny": lists.deny},
            lists.settings,
            help=_ONE_TOO_MANY,
            about=name,
        )


# ---------------------------------------------------------------- a type below a denied one


@rule("R4C-CL-004", "entry-denied-by-base", view=(Written, Element, Composed))
def entry_denied_by_base(view: Written | Element | Composed, context: Context) -> Iterator[Fault]:
    """The deny list is asked first, and a base in it denies all its subclasses: an entry of the allow list below that
    base reads as an exception from the rule and is none."""
    if isinstance(view, Written):
        yield from _dead_in_one_place(view)
    elif Needs.EFFECTIVE in context.provides:
        for judge, needed in _DEAD:
            yield from effective_faults(view, context, judge, needed, of_composed=True, apart=True)


_NO_MATCH: Final = "{type} in '{allow}' can never match: '{deny}' names its base {base}{rest}"
_ASKED_FIRST: Final = "the deny list is asked first: name subclasses of {base} there, or remove {type}"


class _Dead(NamedTuple):
    """An entry of an allow list with its denied base; `rest` says what is left beside it where nothing is."""

    entry: Ref
    base: Ref
    rest: str

    def words(self, lists: _Lists) -> Mapping[str, object]:
        """What the message is filled with."""
        entry, base = self.entry.short, self.base.short
        return {"type": entry, "allow": lists.allow, "deny": lists.deny, "base": base, "rest": self.rest}


def _dead(allowed: Value, denied: Value) -> list[_Dead]:
    """The entries below a denied base, in the order of the allow list."""
    bases = {ref.name: ref for ref in refs_in(denied)}
    entries = tuple(dict.fromkeys(refs_in(allowed)))
    found = {ref: base for ref in entries if (base := _denying(ref, bases)) is not None}
    nothing_left = len(found) == len(entries) and all_refs(allowed) is not None
    rest = ", as of all others" if len(found) > 1 else ", and nothing else is listed"
    return [_Dead(entry, base, rest if nothing_left else "") for entry, base in found.items()]


def _denying(ref: Ref, bases: Mapping[str, Ref]) -> Ref | None:
    """The nearest base of a class that is denied, unless the class is itself (R4C-CL-001)."""
    if ref.name in bases:
        return None
    return next((bases[name] for name in (ref.ancestors or ())[1:] if name in bases), None)


def _dead_in_one_place(written: Written) -> Iterator[Fault]:
    lists = _LISTS.get(written.declaration.policy)
    slots = lists.on(written) if lists is not None else None
    if lists is None or slots is None:
        return
    allow, deny = slots
    for dead in _dead(_names(allow), _names(deny)):
        if dead.rest and lists.policy == "fallback":
            return  # R4C-FB-011
        yield Fault(
            allow.at,
            subject(written, lists.allow, lists.deny),
            _NO_MATCH,
            dead.words(lists),
            help=_ASKED_FIRST,
            related=(Related(deny.at, f"{dead.base.short} is denied here"),) if deny.at.line else (),
        )


def _never_matching(lists: _Lists, settled: Settled) -> Iterator[Verdict]:
    values = lists.among(settled)
    for dead in _dead(*values) if values is not None else ():
        yield Verdict(_NO_MATCH, dead.words(lists), lists.settings, help=_ASKED_FIRST, about=dead.entry.name)


# Made once, since what a judge finds is kept under the judge.
_Judges = tuple[tuple[Judge, tuple[SettingKey, ...]], ...]
_IN_BOTH: Final[_Judges] = tuple((partial(_in_both, lists), lists.settings) for lists in _LISTS.values())
_DEAD: Final[_Judges] = tuple((partial(_never_matching, lists), lists.settings) for lists in _LISTS.values())
