"""AS: what only looks as if the policy guarded it, because the work happens elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics import Context, Fault, Needs, Related, Severity, rule
from ..facts import Applied, At, Call, Definition, Element, Listener, Ref, Unknown, Written
from ..facts.familiar import COROUTINE_FUNCTIONS
from .places import named
from .targets import unguarded
from .words import subject


@rule("R4C-AS-001", "policy-on-future", view=Element, needs=Needs.SCOPES)
def policy_on_future(element: Element, context: Context) -> Iterator[Fault]:
    """A function that returns a task or a future has only begun the work when it returns: a failure comes later, when
    the policy has long counted a success, and a timeout measures how long it takes to begin."""
    if element.body is not None:
        yield from _of_class(element)
        return
    future = element.definition.future
    if future is None:
        return
    for applied in element.policies:
        yield Fault(
            applied.at,
            f"@{named(applied)} on {element.definition.id}",
            "only the creation of a {future} would be guarded, not what it stands for",
            {"future": future.short},
            help=_instead(future),
        )


def _of_class(element: Element) -> Iterator[Fault]:
    methods = element.body.public_methods() if element.body is not None else ()
    if isinstance(methods, Unknown) or not element.policies:
        return
    applied = element.policies[0]
    for method in methods:
        if method.future is not None and not _has_its_own(method):
            yield Fault(
                applied.at,
                f"@{named(applied)} on {element.definition.id}",
                "of method '{name}' only the creation of a {future} is guarded",
                {"name": method.name, "future": method.future.short},
                help="mark it with @unguarded, or guard what it starts",
                related=(Related(method.at, "defined here"),),
                severity=Severity.WARNING,
            )


def _has_its_own(method: Definition) -> bool:
    """Whether the method is taken out, or has policies that are reported themselves."""
    return unguarded(method) or any(isinstance(d, Applied) for d in method.decorators)


def _instead(future: Ref) -> str:
    if "concurrent.futures._base.Future" in (future.ancestors or ()):
        return "guard the function that is submitted"
    return "make it 'async def' and await the work, or guard the coroutine that it starts"


@rule(
    "R4C-AS-002",
    "policy-on-hidden-coroutine",
    view=Element,
    severity=Severity.WARNING,
    needs=Needs.SCOPES | Needs.BODIES,
)
def policy_on_hidden_coroutine(element: Element, context: Context) -> Iterator[Fault]:
    """A plain `def` without a result type is guarded as an ordinary function. If it returns a coroutine, its work has
    not begun when the policy looks: the failure comes when somebody awaits it."""
    definition = element.definition
    signature = definition.signature
    if signature is None or signature.result is not None or definition.is_async or definition.yields:
        return
    returned = _returned(definition, context) if element.policies else ()
    for applied in element.policies if returned and all(map(_gives_coroutine, returned)) else ():
        call = returned[0]
        yield Fault(
            applied.at,
            f"@{named(applied)} on {definition.id}",
            "'{name}' returns the coroutine of '{callee}', and only its creation is guarded",
            {"name": definition.name, "callee": str(call.callee).rpartition(".")[2]},
            help="make it 'async def' and await the call",
            related=(Related(call.at, "returned here"),),
        )


def _returned(definition: Definition, context: Context) -> tuple[Call, ...]:
    body = context.oracle.body(definition)
    if body is None or not body.returns_calls:
        return ()
    return tuple(call for call in body.calls if call.returned)


def _gives_coroutine(call: Call) -> bool:
    if call.definition is None:
        return call.callee in COROUTINE_FUNCTIONS
    plain = call.definition.signature is not None and not call.definition.yields
    return call.definition.coroutine and plain


@rule("R4C-AS-003", "async-callback", view=(Written, Listener), needs=Needs.SCOPES)
def async_callback(view: Written | Listener, context: Context) -> Iterator[Fault]:
    """Listeners and classifiers are called as ordinary functions. What an `async def` gives instead of an answer is a
    coroutine that nobody awaits: nothing of it ever runs."""
    if isinstance(view, Written):
        yield from _async_classifier(view, context)
    elif view.is_async:
        yield _never_awaited(view.at, f"{view.method}({view.name or '...'})", view.name, view.defined_at)


def _async_classifier(written: Written, context: Context) -> Iterator[Fault]:
    slot = written.declaration.slots.get("classifier")
    # Type checkers say in their own words that such a method overrides the one of Classifier.
    if slot is None or Needs.KINDS not in context.provides:
        return
    value = slot.value if slot.certain else None
    scope = context.oracle.class_scope(value) if isinstance(value, Ref) and value.is_class else None
    classify = scope.lookup("classify") if scope is not None else None
    if isinstance(value, Ref) and isinstance(classify, Definition) and classify.is_async:
        yield _never_awaited(slot.at, subject(written, "classifier"), f"{value.short}.classify", classify.at)


def _never_awaited(at: At, subject: str, name: str, defined_at: At) -> Fault:
    return Fault(
        at,
        subject,
        "{what} is asynchronous, but it is called and never awaited",
        {"what": f"'{name}'" if name else "what is given"},
        help="make it an ordinary def",
        related=(Related(defined_at, f"'{name.rpartition('.')[2]}' is defined here"),) if defined_at.line else (),
    )
