"""Faults in the bodies of guarded functions: what they do with failures that their policies are there for."""

from __future__ import annotations

from ast import AsyncFunctionDef, Constant, Expr, Name, stmt
from collections.abc import Iterator

from ..mutant import LINT_AND_MYPY, ONLY_LINT, Edit, Faulty, Place
from ..sources import Function, Shop, Use

_REFUSALS = {
    "bulkhead": "BulkheadFullError",
    "circuit_breaker": "CallNotPermittedError",
    "rate_limiter": "RateLimitExceededError",
}


def retry_by_hand(shop: Shop) -> Iterator[Faulty]:
    """The body of a retried function tries again by itself, in a loop that sleeps."""
    for use in _with_body(shop, "retry"):
        if _keeps_one_attempt(use):
            continue
        library = "asyncio" if isinstance(use.function, AsyncFunctionDef) else "time"
        wait = "await asyncio.sleep(1)" if library == "asyncio" else "time.sleep(1)"
        new = f"for _ in range(5):\n    try:\n        {{body}}\n    except OSError:\n        {wait}\nraise OSError"
        yield _around_body(use, new, "R4C-NE-002", "for _ in range(5)", imports=f"import {library}\n")


def swallowed_failure(shop: Shop) -> Iterator[Faulty]:
    """The body answers every failure with a result, which its policies take for a success."""
    for policy in ("retry", "circuit_breaker", "fallback"):
        for use in _with_body(shop, policy):
            first = next(other for other in use.source.uses if other.owner is use.owner)
            if first is use and not _keeps_one_attempt(use):
                new = "try:\n    {body}\nexcept Exception:\n    return None"
                yield _around_body(use, new, "R4C-NE-004", "except")


def own_refusal_caught(shop: Shop) -> Iterator[Faulty]:
    """The body waits for the refusal of its own policy, from a call that cannot raise it."""
    for policy, error in _REFUSALS.items():
        for use in _with_body(shop, policy):
            new = f"try:\n    {use.policy}_checked = len('')\nexcept {error}:\n    {use.policy}_checked = 0\n{{body}}"
            imports = f"from resilience4cata import {error}\n"
            yield _around_body(use, new, "R4C-NE-005", f"except {error}", imports)


def converted_before_matched(shop: Shop) -> Iterator[Faulty]:
    """The body makes another exception of the only one that is tried again."""
    for use in _with_body(shop, "retry"):
        allowed = use.keyword("retry_on")
        if allowed is not None and isinstance(allowed.value, Name):
            new = f"try:\n    {{body}}\nexcept {allowed.value.id} as failure:\n    raise RuntimeError from failure"
            yield _around_body(use, new, "R4C-CL-008", "except")


def consumed_parameter(shop: Shop) -> Iterator[Faulty]:
    """A retried function runs through a parameter that is an iterator now."""
    for use in _with_body(shop, "retry"):
        assert use.function is not None
        for parameter in use.function.args.args:
            annotation = parameter.annotation
            if annotation is not None and use.source.code(annotation).startswith("Sequence["):
                start, first = use.source.start(annotation), use.source.imports_at
                edits = [
                    Edit(first, first, "from collections.abc import Iterator\n"),
                    Edit(start, start + len("Sequence"), "Iterator"),
                ]
                place = Place("R4C-NE-006", use.source, use.place, LINT_AND_MYPY)
                yield Faulty(use.title, use.source, edits, [place])


def _keeps_one_attempt(use: Use) -> bool:
    attempts = use.keyword("max_attempts")
    return attempts is not None and isinstance(attempts.value, Constant) and attempts.value.value == 1


def _with_body(shop: Shop, policy: str) -> Iterator[Use]:
    """The uses of a policy on functions that do something."""
    for use in shop.uses:
        if use.policy == policy and use.function is not None and _first_statement(use.function) is not None:
            yield use


def _first_statement(function: Function) -> stmt | None:
    """What a function does first, after its docstring; None if that is all."""
    return next((n for n in function.body if not (isinstance(n, Expr) and isinstance(n.value, Constant))), None)


def _around_body(use: Use, template: str, code: str, anchor: str, imports: str = "") -> Faulty:
    """The function with its body at the `{body}` of a template; the finding is at a text of that."""
    source, function = use.source, use.function
    assert function is not None
    first = _first_statement(function)
    assert first is not None
    start, end = source.start(first), source.end(function.body[-1])
    line = next(line for line in template.split("\n") if "{body}" in line)
    deeper = line.index("{")
    body = source.content[start:end].replace("\n", "\n" + " " * deeper)
    lines = [line.format(body=body) if "{body}" in line else line for line in template.split("\n")]
    new = f"\n{' ' * first.col_offset}".join(lines)
    edits = [Edit(source.imports_at, source.imports_at, imports)] if imports else []
    # A handler of the body itself comes before that of the template.
    found = Place(code, source, start, ONLY_LINT, new.rindex(anchor))
    return Faulty(use.title, source, [*edits, Edit(start, end, new)], [found])


OPERATORS = (
    retry_by_hand,
    swallowed_failure,
    own_refusal_caught,
    converted_before_matched,
    consumed_parameter,
)
