"""Faults in composed policies and in policies that stand on one element together."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..mutant import LINT_AND_BUILD, ONLY_LINT, Edit, Faulty, Place
from ..sources import Shop, Source

_COMPOSED = {
    "external_call": "external-call",
    "non_idempotent_call": "non-idempotent-call",
    "storage_call": "storage-call",
    "quick_lookup": "quick-lookup",
    "partner_lookup": "partner-lookup",
    "mail_delivery": "mail-delivery",
    "customer_delivery": "customer-delivery",
}


def composed_uses(shop: Shop) -> Iterator[tuple[Source, ast.Name]]:
    """Every decorator that is a composed policy."""
    for source in shop.modules:
        for owner, _ in source.owners:
            for node in owner.decorator_list:
                if isinstance(node, ast.Name) and node.id in _COMPOSED:
                    yield source, node


def definitions(shop: Shop) -> Iterator[tuple[Source, str, ast.Call]]:
    """Every composed policy, with its variable."""
    for source in shop.modules:
        for node in source.tree.body:
            value = node.value if isinstance(node, ast.Assign) else None
            if isinstance(value, ast.Call) and source.policy(value.func) == "resilience_policy":
                assert isinstance(node, ast.Assign)
                yield source, source.code(node.targets[0]), value


def policy_twice(shop: Shop) -> Iterator[Faulty]:
    """A policy stands on its element a second time, directly below; the lower one is told about the upper."""
    for use in shop.uses:
        if use.owner is None:
            continue
        start, end = use.place - 1, use.source.end(use.call)
        copy = use.source.content[start:end]
        edit = Edit(start, start, f"{copy}\n{' ' * use.owner.col_offset}")
        yield Faulty(use.title, use.source, [edit], [Place("R4C-CMP-003", use.source, use.place)])


def member_twice(shop: Shop) -> Iterator[Faulty]:
    """A composed policy has the same member a second time."""
    for source, name, call in definitions(shop):
        member = next(argument for argument in call.args[1:] if isinstance(argument, ast.Call))
        end = source.end(member)
        new = f", {source.code(member)}"
        yield Faulty(name, source, [Edit(end, end, new)], [Place("R4C-CMP-003", source, end)])


def composed_policy_called(shop: Shop) -> Iterator[Faulty]:
    """`@external_call()`: mypy says itself that nothing is called like that, and at run time it is a TypeError."""
    for source, node in composed_uses(shop):
        end = source.end(node)
        place = Place("R4C-CMP-008", source, source.start(node), ONLY_LINT)
        yield Faulty(f"{source.path} {node.id} {node.lineno}", source, [Edit(end, end, "()")], [place])


def no_member(shop: Shop) -> Iterator[Faulty]:
    """A text among the members. mypy says so itself."""
    for source, name, call in definitions(shop):
        first = source.start(call.args[1])
        edit = Edit(first, first, '"2s", ')
        yield Faulty(name, source, [edit], [Place("R4C-CMP-002", source, first, LINT_AND_BUILD)])


def malformed_composed_name(shop: Shop) -> Iterator[Faulty]:
    """A name with blanks. What files tune under the right name then leads nowhere, which is another fault."""
    for source, name, call in definitions(shop):
        start, end = source.start(call.args[0]), source.end(call.args[0])
        places = [Place("R4C-CFG-004", source, start)]
        if name == "external_call":
            tuned = shop["resilience.properties"]
            places.append(Place("R4C-CFG-009", tuned, tuned.find("external-call/"), LINT_AND_BUILD))
        yield Faulty(name, source, [Edit(start, end, f'"{_COMPOSED[name].replace("-", " ")}"')], places)


def unlike_its_variable(shop: Shop) -> Iterator[Faulty]:
    """A name that differs from its variable's by a letter, or shares no word with it."""
    for source, name, call in definitions(shop):
        if name == "external_call":
            # Files tune it by its name.
            continue
        start, end = source.start(call.args[0]), source.end(call.args[0])
        place = Place("R4C-CMP-005", source, start, ONLY_LINT)
        text = _COMPOSED[name]
        yield Faulty(f"{name} typo", source, [Edit(start, end, f'"{text[:-2]}{text[-1]}"')], [place])
        yield Faulty(f"{name} other", source, [Edit(start, end, '"zigzag"')], [place])


def name_of_another(shop: Shop) -> Iterator[Faulty]:
    """A composed policy has the name of another one, in an earlier file."""
    for path, variable, taken in (
        ("shop/notifications/push.py", "customer_delivery", "mail-delivery"),
        ("shop/policies/internal.py", "storage_call", "external-call"),
    ):
        source = shop[path]
        text = f'"{_COMPOSED[variable]}"'
        start = source.find(text)
        call = source.content.rindex("resilience_policy", 0, start)
        place = Place("R4C-CMP-007", source, call, LINT_AND_BUILD)
        yield Faulty(variable, source, [Edit(start, start + len(text), f'"{taken}"')], [place])


def composed_policies_disagree(shop: Shop) -> Iterator[Faulty]:
    """Two composed policies on one element want different timeouts."""
    for path, anchor, added in (
        ("shop/payments/client.py", "@non_idempotent_call", "external_call"),
        ("shop/notifications/push.py", "@customer_delivery\n    async def push", "external_call"),
        ("shop/notifications/push.py", "@customer_delivery\n    async def devices", "external_call"),
        ("shop/catalogue/search.py", "@quick_lookup", "non_idempotent_call"),
        ("shop/legacy.py", "@external_call", "non_idempotent_call"),
        ("shop/catalogue/stock.py", "@partner_lookup", "external_call"),
    ):
        source = shop[path]
        at = source.find(anchor)
        indent = " " * (at - source.content.rindex("\n", 0, at) - 1)
        edits = [Edit(at, at, f"@{added}\n{indent}")]
        first = source.imports_at
        if f"import {added}" not in source.content and f", {added}" not in source.content:
            edits.append(Edit(first, first, f"from shop.policies import {added}\n"))
        yield Faulty(f"{path} {anchor}", source, edits, [Place("R4C-CMP-004", source, at + 1)])


OPERATORS = (
    policy_twice,
    member_twice,
    composed_policy_called,
    no_member,
    malformed_composed_name,
    unlike_its_variable,
    name_of_another,
    composed_policies_disagree,
)
