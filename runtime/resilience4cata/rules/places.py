"""LOC: policies in places where they cannot do what they say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..diagnostics import Action, Context, Fault, Needs, Offer, Related, Severity, rule
from ..facts import Application, Applied, Declaration, Definition, Element, Foreign, Unknown
from .words import spell

_PROPERTIES: Final = frozenset({"builtins.property", "functools.cached_property", "abc.abstractproperty"})
_BINDING: Final = {"builtins.staticmethod": "@staticmethod", "builtins.classmethod": "@classmethod"}
_CONTEXT_MANAGERS: Final = frozenset({"contextlib.contextmanager", "contextlib.asynccontextmanager"})
_WITHOUT_METHODS: Final = {
    "typing.NamedTuple": "a named tuple",
    "typing.TypedDict": "a typed dictionary",
    "enum.Enum": "an enumeration",
}
# They keep what the function returned: a coroutine, which can be awaited once.
_CACHES: Final = frozenset({"functools.lru_cache", "functools.cache"})
# They give back what they stand on.
_TRANSPARENT: Final = frozenset(
    {
        "abc.abstractmethod",
        "resilience4cata.inherit_policies",
        "resilience4cata.unguarded",
        "typing.final",
        "typing.override",
        "typing_extensions.final",
        "typing_extensions.override",
    }
)
# Bases that bring no method of their own.
_BARE: Final = frozenset({"builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"})


def named(applied: Applied) -> str:
    """A decorator as messages name it: `retry()`, or the composed policy's name."""
    policy = applied.policy
    if isinstance(policy, Declaration):
        return spell(policy)
    return (policy.variable or "").rpartition(".")[2] or policy.title


def _subject(applied: Applied, element: Element) -> str:
    return f"@{named(applied)} on {element.definition.id}"


def _with_foreign_below(element: Element) -> Iterator[tuple[Applied, Foreign]]:
    """Each of our decorators with every foreign one that stands below it, nearest last."""
    decorators = element.definition.decorators
    for index, decorator in enumerate(decorators):
        if isinstance(decorator, Applied):
            for below in decorators[index + 1 :]:
                if isinstance(below, Foreign):
                    yield decorator, below


@rule(
    "R4C-LOC-001",
    "policy-above-property",
    view=Element,
    needs=Needs.SCOPES,
    silences_element=True,
    fix=Offer(Action.MOVE, is_safe=True),
)
def policy_above_property(element: Element, context: Context) -> Iterator[Fault]:
    """A property is no callable: what the policy would guard is the descriptor, not the function that computes the
    value."""
    for applied, below in _with_foreign_below(element):
        if below.name in _PROPERTIES and isinstance(below.name, str):
            yield Fault(
                applied.at,
                _subject(applied, element),
                "a policy cannot guard a property",
                help=f"move it below @{below.name.rpartition('.')[2]}",
                related=(Related(below.at, "the property is made here"),),
                places=(below.at,),
            )


@rule(
    "R4C-LOC-002",
    "policy-above-staticmethod",
    view=Element,
    needs=Needs.SCOPES,
    silences_element=True,
    fix=Offer(Action.MOVE, is_safe=True),
)
def policy_above_staticmethod(element: Element, context: Context) -> Iterator[Fault]:
    """`@staticmethod` and `@classmethod` make descriptors; a policy above them would have to guess how they bind."""
    for applied, below in _with_foreign_below(element):
        if isinstance(below.name, str) and below.name in _BINDING:
            yield Fault(
                applied.at,
                _subject(applied, element),
                "a policy stands above {binding}",
                {"binding": _BINDING[below.name]},
                help="move it below {binding}",
                related=(Related(below.at, "the method is bound here"),),
                places=(below.at,),
            )


@rule("R4C-LOC-003", "policy-on-generator", view=(Element, Application), needs=Needs.SCOPES, silences_element=True)
def policy_on_generator(view: Element | Application, context: Context) -> Iterator[Fault]:
    """Calling a generator function only makes the generator; its body runs later, when the policy has long ended.
    Nothing of what may fail is guarded."""
    if isinstance(view, Element) and view.body is not None:
        yield from _generators_of_class(view)
        return
    definition = view.definition
    if definition is None or not definition.yields:
        return
    what = _generator(definition)
    # What stands on the definition itself is told there, whatever else it is given to.
    decorators = definition.decorators if isinstance(view, Element) else definition.decorators[:1]
    for index, decorator in enumerate(decorators):
        below = definition.decorators[index + 1 :]
        if isinstance(decorator, Applied) and all(_keeps_generator(other) for other in below):
            yield Fault(
                decorator.at,
                f"@{named(decorator)} on {definition.id}",
                "only the creation of {what} would be guarded, not its body",
                {"what": what},
                help="guard the calls that its body makes",
            )


def _generator(definition: Definition) -> str:
    if not definition.yields:
        return ""
    names = {d.name for d in definition.decorators if isinstance(d, Foreign)}
    if names & _CONTEXT_MANAGERS:
        return "a context manager"
    return "an async generator" if definition.is_async else "a generator"


