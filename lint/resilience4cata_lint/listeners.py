"""Functions that are given to be called with events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from resilience4cata.facts import Definition, Listener

from .objects import Builder, External, FunctionObject, Running, Where
from .outside import helper_name
from .symbols import FileFacts
from .templates import method_of
from .terms import Attribute, Call, Path, Term, children

if TYPE_CHECKING:
    from .world import World

_POSITIONS: Final = {"listen": 1, "listener": 0}
"""Where each method takes what it is to call."""

_CLASS: Final = "resilience4cata.Resilience"


def listeners(file: FileFacts, world: World) -> Iterator[Listener]:
    """The callbacks that one file gives to a `Resilience` or its builder, as far as they can be followed."""
    bodies = {function.body: index for index, function in enumerate(file.functions)}
    for site in file.sites:
        index = bodies.get(site.scope)
        function = None if index is None else world.function_object(file, index)
        for call in _calls(site.call):
            method = method_of(call)
            where = Where(file, site.scope)
            if method in _POSITIONS and _is_ours(call, method, where, function, world):
                callback = _callback(call, _POSITIONS[method])
                definition = None if callback is None else _definition(callback, where, function, world)
                if callback is not None and definition is not None and definition.signature is not None:
                    is_async = definition.coroutine and not definition.yields
                    at = file.at(callback.span)
                    yield Listener(method, definition.name, is_async, at, definition.at)


def _calls(term: Term) -> Iterator[Call]:
    if isinstance(term, Call):
        yield term
    for child in children(term):
        yield from _calls(child)


def _is_ours(call: Call, method: str, where: Where, function: FunctionObject | None, world: World) -> bool:
    term = call.function
    owner = Path(term.parts[:-1], term.span) if isinstance(term, Path) else getattr(term, "base", None)
    if owner is None:
        return False
    found = world.values.evaluate(owner, where)
    if isinstance(found, Builder if method == "listener" else Running):
        return True
    return method == "listen" and function is not None and _is_held(owner, function, world)


def _is_held(owner: Term, function: FunctionObject, world: World) -> bool:
    """Whether a parameter is annotated to be a `Resilience`, or an attribute of the instance is set to one."""
    if not isinstance(owner, Path):
        return False
    if len(owner.parts) == 1:
        where = Where(function.file, function.facts.scope, deferred=True)
        annotations = (p.annotation for p in function.facts.parameters if p.name == owner.parts[0])
        found = [world.values.evaluate(annotation, where) for annotation in annotations if annotation is not None]
        is_bound_once = len(function.file.scopes[function.facts.body].bindings.get(owner.parts[0], ())) == 1
        return is_bound_once and any(isinstance(f, External) and helper_name(f.name) == _CLASS for f in found)
    callee = world.bodies.callees.of(Attribute(owner, "listen", owner.span), function)
    name = "" if callee is None else callee.name
    return name.startswith(f"{_CLASS}.") and name.endswith((".build().listen", ".disabled().listen"))


def _callback(call: Call, position: int) -> Term | None:
    given = next((argument.value for argument in call.arguments if argument.keyword == "callback"), None)
    positional = [argument for argument in call.arguments if argument.keyword is None]
    if given is None and not any(argument.stars for argument in call.arguments) and len(positional) > position:
        return positional[position].value
    return given


def _definition(term: Term, where: Where, function: FunctionObject | None, world: World) -> Definition | None:
    if function is not None:
        callee = world.bodies.callees.of(term, function)
        return None if callee is None else callee.definition
    found = world.values.evaluate(term, where)
    return world.definitions.function(found) if isinstance(found, FunctionObject) else None
