"""Where policies are applied by calls, and to functions inside of functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from resilience4cata.facts import UNKNOWN, Application, Applied, Composed, Definition, Foreign
from resilience4cata.records import replace

from .objects import Built, External, FunctionObject, Where
from .outside import helper_name
from .symbols import BodyFacts, CallFacts, FileFacts, FunctionFacts, Site
from .terms import Call, Path, Term

if TYPE_CHECKING:
    from .world import World


def applications(file: FileFacts, world: World) -> Iterator[Application]:
    """The applications in one file, those by calls first."""
    bodies = {function.body: function for function in file.functions}
    for site in file.sites:
        found = _by_call(site, file, world, bodies.get(site.scope))
        if found is not None:
            yield found
    for index, function in enumerate(file.functions):
        around = bodies.get(function.scope)
        if around is not None and function.decorators:
            definition = world.definitions.function(world.function_object(file, index))
            once = _is_called_once(function.name, around, file)
            for applied in definition.decorators:
                if isinstance(applied, Applied):
                    yield Application(applied, definition.id, function=_id(around, file), called_once=once)


def _by_call(site: Site, file: FileFacts, world: World, around: FunctionFacts | None) -> Application | None:
    where = Where(file, site.scope)
    called_at_once = not _is_application(site.call, where, world)
    call = site.call.function if called_at_once else site.call
    if not isinstance(call, Call) or not _is_application(call, where, world):
        return None
    applied = world.values.evaluate(call.function, where)
    assert isinstance(applied, Built)
    target = world.values.evaluate(call.arguments[0].value, where)
    name = (site.variable or "").rpartition(".")[2]
    policy = Applied(applied.policy, file.at(call.function.span))
    guarded = _guarded(call.arguments[0].value, where, world)
    return Application(
        policy,
        target.id if isinstance(target, FunctionObject) else UNKNOWN,
        discarded=site.discarded and not called_at_once,
        function=_id(around, file) if around is not None else "",
        called_once=called_at_once or (around is not None and bool(name) and _is_called_once(name, around, file)),
        definition=replace(guarded, decorators=(policy, *guarded.decorators)) if guarded is not None else None,
    )


def _guarded(term: Term, where: Where, world: World) -> Definition | None:
    """A function with what calls put around it, `contextmanager(f)`, among its decorators; None if it is not known."""
    found = world.values.evaluate(term, where)
    if isinstance(found, FunctionObject):
        return world.definitions.function(found)
    if not isinstance(term, Call) or not _has_one_argument(term):
        return None
    maker = world.values.evaluate(term.function, where)
    inner = _guarded(term.arguments[0].value, where, world)
    if inner is None or not isinstance(maker, External):
        return None
    return replace(inner, decorators=(Foreign(helper_name(maker.name), where.file.at(term.span)), *inner.decorators))


def _is_application(call: Call, where: Where, world: World) -> bool:
    """Whether a call gives one argument to a policy; without any, a composed policy is only called by mistake."""
    built = world.values.evaluate(call.function, where)
    return (
        _has_one_argument(call)
        and isinstance(built, Built)
        and (isinstance(call.function, Call) or isinstance(built.policy, Composed))
    )


def _has_one_argument(call: Call) -> bool:
    return len(call.arguments) == 1 and call.arguments[0].keyword is None and not call.arguments[0].stars


def _is_called_once(name: str, around: FunctionFacts, file: FileFacts) -> bool:
    does: BodyFacts = around.does
    calls: list[CallFacts] = [call for call in does.calls if call.function == Path((name,))]
    bound_once = len(file.scopes[around.body].bindings.get(name, ())) == 1
    return bound_once and len(calls) == 1 and not calls[0].loops and name not in does.handed_on


def _id(function: FunctionFacts, file: FileFacts) -> str:
    return file.full_name(function.qualified)
