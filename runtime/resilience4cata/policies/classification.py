"""What counts as success: one law for circuit breaker, retry and fallback, and classifiers beside the lists."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import Any, Final, Generic, TypeVar

from ..errors import CallNotPermittedError, DefinitionError, RejectedError, TimeoutExceededError

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


class Verdict(Enum):
    """What a policy makes of an exception: it is the policy's business (MATCH), it is not, it is expressly excepted
    (DENIED), or it passes through every policy as if there were none (BYPASS)."""

    MATCH = "match"
    NO_MATCH = "no match"
    DENIED = "denied"
    BYPASS = "bypass"

    @property
    def outcome(self) -> Outcome:
        """How a circuit breaker records it."""
        return _OUTCOMES[self]


_OUTCOMES: Final = {
    Verdict.MATCH: Outcome.FAILURE,
    Verdict.NO_MATCH: Outcome.SUCCESS,
    Verdict.DENIED: Outcome.IGNORE,
    Verdict.BYPASS: Outcome.IGNORE,
}
_VERDICTS: Final = {
    Outcome.FAILURE: Verdict.MATCH,
    Outcome.SUCCESS: Verdict.NO_MATCH,
    Outcome.IGNORE: Verdict.DENIED,
}


class Refusals(Enum):
    """Which of the library's own errors a policy treats by rule, so that no list can lose the rule by accident."""

    CIRCUIT_BREAKER = "a rejection further in by the same pipeline leaves no trace"
    RETRY = "no attempt follows an open breaker, nor a call that did finish, only too late"
    FALLBACK = "mistakes in the program are not hidden"


ExceptionClasses = tuple[type[BaseException], ...]

DEFAULT_BYPASS: Final[ExceptionClasses] = (MemoryError, RecursionError)

# Classes made at run time by the thousand must not be kept for ever.
_MOST_CLASSES_SEEN: Final = 1024


