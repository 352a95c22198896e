"""Finding the element that somebody means, and describing it with live values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FunctionType, MethodType
from typing import Any

from ..config.description import Description, description_of, in_words
from ..config.origin import Effective, Given, Layer
from ..facts import UNKNOWN, Element, Items
from ..guards import guard_of
from ..policies.recorded import is_a, layers
from ..suggestions import did_you_mean_path
from .definitions import owner_of
from .settings import Settings
from .values import full_name


class Describing:
    """Answers for the elements that settings were made of, and for pipelines by name."""

    def __init__(self, settings: Settings, pipelines: Mapping[str, Element]) -> None:
        self._settings = settings
        self._instances = settings.instances
        self._pipelines = pipelines

    def description(self, target: object) -> Description:
        """What counts for an element. Raises LookupError."""
        return self.of(self.element(target))

    def of(self, element: Element) -> Description:
        """What counts for an element that the settings know."""
        return description_of(element, self._instances.resolver, self._shown)

    def element(self, target: object) -> Element:
        """The element that an id or a function means. Raises LookupError for what is not guarded."""
        wanted = list(_ids(target))
        for id in wanted:
            if id in self._instances.elements:
                return self._instances.elements[id][-1]
            if id in self._pipelines:
                return self._pipelines[id]
        msg = self._refusal(wanted[0] if wanted else repr(target), is_id=isinstance(target, str))
        raise LookupError(msg)

    def _refusal(self, wanted: str, *, is_id: bool) -> str:
        near = did_you_mean_path(wanted, (*self._instances.elements, *self._pipelines))
        if near is not None and is_id:
            return f"nothing guarded has the id '{wanted}'; did you mean '{near}'?"
        example = next(iter(self._instances.elements), "acme.payments.PaymentsClient#charge")
        return f"nothing guarded has the id '{wanted}'; an id looks like '{example}'"

    def _shown(self, given: Effective | Given) -> str:
        if given.value is UNKNOWN and given.slot is not None:
            written = self._settings.written(given.slot)
            if written is not None:
                return _in_short(written[0])
        if given.value is UNKNOWN and given.origin.layer is Layer.BUILT_IN:
            # The default of an allow list gives way to a classifier, which facts have no form for.
            return in_words(Items(()))
        return in_words(given.value)


def _in_short(value: Any) -> str:
    """An object that facts have no form for: a classifier, a handler, a lambda."""
    if is_a(value, FunctionType):
        return str(value.__qualname__)
    return f"{type(value).__qualname__}(...)"


def _ids(target: object) -> Iterator[str]:
    """The ids that a target may have: as it is written, or as each layer of a function calls itself."""
    if isinstance(target, str):
        yield target
        return
    if is_a(target, type):
        return
    member: Any = target.__func__ if isinstance(target, MethodType) else target
    guard = guard_of(member)
    if guard is not None and guard.inherited:
        owner, _, name = full_name(member).rpartition(".")
        yield f"{owner}#{name}"
    for layer in layers(member):
        if is_a(layer, FunctionType):
            yield id_of_function(layer)


def id_of_function(function: Any) -> str:
    """The id that a function or method gives to itself by its name."""
    definition_id = full_name(function)
    return f"{owner_of(definition_id)}#{definition_id.rpartition('.')[2]}"
