"""Classification: the table of the cases, what passes every policy, the library's own refusals, classifiers."""

from __future__ import annotations

import asyncio
import concurrent.futures
from typing import Any

import pytest

from resilience4cata import (
    BulkheadFullError,
    CallNotPermittedError,
    Classifier,
    DefinitionError,
    Outcome,
    RateLimitExceededError,
    RejectedError,
    ResilienceError,
    TimeoutExceededError,
)
from resilience4cata.policies.classification import Classification, Refusals, Verdict, unwrapped

MATCH, NO_MATCH, DENIED, BYPASS = Verdict


class E0(Exception): ...


class E0S(E0): ...


class E1(E0): ...


class E1S(E1): ...


class E2(E1): ...


class E2S(E2): ...


LISTS: dict[str, tuple[tuple[type[BaseException], ...], tuple[type[BaseException], ...]]] = {
    "A": ((E0, E2), (E1,)),
    "B": ((Exception, E1), (E0, E2)),
    "C": ((E1, E2), (E0,)),
}
MATCHES: dict[str, set[type[BaseException]]] = {
    "A": {E0, E0S},
    "B": {Exception, RuntimeError},
    "C": set(),
}
RAISED = [E0, E0S, E1, E1S, E2, E2S, Exception, RuntimeError, KeyboardInterrupt]


@pytest.mark.parametrize("refusals", Refusals)
@pytest.mark.parametrize("lists", LISTS)
@pytest.mark.parametrize("raised", RAISED)
def test_table(lists: str, raised: type[BaseException], refusals: Refusals) -> None:
    """One law for all three policies; asked twice, since the second answer comes from memory."""
    classification = Classification(refusals, *LISTS[lists])
    first = classification.of(raised())
    assert (raised in MATCHES[lists]) == (first is MATCH)
    assert first is classification.of(raised())


def test_no_match_and_denied_are_told_apart() -> None:
    """The breaker counts the one as a success and forgets the other."""
    classification = Classification(Refusals.CIRCUIT_BREAKER, (OSError,), (PermissionError,))
    verdicts = [classification.of(failure) for failure in (OSError(), ValueError(), PermissionError())]
    assert [MATCH, NO_MATCH, DENIED] == verdicts
    assert [Outcome.FAILURE, Outcome.SUCCESS, Outcome.IGNORE] == [verdict.outcome for verdict in verdicts]


ALWAYS = [
    asyncio.CancelledError,
    KeyboardInterrupt,
    SystemExit,
    GeneratorExit,
    concurrent.futures.CancelledError,
    type("OwnCancellation", (concurrent.futures.CancelledError,), {}),
    MemoryError,
    RecursionError,
]


@pytest.mark.parametrize("refusals", Refusals)
@pytest.mark.parametrize("kind", ALWAYS)
def test_passes_everything(kind: type[BaseException], refusals: Refusals) -> None:
    """Even where a list names it, and whatever a classifier would say."""
    classification = Classification(refusals, (kind, BaseException), classifier=Answering(Outcome.FAILURE))
    assert [BYPASS, BYPASS] == [classification.of(kind()), classification.of(kind())]
    assert Outcome.IGNORE is BYPASS.outcome


def test_the_bypass_is_configurable() -> None:
    classification = Classification(Refusals.RETRY, bypass=(KeyError,))
    assert [BYPASS, MATCH] == [classification.of(KeyError()), classification.of(MemoryError())]


def test_ordinary_exceptions() -> None:
    """StopIteration is one, and so is a class that is merely called CancelledError."""
    classification = Classification(Refusals.RETRY)
    own = type("CancelledError", (Exception,), {})
    assert [MATCH, MATCH] == [classification.of(StopIteration()), classification.of(own())]


