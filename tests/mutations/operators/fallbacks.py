"""Faults in `@fallback(...)` itself: what it names, and for which exceptions."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..mutant import Edit, Faulty, Place
from ..sources import Shop, Use


def fallbacks(shop: Shop) -> Iterator[Use]:
    """Every fallback on an element."""
    return (use for use in shop.uses if use.policy == "fallback" and use.owner is not None)


def by_method(shop: Shop) -> Iterator[tuple[Use, ast.Constant]]:
    """Every fallback that names one method, with the literal that does."""
    for use in fallbacks(shop):
        keyword = use.keyword("method")
        if keyword is not None and isinstance(keyword.value, ast.Constant):
            yield use, keyword.value


def misspelt(name: str) -> str:
    """The name without its last letter but one."""
    return name[:-2] + name[-1]


def no_target(shop: Shop) -> Iterator[Faulty]:
    """All arguments are dropped."""
    for use in fallbacks(shop):
        first = use.call.args[0] if use.call.args else use.call.keywords[0]
        inside = Edit(use.source.start(first), use.source.end(use.call) - 1, "")
        yield Faulty(use.title, use.source, [inside], [Place("R4C-FB-001", use.source, use.place)])


def misspelt_method(shop: Shop) -> Iterator[Faulty]:
    """The method to fall back to is misspelt."""
    for use, name in by_method(shop):
        yield _renamed(use, name, misspelt(str(name.value)))


def renamed_method(shop: Shop) -> Iterator[Faulty]:
    """The method to fall back to is called something quite different now."""
    for use, name in by_method(shop):
        yield _renamed(use, name, "another_way")


def _renamed(use: Use, name: ast.Constant, new: str) -> Faulty:
    edit = Edit(use.source.start(name), use.source.end(name), f'"{new}"')
    return Faulty(use.title, use.source, [edit], [Place("R4C-FB-002", use.source, use.place)])


def misspelt_one_of_several(shop: Shop) -> Iterator[Faulty]:
    """One name of a tuple of methods is misspelt."""
    for use in fallbacks(shop):
        keyword = use.keyword("method")
        if keyword is None or not isinstance(keyword.value, ast.Tuple):
            continue
        for name in keyword.value.elts:
            assert isinstance(name, ast.Constant)
            edit = Edit(use.source.start(name), use.source.end(name), f'"{misspelt(str(name.value))}"')
            place = Place("R4C-FB-002", use.source, use.place)
            yield Faulty(f"{use.title} {name.value!r}", use.source, [edit], [place])


def falls_back_to_itself(shop: Shop) -> Iterator[Faulty]:
    """The method to fall back to is the one that failed."""
    for use, name in by_method(shop):
        if use.function is not None:
            edit = Edit(use.source.start(name), use.source.end(name), f'"{use.function.name}"')
            yield Faulty(use.title, use.source, [edit], [Place("R4C-FB-010", use.source, use.place)])


def skips_what_the_target_is_for(shop: Shop) -> Iterator[Faulty]:
    """`skip_on` names a base of the only exception that the target takes."""
    source = shop["shop/users/client.py"]
    at = source.find('method="find_fallback"')
    edit = Edit(at, at, "skip_on=ServiceUnavailable, ")
    yield Faulty("users.client find", source, [edit], [Place("R4C-FB-011", source, at - len("fallback("))])


def applies_to_nothing_that_the_target_takes(shop: Shop) -> Iterator[Faulty]:
    """`apply_on` names an exception, but the target is for another one."""
    source = shop["shop/users/client.py"]
    at = source.find('method="find_fallback"')
    edit = Edit(at, at, "apply_on=UserNotFound, ")
    yield Faulty("users.client find", source, [edit], [Place("R4C-FB-011", source, at - len("fallback("))])


def no_handler(shop: Shop) -> Iterator[Faulty]:
    """A class that is no handler is given as one. To mypy alone any class is a function that makes something."""
    results = {"ReceiptFallback": "Receipt", "AuthorisationFallback": "Authorisation", "QueuedDelivery": "Delivery"}
    for use in fallbacks(shop):
        handler = use.call.args[0] if use.call.args else None
        if handler is not None and use.source.code(handler) in results:
            new = results[use.source.code(handler)]
            edit = Edit(use.source.start(handler), use.source.end(handler), new)
            yield Faulty(use.title, use.source, [edit], [Place("R4C-FB-008", use.source, use.place)])


OPERATORS = (
    no_target,
    misspelt_method,
    renamed_method,
    misspelt_one_of_several,
    falls_back_to_itself,
    skips_what_the_target_is_for,
    applies_to_nothing_that_the_target_takes,
    no_handler,
)
