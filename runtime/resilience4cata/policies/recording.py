"""What was applied to what. Recording checks nothing and never fails.

An application holds its target weakly, so that a decorated function lives no longer than without its decorator, and
remembers the code that applied it, never the frame. What has one of our wrappers is recorded on what is wrapped. Where
the wrapper or the class holds the policy too, the application leaves it to that: a policy may lead to its own target.
"""

from __future__ import annotations

import sys
from _weakref import ref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..guards import moment, original_of

if TYPE_CHECKING:
    from types import CodeType, FrameType

_Module: Final = type(sys)


class Mark(NamedTuple):
    """What `unguarded` and `inherit_policies` leave: the name of the decorator."""

    name: str


UNGUARDED: Final = Mark("unguarded")
INHERIT_POLICIES: Final = Mark("inherit_policies")


class Application:
    """One decorator of ours that was applied.

    `policy` is None when what held it is gone. `number` is the moment at which it was applied. `anchor()` is the
    function, class or other object that it stands on, None when that is gone; properties, static and class methods
    cannot be held weakly, so for them the anchor is the function inside and `through` tells which of them stood in
    between. `owner()` is the class whose body it was written in, as far as known. `module`, `code` and `instruction`
    say where it was applied; `forgotten()` whether that module is no longer the one of its name, having been imported
    anew, unless that holds the very same things: so does the `__main__` of a process that was spawned.
    """

    __slots__ = ("_live", "_policy", "anchor", "code", "instruction", "module", "number", "owner", "through")

    def __init__(self, policy: object, number: int, frame: FrameType) -> None:
        self._policy: Callable[[], object] = _Strong(policy)
        self.number = number
        self.module = str(frame.f_globals.get("__name__", ""))
        module = sys.modules.get(self.module)
        self._live = ref(module) if type(module) is _Module else None
        self.code: CodeType = frame.f_code
        self.instruction = frame.f_lasti
        self.through: type | None = None
        self.anchor: Callable[[], object] = _nothing
        self.owner: Callable[[], type | None] = _nothing

    @property
    def policy(self) -> object:
        return self._policy()

    def leave_policy(self) -> None:
        """Hold the policy no more, which something else does that lives as long as the target is guarded."""
        self._policy = ref(self._policy())

    def forgotten(self) -> bool:
        if self._live is None:
            return False
        current = sys.modules.get(self.module)
        if current is None:
            return True
        # A module may have put an object of another kind in its own place.
        if type(current) is not _Module or current is self._live():
            return False
        return not _is_in(self.anchor(), vars(current))


class Anchor(ref[Any]):
    """A weak reference to what something stands on: the applications to it, and the wrapper around it.

    All of them share it, since there is one for every decorated function.
    """

    __slots__ = ("applications", "identity", "wrapper")
    applications: list[Application]
    identity: int
    wrapper: Callable[[], object]


class _Strong:
    """A reference to what cannot be held weakly: an object with slots."""

    __slots__ = ("target", "wrapper")

    def __init__(self, target: object) -> None:
        self.target = target
        self.wrapper: Callable[[], object] = _nothing

    def __call__(self) -> object:
        return self.target


# Single operations on dictionaries and lists need no lock.
_weakly_held: Final[dict[int, Anchor]] = {}
_strongly_held: Final[dict[tuple[CodeType, int], Application]] = {}


def record(policy: object, target: object, frame: FrameType) -> Application:
    """Remember that `policy` (a policy, a composed policy, a `Mark`) was applied to `target` in the code of `frame`."""
    number = moment()
    application = Application(policy, number, frame)
    anchor = original_of(target)
    # Proxies answer isinstance() by running code of theirs, which may fail outside of a request.
    kind = type(target)
    if issubclass(kind, _WRAPPERS):
        function = _function_inside(target)
        if function is not None:
            anchor, application.through = original_of(function), kind
    try:
        _put(application, _anchor_of(anchor))
    except TypeError:
        # By place, so that a loop over such objects keeps one of them.
        application.anchor = _Strong(anchor)
        _strongly_held[application.code, application.instruction] = application
    return application


def move(old: type, new: type) -> None:
    """Let `new`, which a decorator made of the class `old`, have what stands on it."""
    before = _known(old)
    if before is not None:
        for application in before.applications:
            _put(application, _anchor_of(new))
        before.applications.clear()


def is_unguarded(function: object) -> bool:
    """Whether `unguarded` stands on a function itself."""
    anchor = _known(function)
    return anchor is not None and any(application.policy is UNGUARDED for application in anchor.applications)


def recorded() -> list[Application]:
    """Every application whose target and policy are still there, in the order in which they were made."""
    weakly_held = (application for anchor in _weakly_held.copy().values() for application in anchor.applications)
    both = [*weakly_held, *_strongly_held.copy().values()]
    return sorted((a for a in both if a.policy is not None), key=lambda application: application.number)


def note_wrapper(application: Application, wrapper: object) -> None:
    """Remember what was put around the target of an application."""
    anchor = application.anchor
    assert isinstance(anchor, (Anchor, _Strong))
    anchor.wrapper = ref(wrapper)


def wrapper_around(target: object) -> object:
    """What was put around a target, while it lives."""
    anchor = _known(target)
    if anchor is not None:
        return anchor.wrapper()
    if type(target).__weakrefoffset__:
        return None
    held = (application.anchor for application in _strongly_held.copy().values())
    return next((a.wrapper() for a in held if isinstance(a, _Strong) and a.target is target), None)


def _known(target: object) -> Anchor | None:
    """The anchor that stands for `target`, if anything stands on it."""
    found = _weakly_held.get(id(target))
    return found if found is not None and found() is target else None


def _anchor_of(target: object) -> Anchor:
    """The anchor that stands for `target`. Raises TypeError for what cannot be held weakly."""
    found = _known(target)
    if found is None:
        made = Anchor(target, _forget)
        made.applications, made.identity, made.wrapper = [], id(target), _nothing
        # Another thread may have been faster.
        found = _weakly_held.setdefault(made.identity, made)
    return found


def _put(application: Application, anchor: Anchor) -> None:
    application.anchor = anchor
    anchor.applications.append(application)


_WRAPPERS: Final = (property, staticmethod, classmethod)


def _function_inside(wrapper: Any) -> object:
    if isinstance(wrapper, property):
        return wrapper.fget or wrapper.fset or wrapper.fdel
    return wrapper.__func__


def _is_in(anchor: Any, namespace: dict[str, Any]) -> bool:
    """Whether what stands under the anchor's name, the class around it included, is what its own globals have there."""
    name = str(getattr(anchor, "__qualname__", "")).partition(".")[0]
    found = namespace.get(name)
    own = getattr(anchor, "__globals__", {name: anchor}).get(name)
    return found is not None and found is own


def _forget(reference: Any) -> None:
    # The applications know it too.
    reference.applications.clear()
    # While the interpreter ends, module globals may be gone already.
    if _weakly_held is not None:
        _weakly_held.pop(reference.identity, None)


def _nothing() -> None:
    return None
