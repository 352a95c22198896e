"""The circuit breaker's rates and windows: the table of boundaries, whole seconds, and settings that change."""

from __future__ import annotations

from typing import Any

import pytest

from resilience4cata import Outcome, WindowType
from resilience4cata.events import State
from resilience4cata.policies.machines.circuit_breaker import CircuitBreakerSettings
from resilience4cata.policies.machines.windows import Figures

from .breakers import Driven, breaker
from .doubles import MS, ManualClock, S


class TestBoundaries:
    """Each row of the table of boundaries."""

    def test_no_rate_below_the_minimum(self) -> None:
        b = breaker(10, 10)
        b.calls("SSFF")
        assert (None, State.CLOSED) == (b.rate, b.state())

    def test_the_minimum_is_reached(self) -> None:
        b = breaker(10, 10)
        b.calls("SSFF")
        assert "FFFFSS" == b.calls("FFFFSS")
        assert State.OPEN is b.state()

    def test_opens_on_a_successful_call(self) -> None:
        b = breaker(4, 4)
        b.calls("SFF")
        assert State.CLOSED is b.state()
        b.call("S")
        assert State.OPEN is b.state()

    def test_opens_on_a_successful_call_at_75_percent(self) -> None:
        b = breaker(4, 4, 75)
        b.calls("FFF")
        assert State.CLOSED is b.state()
        b.call("S")
        assert State.OPEN is b.state()

    def test_the_window_slides(self) -> None:
        b = breaker(4, 4)
        assert "SFSSFX" == b.calls("SFSSFS")

    def test_rejected_after_the_fourth(self) -> None:
        b = breaker(4, 4)
        assert "SFFSX" == b.calls("SFFSS")
        assert 4 == b.executions

    def test_all_of_two_failed(self) -> None:
        b = breaker(2, 2, 100)
        b.calls("FF")
        assert State.OPEN is b.state()

    def test_successes_alone(self) -> None:
        """What no list names is a success, however often it comes."""
        b = breaker(4, 4)
        b.calls("S" * 50)
        assert (State.CLOSED, 0.0) == (b.state(), b.rate)

    def test_ignored_alone(self) -> None:
        b = breaker(4, 4)
        b.calls("I" * 50)
        snapshot = b.machine.snapshot(b.clock.now)
        assert (Figures(), None) == (snapshot.window, snapshot.failure_rate)

    def test_just_below_the_threshold(self) -> None:
        b = breaker(100, 100)
        b.calls("F" * 49 + "S" * 51)
        assert (State.CLOSED, 49.0) == (b.state(), b.rate)

    def test_a_fractional_threshold_is_exact(self) -> None:
        b = breaker(1000, 1000, 0.1)
        b.calls("S" * 999 + "F")
        assert State.OPEN is b.state()

    def test_a_threshold_that_no_float_can_hold(self) -> None:
        """The rate that is reported is the rate that is compared: 5 of 15 reach a third."""
        b = breaker(15, 15, 100 / 3)
        b.calls("FFFFF" + "S" * 10)
        assert (State.OPEN, 100 / 3) == (b.state(), 100 * 5 / 15)


