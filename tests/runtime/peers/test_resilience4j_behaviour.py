"""What the tests of resilience4j (Java) say about its circuit breaker, told with this library.

Where the two differ, the test says what happens here, and its docstring why.
"""

from __future__ import annotations

from typing import Any

import pytest

from resilience4cata import WindowType

from .breakers import Driven, Fault

SETTINGS: dict[str, Any] = {
    "window_type": WindowType.TIME,
    "window_size": 20,
    "minimum_calls": 5,
    "failure_rate_threshold": 50,
    "slow_call_rate_threshold": 50,
    "slow_call_duration": "4s",
    "half_open_calls": 4,
    "half_open_max_wait": "1s",
    "wait_in_open": "5s",
}


@pytest.fixture
def driven() -> Driven:
    return Driven(**SETTINGS)


def half_open(driven: Driven) -> Driven:
    """The breaker, opened by failures and due for its probes."""
    driven.calls("FFFFF")
    driven.clock.advance("5s")
    return driven


class TestClosed:
    def test_opens_at_the_threshold(self, driven: Driven) -> None:
        """Three of five fail: 60 %."""
        assert ("FFFSS", "OPEN") == (driven.calls("FFFSS"), driven.state)
        snapshot = driven.handle.snapshot()
        assert (60.0, (5, 3, 0)) == (snapshot.failure_rate, snapshot.window)
        assert "X" == driven.calls("S")

    def test_opens_within_a_sliding_time(self, driven: Driven) -> None:
        """One call a second, S S S F F: 40 % after five. The sixth fails: 50 %."""
        for letter in "SSSFF":
            driven.calls(letter)
            assert "CLOSED" == driven.state
            driven.clock.advance("1s")
        driven.calls("F")
        assert "OPEN" == driven.state

    def test_opens_by_slow_calls(self, driven: Driven) -> None:
        """Three of five take five seconds; that they succeed does not help."""
        assert ("LLSSL", "OPEN") == (driven.calls("LLSSL"), driven.state)
        snapshot = driven.handle.snapshot()
        assert (60.0, 0.0, 3) == (snapshot.slow_call_rate, snapshot.failure_rate, snapshot.window.slow)

    def test_ignored_exceptions_leave_no_trace(self, driven: Driven) -> None:
        driven.calls("IIIIIIIIII")
        assert ("CLOSED", (0, 0, 0)) == (driven.state, driven.handle.snapshot().window)

    def test_reset(self, driven: Driven) -> None:
        driven.calls("FFFFFS")
        driven.handle.reset()
        assert ("CLOSED", (0, 0, 0), 0) == (driven.state, driven.handle.snapshot().total, driven.handle.snapshot()[-1])


class TestOpen:
    def test_permits_calls_after_the_wait(self, driven: Driven) -> None:
        driven.calls("FFFFF")
        driven.clock.advance("3s")
        assert ("X", 1) == (driven.calls("S"), driven.handle.snapshot().not_permitted)
        driven.clock.advance("3s")
        assert ("S", "HALF_OPEN") == (driven.calls("S"), driven.state)

    def test_the_state_moves_by_itself(self, driven: Driven) -> None:
        """There, an open breaker stays open until a call asks, unless automatic transition is on, which takes a thread.
        Here whoever asks for the state is told what the clock says, so that no thread is needed for it."""
        driven.calls("FFFFF")
        driven.clock.advance("5s")
        assert "HALF_OPEN" == driven.state

    def test_forced_open(self, driven: Driven) -> None:
        """For ever, and nothing but refusals is counted."""
        driven.handle.force_open()
        driven.clock.advance("1d")
        assert ("XX", "FORCED_OPEN") == (driven.calls("SF"), driven.state)
        assert ((0, 0, 0), 2) == (driven.handle.snapshot().total, driven.handle.snapshot().not_permitted)

    def test_disabled(self, driven: Driven) -> None:
        driven.handle.disable()
        assert ("FFFFFF", (0, 0, 0)) == (driven.calls("FFFFFF"), driven.handle.snapshot().total)


class TestHalfOpen:
    def test_permits_so_many(self, driven: Driven) -> None:
        """Calls within calls: four are let through at a time, the fifth is refused."""
        half_open(driven)
        depths: list[str] = []

        def within(depth: int) -> None:
            if depth == 5:
                depths.append(driven.calls("S"))
                return
            driven.pipeline.call(within, depth + 1)

        driven.pipeline.call(within, 2)
        assert ["X"] == depths

    @pytest.mark.parametrize(("letters", "state"), [("FFSF", "OPEN"), ("FSSS", "CLOSED")])
    def test_decides_by_the_failure_rate(self, driven: Driven, letters: str, state: str) -> None:
        """75 % opens it again, 25 % closes it."""
        assert (letters, state) == (half_open(driven).calls(letters), driven.state)

    def test_decides_by_the_rate_of_slow_calls(self) -> None:
        """Three of four: 75 %, although nothing fails. They need a bound that lets them end."""
        driven = Driven(**{**SETTINGS, "half_open_max_wait": "1m"})
        half_open(driven).calls("LLLS")
        assert ("OPEN", 75.0) == (driven.state, driven.handle.snapshot().slow_call_rate)

    def test_an_ignored_call_gives_its_permit_back(self, driven: Driven) -> None:
        assert ("SSSIF", "CLOSED") == (half_open(driven).calls("SSSIF"), driven.state)

    def test_the_window_is_empty_after_closing(self, driven: Driven) -> None:
        half_open(driven).calls("SSSS")
        assert ("CLOSED", (0, 0, 0)) == (driven.state, driven.handle.snapshot().window)

    def test_opens_again_after_the_longest_wait(self, driven: Driven) -> None:
        half_open(driven).calls("S")
        driven.clock.advance("1s")
        assert "OPEN" == driven.state

    def test_the_longest_wait_begins_with_the_first_call(self, driven: Driven) -> None:
        """There it begins with the state, on a thread of its own, so that a breaker that nobody calls opens again and
        again. Here it bounds probes that do not end: nobody called for a minute, and the first call passes."""
        half_open(driven)
        driven.clock.advance("1m")
        assert ("HALF_OPEN", "S") == (driven.state, driven.calls("S"))

    def test_the_longest_wait_is_bounded_by_default(self) -> None:
        """There it is not, and a probe that never ends keeps it half-open; here `wait_in_open` is the bound."""
        settings = {name: value for name, value in SETTINGS.items() if name != "half_open_max_wait"}
        driven = Driven(**settings)
        half_open(driven).calls("S")
        driven.clock.advance("5s")
        assert "OPEN" == driven.state


def test_events(driven: Driven) -> None:
    """A rate that reached its threshold, the transition, and each refusal; successes only where they are wanted."""
    driven.calls("FFFFFS")
    names = [type(event).__name__ for event in driven.events.seen]
    assert [*["CallFailed"] * 5, "FailureRateExceeded", "StateTransition", "CallNotPermitted"] == names


def test_the_failure_itself_surfaces(driven: Driven) -> None:
    """Also that of the call which opened the breaker."""
    for _ in range(5):
        with pytest.raises(Fault):
            driven.pipeline.call(_fail)
    assert "OPEN" == driven.state


def _fail() -> None:
    raise Fault
