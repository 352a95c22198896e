"""Guards: what stands in place of a decorated callable, and what it runs at the moment.

The wrapper of a guard is a plain function of the original's exact parameters. What it runs is its code object, whose
constants hold all that it needs; putting another one there is one atomic store, which calls that are under way do not
notice. The first code of every wrapper asks for the policies that count (`resolve_with`), and whoever knows them
installs what runs from then on. When others may count, every guard returns to its first code.

What code needs, and holds only weakly (`stand_ins`), the guard holds as long as the code is there.

Nothing here knows what a policy is.
"""

from __future__ import annotations

from _thread import RLock
from _weakref import ref
from collections.abc import Callable, Iterator
from functools import update_wrapper
from itertools import count
from types import CodeType, FunctionType
from typing import Any, Final

from .stand_ins import Runs, forwarding, function_like, resemble

Resolve = Callable[["Guard"], Callable[..., Any]]

_ATTRIBUTE: Final = "__resilience4cata_guard__"
_MAX_LAYERS: Final = 100
_PACKAGE: Final = __name__.rpartition(".")[0]


class Guard:
    """What stands between callers and one decorated callable.

    `function` is what was decorated. `owner()` is the class that it is a method of, as far as known; `key` its name
    there. `explicit` tells whether a policy stands on the callable itself, rather than on its class or on what it
    overrides; `inherited` that it stands for a method which the owner inherits unchanged. `inner` tells that another
    guard stands around it. `overriding` and `overridden` tell that in some class a method of its name comes after, or
    before, that `super()` leads to or comes from. `policies` are those applied to it, innermost first. `since` is the
    moment since which what concerns it is known.
    """

    __slots__ = (
        "__weakref__",
        "_needs",
        "_reference",
        "_stand_in",
        "_wrapper",
        "explicit",
        "function",
        "inherited",
        "inner",
        "key",
        "overridden",
        "overriding",
        "owner",
        "policies",
        "since",
        "version",
    )

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.owner: Callable[[], type | None] = _nothing
        self.key = ""
        self.explicit = False
        self.inherited = False
        self.inner = False
        self.overriding = False
        self.overridden = False
        self.policies: tuple[object, ...] = ()
        self.since = moment()
        self.version = 0
        # Stands among `_installed` while what counts is known. Its hash can be told only as long as the guard lives.
        self._reference = ref(self, _forget)
        hash(self._reference)
        # What a code needs, by the code: calls that are under way may run an older one.
        self._needs: tuple[tuple[Callable[[], CodeType | None], tuple[object, ...]], ...] = ()
        # Weakly, since the wrapper holds the guard: a function that is let go dies at once.
        self._wrapper: Callable[[], FunctionType | None] = _nothing
        self._stand_in: FunctionType | None = None

    @property
    def wrapper(self) -> FunctionType:
        """The function that callers have.

        An older one may have its code alone, having been reloaded in place: for that, another one stands in.
        """
        wrapper = self._known()
        if wrapper is None:
            wrapper = self._stand_in = function_like(self.function, _first_code_of(self))
            wrapper.__dict__[_ATTRIBUTE] = self
            _installed.discard(self._reference)
        return wrapper

    def _known(self) -> FunctionType | None:
        wrapper = self._wrapper()
        # It may have been given another guard.
        return wrapper if wrapper is not None and wrapper.__dict__.get(_ATTRIBUTE) is self else self._stand_in

    def add(self, policy: object) -> None:
        """Let a policy stand on the callable itself."""
        self.policies = (*self.policies, policy)
        self.explicit = True
        self.touch()

    def touch(self) -> None:
        """Take note that other policies concern the callable, which may have been called already."""
        self.since = moment()
        if self._reference in _installed:
            self.reset()

    def link(self, *, overriding: bool = False, overridden: bool = False) -> None:
        """Take note of what `super()` leads to, or comes from."""
        if (overriding and not self.overriding) or (overridden and not self.overridden):
            self.overriding = self.overriding or overriding
            self.overridden = self.overridden or overridden
            self.reset()

    def ticket(self) -> tuple[int, int]:
        """What `install` wants to see: taken before looking for what counts, it tells that this has not changed."""
        return _state.generation, self.version

    def install(self, runs: Runs, ticket: tuple[int, int]) -> bool:
        """Let the wrapper run other code from now on, unless another thread was first or other things count by now.

        The code has the wrapper's parameters and no free variables (`calling` makes one).
        """
        wrapper: Any = self.wrapper
        with lock:
            if ticket != self.ticket() or self._reference in _installed:
                return False
            _installed.add(self._reference)
            if runs.needs:
                self._needs = (*self._needs, (ref(runs.code), runs.needs))
            before = wrapper.__code__
            wrapper.__code__ = runs.code
        # What only the old code held ends here, outside of the lock.
        del before
        self._let_go_of_the_unused()
        return True

    def reset(self) -> None:
        """Let the wrapper ask again at its next call."""
        wrapper: Any = self._known()
        if wrapper is None:
            return
        first = _first_code_of(self)
        with lock:
            self.version += 1
            _installed.discard(self._reference)
            before = wrapper.__code__
            wrapper.__code__ = first
        del before
        self._let_go_of_the_unused()

    def _let_go_of_the_unused(self) -> None:
        """Hold no more what only code needed that neither the wrapper nor a call runs."""
        if not self._needs:
            return
        with lock:
            before = self._needs
            self._needs = tuple(need for need in before if need[0]() is not None)
        del before

    def __repr__(self) -> str:
        return f"<Guard of {getattr(self.function, '__qualname__', self.function)}>"


