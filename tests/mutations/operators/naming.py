"""Faults in the names of instances: one that a template has, one that a call passes twice."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..mutant import ONLY_LINT, Edit, Faulty, Place
from ..sources import Function, Owner, Shop, Source

_TEMPLATES = {
    "adaptive_limit": "catalogue",
    "bulkhead": "storage",
    "circuit_breaker": "slow-external",
    "retry": "mail",
}
# Complete, so that it is the same wherever it stands.
_DOOR = 'bulkhead(name="one-door", max_concurrent=3, max_wait="1s")'


def name_of_a_template(shop: Shop) -> Iterator[Faulty]:
    """An instance is called as a template is, on the only element that has it."""
    for use in shop.uses:
        template = _TEMPLATES.get(use.policy)
        if use.function is None or template is None or use.keyword("name") or use.keyword("config"):
            continue
        end = use.source.end(use.call) - 1
        is_first = not use.call.args and not use.call.keywords
        has_comma = use.source.content[:end].rstrip().endswith(",")
        new = f'{"" if is_first or has_comma else ", "}name="{template}"'
        place = Place("R4C-IN-003", use.source, end, ONLY_LINT)
        yield Faulty(use.title, use.source, [Edit(end, end, new)], [place])


def instance_entered_twice(shop: Shop) -> Iterator[Faulty]:
    """A function and one of the same class or module that it calls are guarded by one bulkhead."""
    for source in shop.modules:
        for caller, within in source.owners:
            for called in _called(source, caller, within):
                edits = [Edit(source.imports_at, source.imports_at, "import resilience4cata\n")]
                for function in (caller, called):
                    start = source.start(function)
                    new = f"@resilience4cata.{_DOOR}\n{' ' * function.col_offset}"
                    edits.append(Edit(start, start, new))
                place = Place("R4C-IN-005", source, source.start(caller), ONLY_LINT)
                yield Faulty(f"{source.path} {caller.name} {called.name}", source, edits, [place])


def _called(source: Source, caller: Owner, within: ast.ClassDef | None) -> Iterator[Function]:
    """What a function calls, by `self` or by its name alone, if neither has a bulkhead or yields."""
    if not _is_free(source, caller):
        return
    calls = [node.func for node in ast.walk(caller) if isinstance(node, ast.Call)]
    by_self = {f.attr for f in calls if isinstance(f, ast.Attribute) and source.code(f.value) == "self"}
    by_name = {f.id for f in calls if isinstance(f, ast.Name)}
    for other, around in source.owners:
        is_called = other.name in (by_name if around is None else by_self)
        if isinstance(other, Function) and is_called and around in (None, within) and _is_free(source, other):
            yield other


def _is_free(source: Source, owner: Owner) -> bool:
    # A decorator without parentheses is a composed policy, or makes something else of a function.
    others = [node for node in owner.decorator_list if not isinstance(node, ast.Call)]
    has_bulkhead = any(use.policy == "bulkhead" for use in source.uses if use.owner is owner)
    yields = any(isinstance(node, ast.Yield) for node in ast.walk(owner))
    return isinstance(owner, Function) and not (others or has_bulkhead or yields or owner.name == "__init__")


OPERATORS = (name_of_a_template, instance_entered_twice)
