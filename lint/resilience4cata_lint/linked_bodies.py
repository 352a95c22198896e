"""Bodies of functions with their names resolved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from resilience4cata.facts import UNKNOWN, Body, Call, Effect, Handler, Items, Loop, Ref, Try, Unknown, Value
from resilience4cata.facts.familiar import RUNNING_THROUGH

from .callees import Callees
from .objects import ClassObject, External, FunctionObject, Where
from .outside import class_ref, find
from .symbols import CallFacts, HandlerFacts, TryFacts
from .terms import Term

if TYPE_CHECKING:
    from .world import World


class LinkedBodies:
    """Makes the body of a function, once and only when a rule asks for it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.callees = Callees(world)
        self._made: dict[FunctionObject, Body] = {}

    def of(self, function: FunctionObject) -> Body:
        """What the function does."""
        found = self._made.get(function)
        if found is None:
            facts = function.facts.does
            calls = tuple(self._call(call, function) for call in facts.calls)
            run_through = (name for call in calls if call.callee in RUNNING_THROUGH for name in call.given)
            found = self._made[function] = Body(
                calls=calls,
                tries=tuple(self._try(part, function) for part in facts.tries),
                loops=tuple(Loop(function.file.at(span)) for span in facts.loops),
                returns_calls=facts.returns_calls,
                consumed=frozenset((*facts.consumed, *run_through)),
            )
        return found

    def _call(self, facts: CallFacts, function: FunctionObject) -> Call:
        callee = self.callees.of(facts.function, function)
        return Call(
            callee=UNKNOWN if callee is None else callee.name,
            at=function.file.at(facts.span),
            definition=None if callee is None else callee.definition,
            keywords=facts.keywords,
            positional=facts.positional,
            open=facts.open,
            given=facts.given,
            loops=facts.loops,
            tries=facts.tries,
            awaited=facts.awaited,
            returned=facts.returned,
            entered=facts.entered,
            keyed=facts.keyed,
        )

    def _try(self, facts: TryFacts, function: FunctionObject) -> Try:
        handlers = tuple(self._handler(handler, function) for handler in facts.handlers)
        return Try(handlers, function.file.at(facts.span), facts.all_of_it, facts.leaves, facts.loops)

    def _handler(self, facts: HandlerFacts, function: FunctionObject) -> Handler:
        at = function.file.at(facts.span)
        if facts.types is None:
            types: tuple[Ref | Unknown, ...] = (class_ref(BaseException),)
        else:
            types = tuple(found for term in facts.types for found in self._types(term, function))
        raised = None if facts.raised is None else self._value(facts.raised, function)
        effect = Effect(facts.effect)
        if effect is Effect.SWALLOWED and not all(self._only_makes(call, function) for call in facts.calls):
            effect = Effect.UNKNOWN
        return Handler(types, effect, at, raised if isinstance(raised, Ref) and raised.is_class else None)

    def _value(self, term: Term, function: FunctionObject) -> Value:
        return self._world.values.one(term, Where(function.file, function.facts.body, deferred=True))

    def _types(self, term: Term, function: FunctionObject) -> Iterator[Ref | Unknown]:
        value = self._value(term, function)
        items = value.items if isinstance(value, Items) and value.closed else (value,)
        for item in items:
            yield item if isinstance(item, Ref) else UNKNOWN

    def _only_makes(self, term: Term, function: FunctionObject) -> bool:
        """Whether a call certainly makes an object and does nothing else: one of the project's classes or built in."""
        found = self.callees.cls(term, function)
        return isinstance(found, ClassObject) or (isinstance(found, External) and isinstance(find(found.name), type))
