"""What decorated callables run on: the `Resilience` that was activated last, else one that is built when it is needed.

Nothing of the user's runs under the lock: what several threads make at once is published by the first of them.
"""

from __future__ import annotations

from _thread import RLock, get_ident
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Final, Generic, NamedTuple, TypeVar

from .guards import Guard, Resolve, next_generation, resolve_with

T_co = TypeVar("T_co", covariant=True)


class Activation(Generic[T_co]):
    """A `Resilience` as what decorated callables run on: until the end of a `with` block, or for good."""

    def __init__(self, resilience: T_co, run: Resolve) -> None:
        """`run` installs what a guard runs, and gives its wrapper."""
        self.resilience: Final = resilience
        self.run: Final = run
        with lock:
            _active.append(self)
        next_generation()

    def end(self) -> None:
        """Let what was active before be active again. Raises RuntimeError if another activation came after this one."""
        with lock:
            if not _active or _active[-1] is not self:
                msg = "activations end in reverse order: another one was made after this, or this one has ended already"
                raise RuntimeError(msg)
            _active.pop()
        next_generation()

    def __enter__(self) -> T_co:
        return self.resilience

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.end()


class Default(NamedTuple):
    """What decorated callables run on while nothing is active."""

    resilience: object
    run: Resolve


lock: Final = RLock()
_active: Final[list[Activation[object]]] = []
_default: Final[dict[str, Default]] = {}
_DEFAULT: Final = "default"
_builders: Final[list[Callable[[], Default]]] = []
# Whatever is looked for at the moment, by thread: guards, and None for the default.
_looking: Final[dict[int, list[Guard | None]]] = {}


def build_default_with(build: Callable[[], Default]) -> None:
    """Set how to make what decorated callables run on while nothing is active."""
    _builders[:] = [build]


def current() -> object | None:
    """The `Resilience` that decorated callables run on now; None if none is active, and none was needed yet."""
    found = _current()
    return None if found is None else found.resilience


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
        return (_current() or _built_default()).run(guard)


def _current() -> Activation[object] | Default | None:
    # A slice, since another thread may end the last activation at any time.
    return next(iter(_active[-1:]), None) or _default.get(_DEFAULT)


def _built_default() -> Default:
    with _looking_for(None):
        made = _builders[0]()
    return _default.setdefault(_DEFAULT, made)


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
