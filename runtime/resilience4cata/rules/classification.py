"""CL: exception lists and classifiers that name what cannot be asked or matched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..diagnostics import Context, Fault, Needs, rule
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
    Unmade,
    Value,
    Written,
    declarations_in,
    entries,
    refs_in,
)
from ..schema import POLICIES, Attribute, AttributeKind
from .making import not_made
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


def _exception_lists(written: Written) -> Iterator[tuple[Attribute, Slot]]:
    schema = POLICIES[written.declaration.policy]
    for name, slot in written.declaration.slots.items():
        attribute = schema.attributes.get(name)
        if attribute is not None and attribute.kind is AttributeKind.EXCEPTIONS:
            yield attribute, slot


def _names(slot: Slot) -> tuple[Ref, ...]:
    """The classes that are certainly in the list, in order."""
    return refs_in(slot.value) if slot.certain else ()


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


@rule("R4C-CL-005", "unfit-classifier", view=(Written, Element, Unmade), needs=Needs.SCOPES)
def unfit_classifier(view: Written | Element | Unmade, context: Context) -> Iterator[Fault]:
    """A classifier is asked about every result of the function. One that cannot be asked fails each call, and one made
    for results of another type judges what it was never meant to see."""
    if isinstance(view, Unmade):
        yield from not_made(view, "classifier", context)
        return
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