class TestTimeWindow:
    """Whole seconds of the monotonic clock."""

    def test_a_second_expires_as_a_whole(self, clock: ManualClock) -> None:
        clock.now = 10 * S + 999 * MS
        b = breaker(2, 2, clock=clock, window_type=WindowType.TIME)
        b.call("F")
        clock.now = 11 * S + 999 * MS
        assert Figures(1, 1) == b.machine.snapshot(clock.now).window
        clock.now = 12 * S
        assert Figures() == b.machine.snapshot(clock.now).window

    def test_a_success_may_open_it(self, clock: ManualClock) -> None:
        """Old successes expire, and the failures of the last second weigh more."""
        clock.now = 10 * S
        b = breaker(2, 2, clock=clock, window_type=WindowType.TIME)
        b.calls("SSS")
        clock.now = 11 * S
        b.calls("FF")
        assert State.CLOSED is b.state()
        clock.now = 12 * S
        b.call("S")
        assert State.OPEN is b.state()

    def test_below_the_minimum_again(self, clock: ManualClock) -> None:
        """When calls expire, the rate is unknown until there are enough of them again."""
        clock.now = 10 * S
        b = breaker(2, 4, clock=clock, window_type=WindowType.TIME)
        b.calls("SSSS")
        quick = [b.machine.ticks is not None]
        clock.now = 12 * S
        b.call("F")
        quick.append(b.machine.ticks is not None)
        assert ([True, False], None) == (quick, b.rate)
        b.calls("FFF")
        assert State.OPEN is b.state()

    def test_the_minimum_may_exceed_the_seconds(self, clock: ManualClock) -> None:
        b = breaker(1, 50, clock=clock, window_type=WindowType.TIME)
        b.calls("F" * 49)
        assert State.CLOSED is b.state()
        b.call("F")
        assert State.OPEN is b.state()

    def test_a_clock_that_was_read_earlier(self, clock: ManualClock) -> None:
        """Another thread may have read the clock before the second began that runs now."""
        b = breaker(5, 5, clock=clock, window_type=WindowType.TIME)
        b.call("S")
        admission = b.begin()
        assert admission is not None
        b.machine.record(admission, Outcome.FAILURE, clock.now - S, 0)
        assert Figures(2, 1) == b.machine.snapshot(clock.now).window


class TestReconfigure:
    """Running instances take other settings."""

    def test_a_lower_threshold_counts_at_once(self) -> None:
        b = breaker(10, 4)
        b.calls("FSSSS")
        b.machine.reconfigure(replaced(b, failure_rate_threshold=20), b.clock.now)
        assert State.OPEN is b.state()

    def test_a_lower_minimum_counts_at_once(self) -> None:
        b = breaker(100, 50)
        b.calls("FFSS")
        b.machine.reconfigure(replaced(b, minimum_calls=4), b.clock.now)
        assert State.OPEN is b.state()

    def test_a_higher_minimum(self) -> None:
        b = breaker(100, 2)
        b.calls("SSS")
        b.machine.reconfigure(replaced(b, minimum_calls=10), b.clock.now)
        assert (None, None) == (b.machine.ticks, b.rate)
        b.calls("FFFFF")
        assert State.CLOSED is b.state()
        b.calls("FF")
        assert State.OPEN is b.state()

    @pytest.mark.parametrize("change", [{"window_size": 8}, {"window_type": WindowType.TIME}])
    @pytest.mark.parametrize("letters", ["FS", "FSFF"])
    def test_another_window_begins_empty(self, change: dict[str, Any], letters: str) -> None:
        b = breaker(4, 4)
        b.calls(letters)
        late = b.machine.ticks
        b.machine.reconfigure(replaced(b, **change), b.clock.now)
        assert (State.CLOSED, Figures()) == (b.state(), b.machine.snapshot(b.clock.now).window)
        assert late is None

    def test_a_forced_state_stays(self) -> None:
        b = breaker(4, 4)
        b.machine.force_open(b.clock.now)
        b.machine.reconfigure(replaced(b, window_size=8), b.clock.now)
        assert State.FORCED_OPEN is b.state()

    def test_a_shorter_wait_counts_for_the_open_state(self) -> None:
        b = breaker(4, 4)
        b.calls("FFFF")
        b.clock.advance("10s")
        b.machine.reconfigure(replaced(b, wait_in_open=10 * S), b.clock.now)
        assert State.HALF_OPEN is b.state()

    def test_fewer_probes_may_decide_at_once(self) -> None:
        b = breaker(4, 4, half_open_calls=4)
        b.calls("FFFF")
        b.clock.advance("60s")
        b.calls("SS")
        b.machine.reconfigure(replaced(b, half_open_calls=2), b.clock.now)
        assert State.CLOSED is b.state()


def replaced(b: Driven, **others: Any) -> CircuitBreakerSettings:
    """The settings of a breaker with some of them changed."""
    return b.machine.settings._replace(**others)
