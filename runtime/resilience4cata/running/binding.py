"""Objects that are bound to a `Resilience`: functions in their `__dict__` stand before the methods of their class."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import FunctionType
from typing import Any, Final

from ..guards import guard_of, guards_in
from ..pipeline.entries import announced, bound_call
from ..pipeline.runner import Runner
from ..pipeline.slow import Layer
from ..policies.recorded import binding_removed
from .era import Method

_BOUND: Final = "__resilience4cata_bound__"
_GETSTATE: Final = "__getstate__"
_COPYING: Final = ("__copy__", "__deepcopy__")


def bind(
    target: object, name: str, method: Method, layers: Callable[[], tuple[Layer, ...]], runner: Runner, owner: object
) -> None:
    """Let a method of one object run through the layers that count at the time of each call.

    `owner` is what the object is bound to from now on.
    """
    function = _told_of(method.member, name, owner).__get__(target, type(target))
    receiver = getattr(function, "__self__", None)
    made: Any = bound_call(function, receiver, layers, runner)
    update_wrapper(made, function)
    setattr(made, _BOUND, owner)
    vars(target)[name] = made


def bound_to(value: object) -> object | None:
    """What an object is bound to, if `value` is one of the functions that bind it."""
    # Only functions are asked: a proxy answers whatever it is asked for.
    return vars(value).get(_BOUND) if type(value) is FunctionType else None


def _told_of(member: Any, name: str, owner: object) -> Any:
    """The member as it was decorated; wrappers that it reaches by `super()`, or through decorators of others, are told
    that its policies run here."""
    original = _original(member)
    function: Any = binding_removed(original)
    within = list(guards_in(function))
    outermost = guard_of(binding_removed(member))
    if isinstance(member, staticmethod) or not (within or (outermost is not None and outermost.overriding)):
        return original
    for guard in within:
        guard.link(overridden=True)
    told = announced(owner, name, function)
    return classmethod(told) if isinstance(member, classmethod) else told


def _original(member: Any) -> Any:
    """The member as it was decorated: a guard would run the policies once more."""
    if isinstance(member, (staticmethod, classmethod)):
        guard = guard_of(member.__func__)
        return member if guard is None else type(member)(guard.function)
    guard = guard_of(member)
    return member if guard is None else guard.function


def let_copies_be_unbound(target: object) -> None:
    """Keep the binding out of copies and pickles: in a copy, the functions would call the original's methods.

    Copying and pickling ask the object itself for `__getstate__`, not its class. What a class copies by a `__copy__` or
    `__deepcopy__` of its own is unbound afterwards; one with a `__reduce__` of its own decides itself.
    """
    for name in _COPYING:
        _unbind_what_is_copied(type(target), name)
    namespace = vars(target)
    own = namespace.get(_GETSTATE)
    if bound_to(own) is not None:
        return

    def getstate() -> Any:
        state = own() if own is not None else type(target).__getstate__(target)
        # Objects with slots have a pair: what is in the `__dict__`, and what is in the slots.
        if isinstance(state, tuple) and len(state) == 2 and isinstance(state[0], dict):
            return _unbound(state[0]) or None, state[1]
        if not isinstance(state, dict):
            return state
        # Classes that know more than their `__dict__` have it as one part of several.
        inside = {name: _unbound(value) for name, value in state.items() if value is namespace}
        return {**_unbound(state), **inside} or None

    setattr(getstate, _BOUND, True)
    namespace[_GETSTATE] = getstate


def _unbind_what_is_copied(cls: type, name: str) -> None:
    own = getattr(cls, name, None)
    if type(own) is not FunctionType or bound_to(own) is not None:
        return

    def copied(self: Any, *args: Any, **kwargs: Any) -> Any:
        made = own(self, *args, **kwargs)
        namespace = getattr(made, "__dict__", None)
        if made is not self and type(namespace) is dict:
            for key, value in vars(self).items():
                if bound_to(value) is not None and namespace.get(key) is value:
                    del namespace[key]
        return made

    update_wrapper(copied, own)
    setattr(copied, _BOUND, True)
    type.__setattr__(cls, name, copied)


def _unbound(state: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in state.items() if bound_to(value) is None}
