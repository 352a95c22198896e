"""Which fallbacks stand on an element, and what their targets turn out to be."""

from __future__ import annotations

from typing import NamedTuple

from ..diagnostics import Context
from ..facts import (
    UNKNOWN,
    Applied,
    At,
    Composed,
    Declaration,
    Definition,
    Element,
    Foreign,
    Items,
    Kind,
    Ref,
    Scope,
    Unknown,
    Value,
    declarations_in,
)
from .fitting import takes_context
from .places import named
from .words import on


class Target(NamedTuple):
    """A name that a fallback goes to: what it finds, None if certainly nothing."""

    name: str
    definition: Definition | Unknown | None

    def unusable(self, use: Use) -> str:
        """Why the target cannot be called in place of the original, whatever its parameters; or nothing."""
        definition = self.definition
        if not isinstance(definition, Definition):
            return ""
        if definition.kind in (Kind.PROPERTY, Kind.CLASS, Kind.OTHER):
            return f"a {definition.kind.value}"
        if definition.yields and definition.signature is not None:
            return "an async generator" if definition.is_async else "a generator"
        original = use.element.definition.kind
        if definition.kind is Kind.METHOD and original in (Kind.STATIC_METHOD, Kind.CLASS_METHOD):
            return f"an instance method, and the original is a {original.value}"
        return ""


class Use(NamedTuple):
    """A fallback on an element. `scope` is where its names are looked up, `direct` whether it is written there."""

    element: Element
    applied: Applied
    declaration: Declaration
    scope: Scope
    targets: tuple[Target, ...]
    direct: bool

    @property
    def at(self) -> At:
        return self.applied.at

    @property
    def noun(self) -> str:
        return "method" if self.scope.is_class else "function"

    def subject(self, *attributes: str) -> str:
        if self.direct:
            return on(self.declaration, self.element.definition.id, *attributes)
        return f"@{named(self.applied)} on {self.element.definition.id}"


def uses(element: Element, context: Context) -> tuple[Use, ...]:
    """The fallbacks of an element: those written directly on it, else those of its composed policies."""
    key = ("fallback uses", id(element))
    found: tuple[Use, ...] | None = context.memo.get(key)
    if found is None:
        within = [a for a in element.policies if isinstance(a.policy, Composed)]
        direct = [(a, a.policy, True) for a in element.policies if _is_fallback(a.policy)]
        composed = [(a, d, False) for a in within for d in declarations_in(a.policy) if _is_fallback(d)]
        found = tuple(_use(element, context, *given) for given in direct or composed)
        context.memo[key] = found
        context.memo[key, "alive"] = element  # an id is only unique while its object lives
    return found


def _is_fallback(policy: Declaration | Composed) -> bool:
    return isinstance(policy, Declaration) and policy.policy == "fallback" and policy.called


def _use(element: Element, context: Context, applied: Applied, declaration: object, direct: bool) -> Use:
    assert isinstance(declaration, Declaration)
    scope = element.body if element.body is not None else element.scope
    targets = [Target(name, scope.lookup(name)) for name in _method_names(declaration)]
    use = Use(element, applied, declaration, scope, tuple(targets), direct)
    function = _function(use, context)
    return use._replace(targets=(function,)) if function is not None else use


def _method_names(declaration: Declaration) -> tuple[str, ...]:
    value = declaration.value("method")
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Items) and value.kind == "tuple" and value.closed:
        return tuple(item for item in value.items if isinstance(item, str))
    return ()


def _function(use: Use, context: Context) -> Target | None:
    """The function given by reference, where its shape says that it takes the original's own arguments."""
    handler = handler_of(use)
    if (
        not isinstance(handler, Ref)
        or handler.is_class is not False
        or use.element.definition.kind is not Kind.FUNCTION
    ):
        return None
    definition = context.oracle.definition(handler)
    if definition is None or definition.signature is None or takes_context(definition.signature):
        return None
    return Target(definition.name, definition)


def handler_of(use: Use) -> Value:
    """The value of the handler, UNKNOWN if there is none or it is not known."""
    return use.declaration.value("handler") if use.declaration.writes("handler") else UNKNOWN


def is_private(name: str) -> bool:
    """Whether Python mangles the name inside a class."""
    return name.startswith("__") and not name.endswith("__")


def unguarded(method: Definition) -> bool:
    """Whether `@unguarded` takes the method out of what its class guards."""
    return any(isinstance(d, Foreign) and d.name == "resilience4cata.unguarded" for d in method.decorators)