def _keeps_generator(decorator: Applied | Foreign) -> bool:
    # Something foreign below may well turn the generator into an ordinary function (Twisted, test fixtures).
    if isinstance(decorator, Applied):
        return True
    return any(decorator.name in known for known in (_CONTEXT_MANAGERS, _BINDING, _TRANSPARENT))


def _generators_of_class(element: Element) -> Iterator[Fault]:
    methods = element.body.public_methods() if element.body is not None else ()
    if isinstance(methods, Unknown) or not element.policies:
        return
    applied = element.policies[0]
    for method in methods:
        unguarded = any(isinstance(d, Foreign) and d.name == "resilience4cata.unguarded" for d in method.decorators)
        what = _generator(method)
        if what and not unguarded and method.decorators_known and all(_keeps_generator(d) for d in method.decorators):
            yield Fault(
                applied.at,
                _subject(applied, element),
                "method '{name}' is {what} and stays unguarded",
                {"name": method.name, "what": what},
                help="mark it with @unguarded if that is meant",
                related=(Related(method.at, "defined here"),),
                severity=Severity.WARNING,
            )


@rule("R4C-LOC-004", "policy-on-special-method", view=Element, needs=Needs.SCOPES, silences_element=True)
def policy_on_special_method(element: Element, context: Context) -> Iterator[Fault]:
    """Python calls special methods itself, often without a place where a failure could be answered, and looks them up
    past the instance: a retried `__init__` runs twice on one object."""
    definition = element.definition
    name = definition.name
    special = name.startswith("__") and name.endswith("__") and len(name) > 4 and name != "__call__"
    if not special or element.body is not None or not element.scope.is_class:
        return
    for applied in element.policies:
        yield Fault(
            applied.at,
            _subject(applied, element),
            "a policy cannot guard '{name}'",
            {"name": name},
            help="of the special methods only '__call__' can be guarded: move the work into a method of its own",
        )


@rule("R4C-LOC-005", "nothing-to-guard", view=Element, needs=Needs.SCOPES, silences_element=True)
def nothing_to_guard(element: Element, context: Context) -> Iterator[Fault]:
    """A class-level policy guards the public methods that the class defines. Where there are none it does nothing,
    although it reads as protection."""
    body = element.body
    methods = body.public_methods() if body is not None else ()
    if body is None or isinstance(methods, Unknown) or methods or not element.policies:
        return
    what = next((text for name, text in _WITHOUT_METHODS.items() if name in (body.ancestors or ())), "")
    if not what and (Needs.CLASSES not in context.provides or _may_guard_others(element)):
        return
    for applied in element.policies:
        yield Fault(
            applied.at,
            _subject(applied, element),
            "{what} without public methods has nothing to guard",
            {"what": what or "a class"},
            severity=Severity.ERROR if what else Severity.WARNING,
        )


def _may_guard_others(element: Element) -> bool:
    """Whether the class-level policy reaches methods that the class does not define: those of a subclass, or inherited
    ones that a policy of a base guards already."""
    body = element.body
    if body is None or body.ancestors is None or not _BARE.issuperset(body.ancestors[1:]):
        return True
    return any(isinstance(methods, Unknown) or methods for methods in (s.public_methods() for s in body.subclasses()))


@rule(
    "R4C-LOC-006",
    "policy-without-parentheses",
    view=Element,
    needs=Needs.SYNTAX,
    fix=Offer(Action.CALL, is_safe=True),
)
def policy_without_parentheses(element: Element, context: Context) -> Iterator[Fault]:
    """Without parentheses the function itself is taken for an attribute of the policy, and the import fails."""
    for applied in element.policies:
        policy = applied.policy
        if isinstance(policy, Declaration) and not policy.called:
            yield Fault(
                applied.at,
                _subject(applied, element),
                "a policy is written with parentheses",
                help="add ()",
            )


@rule("R4C-LOC-007", "policy-above-cache", view=Element, severity=Severity.WARNING, needs=Needs.STUBS)
def policy_above_cache(element: Element, context: Context) -> Iterator[Fault]:
    """A cache made for plain functions keeps what an `async def` returns, and that is a coroutine, which can be awaited
    once: the second attempt of a retry, like the second call, fails with a RuntimeError."""
    if not element.definition.coroutine:
        return
    for applied, below in _with_foreign_below(element):
        if below.name in _CACHES and isinstance(below.name, str):
            name = below.name.rpartition(".")[2]
            yield Fault(
                applied.at,
                _subject(applied, element),
                "below it stands @{cache} on an async function: it keeps one coroutine, which can be awaited once",
                {"cache": name},
                help="keep results in a cache that is made for async functions",
                related=(Related(below.at, "the cache"),),
            )


@rule("R4C-LOC-013", "policy-on-overload", view=Element, needs=Needs.STUBS, silences_element=True)
def policy_on_overload(element: Element, context: Context) -> Iterator[Fault]:
    """An `@overload` stub is never called: it only tells type checkers about one form of the call. A policy there
    guards nothing."""
    for applied in element.policies:
        if any(isinstance(d, Foreign) and d.name == "typing.overload" for d in element.definition.decorators):
            yield Fault(
                applied.at,
                _subject(applied, element),
                "a policy on an overload guards nothing: the stub is never called",
                help="move it to the implementation below the overloads",
            )