class Classification:
    """The compiled lists of one policy of one element.

    Deny is asked first and is final, then allow, then the classifier if there is one. `allow` is empty where a
    classifier was written and no allow list: the list's default gives way to its written neighbour. `unwrap` are types
    that stand for their `__cause__`; `bypass` are those that pass, beside all that is no `Exception`.

    `seen` holds the verdicts that depend on the class alone: for such a class deciding is one look-up.
    """

    __slots__ = ("__weakref__", "_allow", "_bypass", "_classifier", "_deny", "_refusals", "_unwrap", "seen")

    def __init__(
        self,
        refusals: Refusals,
        allow: ExceptionClasses = (Exception,),
        deny: ExceptionClasses = (),
        *,
        classifier: Classifier[Any] | None = None,
        unwrap: ExceptionClasses = (),
        bypass: ExceptionClasses = DEFAULT_BYPASS,
    ) -> None:
        self._refusals = refusals
        self._allow = allow
        self._deny = deny
        self._classifier = classifier
        self._unwrap = unwrap
        self._bypass = bypass
        self.seen: dict[type[BaseException], Verdict] = {}

    @property
    def sees_results(self) -> bool:
        """Whether a result can be anything but a success."""
        return self._classifier is not None

    def of(self, failure: BaseException, *, own: bool = False) -> Verdict:
        """The verdict on an exception; `own` says that it is a rejection by a policy further in of the same call.

        What a classifier raises surfaces, with `failure` as its context.
        """
        return self.seen.get(type(failure)) or self._consider(failure, own)

    def of_result(self, result: object) -> Outcome:
        """How a result counts."""
        return Outcome.SUCCESS if self._classifier is None else self._ask(self._classifier, result, None)

    def _consider(self, failure: BaseException, own: bool) -> Verdict:
        actual = unwrapped(failure, self._unwrap)
        kind = type(actual)
        if passes_always(kind) or issubclass(kind, self._bypass):
            return self._remember(failure, actual, Verdict.BYPASS)
        if self._by_rule(kind):
            if self._refused(actual, own):
                return Verdict.DENIED
            # Another of this class may be a refusal.
            return self._by_lists(actual)[0]
        verdict, lasting = self._by_lists(actual)
        return self._remember(failure, actual, verdict) if lasting else verdict

    def _remember(self, failure: BaseException, actual: BaseException, verdict: Verdict) -> Verdict:
        if actual is failure and not issubclass(type(failure), (BaseExceptionGroup, *self._unwrap)):
            if len(self.seen) >= _MOST_CLASSES_SEEN:
                self.seen.clear()
            self.seen[type(failure)] = verdict
        return verdict

    def _by_lists(self, failure: BaseException) -> tuple[Verdict, bool]:
        """The verdict, and whether it holds for the class."""
        if isinstance(failure, self._deny):
            return Verdict.DENIED, True
        if isinstance(failure, self._allow):
            return Verdict.MATCH, True
        if self._classifier is None:
            return Verdict.NO_MATCH, True
        return _VERDICTS[self._ask(self._classifier, None, failure)], False

    def _by_rule(self, kind: type[BaseException]) -> bool:
        """Whether there is a rule for a class that the allow list does not name."""
        match self._refusals:
            case Refusals.CIRCUIT_BREAKER:
                return issubclass(kind, RejectedError) and not self._names(kind, RejectedError)
            case Refusals.RETRY:
                return any(issubclass(kind, k) and not self._names(kind, base) for k, base in _STOPS_RETRY)
            case Refusals.FALLBACK:
                return issubclass(kind, DefinitionError)

    def _refused(self, failure: BaseException, own: bool) -> bool:
        """Whether the rule for its class holds for this very failure."""
        if self._refusals is Refusals.CIRCUIT_BREAKER:
            return own
        return not isinstance(failure, TimeoutExceededError) or failure.completed

    def _names(self, kind: type[BaseException], base: type[BaseException]) -> bool:
        """Whether the allow list names the class itself, or a type between it and `base`."""
        return any(issubclass(kind, named) and issubclass(named, base) for named in self._allow)

    @staticmethod
    def _ask(classifier: Classifier[Any], result: object, failure: BaseException | None) -> Outcome:
        try:
            outcome: object = classifier.classify(result, failure)
        except BaseException as error:
            if failure is not None and error is not failure and error.__context__ is None:
                # As the interpreter does it: the class may let nobody set anything.
                BaseException.__setattr__(error, "__context__", failure)
            raise
        if isinstance(outcome, Outcome):
            return outcome
        msg = f"{type(classifier).__qualname__}.classify returned {outcome!r}; it returns an Outcome"
        raise TypeError(msg) from failure


# The errors after which retry stops by rule, and from which base on naming one in `retry_on` takes the rule back.
_STOPS_RETRY: Final = ((CallNotPermittedError, RejectedError), (TimeoutExceededError, TimeoutExceededError))


def passes_always(kind: type[BaseException]) -> bool:
    """Whether exceptions of a class are nobody's failure: cancellations, and what ends the interpreter or a generator.

    `concurrent.futures.CancelledError` is an Exception. It is known by name, since importing it takes long.
    """
    if not issubclass(kind, Exception):
        return True
    return any(
        base.__qualname__ == "CancelledError" and base.__module__ == "concurrent.futures._base" for base in kind.__mro__
    )


def unwrapped(failure: BaseException, unwrap: ExceptionClasses) -> BaseException:
    """What a failure stands for: the only member of a group, the cause of an exception of the types `unwrap`."""
    seen: set[int] = set()
    while id(failure) not in seen:
        seen.add(id(failure))
        inner = _inside(failure, unwrap)
        if inner is None:
            break
        failure = inner
    return failure


def _inside(failure: BaseException, unwrap: ExceptionClasses) -> BaseException | None:
    if isinstance(failure, BaseExceptionGroup):
        return failure.exceptions[0] if len(failure.exceptions) == 1 else None
    return failure.__cause__ if isinstance(failure, unwrap) else None
