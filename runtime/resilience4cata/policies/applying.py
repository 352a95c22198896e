"""Decorators at work: recording what was applied to what, and putting a wrapper in its place.

Within a class body one marker stays until the class is made: its `__set_name__` learns the class, tells the
applications made in that body, and takes the marker out again.
"""

from __future__ import annotations

import sys
from _weakref import ref
from collections.abc import Callable
from functools import cached_property, update_wrapper
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from ..arguments import shown
from ..guards import Guard, guard_of, wrapped
from .classes import cover, is_guardable, watch
from .recording import INHERIT_POLICIES, UNGUARDED, Application, Mark, note_wrapper, record, wrapper_around

if TYPE_CHECKING:
    from types import FrameType

F = TypeVar("F", bound=Callable[..., Any])

TARGETS: Final = "is applied to a function, a method or a class"

_MARKER: Final = "__resilience4cata__"
_OPTIMIZED: Final = 0x1  # inspect.CO_OPTIMIZED: set for functions, not for the bodies of modules and classes


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
        watch(owner)


def apply(policy: object, target: F, frame: FrameType) -> F:
    """Record that `policy` (a policy, a composed policy, a `Mark`) was applied to `target` in the code of `frame`.

    Gives back what takes the target's place: a wrapper where one can stand, else the target itself. Raises TypeError
    for what can neither be called nor lead to what is called.
    """
    _expect_target(policy, target)
    target = _its_own(target)
    application = record(policy, target, frame)
    _ask_for_owner(application, frame)
    explicit = not isinstance(policy, Mark)
    if issubclass(type(target), type):
        if explicit and cover(cast("type", target), policy):
            application.leave_policy()
        return target
    if policy is UNGUARDED:
        return target
    if not is_guardable(target):
        return cast("F", _telling(application, target)) if explicit else target
    wrapper: Any = target
    if guard_of(target) is None:
        wrapper = wrapped(target)
        note_wrapper(application, wrapper)
    guard = guard_of(wrapper)
    assert guard is not None
    if explicit:
        guard.add(policy)
        application.leave_policy()
    return cast("F", wrapper)


def guard_around(function: object) -> Guard | None:
    """The guard of a decorated function, while its wrapper lives."""
    guard = guard_of(wrapper_around(function))
    return guard if guard is not None and guard.function is function else None


def _expect_target(policy: object, target: object) -> None:
    if not callable(target) and not hasattr(type(target), "__get__"):
        where = f"@{policy.name} is applied to a method" if isinstance(policy, Mark) else f"{policy!r} {TARGETS}"
        msg = f"{where}, not {shown(target)}"
        raise TypeError(msg)


def _telling(application: Application, target: Any) -> object:
    """The same kind of property, static or class method with a wrapper inside, for its first call to be judged.

    No policy runs there: each of these is a mistake. What else is not called stays as it is.
    """
    kind = type(target)
    if kind is property:
        function = target.fget
    elif kind is cached_property:
        function = target.func
    elif kind in (staticmethod, classmethod):
        function = target.__func__
    else:
        return target
    if type(function) is not FunctionType or guard_of(function) is not None:
        return target
    wrapper = wrapped(function)
    note_wrapper(application, wrapper)
    if kind is property:
        own_doc = target.__doc__ if target.__doc__ != function.__doc__ else None
        return property(wrapper, target.fset, target.fdel, own_doc)
    if kind is cached_property:
        # What stands on it is recorded on this very object.
        target.func = wrapper
        return target
    made = kind(wrapper)
    vars(made).update({name: value for name, value in vars(target).items() if name not in vars(made)})
    return made


def _its_own(target: F) -> F:
    """A function as it is, or a twin of one that has been decorated elsewhere.

    `quick = timeout("1s")(f)` and `patient = timeout("9s")(f)` are two guarded functions, not one with two timeouts.
    Like what a function makes, the second has a state of its own and no key in configuration.
    """
    if type(target) is not FunctionType or guard_around(target) is None:
        return target
    twin = FunctionType(target.__code__, target.__globals__, target.__name__, target.__defaults__, target.__closure__)
    twin.__kwdefaults__ = target.__kwdefaults__
    update_wrapper(twin, target)
    del twin.__wrapped__  # type: ignore[attr-defined]
    twin.__qualname__ = f"{target.__qualname__}.<locals>.{target.__name__}"
    return cast("F", twin)


def unguarded(method: F) -> F:
    """Take one method out of what the policies of its class guard."""
    return apply(UNGUARDED, method, sys._getframe(1))


def inherit_policies(method: F) -> F:
    """Let an override of a concrete method take over that method's policies."""
    return apply(INHERIT_POLICIES, method, sys._getframe(1))


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
