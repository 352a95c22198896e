"""Faults in fallback handlers, which stand in other files than the methods that they are for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..mutant import ALL, MYPY_AND_BUILD, Edit, Faulty, Place
from ..sources import Shop, Source, Use


class Handler(NamedTuple):
    """A handler class, and the fallbacks that name it."""

    source: Source
    name: str
    uses: tuple[Use, ...]

    def fault(self, code: str, edit: Edit, reports: frozenset[str] = ALL) -> Faulty:
        places = [Place(code, use.source, use.place, reports) for use in self.uses]
        return Faulty(self.name, self.source, [edit], places)


def handlers(shop: Shop) -> Iterator[Handler]:
    """The three handlers of the shop."""
    for path, name in (
        ("shop/payments/fallbacks.py", "ReceiptFallback"),
        ("shop/payments/fallbacks.py", "AuthorisationFallback"),
        ("shop/notifications/fallbacks.py", "QueuedDelivery"),
    ):
        uses = [use for use in shop.uses if use.call.args and use.source.code(use.call.args[0]) == name]
        yield Handler(shop[path], name, tuple(uses))


def other_result_of_a_handler(shop: Shop) -> Iterator[Faulty]:
    """The handler is for another type than the method's result."""
    for handler in handlers(shop):
        start = handler.source.find("FallbackHandler[", after=f"class {handler.name}") + len("FallbackHandler[")
        edit = Edit(start, handler.source.content.index("]", start), "bytes")
        yield handler.fault("R4C-FB-007", edit, MYPY_AND_BUILD)


def abstract_handler(shop: Shop) -> Iterator[Faulty]:
    """The handler calls its method otherwise, so that `apply` stays abstract."""
    for handler in handlers(shop):
        start = handler.source.find("apply(", after=f"class {handler.name}")
        yield handler.fault("R4C-FB-008", Edit(start, start + len("apply"), "handle"))


def swapped_handlers(shop: Shop) -> Iterator[Faulty]:
    """The handler of another service is named."""
    for path, old, module, new in (
        ("shop/payments/client.py", "ReceiptFallback", "shop.payments.fallbacks", "AuthorisationFallback"),
        ("shop/payments/gateway.py", "AuthorisationFallback", "shop.payments.fallbacks", "ReceiptFallback"),
        ("shop/notifications/push.py", "QueuedDelivery", "shop.payments.fallbacks", "ReceiptFallback"),
    ):
        source = shop[path]
        at = source.imports_at
        for use in source.uses:
            if use.call.args and source.code(use.call.args[0]) == old:
                start = source.start(use.call.args[0])
                edits = [Edit(at, at, f"from {module} import {new}\n"), Edit(start, start + len(old), new)]
                yield Faulty(use.title, source, edits, [Place("R4C-FB-007", source, use.place, MYPY_AND_BUILD)])


def async_handler_for_a_sync_method(shop: Shop) -> Iterator[Faulty]:
    """The handler is asynchronous, the method is not."""
    source = shop["shop/notifications/mailer.py"]
    at = source.imports_at
    edits = [
        Edit(at, at, "from shop.notifications.fallbacks import QueuedDelivery\n"),
        Edit(source.find('method="_queue"'), source.find(", apply_on="), "QueuedDelivery"),
    ]
    yield Faulty("Mailer.send", source, edits, [Place("R4C-FB-009", source, source.find('fallback(method="_queue"'))])


OPERATORS = (
    other_result_of_a_handler,
    abstract_handler,
    swapped_handlers,
    async_handler_for_a_sync_method,
)
