"""What the tests of pybreaker (Python) say about its circuit breaker, told with this library.

It counts failures in a row. A window of so many calls with a threshold of 100 % opens at the same call.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from resilience4cata import CallNotPermittedError, DefinitionError, Resilience, circuit_breaker
from resilience4cata.events import CallFailed, StateTransition

from .breakers import Driven, Fault


def in_a_row(number: int, **settings: str) -> Driven:
    """A breaker that opens after so many failures in a row, and closes after one success."""
    rate = {"window_size": number, "minimum_calls": number, "failure_rate_threshold": 100, "half_open_calls": 1}
    return Driven(**rate, **settings)


class TestClosed:
    def test_a_success(self) -> None:
        driven = in_a_row(5)
        assert ("S", "CLOSED") == (driven.calls("S"), driven.state)

    def test_one_failure(self) -> None:
        driven = in_a_row(5)
        assert ("F", "CLOSED", 1) == (driven.calls("F"), driven.state, driven.handle.snapshot().window.failed)

    def test_a_success_after_a_failure(self) -> None:
        """There the counter begins anew; here the failure stays in the window until so many calls have followed. Which
        call opens the breaker is the same."""
        driven = in_a_row(3)
        assert ("FSFFF", "OPEN") == (driven.calls("FSFFF"), driven.state)

    def test_several_failures(self) -> None:
        driven = in_a_row(3)
        assert ("FFFX", "OPEN") == (driven.calls("FFFF"), driven.state)

    def test_the_call_that_opens_it(self) -> None:
        """There it raises the breaker's error unless told otherwise. Here its own failure surfaces: the function has
        run, and callers who handle its errors should not miss one of them."""
        driven = in_a_row(1)
        with pytest.raises(Fault):
            driven.pipeline.call(_fail)
        with pytest.raises(CallNotPermittedError):
            driven.pipeline.call(_fail)

    def test_excluded_exceptions(self) -> None:
        """There they count as successes and begin the counter anew; here they leave no trace: they say nothing about
        the health of what is called."""
        driven = in_a_row(3)
        assert ("FFIF", "OPEN") == (driven.calls("FFIF"), driven.state)


class TestRecovery:
    def test_a_failure_after_the_timeout(self) -> None:
        driven = in_a_row(3, wait_in_open="500ms")
        driven.calls("FFF")
        driven.clock.advance("600ms")
        assert ("F", "OPEN") == (driven.calls("F"), driven.state)

    def test_a_success_after_the_timeout(self) -> None:
        driven = in_a_row(3, wait_in_open="1s")
        assert "FFFX" == driven.calls("FFFF")
        driven.clock.advance("2s")
        assert ("S", "CLOSED", (0, 0, 0)) == (driven.calls("S"), driven.state, driven.handle.snapshot().window)

    def test_closed_by_hand(self) -> None:
        driven = in_a_row(3)
        driven.calls("FFF")
        driven.handle.force_closed()
        assert ("CLOSED", "FFFX") == (driven.state, driven.calls("FFFF"))

    def test_opened_by_hand(self) -> None:
        """There it recovers after its timeout; here what an operator opened stays open until an operator says so."""
        driven = in_a_row(3, wait_in_open="1s")
        driven.handle.force_open()
        driven.clock.advance("1h")
        assert ("FORCED_OPEN", "X") == (driven.state, driven.calls("S"))


class TestListeners:
    def test_transitions(self) -> None:
        driven = in_a_row(1, wait_in_open="1s")
        driven.calls("F")
        driven.clock.advance("1s")
        driven.calls("S")
        found = [(event.before.name, event.after.name) for event in driven.events.of(StateTransition)]
        assert [("CLOSED", "OPEN"), ("OPEN", "HALF_OPEN"), ("HALF_OPEN", "CLOSED")] == found

    def test_failures(self) -> None:
        """The exception itself is told."""
        driven = in_a_row(3)
        driven.calls("F")
        assert [Fault] == [type(event.failure) for event in driven.events.of(CallFailed)]


def test_generators() -> None:
    """There each step of a generator is judged. Here a generator is refused, since its body runs when the policies have
    ended; what is called in it can be guarded."""

    @circuit_breaker()
    def generate() -> Iterator[int]:
        yield 1

    with pytest.raises(DefinitionError, match="R4C-LOC-003"):
        generate()
    with pytest.raises(DefinitionError, match="R4C-LOC-003"):
        Resilience.builder().only(__name__).build()


def _fail() -> None:
    raise Fault
