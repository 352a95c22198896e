"""What was declared after the settings that count were checked: since when, where, and who is told of it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FunctionType, MethodType
from typing import Any, Final

from ..diagnostics import Diagnostic
from ..errors import ResilienceWarning
from ..extract.describing import id_of_function
from ..extract.extraction import is_local
from ..guards import Guard, guards_in
from ..policies.applying import guard_around
from ..policies.classes import has_policies
from ..policies.recorded import binding_removed, function_of, inner
from ..policies.recording import recorded
from ..stand_ins import FILE
from .binding import bound_to

_LIBRARY: Final = __name__.partition(".")[0]


def modules_of(guard: Guard) -> frozenset[str]:
    """Where policies of a guard may stand."""
    owner = guard.owner()
    classes: tuple[Any, ...] = tuple(filter(has_policies, owner.__mro__)) if owner is not None else ()
    return frozenset(str(part.__module__) for part in (*classes, function_of(guard.function)) if part is not None)


def declared_until(cls: type) -> int:
    """The moment at which the last policy that concerns a class was declared; -1 if there is none."""
    return max((guard.since for guard in _guards_of(cls)), default=-1)


def modules_of_class(cls: type) -> frozenset[str]:
    """Where policies of a class and its methods may stand."""
    return frozenset[str]().union(*map(modules_of, _guards_of(cls)))


def moment_of_last() -> int:
    """The moment at which the last policy was applied; -1 if there is none."""
    return max((application.number for application in recorded()[-1:]), default=-1)


def guard_meant(target: object) -> Guard | None:
    """The guard of a function or method, bound or not."""
    member = target
    while isinstance(member, MethodType) or bound_to(member) is not None:
        member = member.__func__ if isinstance(member, MethodType) else inner(member)
    return next(guards_in(member), None) or guard_around(member)


def guards_named(id_: str) -> list[Guard]:
    """Guards of living functions and methods that another function made, and that have this id."""
    anchors = (application.anchor() for application in recorded() if not application.forgotten())
    functions = {id(a): a for a in anchors if type(a) is FunctionType and is_local(a)}
    named = (function for function in functions.values() if id_of_function(function) == id_)
    return [guard for function in named if (guard := guard_around(function)) is not None]


class Telling:
    """Warnings that some thread is giving, so that no other gives them as well."""

    def __init__(self, lock: AbstractContextManager[Any]) -> None:
        self._lock = lock
        self._told: tuple[Diagnostic, ...] = ()

    @contextmanager
    def those_new(
        self, found: Collection[Diagnostic], known: Callable[[], Collection[Diagnostic]]
    ) -> Iterator[tuple[Diagnostic, ...]]:
        """Those of `found` that are not `known`, and that nobody else is giving while this lasts."""
        with self._lock:
            new = tuple(d for d in found if d not in self._told and d not in known())
            self._told = (*self._told, *new)
        try:
            yield new
        finally:
            with self._lock:
                self._told = tuple(diagnostic for diagnostic in self._told if diagnostic not in new)


def warn_caller(text: str) -> None:
    """Give a warning to `warnings.warn`, as from where the library, or a guarded callable, was called."""
    frame, level = sys._getframe(), 1
    while _is_ours(frame) and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, ResilienceWarning, stacklevel=level)


def _guards_of(cls: type) -> Iterator[Guard]:
    for base in cls.__mro__:
        for member in vars(base).copy().values():
            yield from guards_in(binding_removed(member))


def _is_ours(frame: Any) -> bool:
    # A wrapper has the globals of what it guards.
    module = str(frame.f_globals.get("__name__", ""))
    return module.partition(".")[0] == _LIBRARY or frame.f_code.co_filename == FILE
