"""The allow list beside a classifier: its default gives way, what is written does not."""

from __future__ import annotations

from typing import Any

import pytest

from resilience4cata import Classifier, Outcome, Resilience, circuit_breaker, retry
from resilience4cata.testing import ManualClock, ManualScheduler


class Never(Classifier[Any]):
    """Calls nothing a failure."""

    def classify(self, result: Any | None, failure: BaseException | None) -> Outcome:
        return Outcome.SUCCESS


def built() -> Resilience:
    clock = ManualClock()
    return Resilience.builder().only("no.module").clock(clock).scheduler(ManualScheduler(clock)).build()


@pytest.mark.parametrize("classifier", [Never, Never()], ids=["class", "object"])
@pytest.mark.parametrize(
    ("lists", "attempts"),
    [({}, 1), ({"retry_on": Exception}, 3), ({"retry_on": (Exception,)}, 3), ({"retry_on": OSError}, 3)],
)
def test_retry(lists: dict[str, Any], attempts: int, classifier: Any) -> None:
    """The allow list is asked first: `Exception` counts when it is written, like any other type."""
    pipeline = built().pipeline("orders", retry(max_attempts=3, classifier=classifier, **lists))
    made: list[None] = []

    def call() -> None:
        made.append(None)
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011
        pipeline.call(call)
    assert attempts == len(made)


@pytest.mark.parametrize("classifier", [Never, Never()], ids=["class", "object"])
@pytest.mark.parametrize(("lists", "failed"), [({}, 0), ({"record_on": Exception}, 1)])
def test_circuit_breaker(lists: dict[str, Any], failed: int, classifier: Any) -> None:
    resilience = built()
    pipeline = resilience.pipeline("orders", circuit_breaker(classifier=classifier, **lists))
    with pytest.raises(ZeroDivisionError):
        pipeline.call(lambda: 1 // 0)
    assert failed == resilience.circuit_breaker("orders").snapshot().total.failed


@pytest.mark.parametrize("classifier", [Never, Never()], ids=["class", "object"])
def test_described(classifier: Any) -> None:
    resilience = built()
    resilience.pipeline("orders", retry(classifier=classifier))
    assert "()" == resilience.describe("orders").of("retry")["retry_on"].value


def test_written_in_a_template() -> None:
    """A layer that writes it is a layer that writes it."""
    resilience = Resilience.builder().only("no.module").config("external", retry(retry_on=Exception)).build()
    resilience.pipeline("orders", retry(config="external", classifier=Never))
    assert "Exception" == resilience.describe("orders").of("retry")["retry_on"].value
