"""FB: which of several fallbacks is chosen, and fallbacks that can never be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..diagnostics import Context, Fault, Needs, Related, Severity, rule
from ..facts import (
    Applied,
    At,
    Declaration,
    Definition,
    Element,
    Kind,
    Ref,
    Scope,
    Unknown,
    Value,
    all_refs,
    entries,
)
from .fitting import misfits, shape_of
from .targets import Target, Use, unguarded, uses

_EXCEPTION = Ref("builtins.Exception", True, ("builtins.Exception", "builtins.BaseException", "builtins.object"))


class _Choice(NamedTuple):
    """A target and the exceptions that select it: () for every one."""

    name: str
    definition: Definition
    types: tuple[Ref, ...]


def _choices(use: Use) -> list[_Choice] | None:
    """The targets with what selects them; None if that is not known for every one."""
    signature = use.element.definition.signature
    found: list[_Choice] = []
    for target in use.targets:
        definition = target.definition
        if signature is None or not isinstance(definition, Definition) or definition.signature is None:
            return None
        shape = shape_of(signature, definition.signature)
        types = shape.exception_types
        if types is None or shape.misplaced:
            return None
        found.append(_Choice(target.name, definition, types))
    return found


@rule("R4C-FB-006", "ambiguous-fallbacks", view=Element, needs=Needs.SCOPES)
def ambiguous_fallbacks(element: Element, context: Context) -> Iterator[Fault]:
    """The type of the exception selects one of several fallbacks. Two for the same type leave the choice to chance."""
    for use in uses(element, context):
        first: dict[str, _Choice] = {}
        for choice in _choices(use) or ():
            names = [ref.name for ref in choice.types] or [""]
            clash = next(((name, first[name]) for name in names if name in first), None)
            first.update((name, choice) for name in names if name not in first)
            if clash is not None and clash[1].definition.id != choice.definition.id:
                yield _ambiguity(use, clash, choice)


def _ambiguity(use: Use, clash: tuple[str, _Choice], choice: _Choice) -> Fault:
    name, earlier = clash
    places = [c.definition for c in (earlier, choice) if c.definition.at.line]
    return Fault(
        use.at,
        use.subject("method"),
        "'{first}' and '{second}' both answer {what}",
        {
            "first": earlier.name,
            "second": choice.name,
            "what": name.rpartition(".")[2] if name else "every exception",
        },
        help="keep one of them, or let each take its own exception type",
        related=tuple(Related(d.at, f"'{d.name}' is defined here") for d in places),
    )


@rule("R4C-FB-010", "circular-fallback", view=Element, needs=Needs.SCOPES)
def circular_fallback(element: Element, context: Context) -> Iterator[Fault]:
    """Fallbacks that lead back to the call that failed end in a RecursionError, after every policy on the way ran
    again."""
    if element.body is not None:
        return
    for use in uses(element, context):
        for target in use.targets:
            path = _circle(element, use.scope, target)
            # Each circle is reported once, at the definition that closes it in reading order.
            if path and element.definition.at >= max(d.at for d in path):
                names = [element.definition.name, *(d.name for d in path)]
                yield Fault(
                    use.at,
                    use.subject("method"),
                    "'{name}' falls back to itself" if len(path) == 1 else "fallbacks form a circle: {path}",
                    {"name": element.definition.name, "path": " -> ".join(names)},
                    related=tuple(Related(d.at, f"'{d.name}' is defined here") for d in path[:-1] if d.at.line),
                )


def _circle(element: Element, scope: Scope, target: Target) -> list[Definition]:
    """The definitions on the way from the element back to itself, the element last; empty if there is no way."""
    stack: list[list[Definition]] = []
    if isinstance(target.definition, Definition):
        stack.append([target.definition])
    seen: set[str] = set()
    while stack:
        path = stack.pop()
        last = path[-1]
        if last.id == element.definition.id:
            return path
        if last.id in seen:
            continue
        seen.add(last.id)
        for name in _names_on(last):
            found = scope.lookup(name)
            if isinstance(found, Definition):
                stack.append([*path, found])
    return []


def _names_on(definition: Definition) -> Iterator[str]:
    for decorator in definition.decorators:
        policy = decorator.policy if isinstance(decorator, Applied) else None
        if isinstance(policy, Declaration) and policy.policy == "fallback":
            value = policy.value("method")
            yield from (name for name in entries(value) if isinstance(name, str))


@rule("R4C-FB-011", "fallback-never-applies", view=Element, severity=Severity.WARNING, needs=Needs.SCOPES)
def fallback_never_applies(element: Element, context: Context) -> Iterator[Fault]:
    """A fallback that no exception can reach is read as a promise that nobody keeps."""
    for use in uses(element, context):
        allowed, denied = _lists(use)
        if allowed is None or denied is None:
            continue
        covered = [ref for ref in allowed if _is_any(ref, denied)]
        if allowed and len(covered) == len(allowed):
            # Of a type that stands in both, R4C-CL-001 speaks.
            if not {ref.name for ref in allowed} & {ref.name for ref in denied}:
                yield Fault(
                    use.at,
                    use.subject("apply_on", "skip_on"),
                    "the fallback can never apply: 'skip_on' covers 'apply_on'",
                    help="'skip_on' is asked first: narrow it",
                )
            continue
        choices = _choices(use) or ()
        for choice in choices:
            reason = _never_chosen(choice, choices, allowed, denied)
            if reason:
                yield Fault(
                    use.at,
                    use.subject("method", "apply_on", "skip_on"),
                    "'{target}' can never be chosen: {reason}",
                    {"target": choice.name, "reason": reason},
                    related=_place(choice.definition.at, choice.name),
                )


def _place(at: At, name: str) -> tuple[Related, ...]:
    return (Related(at, f"'{name}' is defined here"),) if at.line else ()


def _lists(use: Use) -> tuple[Sequence[Ref] | None, Sequence[Ref] | None]:
    """The types of `apply_on` (Exception if unwritten) and of `skip_on`; None where they are not all known."""
    declaration = use.declaration
    if not declaration.closed:
        return None, None
    written = (declaration.slots.get("apply_on"), declaration.slots.get("skip_on"))
    allowed = _types(written[0].value) if written[0] is not None else (_EXCEPTION,)
    denied = _types(written[1].value) if written[1] is not None else ()
    return allowed, denied


def _types(value: Value) -> Sequence[Ref] | None:
    refs = all_refs(value)
    return refs if refs is not None and all(ref.ancestors is not None for ref in refs) else None


def _is_any(ref: Ref, others: Sequence[Ref]) -> bool:
    return any(other.name in (ref.ancestors or ()) for other in others)


def _never_chosen(choice: _Choice, choices: Sequence[_Choice], allowed: Sequence[Ref], denied: Sequence[Ref]) -> str:
    if choice.types and all(ref.ancestors is not None and _is_any(ref, denied) for ref in choice.types):
        return "'skip_on' covers its exception type"
    if choice.types and not any(_reachable(ref, allowed) for ref in choice.types):
        return "'apply_on' never lets its exception type through"
    winners = [_winner(ref, choice, choices) for ref in allowed]
    if winners and all(winners):
        return f"'{winners[0]}' always comes first"
    return ""


def _reachable(ref: Ref, allowed: Sequence[Ref]) -> bool:
    if ref.ancestors is None:
        return True
    # Two unrelated classes may still have a common subclass; only exceptions that name each other are certain to meet,
    # and a class of the program's own is rarely combined with another by inheritance.
    return _is_any(ref, allowed) or any(ref.name in (other.ancestors or ()) for other in allowed)


def _winner(raised: Ref, choice: _Choice, choices: Sequence[_Choice]) -> str:
    """The sibling that is chosen before `choice` for every exception that is a `raised`; or nothing."""
    ours = _rank(raised, choice)
    for other in choices:
        rank = _rank(raised, other)
        # A narrower exception may still prefer `choice`, if one of its types is below `raised`.
        below = any(raised.name in (ref.ancestors or (raised.name,)) for ref in choice.types)
        if other is not choice and rank is not None and (ours is None or rank < ours) and not below:
            return other.name
    return ""


def _rank(raised: Ref, choice: _Choice) -> int | None:
    """How early the resolution order of `raised` meets a type of the choice; None if it never does."""
    order = raised.ancestors or ()
    ranks = [order.index(ref.name) for ref in choice.types if ref.name in order]
    return min(ranks, default=None)


@rule("R4C-FB-015", "absent-exception-type", view=Element, needs=Needs.SCOPES | Needs.KINDS)
def absent_exception_type(element: Element, context: Context) -> Iterator[Fault]:
    """Which exceptions select a fallback is read from its annotation while the program runs. A name that is imported
    for type checkers alone is not there, and the fallback is chosen by every exception or by none."""
    methods = element.body.public_methods() if element.body is not None else (element.definition,)
    if isinstance(methods, Unknown):
        return
    for use in uses(element, context):
        for target in use.targets:
            found = target.definition
            if isinstance(found, Definition) and found.signature is not None:
                originals = (m.signature for m in methods if m.signature is not None and m.id != found.id)
                shapes = (shape_of(original, found.signature) for original in originals)
                taken = (s.exception for s in shapes if s.exception is not None and not s.misplaced)
                absent = {(p.name, p.type.absent) for p in taken if p.type is not None and p.type.absent}
                for parameter, name in sorted(absent):
                    yield Fault(
                        use.at,
                        use.subject("method", "handler"),
                        "'{target}' is not chosen by its exception: '{name}' in the type of '{parameter}' does not "
                        "exist at run time",
                        {"target": target.name, "name": name, "parameter": parameter},
                        help="import '{name}' outside of TYPE_CHECKING",
                        related=_place(found.at, found.name),
                    )


@rule("R4C-FB-013", "fallback-defined-twice", view=Element, severity=Severity.WARNING, needs=Needs.SYNTAX)
def fallback_defined_twice(element: Element, context: Context) -> Iterator[Fault]:
    """Of two definitions of one name only the last is ever seen. Where a fallback is looked up by that name, the first
    was most likely meant for something, and is never called."""
    for use in uses(element, context):
        for target in use.targets:
            found = target.definition
            if isinstance(found, Definition) and found.replaces is not None and found.owner == use.scope.id:
                yield Fault(
                    found.at,
                    use.subject("method"),
                    "'{target}' is defined twice: only this definition is seen",
                    {"target": target.name},
                    help="rename one of them, or remove the first",
                    related=(Related(found.replaces, "never called"),),
                )


@rule("R4C-FB-014", "fallback-misfits-methods", view=Element, needs=Needs.SCOPES)
def fallback_misfits_methods(element: Element, context: Context) -> Iterator[Fault]:
    """A fallback on a class answers for each of its public methods, so it has to take the calls of every one and return
    what each of them returns."""
    methods = element.body.public_methods() if element.body is not None else ()
    if isinstance(methods, Unknown):
        return
    for use in uses(element, context):
        targets = [t.definition for t in use.targets if isinstance(t.definition, Definition)]
        guarded = [m for m in methods if _guarded_by_class(m, targets)]
        for target in targets:
            bad = [(m, reason) for m in guarded if (reason := _misfit(m, target, context))]
            if bad:
                yield Fault(
                    use.at,
                    use.subject("method"),
                    "'{target}' does not fit {methods}",
                    {"target": target.name, "methods": ", ".join(f"'{m.name}'" for m, _ in bad)},
                    help="give those methods fallbacks of their own, or mark them with @unguarded",
                    related=tuple(Related(m.at, reason) for m, reason in bad),
                )


def _guarded_by_class(method: Definition, targets: Sequence[Definition]) -> bool:
    own = any(True for _ in _fallbacks_on(method))
    return not (own or unguarded(method) or method.yields or method.id in {t.id for t in targets})


def _fallbacks_on(method: Definition) -> Iterator[Declaration]:
    for decorator in method.decorators:
        policy = decorator.policy if isinstance(decorator, Applied) else None
        if isinstance(policy, Declaration) and policy.policy == "fallback":
            yield policy


def _misfit(method: Definition, target: Definition, context: Context) -> str:
    """Why a target does not fit one method of the class; or nothing."""
    if method.signature is None or target.signature is None:
        return ""
    if target.kind is Kind.METHOD and method.kind in (Kind.STATIC_METHOD, Kind.CLASS_METHOD):
        return f"'{method.name}' is a {method.kind.value}, '{target.name}' an instance method"
    if method.is_async is False and target.is_async:
        return f"'{method.name}' is not asynchronous"
    shape = shape_of(method.signature, target.signature)
    if shape.misplaced and shape.exception is not None:
        return f"'{shape.exception.name}' {shape.misplaced}"
    reasons = list(misfits(method.signature, shape.parameters, context.oracle))
    ours, theirs = method.signature.result, None if target.result_varies else target.signature.result
    if not reasons and ours is not None and theirs is not None and context.oracle.assignable(theirs, ours) is False:
        reasons = [f"'{target.name}' returns {theirs.text}, '{method.name}' returns {ours.text}"]
    return ", ".join(reasons)
