"""Answer something sensible when the call has failed for good.

A fallback takes over the final outcome: a handler class, a function, or sibling methods chosen by the type of the
exception. It is the outermost policy, so that it sees what retries and an open breaker leave. It never hides mistakes
in the program: argument errors and `DefinitionError` pass.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, TypeVar

from ..schema import UNSET, AttributeKind, Unset, attribute, declaration
from .declaration import DeniedTypes, ExceptionTypes, Policy

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class FallbackContext:
    """What a fallback may know about the call that failed.

    `failure` is the exception, `attempts` how often the function ran, `arguments` the bound arguments by name,
    `function` the undecorated function, `receiver` the object it was called on (None for a function) and `instance_id`
    its id.
    """

    __slots__ = ("arguments", "attempts", "failure", "function", "instance_id", "receiver")

    def __init__(
        self,
        *,
        failure: BaseException,
        attempts: int,
        arguments: Mapping[str, Any],
        function: Callable[..., Any],
        receiver: object,
        instance_id: str,
    ) -> None:
        self.failure = failure
        self.attempts = attempts
        self.arguments = arguments
        self.function = function
        self.receiver = receiver
        self.instance_id = instance_id

    def argument(self, which: int | str, kind: type[T]) -> T:
        """The argument at position `which` (from 0, without `self`) or of that name.

        Raises LookupError if there is none, and TypeError if it is not an instance of `kind`.
        """
        value = self.arguments[which] if isinstance(which, str) else list(self.arguments.values())[which]
        if not isinstance(value, kind):
            msg = f"argument {which!r} is {type(value).__name__}, not {kind.__name__}"
            raise TypeError(msg)
        return value


class FallbackHandler(ABC, Generic[T_co]):
    """A fallback as a class, made once for each instance; T is the result it gives in place of the function's."""

    @abstractmethod
    def apply(self, context: FallbackContext) -> T_co | Awaitable[T_co]:
        """The result of the call that failed; may be asynchronous for asynchronous functions."""


@declaration("fallback")
class Fallback(Policy):
    """The attributes of a fallback; see the module's description."""

    handler: type[FallbackHandler[Any]] | Callable[..., Any] | Unset = attribute(
        AttributeKind.HANDLER, default=UNSET, kw_only=False, doc="Handler class, or a function already defined."
    )
    method: str | tuple[str, ...] | Unset = attribute(
        AttributeKind.METHODS, default=UNSET, doc="Name, or names, of sibling methods or of functions of the module."
    )
    apply_on: ExceptionTypes | Unset = attribute(
        AttributeKind.EXCEPTIONS, default=Exception, doc="Exceptions that the fallback answers."
    )
    skip_on: DeniedTypes | Unset = attribute(
        AttributeKind.EXCEPTIONS, default=(), deny=True, doc="Exceptions that surface as they are; asked first."
    )
    enabled: bool | Unset = attribute(AttributeKind.BOOLEAN, default=True, doc="False lets every failure surface.")


fallback = Fallback
