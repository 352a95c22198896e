"""What decorated callables run on: the `Resilience` that was activated last, else one that is built when it is needed.

Nothing of the user's runs under the lock: what several threads make at once is published by the first of them.
"""

from __future__ import annotations

from _thread import RLock, get_ident
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Final, Generic, Protocol, TypeVar

from .guards import Guard, next_generation, resolve_with

R_co = TypeVar("R_co", bound="Runs", covariant=True)


class Runs(Protocol):
    """What decorated callables can run on."""

    def run(self, guard: Guard) -> Callable[..., object]:
        """What a call of the guard's wrapper runs, after installing it there."""


class Activation(Generic[R_co]):
    """A `Resilience` as what decorated callables run on: until the end of a `with` block, or for good."""

    def __init__(self, resilience: R_co) -> None:
        self._resilience = resilience
        with lock:
            _active.append(self)
        next_generation()

    @property
    def resilience(self) -> R_co:
        """What was activated."""
        return self._resilience

    def end(self) -> None:
        """Let what was active before be active again. Raises RuntimeError if another activation came after this one."""
        with lock:
            if not _active or _active[-1] is not self:
                msg = "activations end in reverse order: another one was made after this, or this one has ended already"
                raise RuntimeError(msg)
            _active.pop()
        next_generation()

    def __enter__(self) -> R_co:
        return self._resilience

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.end()


lock: Final = RLock()
_active: Final[list[Activation[Runs]]] = []
# Whatever is looked for at the moment, by thread: guards, and None for the default.
_looking: Final[dict[int, list[Guard | None]]] = {}
_default: Final[dict[str, Runs]] = {}
_DEFAULT: Final = "default"


def build_default_with(build: Callable[[], Runs]) -> None:
    """Set how to make what decorated callables run on while nothing is active."""
    _makers[:] = [build]


_makers: Final[list[Callable[[], Runs]]] = []


def current() -> Runs | None:
    """What decorated callables run on now; None if it has not been needed yet and nothing was activated."""
    active = _active[-1:]
    return active[0].resilience if active else _default.get(_DEFAULT)


def forget_default() -> None:
    """Let the default be built again when it is next needed."""
    _default.clear()
    next_generation()


def renew_after_fork() -> None:
    """Forget, in a child process, what other threads were looking for."""
    mine = _looking.pop(get_ident(), None)
    _looking.clear()
    if mine is not None:
        _looking[get_ident()] = mine


def _resolve(guard: Guard) -> Callable[..., object]:
    found = _looking.get(get_ident(), ())
    if guard in found or (None in found and current() is None):
        # What looks for policies calls what they stand on: they are not known yet.
        return guard.function
    with _looking_for(guard):
        return _current_or_default().run(guard)


def _current_or_default() -> Runs:
    found = current()
    if found is None:
        with _looking_for(None):
            made = _makers[0]()
        found = _default.setdefault(_DEFAULT, made)
    return found


@contextmanager
def _looking_for(what: Guard | None) -> Iterator[None]:
    mine = _looking.setdefault(get_ident(), [])
    mine.append(what)
    try:
        yield
    finally:
        mine.pop()
        if not mine:
            _looking.pop(get_ident(), None)


resolve_with(_resolve)
