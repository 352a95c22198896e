"""CL: exception lists that contradict themselves or name what is no exception."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ..diagnostics import Context, Fault, Needs, Related, rule
from ..facts import (
    Applied,
    Declaration,
    Definition,
    Element,
    Items,
    ParameterKind,
    Ref,
    Slot,
    Unknown,
    Value,
    Written,
    all_refs,
    declarations_in,
    entries,
    refs_in,
)
from ..schema import POLICIES, Attribute, AttributeKind
from .places import named
from .words import all_fail, on, show, subject

_ONE_VALUE: Final = (
    ParameterKind.POSITIONAL_ONLY,
    ParameterKind.POSITIONAL_OR_KEYWORD,
    ParameterKind.KEYWORD_ONLY,
)
_CLASSIFIER: Final = "resilience4cata.policies.classification.Classifier"

_PASSES_EVERYTHING: Final = frozenset(
    {
        "builtins.BaseException",
        "builtins.KeyboardInterrupt",
        "builtins.SystemExit",
        "builtins.GeneratorExit",
        "asyncio.exceptions.CancelledError",
        "concurrent.futures._base.CancelledError",
    }
)


class _Lists(NamedTuple):
    """The allow list and the deny list of a policy, as far as written."""

    allow: tuple[Attribute, Slot] | None
    deny: tuple[Attribute, Slot] | None


def _exception_lists(written: Written) -> Iterator[tuple[Attribute, Slot]]:
    schema = POLICIES[written.declaration.policy]
    for name, slot in written.declaration.slots.items():
        attribute = schema.attributes.get(name)
        if attribute is not None and attribute.kind is AttributeKind.EXCEPTIONS:
            yield attribute, slot


def _pair(written: Written) -> _Lists:
    lists = {attribute.deny: (attribute, slot) for attribute, slot in _exception_lists(written)}
    return _Lists(lists.get(False), lists.get(True))


def _names(slot: Slot) -> tuple[Ref, ...]:
    """The classes that are certainly in the list, in order."""
    return refs_in(slot.value) if slot.certain else ()


@rule("R4C-CL-001", "allowed-and-denied", view=Written)
def allowed_and_denied(written: Written, context: Context) -> Iterator[Fault]:
    """The deny list is asked first and is final, so a type in both lists is denied: one of the two entries says the
    opposite of what happens."""
    allow, deny = _pair(written)
    if allow is None or deny is None:
        return
    denied = {ref.name for ref in _names(deny[1])}
    for name in dict.fromkeys(ref.name for ref in _names(allow[1])):
        if name in denied:
            later, earlier = sorted((allow, deny), key=lambda pair: pair[1].at, reverse=True)
            related = (Related(earlier[1].at, f"also in {earlier[0].name}"),) if earlier[1].at.line else ()
            yield Fault(
                later[1].at,
                subject(written, allow[0].name, deny[0].name),
                "{type} is in '{allow}' and in '{deny}', which is asked first",
                {"type": name.rpartition(".")[2], "allow": allow[0].name, "deny": deny[0].name},
                help="remove it from one of them",
                related=related,
            )


@rule("R4C-CL-002", "not-an-exception", view=Written, needs=Needs.KINDS)
def not_an_exception(written: Written, context: Context) -> Iterator[Fault]:
    """Only exception types can be matched; anything else in the list fails with TypeError, and only while another
    exception is being handled."""
    for attribute, slot in _exception_lists(written):
        wrong = all_fail(slot, _wrong_entries)
        for entry in wrong or ():
            yield Fault(
                slot.at,
                subject(written, attribute.name),
                "{entry} in '{attribute}' is not an exception type",
                {"entry": show(entry), "attribute": attribute.name},
                expected=AttributeKind.EXCEPTIONS.value,
            )


def _wrong_entries(value: Value) -> tuple[Value, ...] | None:
    if isinstance(value, Items) and value.kind != "tuple":
        return None  # R4C-VA-003
    return tuple(entry for entry in entries(value) if _no_exception(entry)) or None


def _no_exception(entry: Value) -> bool:
    if isinstance(entry, Ref):
        if entry.is_class is None:
            return False
        return not entry.is_class or (entry.ancestors is not None and "builtins.BaseException" not in entry.ancestors)
    # Nested tuples are what `except` and isinstance() accept too.
    return not isinstance(entry, Unknown | Items)


@rule("R4C-CL-003", "unmatchable-exception", view=Written)
def unmatchable_exception(written: Written, context: Context) -> Iterator[Fault]:
    """Cancellation and interpreter exit pass through every policy, whatever a list says: retrying or replacing them
    would keep a program from stopping. `BaseException` would include them all."""
    for attribute, slot in _exception_lists(written):
        if attribute.deny:
            continue
        for ref in _names(slot):
            if ref.name == "builtins.BaseException":
                message = "{type} in '{attribute}' includes cancellation and exit, which pass through every policy"
            elif ref.name in _PASSES_EVERYTHING:
                message = "{type} in '{attribute}' never matches: it passes through every policy"
            else:
                continue
            yield Fault(
                slot.at,
                subject(written, attribute.name),
                message,
                {"type": ref.short, "attribute": attribute.name},
                suggestions=("Exception",) if ref.short == "BaseException" else (),
                help="" if ref.short == "BaseException" else "remove it",
            )


@rule("R4C-CL-004", "entry-denied-by-base", view=Written)
def entry_denied_by_base(written: Written, context: Context) -> Iterator[Fault]:
    """The deny list is asked first, and a base in it denies all its subclasses: an entry of the allow list below that
    base reads as an exception from the rule and is none."""
    allow, deny = _pair(written)
    if allow is None or deny is None:
        return
    attribute, slot = allow
    bases = {ref.name: ref for ref in _names(deny[1])}
    allowed = tuple(dict.fromkeys(_names(slot)))
    dead = {ref: base for ref in allowed if (base := _denying(ref, bases)) is not None}
    nothing_left = len(dead) == len(allowed) and slot.certain and all_refs(slot.value) is not None
    if nothing_left and written.declaration.policy == "fallback":
        return  # R4C-FB-011
    for ref, base in dead.items():
        only = nothing_left and len(dead) == 1
        yield Fault(
            slot.at,
            subject(written, attribute.name, deny[0].name),
            "{type} in '{allow}' can never match: '{deny}' names its base {base}{rest}",
            {
                "type": ref.short,
                "allow": attribute.name,
                "deny": deny[0].name,
                "base": base.short,
                "rest": "" if not nothing_left else ", and nothing else is listed" if only else ", as of all others",
            },
            help="the deny list is asked first: name subclasses of {base} there, or remove {type}",
            related=(Related(deny[1].at, f"{base.short} is denied here"),) if deny[1].at.line else (),
        )


def _denying(ref: Ref, bases: dict[str, Ref]) -> Ref | None:
    """The nearest base of a class that is denied, unless the class is itself (R4C-CL-001)."""
    if ref.name in bases:
        return None
    return next((bases[name] for name in (ref.ancestors or ())[1:] if name in bases), None)


@rule("R4C-CL-005", "unfit-classifier", view=(Written, Element), needs=Needs.SCOPES)
def unfit_classifier(view: Written | Element, context: Context) -> Iterator[Fault]:
    """A classifier is asked about every result of the function. One that cannot be asked fails each call, and one made
    for results of another type judges what it was never meant to see."""
    if isinstance(view, Element):
        yield from _unfit_for_results(view, context)
        return
    slot = view.declaration.slots.get("classifier")
    problem = all_fail(slot, lambda value: _no_classifier(value, context)) if slot is not None else None
    if slot is not None and problem is not None:
        yield Fault(
            slot.at,
            subject(view, "classifier"),
            "{classifier} {problem}",
            {"classifier": show(slot.values[0]), "problem": problem},
            expected="a subclass of Classifier that implements 'classify', or an object of one",
        )


def _no_classifier(value: Value, context: Context) -> str | None:
    """Why a value cannot be asked; type checkers say so in their own words. None (`classifier=None`) means nothing."""
    if Needs.KINDS not in context.provides or isinstance(value, Unknown) or value is None:
        return None
    if not isinstance(value, Ref):
        return "is not a Classifier"
    if not value.is_class:
        return "is not a Classifier" if value.is_class is False and value.ancestors is None else None
    scope = context.oracle.class_scope(value)
    classify = scope.lookup("classify") if scope is not None else None
    if value.ancestors is not None and _CLASSIFIER not in value.ancestors and classify is None:
        return "is not a Classifier"
    if isinstance(classify, Definition) and classify.abstract:
        return "is abstract: 'classify' is not implemented"
    required = _required(scope.lookup("__init__")) if scope is not None else ()
    return f"needs arguments to be made: {', '.join(required)}" if required else None


def _required(constructor: Definition | Unknown | None) -> tuple[str, ...]:
    """The parameters that a constructor cannot do without."""
    signature = constructor.signature if isinstance(constructor, Definition) else None
    return tuple(p.name for p in signature.parameters if p.required and p.kind in _ONE_VALUE) if signature else ()


def _unfit_for_results(element: Element, context: Context) -> Iterator[Fault]:
    signature = element.definition.signature
    if signature is None or signature.result is None:
        return
    for applied, declaration in _classifying(element):
        classifier = declaration.value("classifier") if declaration.writes("classifier") else None
        judged = context.oracle.type_argument(classifier, _CLASSIFIER) if isinstance(classifier, Ref) else None
        fitting = context.oracle.optional(judged) if judged is not None else None
        if judged is None or fitting is None or context.oracle.assignable(signature.result, fitting) is not False:
            continue
        direct = applied.policy is declaration
        id = element.definition.id
        yield Fault(
            declaration.slots["classifier"].at if direct and declaration.at == applied.at else applied.at,
            on(declaration, id, "classifier") if direct else f"@{named(applied)} on {id}",
            "{classifier} is a Classifier[{judged}], but '{original}' returns {result}",
            {
                "classifier": show(classifier),
                "judged": judged.text,
                "original": element.definition.name,
                "result": signature.result.text,
            },
            expected=f"class {show(classifier)}(Classifier[{signature.result.text}])",
        )


def _classifying(element: Element) -> Iterator[tuple[Applied, Declaration]]:
    """The policies of an element that write a classifier, those in composed policies included."""
    for applied in element.policies:
        for declaration in declarations_in(applied.policy):
            if "classifier" in declaration.slots:
                yield applied, declaration
