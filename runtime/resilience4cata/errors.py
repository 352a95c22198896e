"""The exception tree. Every error names the instance and the policy it comes from, and can be pickled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

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


class RejectedError(ResilienceError):
    """A policy refused the call; the function did not run."""


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
