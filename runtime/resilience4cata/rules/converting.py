"""CL: lists of exceptions that the body makes others of, so that nothing in them ever arrives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..diagnostics import Context, Fault, Needs, Related, Severity, rule
from ..facts import Effect, Project, Ref, Try
from .guarding import Guarded, guarded_bodies

_ALLOWING: Final = (("retry", "retry_on"), ("circuit_breaker", "record_on"), ("fallback", "apply_on"))
# What our own TimeoutExceededError is one of, too.
_TIMED_OUT: Final = frozenset({"builtins.TimeoutError", "builtins.OSError"})


@rule("R4C-CL-008", "converted-before-matched", view=Project, severity=Severity.WARNING, needs=Needs.BODIES)
def converted_before_matched(project: Project, context: Context) -> Iterator[Fault]:
    """A list is matched against what leaves the function. If the body turns each listed exception into another one, the
    list names what never arrives."""
    if any("unwrap" in key.path for file in project.files for key in file.keys):
        return  # Causes are matched, too.
    for guarded in guarded_bodies(context):
        for policy, attribute in _ALLOWING:
            listed_types = guarded.types(policy, attribute) if guarded.has(policy) else None
            for part in guarded.body.tries if listed_types else ():
                raised = _converted(part, listed_types or ())
                if raised and not _raised_by_policies(guarded, listed_types or ()):
                    yield _never_arriving(guarded, policy, attribute, part, listed_types or (), raised)


def _converted(part: Try, types: tuple[Ref, ...]) -> tuple[Ref, ...]:
    """What a `try` makes of the types, if it catches all of them and none of its handlers raises one of them."""
    raised = []
    for handler in part.handlers:
        if handler.effect is Effect.CONVERTED and handler.raised is not None and handler.raised.ancestors is not None:
            raised.append(handler.raised)
        elif handler.effect is not Effect.SWALLOWED:
            return ()
    caught = {ref.name for handler in part.handlers for ref in handler.types if isinstance(ref, Ref)}
    names = {ref.name for ref in types}
    all_caught = all(caught.intersection(ref.ancestors or ()) for ref in types)
    any_left = any(names.intersection(ref.ancestors or ()) for ref in raised)
    return tuple(dict.fromkeys(raised)) if part.all_of_it and all_caught and not any_left else ()


def _raised_by_policies(guarded: Guarded, types: tuple[Ref, ...]) -> bool:
    """Whether one of the types may come from another policy: an error of ours, or a base of one."""
    names = {ref.name for ref in types}
    if any(name.startswith("resilience4cata.") for ref in types for name in ref.ancestors or ()):
        return True
    return bool(names & _TIMED_OUT) and ("timeout", "value") in guarded.settings


def _never_arriving(
    guarded: Guarded, policy: str, attribute: str, part: Try, types: tuple[Ref, ...], raised: tuple[Ref, ...]
) -> Fault:
    slot = guarded.settings[policy, attribute].slot
    written = slot.at if slot is not None and slot.at.line else guarded.at(policy)
    return Fault(
        part.handlers[0].at,
        guarded.subject(policy),
        "{types} in '{attribute}' never {arrive}: the body raises {raised} instead",
        {
            "types": " and ".join(ref.short for ref in types),
            "attribute": attribute,
            "arrive": "arrives" if len(types) == 1 else "arrive",
            "raised": " or ".join(ref.short for ref in raised),
        },
        help="name {raised} there, or let the original leave the function",
        related=(Related(written, "the list"),),
    )
