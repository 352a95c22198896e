"""The exception tree. Every error names the instance and the policy it comes from, and can be pickled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .diagnostics import Diagnostic


class ResilienceWarning(UserWarning):
    """A finding that is suspicious but not wrong, given to `warnings.warn` by `build()`."""


class ResilienceError(Exception):
    """Base of every error of this library.

    `instance_id` is the stateful instance ("payments", "acme.payments.PaymentsClient#charge") and `policy` the policy's
    name ("circuit_breaker"); both are empty where no single one is meant.
    """

    def __init__(self, message: str = "", *, instance_id: str = "", policy: str = "") -> None:
        super().__init__(message)
        self.instance_id = instance_id
        self.policy = policy

    def __reduce__(self) -> tuple[Any, ...]:
        # Exception's own way calls the class with `args`, which leaves keyword-only parameters behind.
        return _rebuild, (type(self), self.args, self.__dict__)


def _rebuild(kind: type[ResilienceError], args: tuple[Any, ...], state: dict[str, Any]) -> ResilienceError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class Untold:
    """What an error says while nobody has asked: `tell`, called with its other `args`, makes the same error in full."""

    __slots__ = ("tell",)

    def __init__(self, tell: Callable[..., RejectedError]) -> None:
        self.tell = tell


class RejectedError(ResilienceError):
    """A policy refused the call; the function did not run.

    While something is down, calls are refused by the thousand, and few of the errors are looked at. So one may be made
    by `__new__` alone, with an `Untold` as the first argument, and is completed when it is asked for anything.
    """

    @property
    def args(self) -> tuple[Any, ...]:
        self._complete()
        return _args_of(self)

    @args.setter
    def args(self, args: tuple[Any, ...]) -> None:
        self._complete()
        _set_args(self, args)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        self._complete()
        return _dict_of(self)

    def __str__(self) -> str:
        self._complete()
        return super().__str__()

    def __repr__(self) -> str:
        self._complete()
        return super().__repr__()

    def __getattr__(self, name: str) -> Any:
        # Asked for what is not there, which it may be afterwards.
        if self._complete():
            return getattr(self, name)
        msg = f"'{type(self).__name__}' object has no attribute '{name}'"
        raise AttributeError(msg, name=name, obj=self)

    def _complete(self) -> bool:
        """Say what it was made to say; False if it does already."""
        args = _args_of(self)
        if not args or type(args[0]) is not Untold:
            return False
        untold, *facts = args
        told = untold.tell(*facts)
        own = _dict_of(self)
        # What somebody has set in the meantime stays.
        own |= _dict_of(told) | own
        # Last: who sees them sees the rest.
        _set_args(self, told.args)
        return True


# Those of `RejectedError` itself stand before these.
_dict_of: Final[Callable[[BaseException], dict[str, Any]]] = BaseException.__dict__["__dict__"].__get__
_args_of: Final[Callable[[BaseException], tuple[Any, ...]]] = BaseException.__dict__["args"].__get__
_set_args: Final[Callable[[BaseException, tuple[Any, ...]], None]] = BaseException.__dict__["args"].__set__


class _RetryAfter(RejectedError):
    """A rejection that knows when a next try may pass: `retry_after` in seconds, None if it cannot be told."""

    def __init__(
        self, message: str = "", *, instance_id: str = "", policy: str = "", retry_after: float | None = None
    ) -> None:
        super().__init__(message, instance_id=instance_id, policy=policy)
        self.retry_after = retry_after


class CallNotPermittedError(_RetryAfter):
    """The circuit breaker is open, or half-open with all its probes out."""


class BulkheadFullError(RejectedError):
    """No slot became free within `max_wait`."""


class RateLimitExceededError(_RetryAfter):
    """No permit would become free within `max_wait`."""


class ConcurrencyLimitExceededError(RejectedError):
    """The adaptive limit is reached."""


class TimeoutExceededError(ResilienceError, TimeoutError):
    """A call took longer than `limit` seconds. `completed` tells that the function did finish, only too late."""

    def __init__(
        self, message: str = "", *, instance_id: str = "", policy: str = "", limit: float = 0.0, completed: bool = False
    ) -> None:
        super().__init__(message, instance_id=instance_id, policy=policy)
        self.limit = limit
        self.completed = completed


class ResultRejectedError(ResilienceError):
    """Attempts ended with a result that a classifier calls a failure: `result`, after `attempts` attempts."""

    def __init__(
        self, message: str = "", *, instance_id: str = "", policy: str = "", result: object = None, attempts: int = 0
    ) -> None:
        super().__init__(message, instance_id=instance_id, policy=policy)
        self.result = result
        self.attempts = attempts


class DefinitionError(ResilienceError):
    """`build()` found mistakes: `diagnostics` has every one of them, not the first."""

    def __init__(self, message: str = "", diagnostics: Iterable[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.diagnostics = tuple(diagnostics)
