"""Where a recorded object is now: the class, module or function whose body holds it, and what the name finds there."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any, NamedTuple

from ..policies.recorded import Recorded, accessor_in, function_of, holds, is_a
from ..policies.recording import recorded
from .values import full_name


class Found(NamedTuple):
    """The definition around a recorded function.

    `value` is what stands under `key` in the class `owner`, or in the module if `owner` is None; of a property, its
    setter or deleter if the function is that (`is_accessor`). `reachable` is False if the name of the function or of
    its class leads elsewhere: nobody knows what else stands on the function, and the class was replaced when its module
    was loaded again.
    """

    value: object
    key: str
    owner: type | None
    reachable: bool
    is_accessor: bool = False


def locate(anchor: object, recorded: Recorded) -> Found | None:
    """The definition that `anchor`, a function or something around one, belongs to. None if it is no function."""
    function = function_of(anchor)
    if function is None:
        return None
    name, path = function.__name__, function.__qualname__.split(".")
    for owner in _owners(anchor, path[:-1], function.__globals__, recorded):
        found = _in_class(owner, name, anchor)
        if found is not None:
            return found._replace(reachable=not superseded(owner))
    if len(path) > 1:
        # A function made by another function is what its maker got, as far as anybody can tell.
        return Found(anchor, name, None, reachable=path[-2] == "<locals>")
    value = function.__globals__.get(name)
    reachable = value is not None and holds(value, anchor) and not any(a.forgotten() for a in recorded.all_on(anchor))
    return Found(value if reachable else anchor, name, None, reachable)


def current_class(cls: type) -> type:
    """The class that stands where `cls` was defined: another one if a decorator made it anew."""
    module = sys.modules.get(cls.__module__)
    found = _follow(vars(module), cls.__qualname__.split(".")) if module is not None else None
    return found if found is not None and full_name(found) == full_name(cls) else cls


def superseded(cls: type) -> bool:
    """Whether `cls` is the old class of a reloaded module: another has its name and nothing of it."""
    current = current_class(cls)
    if current is cls or cls in current.__mro__:
        return False
    functions = {id(value) for value in vars(cls).values() if is_a(value, FunctionType)}
    return not any(id(value) in functions for value in vars(current).values())


def out_of_reach(cls: type) -> bool:
    """Whether the name of `cls` leads to another class, or to no module any more."""
    if cls.__module__ in sys.modules:
        return superseded(cls)
    # What is executed elsewhere than in a module has none from the beginning.
    return any(application.forgotten() for application in recorded() if application.module == cls.__module__)


def _owners(anchor: object, path: list[str], names: Mapping[str, Any], recorded: Recorded) -> Iterator[type]:
    by_name = _follow(names, path) if path else None
    if by_name is not None:
        yield by_name
    for application in recorded.all_on(anchor):
        owner = application.owner()
        if owner is not None and owner is not by_name:
            yield from _made_anew(owner)
            yield owner
    if "<locals>" in path[:-1] and path[-1] != "<locals>" and by_name is None:
        # The class that a decorator made anew may be all that is left, the first one having been collected.
        yield from _named(str(names.get("__name__")), ".".join(path))


def _named(module: str, qualified_name: str) -> Iterator[type]:
    """Every living class of that name, wherever it is."""
    seen: set[type] = set()
    todo: list[type] = [object]
    while todo:
        subclasses: list[type] = type.__subclasses__(todo.pop())
        for cls in subclasses:
            if cls not in seen:
                seen.add(cls)
                todo.append(cls)
                if cls.__qualname__ == qualified_name and cls.__module__ == module:
                    yield cls


def _follow(names: Mapping[str, Any], path: list[str]) -> type | None:
    """The class that a dotted path leads to."""
    found = names.get(path[0])
    for part in path[1:]:
        if not isinstance(found, type):
            return None
        found = vars(found).get(part)
    return found if isinstance(found, type) else None


def _made_anew(owner: type) -> Iterator[type]:
    """Classes that were made from `owner` later, newest first: the same bases, the same name."""
    for base in owner.__bases__:
        if base is object and "__slots__" not in vars(owner) and "__dataclass_fields__" not in vars(owner):
            continue
        siblings: list[type] = type.__subclasses__(base)
        yield from (s for s in reversed(siblings) if s is not owner and full_name(s) == full_name(owner))


def _in_class(owner: type, name: str, anchor: object) -> Found | None:
    namespace = vars(owner)
    # Under its own name first.
    for key, value in ((name, namespace.get(name)), *namespace.copy().items()):
        if holds(value, anchor):
            accessor = accessor_in(value, anchor)
            return Found(accessor or value, key, owner, reachable=True, is_accessor=accessor is not None)
    return None
