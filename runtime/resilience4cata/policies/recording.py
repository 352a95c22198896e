"""What was applied to what. Decorators only record; nothing is checked and nothing fails on import.

An application holds its target weakly, so that a decorated function lives no longer than without its decorator, and
remembers the code that applied it, never the frame. Within a class body one marker stays until the class is made: its
`__set_name__` learns the class, tells the applications made in that body, and takes the marker out again.
"""

from __future__ import annotations

import sys
from _weakref import ref
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

if TYPE_CHECKING:
    from types import CodeType, FrameType

F = TypeVar("F", bound=Callable[..., Any])

_Module: Final = type(sys)
_MARKER: Final = "__resilience4cata__"
_OPTIMIZED: Final = 0x1  # inspect.CO_OPTIMIZED: set for functions, not for the bodies of modules and classes


class Mark(NamedTuple):
    """What `unguarded` and `inherit_policies` leave: the name of the decorator."""

    name: str


UNGUARDED: Final = Mark("unguarded")
INHERIT_POLICIES: Final = Mark("inherit_policies")


class Application:
    """One decorator of ours that was applied.

    `number` counts applications of the whole process. `anchor()` is the function, class or other object that it stands
    on, None when that is gone; properties, static and class methods cannot be held weakly, so for them the anchor is
    the function inside and `through` tells which of them stood in between. `owner()` is the class whose body it was
    written in, as far as known. `module`, `code`, `instruction` and `line` say where it was applied; `forgotten()`
    whether that module is no longer the one of its name, having been imported anew.
    """

    __slots__ = ("_live", "anchor", "code", "instruction", "line", "module", "number", "owner", "policy", "through")

    def __init__(self, policy: object, number: int, frame: FrameType) -> None:
        self.policy = policy
        self.number = number
        self.module = str(frame.f_globals.get("__name__", ""))
        module = sys.modules.get(self.module)
        self._live = ref(module) if type(module) is _Module else None
        self.code: CodeType = frame.f_code
        self.instruction = frame.f_lasti
        self.line = frame.f_lineno
        self.through: type | None = None
        self.anchor: Callable[[], object] = _nothing
        self.owner: Callable[[], type | None] = _nothing

    def forgotten(self) -> bool:
        if self._live is None:
            return False
        current = sys.modules.get(self.module)
        # A module may have put an object of another kind in its own place.
        return current is None or (type(current) is _Module and current is not self._live())


class _Reference(ref[Any]):
    """A weak reference that knows which application to forget."""

    __slots__ = ("number",)
    number: int


class _Strong:
    """A reference to what cannot be held weakly: a number, a string, an object with slots."""

    __slots__ = ("target",)

    def __init__(self, target: object) -> None:
        self.target = target

    def __call__(self) -> object:
        return self.target


class _Marker:
    """Stands in a class body until the class is made."""

    __slots__ = ("applications",)

    def __init__(self) -> None:
        self.applications: list[Application] = []

    def __set_name__(self, owner: type, name: str) -> None:
        for application in self.applications:
            application.owner = ref(owner)
        # The metaclass's own `__delattr__` may refuse, or may count what it deletes.
        type.__delattr__(owner, name)


# Single operations on dictionaries need no lock; nothing here is read and then written.
_weakly_held: Final[dict[int, Application]] = {}
_strongly_held: Final[dict[tuple[CodeType, int], Application]] = {}
_numbers: Final = count()


def record(policy: object, target: object, frame: FrameType) -> None:
    """Remember that `policy` (a policy, a composed policy, a `Mark`) was applied to `target` in the code of `frame`."""
    number = next(_numbers)
    application = Application(policy, number, frame)
    anchor = target
    # Proxies answer isinstance() by running code of theirs, which may fail outside of a request.
    kind = type(target)
    if issubclass(kind, _WRAPPERS):
        function = _function_inside(target)
        if function is not None:
            anchor, application.through = function, kind
    try:
        application.anchor = reference = _Reference(anchor, _forget)
    except TypeError:
        # By place, so that a loop over such objects keeps one of them.
        application.anchor = _Strong(anchor)
        _strongly_held[application.code, application.instruction] = application
    else:
        reference.number = number
        _weakly_held[number] = application
    _ask_for_owner(application, frame)


def recorded() -> list[Application]:
    """Every application whose target is still there, in the order in which they were made."""
    both = [*_weakly_held.copy().values(), *_strongly_held.copy().values()]
    return sorted(both, key=lambda application: application.number)


def unguarded(method: F) -> F:
    """Take one method out of what the policies of its class guard."""
    record(UNGUARDED, method, sys._getframe(1))
    return method


def inherit_policies(method: F) -> F:
    """Let an override of a concrete method take over that method's policies."""
    record(INHERIT_POLICIES, method, sys._getframe(1))
    return method


_WRAPPERS: Final = (property, staticmethod, classmethod)


def _function_inside(wrapper: Any) -> object:
    if isinstance(wrapper, property):
        return wrapper.fget or wrapper.fset or wrapper.fdel
    return wrapper.__func__


def _ask_for_owner(application: Application, frame: FrameType) -> None:
    """Leave the marker in the class body that `frame` executes, if it is one that takes a further name safely.

    A namespace that is not a plain dict may make anything of a name (an Enum makes members): there the owner is found
    by the qualified name, and so it is for named tuples, which before Python 3.13 copy their body without
    `__set_name__` (the marker stays there, as an attribute that nothing looks at).
    """
    if frame.f_code.co_flags & _OPTIMIZED:
        return
    body = frame.f_locals
    if type(body) is not dict or body is frame.f_globals or "__qualname__" not in body:
        return
    marker = body.get(_MARKER)
    if marker is None:
        marker = body[_MARKER] = _Marker()
    marker.applications.append(application)


def _forget(reference: Any) -> None:
    # While the interpreter ends, module globals may be gone already.
    if _weakly_held is not None:
        _weakly_held.pop(reference.number, None)


def _nothing() -> None:
    return None
