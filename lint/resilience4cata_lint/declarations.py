"""Calls that are policies of ours: arguments onto attributes, members of composed policies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from resilience4cata.facts import (
    NOWHERE,
    UNKNOWN,
    At,
    Composed,
    Declaration,
    Items,
    NotAPolicy,
    Ref,
    Slot,
    Unknown,
    Value,
)
from resilience4cata.rules.words import show
from resilience4cata.schema import POLICIES, AttributeKind, PolicySchema, Unset

from .objects import Built, ClassObject, Where
from .terms import Argument, Call, Constant, Lambda, Path, Span, Table, Term, bare

if TYPE_CHECKING:
    from .world import World

# Only these expect an object that has a name; elsewhere a name that cannot be followed may stand for any value.
_HANDLER: Final = AttributeKind.HANDLER
_HANDLER_BASE: Final = "resilience4cata.policies.fallback.FallbackHandler"
_NAMED_OBJECTS: Final = (AttributeKind.EXCEPTIONS, AttributeKind.HANDLER, AttributeKind.CLASSIFIER)


class Declarations:
    """Makes declarations of calls, each once."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._composed: dict[tuple[int, Span], Composed] = {}

    def declaration(self, policy: str, call: Call, where: Where) -> Declaration:
        """The policy that a call makes."""
        schema = POLICIES[policy]
        slots: dict[str, Slot] = {}
        closed = True
        positional = [argument for argument in call.arguments if argument.keyword is None and argument.stars < 2]
        if policy == "order":
            slots["layers"] = self._layers(positional, where, call)
        else:
            closed = self._positional(schema, positional, where, slots)
        for argument in call.arguments:
            if argument.stars == 2:
                closed = self._options(schema, argument.value, where, slots) and closed
            elif argument.keyword is not None:
                self._write(schema, argument.keyword, argument.value, where, slots)
        beyond = () if policy == "order" else tuple(self._beyond(schema, positional, where))
        return Declaration(policy, slots, where.file.at(call.span), closed, positional=beyond)

    def _beyond(self, schema: PolicySchema, given: list[Argument], where: Where) -> Iterator[Slot]:
        """The positional arguments that the policy has no attribute for."""
        if not any(argument.stars for argument in given):
            for argument in given[len(schema.positional) :]:
                values = self._world.values.of(argument.value, where)
                known = tuple(_plain(value, named=True) for value in values)
                yield Slot(known, where.file.at(argument.value.span))

    def _positional(self, schema: PolicySchema, given: list[Argument], where: Where, slots: dict[str, Slot]) -> bool:
        for name, argument in zip(schema.positional, given, strict=False):
            if argument.stars:
                return False
            self._write(schema, name, argument.value, where, slots)
        return True

    def _options(self, schema: PolicySchema, value: Term, where: Where, slots: dict[str, Slot]) -> bool:
        """Read `**{"delay": "1s"}`; False if there may be more than can be read."""
        table = bare(value)
        if not isinstance(table, Table):
            return False
        closed = True
        for key, item in table.items:
            if isinstance(key, Constant) and isinstance(key.value, str):
                self._write(schema, key.value, item, where, slots)
            else:
                closed = False
        return closed

    def _write(self, schema: PolicySchema, name: str, value: Term, where: Where, slots: dict[str, Slot]) -> None:
        at, value = where.file.at(value.span), bare(value)
        attribute = schema.attributes.get(name)
        is_handler = attribute is not None and attribute.kind is _HANDLER
        made = self._handler_made(value, where) if is_handler else None
        if isinstance(value, Lambda) and attribute is not None and not is_handler:
            made = Ref(where.file.full_name("<lambda>"), False)
        given = self._world.values.of(value, where) if made is None else (made,)
        named = attribute is None or attribute.kind in _NAMED_OBJECTS
        written = tuple(_plain(v, named=named) for v in given if not isinstance(v, Unset))
        if written:
            slots[name] = Slot(written, at, certain=len(written) == len(given))

    def _handler_made(self, term: Term, where: Where) -> Ref | None:
        """An object of a handler class, where the class itself is expected; None for all else."""
        found = self._world.values.evaluate(term.function, where) if isinstance(term, Call) else None
        if not isinstance(found, ClassObject):
            return None
        hierarchy = self._world.hierarchy
        classes = [node for node in hierarchy.order(found) if isinstance(node, ClassObject)]
        ancestors, scope = hierarchy.ancestors(found), self._world.class_scope(found)
        if ancestors is None or _HANDLER_BASE not in ancestors or any(map(hierarchy.may_have_more, classes)):
            return None
        makes_others = any("__new__" in node.file.scopes[node.facts.body].bindings for node in classes)
        if makes_others or scope.lookup("__call__") is not None:
            return None
        return Ref(f"{found.id}()", False, ancestors)

    def _layers(self, given: list[Argument], where: Where, call: Call) -> Slot:
        layers: list[Value] = []
        closed = True
        for argument in given:
            value = self._world.values.one(argument.value, where)
            if not argument.stars:
                layers.append(_plain(value, named=False))
            elif isinstance(value, Items) and value.kind != "set":
                layers.extend(value.items)
                closed = closed and value.closed
            else:
                closed = False
        at = where.file.at(call.span)
        if given:
            first, last = given[0].value.span, given[-1].value.span
            at = At(at.source, *first[:2], *last[2:])
        return Slot((Items(tuple(layers), "tuple", closed),), at)

    def composed(self, call: Call, where: Where) -> Composed:
        """The composed policy that `resilience_policy(…)` makes."""
        key = (id(where.file), call.span)
        found = self._composed.get(key)
        if found is None:
            variable = where.file.variable_at(call.span)
            found = self._composed[key] = Composed(
                name=self._name(call, where),
                members=tuple(self._members(call, where)),
                at=where.file.at(call.span),
                variable=None if variable is None else where.file.full_name(variable),
                closed=not any(argument.stars for argument in call.arguments),
            )
        return found

    def _name(self, call: Call, where: Where) -> Slot:
        for index, argument in enumerate(call.arguments):
            if argument.keyword == "name" or (index == 0 and argument.keyword is None and not argument.stars):
                values = self._world.values.of(argument.value, where)
                known = tuple(_plain(v, named=False) for v in values if not isinstance(v, Unset))
                return Slot(known or (UNKNOWN,), where.file.at(argument.value.span))
        return Slot((UNKNOWN,), NOWHERE)

    def _members(self, call: Call, where: Where) -> Iterator[Declaration | Composed | NotAPolicy | Unknown]:
        for argument in member_arguments(call):
            yield self._member(argument.value, where) if not argument.stars else UNKNOWN

    def _member(self, term: Term, where: Where) -> Declaration | Composed | NotAPolicy | Unknown:
        found = self._world.values.evaluate(term, where)
        if isinstance(found, Built):
            return found.policy
        at = where.file.at(term.span)
        values = self._world.values.as_values(found)
        if len(values) > 1 or isinstance(values[0], Unknown | Unset):
            return UNKNOWN
        if not isinstance(values[0], Ref):
            return NotAPolicy(show(values[0]), at)
        if not self._is_no_policy(values[0]):
            return UNKNOWN
        return NotAPolicy(term.parts[-1] if isinstance(term, Path) else values[0].short, at)

    def _is_no_policy(self, value: Ref) -> bool:
        # A class whose bases are not known may have a metaclass that makes policies of its subclasses.
        return value.is_class is False or value.ancestors is not None


def member_arguments(call: Call) -> Iterable[Argument]:
    """The arguments of `resilience_policy` and of `config` that are policies: all but the name."""
    positional = [argument for argument in call.arguments if argument.keyword is None and argument.stars < 2]
    named = any(argument.keyword == "name" for argument in call.arguments)
    starts_starred = bool(positional) and positional[0].stars > 0
    return positional if named or starts_starred else positional[1:]


def _plain(value: Value | Unset, *, named: bool) -> Value:
    if isinstance(value, Unset):
        return UNKNOWN
    if named:
        return value
    if isinstance(value, Items):
        return Items(tuple(_plain(item, named=False) for item in value.items), value.kind, value.closed)
    return UNKNOWN if isinstance(value, Ref) and value.is_class is None else value