class _State:
    """`generation` counts how often it has changed what counts; `resolve` gives what runs for a guard's first call."""

    __slots__ = ("generation", "resolve")

    def __init__(self) -> None:
        self.generation = 0
        self.resolve: Resolve = _load_and_resolve


# Reentrant, since the collector or a signal may run code that makes a first call at any point.
lock: Final = RLock()
_moments: Final = count()
_installed: Final[set[ref[Guard]]] = set()
_forget: Final = _installed.discard  # one for all; it asks no module globals, which go while the interpreter ends


def wrapped(function: Callable[..., Any]) -> FunctionType:
    """The wrapper of a new guard of `function`, which looks as `functools.wraps` would make it."""
    made = Guard(function)
    for within in guards_in(function):
        within.inner = True
    wrapper = function_like(function, _first_code_of(made))
    if type(function) is FunctionType:
        update_wrapper(wrapper, function)
    else:
        resemble(wrapper, function)
    wrapper.__dict__[_ATTRIBUTE] = made
    made._wrapper = ref(wrapper)
    return wrapper


def moment() -> int:
    """A number that is greater than all before: what was declared when."""
    return next(_moments)


def guard_of(value: object) -> Guard | None:
    """The guard whose wrapper `value` is."""
    if type(value) is not FunctionType:
        return None
    found = value.__dict__.get(_ATTRIBUTE)
    # A decorator that copies attributes has copied this one too.
    return found if type(found) is Guard and found._known() is value else None


def original_of(value: object) -> object:
    """The callable that was decorated, where `value` is its wrapper; anything else as it is."""
    found = guard_of(value)
    return value if found is None else found.function


def guards_in(value: object) -> Iterator[Guard]:
    """Every guard in a function and in what it wraps, outermost first."""
    for _ in range(_MAX_LAYERS):
        if type(value) is not FunctionType:
            return
        found = guard_of(value)
        if found is not None:
            yield found
        value = value.__dict__.get("__wrapped__")


def next_generation() -> None:
    """Let every guard ask again for the policies that count."""
    with lock:
        _state.generation += 1
        known = _installed.copy()
    for found in filter(None, (reference() for reference in known)):
        found.reset()


def resolve_with(resolve: Resolve) -> None:
    """Set what answers a guard's first call: it installs code, and gives what runs for this call."""
    _state.resolve = resolve


class _FirstCall:
    """Asks for the policies that count; smaller than a function with variables of its own."""

    __slots__ = ("guard",)
    guard: Callable[[], Guard | None]

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        guard = self.guard()
        assert guard is not None  # the call holds the wrapper, and that its guard
        return _state.resolve(guard)(*args, **kwargs)


def _first_code_of(guard: Guard) -> CodeType:
    first_call = _FirstCall()
    first_call.guard = guard._reference
    return forwarding(guard.function, first_call)


def _load_and_resolve(guard: Guard) -> Callable[..., Any]:
    """Load what knows policies: a program that only declares never does, and this floor knows none above it."""
    from importlib import import_module

    import_module(f"{_PACKAGE}.resilience")
    return _state.resolve(guard)


def _nothing() -> None:
    return None


_state: Final = _State()
