"""Callables as facts that have no element of their own: what rules look at to tell why one cannot be guarded."""

from __future__ import annotations

from types import FunctionType
from typing import Final

from ..extract.definitions import owner_of
from ..extract.places import Places
from ..extract.values import full_name
from ..facts import Applied, Definition, Element, Foreign, Kind, LocalScope
from ..policies.recorded import context_manager_maker, function_of
from ..records import replace

_ASYNC_GENERATOR: Final = 0x200  # inspect.CO_ASYNC_GENERATOR


def called_element(pipeline: Element, function: FunctionType, places: Places) -> Element:
    """A generator or context manager function with the policy of a pipeline that is written first.

    One policy, since the mistake is one. Where none is written, the pipeline being made of a template, the place is
    that of the function.
    """
    core = _core(function)
    id_, at = full_name(core), places.function(core.__code__)
    first = next((applied for applied in pipeline.policies if applied.at.source), None)
    applied = first or Applied(pipeline.policies[0].policy, at)
    definition = Definition(id_, core.__name__, owner_of(id_), Kind.FUNCTION, at, decorators=(applied,))
    return Element(creating(definition, function), LocalScope(definition.owner))


def creating(definition: Definition, function: FunctionType) -> Definition:
    """The definition of a callable whose call makes the generator, or context manager, that `function` makes."""
    maker = context_manager_maker(function)
    foreign = () if maker is None else (Foreign(maker, definition.at),)
    applied = (decorator for decorator in definition.decorators if isinstance(decorator, Applied))
    core = _core(function)
    return replace(
        definition,
        id=full_name(core),
        is_async=bool(core.__code__.co_flags & _ASYNC_GENERATOR),
        yields=True,
        decorators=(*applied, *foreign),
    )


def _core(function: FunctionType) -> FunctionType:
    """The function that was decorated, where `function` is what contextlib made of it."""
    return function if context_manager_maker(function) is None else function_of(function) or function
