"""Where the policies of an element are declared, besides itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from ..config.layers import INHERITED, UNGUARDED
from ..facts import Definition, Element, Foreign, Kind
from ..policies.declaration import Decorator
from ..policies.recorded import defines
from .definitions import Definitions, mangled
from .scopes import ClassScope


def declaring(
    element: Element, definitions: Definitions, class_element: Callable[[type], Element]
) -> Iterator[Element]:
    """The element, if policies stand on it, and of a method also the classes and the methods of bases, nearest first,
    whose policies reach it: those that it implements, or takes over from."""
    scope, definition = element.scope, element.definition
    if element.policies:
        yield element
    if not isinstance(scope, ClassScope) or definition.kind is Kind.PROPERTY:
        return
    marks = {d.name for d in definition.decorators if isinstance(d, Foreign)}
    is_reached = UNGUARDED not in marks and not definition.name.startswith("_")
    for cls in scope.cls.__mro__:
        if is_reached and any(isinstance(a.policy, Decorator) for a in definitions.recorded.all_on(cls)):
            yield class_element(cls)
        key = mangled(cls, definition.name)
        found = definitions.member(cls, key, vars(cls)[key]) if cls is not scope.cls and defines(cls, key) else None
        if isinstance(found, Definition) and (found.is_contract or INHERITED in marks):
            yield Element(found, ClassScope(definitions, cls))


def with_classes(
    elements: tuple[Element, ...], class_element: Callable[[type], Element], sources: Collection[str]
) -> tuple[Element, ...]:
    """The same elements, but those of classes in these source files as `class_element` gives them."""
    return tuple(
        class_element(element.body.cls)
        if isinstance(element.body, ClassScope) and element.definition.at.source in sources
        else element
        for element in elements
    )