class TestUnwrapping:
    def test_a_group_of_one(self) -> None:
        classification = Classification(Refusals.RETRY, (OSError,), (PermissionError,))
        for inner, verdict in ((OSError(), MATCH), (PermissionError(), DENIED), (ValueError(), NO_MATCH)):
            group = ExceptionGroup("tasks failed", [ExceptionGroup("inner", [inner])])
            assert verdict is classification.of(group)

    def test_a_group_of_several_is_none_of_them(self) -> None:
        group = ExceptionGroup("tasks failed", [OSError(), OSError()])
        assert NO_MATCH is Classification(Refusals.RETRY, (OSError,)).of(group)
        assert MATCH is Classification(Refusals.RETRY, (ExceptionGroup,)).of(group)

    def test_a_cancellation_in_a_group(self) -> None:
        group = BaseExceptionGroup("tasks failed", [asyncio.CancelledError()])
        assert BYPASS is Classification(Refusals.RETRY).of(group)

    def test_by_cause(self) -> None:
        classification = Classification(Refusals.RETRY, (OSError,), unwrap=(LookupError,))
        for cause, verdict in ((OSError(), MATCH), (ValueError(), NO_MATCH), (None, NO_MATCH)):
            wrapper = KeyError("wrapped")
            wrapper.__cause__ = cause
            assert verdict is classification.of(wrapper)

    def test_causes_in_a_circle(self) -> None:
        first, second = KeyError(1), KeyError(2)
        first.__cause__, second.__cause__ = second, first
        assert unwrapped(first, (KeyError,)) in (first, second)


class TestOwnRefusals:
    """Rules, not members of lists: writing a list does not lose them."""

    @pytest.mark.parametrize("abort_on", [(), (KeyError,)])
    def test_retry_stops_at_an_open_breaker(self, abort_on: tuple[type[BaseException], ...]) -> None:
        classification = Classification(Refusals.RETRY, (Exception,), abort_on)
        for _ in range(2):
            assert DENIED is classification.of(CallNotPermittedError())

    @pytest.mark.parametrize("named", [CallNotPermittedError, RejectedError])
    def test_unless_it_is_named(self, named: type[Exception]) -> None:
        assert MATCH is Classification(Refusals.RETRY, (named,)).of(CallNotPermittedError())
        assert DENIED is Classification(Refusals.RETRY, (ResilienceError,)).of(CallNotPermittedError())

    def test_retry_repeats_other_refusals(self) -> None:
        classification = Classification(Refusals.RETRY)
        assert [MATCH, MATCH] == [classification.of(BulkheadFullError()), classification.of(RateLimitExceededError())]

    def test_retry_does_not_repeat_what_did_finish(self) -> None:
        """The charge was made: only naming the very error repeats it. One that was cut short is an ordinary failure."""
        late, cut_short = TimeoutExceededError(completed=True), TimeoutExceededError()
        for allow in ((Exception,), (OSError,), (TimeoutError,)):
            classification = Classification(Refusals.RETRY, allow)
            verdicts = [classification.of(failure) for failure in (cut_short, late, cut_short, late)]
            assert [MATCH, DENIED, MATCH, DENIED] == verdicts
        assert MATCH is Classification(Refusals.RETRY, (TimeoutExceededError,)).of(late)

    def test_a_refusal_further_in_leaves_no_trace(self) -> None:
        """One of another pipeline, called by the function, is an ordinary failure."""
        classification = Classification(Refusals.CIRCUIT_BREAKER)
        for refusal in (BulkheadFullError(), RateLimitExceededError()):
            verdicts = [classification.of(refusal, own=own) for own in (True, False, True)]
            assert [DENIED, MATCH, DENIED] == verdicts

    def test_unless_the_breaker_records_it(self) -> None:
        classification = Classification(Refusals.CIRCUIT_BREAKER, (RejectedError, OSError))
        assert MATCH is classification.of(BulkheadFullError(), own=True)
        only_one = Classification(Refusals.CIRCUIT_BREAKER, (BulkheadFullError,))
        assert MATCH is only_one.of(BulkheadFullError(), own=True)
        assert DENIED is only_one.of(RateLimitExceededError(), own=True)

    def test_the_breaker_counts_timeouts(self) -> None:
        classification = Classification(Refusals.CIRCUIT_BREAKER)
        assert MATCH is classification.of(TimeoutExceededError(completed=True), own=True)
        by_list = Classification(Refusals.CIRCUIT_BREAKER, (KeyError,))
        assert NO_MATCH is by_list.of(TimeoutExceededError(), own=True)

    def test_a_fallback_hides_no_mistakes(self) -> None:
        assert DENIED is Classification(Refusals.FALLBACK).of(DefinitionError())
        assert MATCH is Classification(Refusals.FALLBACK).of(CallNotPermittedError())


