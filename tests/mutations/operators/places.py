"""Faults in where policies stand, and in comments that suppress."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..mutant import ALL, LINT_AND_MYPY, ONLY_LINT, Edit, Faulty, Place
from ..sources import Function, Owner, Shop, Source, Use


def _above(owner: Owner, source: Source) -> int:
    """Where the first decorator or the definition itself begins, with its `@`."""
    first = min([owner.lineno, *(decorator.lineno for decorator in owner.decorator_list)])
    start = source.line_start(first)
    return start + len(source.content[start:]) - len(source.content[start:].lstrip(" "))


def _added(source: Source, owner: Owner, policy: str, code: str, reports: frozenset[str] = ALL) -> Faulty:
    """A policy put above all that stands on an element."""
    at = _above(owner, source)
    edit = Edit(at, at, f"@{policy}\n{' ' * (at - source.content.rindex(chr(10), 0, at) - 1)}")
    return Faulty(f"{source.path} {owner.name}", source, [edit], [Place(code, source, at, reports)])


def policy_above(shop: Shop) -> Iterator[Faulty]:
    """The decorator that makes a property, a static or a class method changes places with the policy below it."""
    for source in shop.modules:
        for owner, _ in source.owners:
            for upper, lower in zip(owner.decorator_list, owner.decorator_list[1:], strict=False):
                if not isinstance(upper, ast.Name) or upper.id not in {"property", "staticmethod", "classmethod"}:
                    continue
                if not isinstance(lower, ast.Call):
                    continue
                code = "R4C-LOC-001" if upper.id == "property" else "R4C-LOC-002"
                edits = [
                    Edit(source.start(upper), source.end(upper), source.code(lower)),
                    Edit(source.start(lower), source.end(lower), upper.id),
                ]
                place = Place(code, source, source.start(upper))
                yield Faulty(f"{source.path} {owner.name}", source, edits, [place])


def policy_above_a_bare(shop: Shop) -> Iterator[Faulty]:
    """A policy stands above what makes a property, a static or a class method."""
    codes = {"property": "R4C-LOC-001", "staticmethod": "R4C-LOC-002", "classmethod": "R4C-LOC-002"}
    for source in shop.modules:
        if "timeout" not in source.aliases:
            continue
        for owner, _ in source.owners:
            names = [node.id for node in owner.decorator_list if isinstance(node, ast.Name)]
            if names and names[0] in codes:
                yield _added(source, owner, 'timeout("3s")', codes[names[0]])


def policy_on_a_generator(shop: Shop) -> Iterator[Faulty]:
    """The function yields, so only its creation would be guarded."""
    client, base = shop["shop/http/client.py"], shop["shop/storage/base.py"]
    yield _added(client, client.owner("lines", "HttpClient"), "bulkhead(max_concurrent=3)", "R4C-LOC-003")
    yield _added(client, client.owner("_body"), "bulkhead(max_concurrent=3)", "R4C-LOC-003")
    session = _added(base, base.owner("_session", "Repository"), 'timeout("1s")', "R4C-LOC-003")
    first = base.imports_at
    edits = [Edit(first, first, "from resilience4cata import timeout\n"), *session.edits]
    yield Faulty(session.title, base, edits, session.places)


def policy_on_a_special_method(shop: Shop) -> Iterator[Faulty]:
    """A constructor is guarded."""
    for source in shop.modules:
        policy = "bulkhead(max_concurrent=3)" if "bulkhead" in source.aliases else 'timeout("3s")'
        if policy.partition("(")[0] not in source.aliases:
            continue
        for owner, _ in source.owners:
            if owner.name == "__init__":
                yield _added(source, owner, policy, "R4C-LOC-004")


def nothing_to_guard(shop: Shop) -> Iterator[Faulty]:
    """A policy on an enumeration without methods."""
    source = shop["shop/notifications/models.py"]
    owner = source.owner("Delivery")
    first = source.imports_at
    fault = _added(source, owner, "timeout()", "R4C-LOC-005")
    edits = [Edit(first, first, "from resilience4cata import timeout\n"), *fault.edits]
    yield Faulty("Delivery", source, edits, fault.places)


def no_parentheses(shop: Shop) -> Iterator[Faulty]:
    """A policy is written without being called. mypy says so itself, and at run time it is a TypeError."""
    for use in shop.uses:
        if use.owner is not None and use.policy != "order":
            edit = Edit(use.source.end(use.call.func), use.source.end(use.call), "")
            place = Place("R4C-LOC-006", use.source, use.place, ONLY_LINT)
            yield Faulty(use.title, use.source, [edit], [place])


def cache_below(shop: Shop) -> Iterator[Faulty]:
    """The innermost decorator keeps the results of an async function."""
    for source in shop.modules:
        for owner, _ in source.owners:
            uses = [use for use in source.uses if use.owner is owner]
            if isinstance(owner, ast.AsyncFunctionDef) and len(uses) == 1 == len(owner.decorator_list):
                at, first = source.start(owner), source.imports_at
                edits = [
                    Edit(first, first, "import functools\n"),
                    Edit(at, at, f"@functools.cache\n{' ' * owner.col_offset}"),
                ]
                place = Place("R4C-LOC-007", source, uses[0].place, LINT_AND_MYPY)
                yield Faulty(uses[0].title, source, edits, [place])


def override_drops_policies(shop: Shop) -> Iterator[Faulty]:
    """A subclass defines a guarded concrete method anew, without policies."""
    source = shop["shop/catalogue/stock.py"]
    new = (
        "\n\nclass PaperStock(StockClient):\n"
        '    """Counted by hand."""\n\n'
        "    async def reserve(self, sku: str, pieces: int, key: str) -> bool:\n"
        "        return True\n"
    )
    at = len(source.content)
    changed = Place("R4C-LOC-011", source, at, ONLY_LINT, new.index("async def"))
    yield Faulty("PaperStock.reserve", source, [Edit(at, at, new)], [changed])


def policy_on_an_overload(shop: Shop) -> Iterator[Faulty]:
    """The stub of an overload is guarded, which has no body."""
    source = shop["shop/legacy.py"]
    at = source.find("def _product")
    new = (
        "@overload\n@timeout()\ndef cents(value: str) -> int: ...\n"
        "@overload\ndef cents(value: None) -> None: ...\n"
        "def cents(value: str | None) -> int | None:\n    return None if value is None else int(value)\n\n\n"
    )
    first = source.imports_at
    edits = [Edit(first, first, "from typing import overload\n"), Edit(at, at, new)]
    yield Faulty("cents", source, edits, [Place("R4C-LOC-013", source, at, LINT_AND_MYPY, new.index("timeout()"))])


def policy_on_a_future(shop: Shop) -> Iterator[Faulty]:
    """The function answers with a future, so only its creation would be guarded."""
    for path, name, within, policies in (
        ("shop/catalogue/prices.py", "convert", "RateTable", ("bulkhead",)),
        ("shop/storage/products.py", "cheapest", "ProductRepository", ("bulkhead", "timeout")),
    ):
        source = shop[path]
        owner = source.owner(name, within)
        assert isinstance(owner, Function)
        assert owner.returns is not None
        first, start, end = source.imports_at, source.start(owner.returns), source.end(owner.returns)
        edits = [
            Edit(first, first, "from concurrent.futures import Future\n"),
            Edit(start, end, f"Future[{source.code(owner.returns)}]"),
        ]
        uses = [use for use in source.uses if use.owner is owner and use.policy in policies]
        yield Faulty(name, source, edits, [Place("R4C-AS-001", source, use.place) for use in uses])


def unused_suppression(shop: Shop) -> Iterator[Faulty]:
    """A comment suppresses what nobody reports."""
    yield from _comments(shop, "R4C-FB-002", "R4C-SUP-001")


def unknown_suppression(shop: Shop) -> Iterator[Faulty]:
    """A comment suppresses what no rule is called."""
    yield from _comments(shop, "R4C-FB-902", "R4C-SUP-002")


def _comments(shop: Shop, named: str, code: str) -> Iterator[Faulty]:
    for use in _single_lines(shop):
        end = use.source.end(use.call)
        edit = Edit(end, end, f"  # r4c: ignore[{named}]")
        yield Faulty(use.title, use.source, [edit], [Place(code, use.source, end, ONLY_LINT)])


def _single_lines(shop: Shop) -> Iterator[Use]:
    for use in shop.uses:
        if use.policy == "bulkhead" and use.owner is not None and use.call.lineno == use.call.end_lineno:
            yield use


def broken_source(shop: Shop) -> Iterator[Faulty]:
    """A file cannot be parsed. `build()` never sees it, since Python says so first; so does mypy."""
    source = shop["shop/legacy.py"]
    at = source.find("(path: Path)", after="def read_articles")
    edit = Edit(at, at + 1, "[")
    yield Faulty("shop/legacy.py", source, [edit], [Place("R4C-SRC-001", source, at, ONLY_LINT)])


OPERATORS = (
    policy_above,
    policy_above_a_bare,
    policy_on_a_generator,
    policy_on_a_special_method,
    nothing_to_guard,
    no_parentheses,
    cache_below,
    override_drops_policies,
    policy_on_an_overload,
    policy_on_a_future,
    unused_suppression,
    unknown_suppression,
    broken_source,
)
