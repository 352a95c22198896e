"""What counts as success: classifiers, for cases that lists of exception types cannot express."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import Generic, TypeVar

T_contra = TypeVar("T_contra", contravariant=True)


class Outcome(Enum):
    """How a finished call counts. IGNORE leaves no trace: not counted, not retried, its permit returned."""

    SUCCESS = "success"
    FAILURE = "failure"
    IGNORE = "ignore"


class Classifier(ABC, Generic[T_contra]):
    """Decides from result and failure together how a call counts; asked after the deny list and the allow list."""

    @abstractmethod
    def classify(self, result: T_contra | None, failure: BaseException | None) -> Outcome:
        """The outcome of a call that returned `result`, or raised `failure` (then `result` is None)."""