class Answering(Classifier[Any]):
    """Always says the same, and remembers what it was asked."""

    def __init__(self, outcome: Any) -> None:
        self.outcome = outcome
        self.asked: list[tuple[Any, BaseException | None]] = []

    def classify(self, result: Any, failure: BaseException | None) -> Outcome:
        self.asked.append((result, failure))
        outcome: Outcome = self.outcome
        return outcome


class Failing(Classifier[Any]):
    def classify(self, result: Any, failure: BaseException | None) -> Outcome:
        msg = "the classifier is broken"
        raise LookupError(msg)


class Raising(Classifier[Any]):
    def classify(self, result: Any, failure: BaseException | None) -> Outcome:
        assert failure is not None
        raise failure


class TestClassifier:
    @pytest.mark.parametrize(
        ("outcome", "verdict"), [(Outcome.FAILURE, MATCH), (Outcome.SUCCESS, NO_MATCH), (Outcome.IGNORE, DENIED)]
    )
    def test_decides_what_lists_do_not(self, outcome: Outcome, verdict: Verdict) -> None:
        classifier = Answering(outcome)
        classification = Classification(Refusals.RETRY, (OSError,), (KeyError,), classifier=classifier)
        failure = ValueError()
        assert [DENIED, MATCH] == [classification.of(KeyError()), classification.of(OSError())]
        assert [] == classifier.asked
        assert [verdict, verdict] == [classification.of(failure), classification.of(failure)]
        assert [(None, failure)] * 2 == classifier.asked

    def test_sees_results(self) -> None:
        classifier = Answering(Outcome.FAILURE)
        classification = Classification(Refusals.RETRY, classifier=classifier)
        assert classification.sees_results
        assert Outcome.FAILURE is classification.of_result("503")
        assert [("503", None)] == classifier.asked

    def test_without_one_a_result_is_a_success(self) -> None:
        classification = Classification(Refusals.RETRY)
        assert not classification.sees_results
        assert Outcome.SUCCESS is classification.of_result(None)

    def test_that_raises(self) -> None:
        """Its exception surfaces, with the original as context."""
        classification = Classification(Refusals.RETRY, (), classifier=Failing())
        original = ValueError("boom")
        with pytest.raises(LookupError) as raised:
            classification.of(original)
        assert original is raised.value.__context__

    def test_that_raises_within_the_handler(self) -> None:
        classification = Classification(Refusals.RETRY, (), classifier=Failing())
        original = ValueError("boom")

        def call() -> None:
            try:
                raise original
            except ValueError as failure:
                classification.of(failure)

        with pytest.raises(LookupError) as raised:
            call()
        assert original is raised.value.__context__

    def test_that_raises_the_failure_itself(self) -> None:
        classification = Classification(Refusals.RETRY, (), classifier=Raising())
        original = ValueError("boom")
        with pytest.raises(ValueError, match="boom") as raised:
            classification.of(original)
        assert (original, None) == (raised.value, raised.value.__context__)

    def test_that_raises_about_a_result(self) -> None:
        with pytest.raises(LookupError):
            Classification(Refusals.RETRY, classifier=Failing()).of_result(1)

    @pytest.mark.parametrize("answer", [None, True, "failure"])
    def test_that_answers_something_else(self, answer: object) -> None:
        classification = Classification(Refusals.RETRY, (), classifier=Answering(answer))
        with pytest.raises(TypeError, match=r"Answering\.classify returned .*; it returns an Outcome"):
            classification.of(ValueError())


class TestMemory:
    def test_one_look_up_for_a_class_already_seen(self) -> None:
        classification = Classification(Refusals.RETRY, (OSError,))
        classification.of(ConnectionError())
        assert {ConnectionError: MATCH} == classification.seen

    def test_what_depends_on_the_instance_is_not_remembered(self) -> None:
        classification = Classification(
            Refusals.RETRY, (OSError,), classifier=Answering(Outcome.FAILURE), unwrap=(KeyError,)
        )
        wrapper = KeyError()
        wrapper.__cause__ = OSError()
        for failure in (wrapper, ExceptionGroup("", [OSError()]), ValueError(), TimeoutExceededError()):
            classification.of(failure)
        assert {} == classification.seen

    def test_classes_made_at_run_time_are_not_kept_for_ever(self) -> None:
        classification = Classification(Refusals.RETRY)
        for number in range(5_000):
            classification.of(type(f"E{number}", (Exception,), {})())
        assert len(classification.seen) <= 1024
