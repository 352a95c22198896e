"""Asks on behalf of a rule, and remembers whether a question had no answer."""

from __future__ import annotations

from collections.abc import Sequence

from resilience4cata.facts import (
    UNKNOWN,
    Applied,
    Body,
    Composed,
    Declaration,
    Definition,
    Element,
    Items,
    Kind,
    NotAPolicy,
    Oracle,
    Ref,
    Scope,
    TypeFact,
    Unknown,
    Value,
    Written,
)


def is_known(view: object) -> bool:
    """Whether everything is known that a view says about itself, so that no other front end can know more."""
    if isinstance(view, Written):
        return _is_known_policy(view.declaration)
    if isinstance(view, Element):
        return _is_known_definition(view.definition)
    return isinstance(view, Composed) and _is_known_policy(view)


def _is_known_policy(policy: Declaration | Composed | NotAPolicy | Unknown) -> bool:
    if isinstance(policy, Declaration):
        return policy.closed and all(slot.certain and _is_known_value(slot.value) for slot in policy.slots.values())
    if isinstance(policy, Composed):
        return policy.closed and _is_known_value(policy.name.value) and all(map(_is_known_policy, policy.members))
    return isinstance(policy, NotAPolicy)


def _is_known_value(value: Value) -> bool:
    if isinstance(value, Items):
        return value.closed and all(map(_is_known_value, value.items))
    return value is not UNKNOWN


def _is_known_definition(definition: Definition) -> bool:
    if not definition.decorators_known:
        return False
    for decorator in definition.decorators:
        known = _is_known_policy(decorator.policy) if isinstance(decorator, Applied) else decorator.name is not UNKNOWN
        if not known:
            return False
    signature = definition.signature
    if signature is None:
        return definition.kind is Kind.CLASS
    return all(not parameter.annotated or parameter.type is not None for parameter in signature.parameters)


class CuriousOracle:
    """An oracle that notes in `in_vain` what another one cannot answer."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self.in_vain = False

    def assignable(self, source: TypeFact, target: TypeFact) -> bool | None:
        answer = self._oracle.assignable(source, target)
        self.in_vain |= answer is None
        return answer

    def type_argument(self, value: Value, base: str) -> TypeFact | None:
        answer = self._oracle.type_argument(value, base)
        self.in_vain |= answer is None
        return answer

    def optional(self, type: TypeFact) -> TypeFact | None:
        answer = self._oracle.optional(type)
        self.in_vain |= answer is None
        return answer

    def class_scope(self, ref: Ref) -> Scope | None:
        answer = self._oracle.class_scope(ref)
        self.in_vain |= answer is None
        return None if answer is None else CuriousScope(answer, self)

    def definition(self, ref: Ref) -> Definition | None:
        answer = self._oracle.definition(ref)
        self.in_vain |= answer is None or not _is_known_definition(answer)
        return answer

    def body(self, definition: Definition) -> Body | None:
        answer = self._oracle.body(definition)
        self.in_vain |= answer is None or any(call.callee is UNKNOWN for call in answer.calls)
        return answer


class CuriousScope:
    """A scope that notes the same for an oracle."""

    def __init__(self, scope: Scope, oracle: CuriousOracle) -> None:
        self._scope = scope
        self._oracle = oracle

    @property
    def id(self) -> str:
        return self._scope.id

    @property
    def is_class(self) -> bool:
        return self._scope.is_class

    @property
    def ancestors(self) -> tuple[str, ...] | None:
        answer = self._scope.ancestors
        self._oracle.in_vain |= answer is None
        return answer

    def lookup(self, name: str) -> Definition | Unknown | None:
        answer = self._scope.lookup(name)
        known = not isinstance(answer, Unknown) and (answer is None or _is_known_definition(answer))
        self._oracle.in_vain |= not known
        return answer

    def names(self) -> Sequence[str]:
        return self._scope.names()

    def public_methods(self) -> Sequence[Definition] | Unknown:
        answer = self._scope.public_methods()
        self._oracle.in_vain |= isinstance(answer, Unknown) or not all(map(_is_known_definition, answer))
        return answer

    def subclasses(self) -> Sequence[Scope]:
        return self._scope.subclasses()
