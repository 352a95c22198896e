"""What the quick way has done of a call when the layers go on with it."""

from __future__ import annotations

from typing import Any

from ..clock import in_nanoseconds
from ..policies.machines.circuit_breaker import Admission
from .outcome import Outcome


class HeadStart:
    """A call that the first `position` layers have let pass: they take it as if they had run so far themselves.

    Where all of them have, the function has run, and has ended with `result` or `failure`. `began` is the moment at
    which it was let pass, None if nobody needed it; `admission` is the circuit breaker's. `cancelling` is what the
    task's `cancelling()` was then, None where no timeout watched it; `fired` tells that the timeout has cancelled it.
    """

    __slots__ = ("_outcome", "admission", "began", "cancelling", "fired", "position")

    def __init__(
        self,
        position: int,
        began: int | None,
        admission: Admission | None,
        outcome: Outcome | None,
        cancelling: int | None = None,
        fired: bool = False,
    ) -> None:
        self.position = position
        self.began = began
        self.admission = admission
        self.cancelling = cancelling
        self.fired = fired
        self._outcome = outcome

    def take_outcome(self) -> Outcome | None:
        """How the function ended, None if it has not run. Given once: a failure's traceback must not hold it."""
        outcome, self._outcome = self._outcome, None
        return outcome


def before_the_function(position: int, began: float | None, admission: Admission | None) -> HeadStart:
    """The layer at `position` cannot let the call pass quickly. `began` is of a `Reading`."""
    return HeadStart(position, _moment(began), admission, None)


def after_the_function(
    position: int,
    began: float | None,
    admission: Admission | None,
    result: Any,
    failure: BaseException | None,
    cancelling: int | None = None,
    fired: bool = False,
) -> HeadStart:
    """The function has run within all `position` layers, and they want to see how it ended."""
    if failure is not None and failure.__traceback__ is not None:
        # Its first entry is the quick way's frame, which appears again when the failure surfaces through it. By the
        # base's own method: the class may let nobody set anything.
        BaseException.with_traceback(failure, failure.__traceback__.tb_next)
    return HeadStart(position, _moment(began), admission, Outcome(result, failure), cancelling, fired)


def _moment(began: float | None) -> int | None:
    return None if began is None else in_nanoseconds(began)
