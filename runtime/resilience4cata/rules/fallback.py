"""FB: fallbacks that are missing, do not fit, or can never help."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics import Action, Context, Fault, Needs, Related, rule
from ..facts import Definition, Element, Items, PipelineScope, Ref, Unfound, Unknown, Unmade, Value, Written
from ..records import replace
from ..schema import POLICIES
from ..suggestions import did_you_mean
from .fitting import expected_form, misfits, shape_of
from .making import not_made
from .targets import Target, Use, handler_of, is_private, uses
from .words import show, subject

_HANDLER = "resilience4cata.policies.fallback.FallbackHandler"


def _related(target: Definition) -> tuple[Related, ...]:
    return (Related(target.at, f"'{target.name}' is defined here"),) if target.at.line else ()


@rule("R4C-FB-001", "fallback-without-target", view=Written)
def fallback_without_target(written: Written, context: Context) -> Iterator[Fault]:
    """A fallback needs one place to go: without any it cannot answer, with two nobody knows which one does."""
    declaration = written.declaration
    if declaration.policy != "fallback" or not declaration.called:
        return
    # What is given under a word that is no attribute (R4C-VA-002) may well be the target.
    if not declaration.slots.keys() <= POLICIES["fallback"].attributes.keys():
        return
    method = declaration.writes("method")
    given = {declaration.writes("handler"), declaration.value("method") != Items(()) if method else method}
    if given == {False}:
        yield Fault(
            declaration.at,
            subject(written, "method"),
            "neither a handler nor a method is given",
            help='write @fallback(Handler) or @fallback(method="name")',
        )
    elif given == {True}:
        yield Fault(
            declaration.at,
            subject(written, "handler", "method"),
            "both a handler and a method are given",
            help="keep one of them",
        )


@rule("R4C-FB-002", "missing-fallback", view=(Element, Unfound), needs=Needs.SCOPES, fix=Action.WRITE)
def missing_fallback(view: Element | Unfound, context: Context) -> Iterator[Fault]:
    """The name is looked up when the call has already failed: a misspelt fallback turns one failure into another, at
    the very moment it is needed."""
    element, lost = (view.element, view) if isinstance(view, Unfound) else (view, None)
    for use in uses(element, context):
        for target in use.targets:
            hidden = _hidden(target, use)
            if lost.name != target.name if lost is not None else target.definition is not None and not hidden:
                continue
            reason = f"it was looked for in {lost.where}" if lost is not None else hidden or _elsewhere(target, use)
            names = _names(use)
            suggestion = _similar(target, use, names)
            yield Fault(
                use.at,
                use.subject("method"),
                "no {kind} named '{name}' found{reason}",
                {"kind": use.noun, "name": target.name, "reason": f": {reason}" if reason else ""},
                suggestions=(suggestion,) if suggestion else (),
                expected=expected_form(element.definition, target.name) if element.body is None else "",
                words=(target.name,),
                rivals=names,
            )


def _hidden(target: Target, use: Use) -> str:
    definition = target.definition
    if not isinstance(definition, Definition) or not is_private(target.name) or definition.owner == use.scope.id:
        return ""
    return f"it is private to {definition.owner.rpartition('.')[2]}" if use.scope.is_class else ""


def _elsewhere(target: Target, use: Use) -> str:
    if isinstance(use.scope, PipelineScope):
        return "a pipeline has no siblings, only handlers and functions that it is given"
    for subclass in use.scope.subclasses():
        if isinstance(subclass.lookup(target.name), Definition):
            return f"it is defined only on the subclass {subclass.id.rpartition('.')[2]}"
    return ""


def _names(use: Use) -> list[str]:
    own = use.element.definition.name
    return [name for name in use.scope.names() if name != own and not (name.startswith("__") and name.endswith("__"))]


def _similar(target: Target, use: Use, names: list[str]) -> str | None:
    suggestion = did_you_mean(target.name, names)
    return suggestion if suggestion and isinstance(use.scope.lookup(suggestion), Definition) else None


@rule("R4C-FB-003", "fallback-parameters-differ", view=Element, needs=Needs.SCOPES)
def fallback_parameters_differ(element: Element, context: Context) -> Iterator[Fault]:
    """The fallback is called with the arguments of the call that failed. If it cannot take every call that the original
    takes, a TypeError replaces the failure that it should have answered."""
    original = element.definition
    for use, target in _fitting(element, context):
        shape = shape_of(original.signature, target.signature)  # type: ignore[arg-type]
        if shape.misplaced:
            continue  # R4C-FB-005
        reasons = list(misfits(original.signature, shape.parameters, context.oracle))  # type: ignore[arg-type]
        if reasons:
            yield Fault(
                use.at,
                use.subject("method", "handler"),
                "'{target}' cannot take every call of '{original}': {reasons}",
                {"target": target.name, "original": original.name, "reasons": ", ".join(reasons)},
                expected=expected_form(original, target.name),
                related=_related(target),
            )


def _fitting(element: Element, context: Context) -> Iterator[tuple[Use, Definition]]:
    """Targets whose signature can be compared with that of the element; what other rules refuse is left out."""
    if element.body is not None or element.definition.signature is None:
        return
    for use in uses(element, context):
        for target in use.targets:
            definition = target.definition
            if not isinstance(definition, Definition) or definition.signature is None:
                continue
            if not target.unusable(use) and definition.id != element.definition.id and not _hidden(target, use):
                yield use, definition


@rule("R4C-FB-004", "fallback-result-differs", view=Element, needs=Needs.SCOPES)
def fallback_result_differs(element: Element, context: Context) -> Iterator[Fault]:
    """Callers rely on the declared result. What the fallback returns instead travels on until something far away
    breaks."""
    original = element.definition
    for use, target in _fitting(element, context):
        ours, theirs = original.signature, target.signature
        if ours is None or theirs is None or ours.result is None or theirs.result is None or _async_clash(use, target):
            continue
        if not target.result_varies and context.oracle.assignable(theirs.result, ours.result) is False:
            yield Fault(
                use.at,
                use.subject("method", "handler"),
                "'{target}' returns {got}, but '{original}' returns {wanted}",
                {
                    "target": target.name,
                    "got": theirs.result.text,
                    "original": original.name,
                    "wanted": ours.result.text,
                },
                expected=expected_form(original, target.name),
                related=_related(target),
            )


@rule("R4C-FB-005", "unusable-exception-parameter", view=Element, needs=Needs.SCOPES)
def unusable_exception_parameter(element: Element, context: Context) -> Iterator[Fault]:
    """One parameter more than the original receives the exception, and its annotation says which exceptions select this
    fallback. Without a usable annotation, or in another place, it would get an argument that is not meant for it."""
    original = element.definition
    for use, target in _fitting(element, context):
        shape = shape_of(original.signature, target.signature)  # type: ignore[arg-type]
        if shape.misplaced and shape.exception is not None:
            yield Fault(
                use.at,
                use.subject("method", "handler"),
                "parameter '{parameter}' of '{target}' cannot receive the exception: it {reason}",
                {"parameter": shape.exception.name, "target": target.name, "reason": shape.misplaced},
                expected=expected_form(original, target.name),
                related=_related(target),
            )


@rule("R4C-FB-007", "handler-result-differs", view=Element, needs=Needs.SCOPES | Needs.TYPES)
def handler_result_differs(element: Element, context: Context) -> Iterator[Fault]:
    """What the handler returns takes the place of the result; its type argument promises what that is."""
    signature = element.definition.signature
    for use in uses(element, context):
        handler = handler_of(use)
        if not isinstance(handler, Ref) or handler.is_class is False or signature is None or signature.result is None:
            continue
        result = context.oracle.type_argument(handler, _HANDLER)
        if result is not None and context.oracle.assignable(result, signature.result) is False:
            yield Fault(
                use.at,
                use.subject("handler"),
                "'{handler}' is a FallbackHandler[{got}], but '{original}' returns {wanted}",
                {
                    "handler": handler.short,
                    "got": result.text,
                    "original": element.definition.name,
                    "wanted": signature.result.text,
                },
                expected=f"class {handler.short}(FallbackHandler[{signature.result.text}])",
            )


@rule("R4C-FB-008", "not-a-handler", view=(Element, Unmade), needs=Needs.SCOPES)
def not_a_handler(view: Element | Unmade, context: Context) -> Iterator[Fault]:
    """The handler is made once, without arguments, and asked through `apply`. A class that cannot be made, or has no
    such method, fails together with the call."""
    if isinstance(view, Unmade):
        yield from not_made(view, "handler", context)
        return
    for use in uses(view, context):
        handler = handler_of(use)
        problem, suggestion = _handler_problem(handler, context)
        if problem:
            yield Fault(
                use.at,
                use.subject("handler"),
                "{handler} {problem}",
                {"handler": show(handler), "problem": problem},
                suggestions=(suggestion,) if suggestion else (),
                expected="" if suggestion else "a subclass of FallbackHandler that implements 'apply', or a function",
            )


def _handler_problem(handler: Value, context: Context) -> tuple[str, str]:
    if isinstance(handler, Unknown):
        return "", ""
    if not isinstance(handler, Ref):
        # Type checkers say this in their own words.
        if Needs.KINDS not in context.provides:
            return "", ""
        named = isinstance(handler, str) and handler.isidentifier()
        return "is not a FallbackHandler", f'method="{handler}"' if named else ""
    if not handler.is_class:
        return _object_problem(handler, context)
    if handler.ancestors is not None and _HANDLER not in handler.ancestors:
        return "is not a FallbackHandler", ""
    return _cannot_be_made(handler, context), ""


def _object_problem(handler: Ref, context: Context) -> tuple[str, str]:
    if handler.ancestors is None:
        return "", ""
    if _HANDLER not in handler.ancestors:
        return "is not a FallbackHandler", ""
    cls = replace(handler, name=handler.name.removesuffix("()"), is_class=True)
    return "is an object, where its class is expected", "" if _arguments(cls, context) else cls.short


def _cannot_be_made(handler: Ref, context: Context) -> str:
    scope = context.oracle.class_scope(handler)
    apply = scope.lookup("apply") if scope is not None else None
    if isinstance(apply, Definition) and apply.abstract:
        return "is abstract: 'apply' is not implemented"
    # Only build() knows whether something other than a plain call makes the handlers.
    called_plainly = Needs.KINDS | Needs.TYPES in context.provides and not context.project.makes_handlers
    required = _arguments(handler, context) if called_plainly else []
    return f"needs arguments to be made: {', '.join(required)}" if required else ""


def _arguments(handler: Ref, context: Context) -> list[str]:
    """What a handler class must be given to be made."""
    scope = context.oracle.class_scope(handler)
    constructor = scope.lookup("__init__") if scope is not None else None
    if not isinstance(constructor, Definition) or constructor.signature is None:
        return []
    return [p.name for p in constructor.signature.parameters if p.required and p.kind in (0, 1, 3)]


@rule("R4C-FB-009", "async-fallback", view=Element, needs=Needs.SCOPES, subsumes=("R4C-FB-004",))
def async_fallback(element: Element, context: Context) -> Iterator[Fault]:
    """A synchronous caller would get a coroutine in place of a result, and nobody would ever await it."""
    original = element.definition
    if element.body is not None or original.is_async is not False:
        return
    for use in uses(element, context):
        for name, definition in _answers(use, context):
            if definition.is_async and not definition.yields:
                yield Fault(
                    use.at,
                    use.subject("method", "handler"),
                    "'{target}' is asynchronous, but '{original}' is not",
                    {"target": name, "original": original.name},
                    help=f"make '{name}' an ordinary def",
                    related=_related(definition),
                )


def _async_clash(use: Use, target: Definition) -> bool:
    return use.element.definition.is_async is False and bool(target.is_async)


def _answers(use: Use, context: Context) -> Iterator[tuple[str, Definition]]:
    """What will be called: the targets, or the handler's `apply`."""
    for target in use.targets:
        if isinstance(target.definition, Definition):
            yield target.name, target.definition
    handler = handler_of(use)
    if isinstance(handler, Ref) and handler.is_class:
        scope = context.oracle.class_scope(handler)
        apply = scope.lookup("apply") if scope is not None else None
        if isinstance(apply, Definition):
            yield f"{handler.short}.apply", apply


@rule("R4C-FB-012", "unusable-fallback", view=Element, needs=Needs.SCOPES)
def unusable_fallback(element: Element, context: Context) -> Iterator[Fault]:
    """A target is called like the original. A property has been read by then, a generator only begins, and an instance
    method has no instance where the original is static."""
    for use in uses(element, context):
        for target in use.targets:
            reason = target.unusable(use)
            if reason and isinstance(target.definition, Definition):
                yield Fault(
                    use.at,
                    use.subject("method"),
                    "'{target}' cannot be a fallback: it is {reason}",
                    {"target": target.name, "reason": reason},
                    related=_related(target.definition),
                )
