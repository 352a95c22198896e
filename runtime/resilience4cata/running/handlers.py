"""Fallback handlers: one for each element and class, made before anything can be called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ..config.description import description_of
from ..extract.settings import NotMade, Settings
from ..facts import Element
from ..pipeline.falling_back import is_handler

Handlers = Mapping[tuple[str, type], Any]
"""Handlers by the id of an element and their class."""

_FALLBACK: Final = "fallback"
_HANDLER: Final = "handler"


def made_handlers(
    settings: Settings, known: Handlers, make: Callable[[type], Any]
) -> tuple[Handlers, tuple[tuple[Element, NotMade], ...]]:
    """A handler for each element that has a class of them, those that are `known` among them; and all that failed.

    Functions that another function makes have handlers of their own, as they come.
    """
    made, failed = {**known}, []
    for element, kind in _wanted(settings):
        key = (description_of(element, settings.instances.resolver).id, kind)
        try:
            if key not in made:
                made[key] = made_handler(make, kind)
        except NotMade as error:
            failed.append((element, error))
    return made, tuple(failed)


def made_handler(make: Callable[[type], Any], kind: type) -> Any:
    """An object of a class of handlers. Raises NotMade."""
    try:
        handler = make(kind)
    except Exception as error:
        raise NotMade(_FALLBACK, _HANDLER, error) from error
    if not callable(getattr(handler, "apply", None)):
        msg = f"an object of {type(handler).__qualname__} was made, which has no 'apply'"
        raise NotMade(_FALLBACK, _HANDLER, TypeError(msg))
    return handler


def _wanted(settings: Settings) -> Iterator[tuple[Element, type]]:
    for elements in settings.instances.elements.values():
        for element in elements:
            if element.definition.abstract or "<locals>" in element.definition.id:
                continue
            try:
                values = settings.of(element).get(_FALLBACK)
            except NotMade:
                continue
            if values is not None and values["enabled"] is not False and is_handler(values[_HANDLER]):
                yield element, values[_HANDLER]
