"""What was recorded, looked up by what it stands on: for everything that asks a live object for its policies."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property, partialmethod
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, cast

from ..guards import guard_of, original_of
from .recording import Application, Mark, recorded

if TYPE_CHECKING:
    from .declaration import Decorator

_MAX_LAYERS: Final = 100
_YIELDS: Final = 0x20 | 0x200  # inspect.CO_GENERATOR, CO_ASYNC_GENERATOR
_ITERABLE_COROUTINE: Final = 0x100
# Other functions that contextlib makes do their work when they are called: a context manager used as a decorator.
_CONTEXTLIB: Final = contextlib.contextmanager.__code__.co_filename
_CONTEXT_MANAGERS: Final = {
    f"{maker.__name__}.<locals>.helper": f"contextlib.{maker.__name__}"
    for maker in (contextlib.contextmanager, contextlib.asynccontextmanager)
}


class Recorded:
    """A snapshot of all applications. It holds their targets until `release`.

    `anchors` are what they stand on. What stood in modules that are no longer those of their names is declared no more,
    but whoever has it may call it: `with_forgotten` knows that too.
    """

    def __init__(self) -> None:
        self._on: defaultdict[int, list[Application]] = defaultdict(list)
        self.anchors: list[object] = []
        self._all: list[Application] = []
        self._forgotten: list[Application] = []
        for application in recorded():
            anchor = application.anchor()
            if anchor is None:
                continue
            if application.forgotten():
                self._forgotten.append(application)
            else:
                self._add(application, anchor)

    def with_forgotten(self) -> Recorded:
        """The same with what is declared no more."""
        made = Recorded.__new__(Recorded)
        made._on, made.anchors, made._all, made._forgotten = defaultdict(list), [], [], []
        for application in sorted((*self._all, *self._forgotten), key=lambda application: application.number):
            anchor = application.anchor()
            if anchor is not None:
                made._add(application, anchor)
        return made

    def _add(self, application: Application, anchor: object) -> None:
        self._all.append(application)
        if id(anchor) not in self._on:
            self.anchors.append(anchor)
        self._on[id(anchor)].append(application)

    def is_forgotten(self, anchor: object) -> bool:
        """Whether what stands on `anchor` is declared no more."""
        return not self.all_on(anchor) and any(a.anchor() is anchor for a in self._forgotten)

    def release(self) -> None:
        """Hold the targets no more; the snapshot still answers for those that live on."""
        self.anchors.clear()

    def on(self, anchor: object, through: type | None = None) -> tuple[Application, ...]:
        """What stands directly on `anchor`, outermost first; with `through`, on a wrapper of that type around it."""
        return tuple(a for a in self.all_on(anchor) if a.through is through)

    def all(self) -> tuple[Application, ...]:
        """Every application, in the order in which they were made."""
        return tuple(self._all)

    def all_on(self, anchor: object) -> tuple[Application, ...]:
        """Everything that stands on `anchor` or on a property, static or class method around it, outermost first."""
        # After `release` another object may live where the anchor did.
        return tuple(a for a in reversed(self._on.get(id(anchor), ())) if a.anchor() is anchor)

    def around(self, member: object) -> tuple[Application, ...]:
        """Everything that stands on any layer of `member`, outermost first."""
        return tuple(application for layer in layers(member) for application in self.on_layer(layer))

    def on_layer(self, layer: object) -> tuple[Application, ...]:
        """What stands on one layer of `layers()`, be it a function or a wrapper that cannot be held weakly."""
        if is_a(layer, (staticmethod, classmethod, property)):
            inside = inner(layer)
            return () if inside is None else self.on(original_of(inside), type(layer))
        return self.on(layer)

    def policies(self, member: object) -> tuple[Decorator, ...]:
        """The policies on `member`, outermost first."""
        found = (application.policy for application in self.around(member))
        return tuple(cast("Decorator", p) for p in found if p is not None and not isinstance(p, Mark))

    def marked(self, member: object, mark: Mark) -> bool:
        """Whether `unguarded` or `inherit_policies` stands on `member`."""
        return any(a.policy is mark for a in self.around(member))


def is_a(value: object, kind: type | tuple[type, ...]) -> bool:
    """isinstance() that does not ask the value for its class: lazy proxies would begin to work."""
    return issubclass(type(value), kind)


def inner(layer: Any) -> object:
    """What a wrapper wraps: the function of a property, static or class method, or `__wrapped__`; else None."""
    if is_a(layer, (staticmethod, classmethod)):
        return layer.__func__
    if is_a(layer, property):
        return layer.fget or layer.fset or layer.fdel
    if is_a(layer, (cached_property, partialmethod)):
        return layer.func
    if is_a(layer, type):
        return None
    try:
        return object.__getattribute__(layer, "__dict__").get("__wrapped__")
    except Exception:
        return None


def layers(member: object) -> Iterator[object]:
    """`member` and everything it wraps, outermost first. Our own wrappers are not seen: what they wrap stands there."""
    seen: set[int] = set()
    layer = member
    while layer is not None and id(layer) not in seen and len(seen) < _MAX_LAYERS:
        seen.add(id(layer))
        guard = guard_of(layer)
        if guard is not None:
            layer = guard.function
        else:
            yield layer
            layer = inner(layer)


def binding_removed(member: object) -> object:
    """The function within a static or class method; anything else as it is."""
    return inner(member) if is_a(member, (staticmethod, classmethod)) else member


def defines(cls: type, key: str) -> bool:
    """Whether the body of a class defines `key`. Our wrapper of a method that it only inherits is no definition."""
    namespace = vars(cls)
    return key in namespace and not is_inherited(namespace[key])


def is_inherited(member: object) -> bool:
    """Whether a member is a wrapper that stands in a class for a method which the class inherits."""
    guard = guard_of(binding_removed(member))
    return guard is not None and guard.inherited


def is_public_method(name: str, member: object) -> bool:
    """Whether a member of a class is a method that a class-level policy is meant for, generators included."""
    return not name.startswith("_") and function_of(member) is not None and not is_a(member, property)


def is_generator(function: FunctionType) -> bool:
    """Whether calling a function makes a generator or an asynchronous one, and does nothing else."""
    flags = function.__code__.co_flags
    return bool(flags & _YIELDS) and not flags & _ITERABLE_COROUTINE


def context_manager_maker(function: FunctionType) -> str | None:
    """What of contextlib made a function that does nothing but make a context manager; None for any other function."""
    code = function.__code__
    return _CONTEXT_MANAGERS.get(code.co_qualname) if code.co_filename == _CONTEXTLIB else None


def holds(member: object, anchor: object) -> bool:
    """Whether `anchor` is one of the layers of `member`, the setter and deleter of a property included."""
    return _is_layer(anchor, member) or accessor_in(member, anchor) is not None


def accessor_in(member: object, anchor: object) -> object | None:
    """The setter or deleter of a property that `anchor` is a layer of. None for the getter, which is its innermost."""
    if _is_layer(anchor, member):
        return None
    properties: list[Any] = [layer for layer in layers(member) if is_a(layer, property)]
    accessors = (accessor for layer in properties for accessor in (layer.fset, layer.fdel))
    return next((accessor for accessor in accessors if _is_layer(anchor, accessor)), None)


def _is_layer(anchor: object, member: object) -> bool:
    return any(layer is anchor for layer in layers(member))


def function_of(member: object) -> FunctionType | None:
    """The plain function at the core of `member`, if there is one."""
    *_, core = [None, *layers(member)]
    return core if type(core) is FunctionType else None


def is_abstract(value: object, owner: type | None) -> bool:
    """Whether a member is abstract: marked so, or in a Protocol and without a body."""
    function = function_of(value)
    if function is None:
        return False
    if getattr(value, "__isabstractmethod__", False):
        return True
    return owner is not None and vars(owner).get("_is_protocol") is True and _empty(function)


def _sync() -> None: ...


async def _async() -> None: ...


_EMPTY: Final = frozenset({len(_sync.__code__.co_code), len(_async.__code__.co_code)})


def _empty(function: FunctionType) -> bool:
    """Whether a body is `...`, `pass` or a docstring alone."""
    code = function.__code__
    nothing = all(constant is None or constant == function.__doc__ for constant in code.co_consts)
    return nothing and not code.co_names and len(code.co_code) in _EMPTY
