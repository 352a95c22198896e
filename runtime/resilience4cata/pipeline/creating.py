"""Callables whose work begins when their call has ended: coroutine functions, generators, context managers."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from types import FunctionType
from typing import Any, Final

from ..guards import guard_of
from ..policies.recorded import context_manager_maker, is_generator
from ..signature import plain_function
from ..stand_ins import FILE


async def _managed() -> AsyncIterator[None]:
    yield


COROUTINE: Final = 0x80  # inspect.CO_COROUTINE
_LATER: Final = COROUTINE | 0x20 | 0x200  # CO_GENERATOR, CO_ASYNC_GENERATOR
_ANY: Final = 0x04 | 0x08  # CO_VARARGS, CO_VARKEYWORDS
# All that contextlib makes runs the same code.
_MANAGER: Final = contextlib.contextmanager(lambda: iter(())).__code__
_ASYNC_MANAGER: Final = contextlib.asynccontextmanager(_managed).__code__


def may_work_later(function: Any) -> bool:
    """Whether to look closer: False for nearly everything that does its work when it is called."""
    plain = function if type(function) is FunctionType else plain_function(function)
    if plain is None:
        return False
    code = plain.__code__
    flags = code.co_flags
    if flags & _LATER:
        return True
    # What contextlib makes takes any arguments, and so does our wrapper around that.
    return flags & _ANY == _ANY and (code is _MANAGER or code is _ASYNC_MANAGER or code.co_filename == FILE)


def what_creates(function: Any) -> FunctionType | None:
    """The plain function by which a call makes a generator or a context manager, and does nothing else; None for any
    other callable."""
    plain = plain_function(function)
    while (guard := guard_of(plain)) is not None:
        plain = plain_function(guard.function)
    if plain is None or not (is_generator(plain) or context_manager_maker(plain) is not None):
        return None
    return plain
