"""The circuit breaker's state machine: the tables of the cases, and what the documentation says beyond them."""

from __future__ import annotations

from typing import Any

import pytest

from resilience4cata import Outcome, WindowType
from resilience4cata.events import (
    CallNotPermitted,
    CircuitBreakerEvent,
    FailureRateExceeded,
    SlowCallRateExceeded,
    State,
    StateTransition,
)
from resilience4cata.policies.machines.circuit_breaker import CircuitBreakerSettings
from resilience4cata.policies.machines.windows import Figures

from .breakers import Driven, breaker
from .doubles import MS, ManualClock, RecordedEvents, S


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


def example(clock: ManualClock, events: RecordedEvents | None = None, rate: float = 50, **others: Any) -> Driven:
    """The setup S of the table."""
    settings: dict[str, Any] = {
        "window_type": WindowType.TIME,
        "half_open_calls": 4,
        "slow_call_duration": 4 * S,
        "slow_call_rate_threshold": 50,
        "half_open_max_wait": 1 * S,
        "wait_in_open": 5 * S,
    }
    channel = RecordedEvents().channel if events is None else events.channel
    return breaker(20, 5, rate, clock=clock, channel=channel, **(settings | others))


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def half_open(clock: ManualClock) -> Driven:
    """The setup S at the moment when probes may pass."""
    b = example(clock)
    b.calls("FFFSS")
    clock.advance("6s")
    return b


class TestStates:
    """Each row of the table of states."""

    def test_closed_opens_at_the_fifth(self, clock: ManualClock) -> None:
        b = example(clock)
        b.calls("FFFS")
        assert State.CLOSED is b.state()
        b.call("S")
        assert State.OPEN is b.state()

    def test_open_rejects_and_counts(self, clock: ManualClock) -> None:
        b = example(clock)
        b.calls("FFFSS")
        clock.advance("3s")
        assert "X" == b.call("S")
        assert 1 == b.machine.snapshot(clock.now).not_permitted

    def test_open_ends(self, half_open: Driven) -> None:
        assert half_open.begin() is not None
        assert State.HALF_OPEN is half_open.state()

    def test_open_ends_exactly_when_the_wait_has_elapsed(self, clock: ManualClock) -> None:
        b = example(clock)
        b.calls("FFFSS")
        clock.now += 5 * S - 1
        assert State.OPEN is b.state()
        clock.now += 1
        assert State.HALF_OPEN is b.state()

    def test_half_open_fails(self, half_open: Driven) -> None:
        assert "FFSF" == half_open.calls("FFSF")
        assert State.OPEN is half_open.state()

    def test_half_open_succeeds(self, half_open: Driven) -> None:
        half_open.calls("FSSS")
        assert State.CLOSED is half_open.state()
        assert Figures() == half_open.machine.snapshot(half_open.clock.now).window

    def test_half_open_is_full(self, half_open: Driven) -> None:
        probes = [half_open.begin() for _ in range(5)]
        assert [True] * 4 + [False] == [probe is not None for probe in probes]
        assert 1 == half_open.machine.snapshot(half_open.clock.now).not_permitted

    def test_an_ignored_probe_makes_room(self, half_open: Driven) -> None:
        assert "SSSIF" == half_open.calls("SSSIF")
        assert State.CLOSED is half_open.state()

    def test_half_open_without_decision(self, half_open: Driven) -> None:
        probe = half_open.begin()
        half_open.clock.advance("1s")
        assert State.OPEN is half_open.state()
        assert probe is not None
        half_open.end(probe, Outcome.SUCCESS)
        assert Figures(5, 3) == half_open.machine.snapshot(half_open.clock.now).total

    def test_half_open_decides_after_the_minimum(self, clock: ManualClock) -> None:
        b = breaker(10, 2, clock=clock, half_open_calls=10)
        b.calls("FF")
        clock.advance("60s")
        b.call("S")
        assert State.HALF_OPEN is b.state()
        b.call("S")
        assert State.CLOSED is b.state()

    def test_slow_calls_open(self, clock: ManualClock) -> None:
        """A call that takes exactly the limit is not slow."""
        b = example(clock, window_type=WindowType.COUNT)
        for elapsed in (4 * S, 4 * S + 1, 4 * S, 4 * S + 1, 4 * S):
            b.call("S", elapsed)
        assert (State.CLOSED, 40.0) == (b.state(), b.machine.snapshot(clock.now).slow_call_rate)
        b.call("S", 4 * S + 1)
        assert State.OPEN is b.state()

    def test_a_failed_call_may_be_slow_too(self, clock: ManualClock) -> None:
        b = example(clock, rate=100, window_type=WindowType.COUNT)
        for elapsed in (5 * S, 0, 5 * S, 0, 5 * S):
            b.call("F" if elapsed else "S", elapsed)
        assert State.OPEN is b.state()
        assert Figures(5, 3, 3) == b.machine.snapshot(clock.now).window

    @pytest.mark.parametrize("way", ["closed", "open", "half_open", "forced_open", "disabled"])
    def test_reset(self, clock: ManualClock, way: str) -> None:
        b = example(clock)
        b.calls("FFSS" if way == "closed" else "FFFSSX")
        if way == "half_open":
            clock.advance("5s")
            b.begin()
        elif way == "forced_open":
            b.machine.force_open(clock.now)
        elif way == "disabled":
            b.machine.disable(clock.now)
        assert State(way) is b.state()
        b.machine.reset(clock.now)
        snapshot = b.machine.snapshot(clock.now)
        assert (State.CLOSED, Figures(), Figures(), 0) == (
            snapshot.state,
            snapshot.window,
            snapshot.total,
            snapshot.not_permitted,
        )

    def test_forced_open(self, clock: ManualClock) -> None:
        b = example(clock)
        b.machine.force_open(clock.now)
        for _ in range(3):
            clock.advance("1d")
            assert "X" == b.call("F")
        snapshot = b.machine.snapshot(clock.now)
        assert (State.FORCED_OPEN, 3, Figures()) == (snapshot.state, snapshot.not_permitted, snapshot.total)
        assert b.machine.retry_after(clock.now) is None

    def test_disabled(self, clock: ManualClock) -> None:
        events = RecordedEvents()
        b = example(clock, events)
        b.machine.disable(clock.now)
        assert "F" * 30 == b.calls("F" * 30)
        assert (State.DISABLED, Figures()) == (b.state(), b.machine.snapshot(clock.now).total)
        assert [] == events.seen

    def test_to_the_same_state_is_silent(self, clock: ManualClock) -> None:
        machine = example(clock, RecordedEvents()).machine
        assert () == machine.force_closed(clock.now)
        assert () == machine.reset(clock.now)
        assert 1 == len(machine.force_open(clock.now))
        assert () == machine.force_open(clock.now)
        assert 1 == len(machine.disable(clock.now))
        assert () == machine.disable(clock.now)
        assert 1 == len(machine.force_closed(clock.now))


class TestLateResults:
    """Results that belong to an older state leave no trace."""

    @pytest.mark.parametrize("outcome", [Outcome.SUCCESS, Outcome.FAILURE])
    @pytest.mark.parametrize("warm", [False, True])
    def test_of_the_closed_state_when_open(self, outcome: Outcome, warm: bool) -> None:
        b = breaker(4, 2)
        b.calls("SSS" if warm else "S")
        late = b.begin()
        assert late is not None
        b.calls("FFFF")
        before = b.machine.snapshot(b.clock.now)
        b.end(late, outcome)
        assert State.OPEN is b.state()
        assert before == b.machine.snapshot(b.clock.now)

    @pytest.mark.parametrize("outcome", [Outcome.SUCCESS, Outcome.FAILURE])
    @pytest.mark.parametrize("warm", [False, True])
    def test_of_an_older_closed_state(self, outcome: Outcome, warm: bool) -> None:
        """Also in warm-up, where every generation takes the same way."""
        b = breaker(4, 2, half_open_calls=2)
        b.calls("SSS" if warm else "S")
        late = b.begin()
        assert late is not None
        b.calls("FFFF")
        b.clock.advance("60s")
        b.calls("SS")
        assert State.CLOSED is b.state()
        b.end(late, outcome)
        assert Figures() == b.machine.snapshot(b.clock.now).window

    def test_of_an_older_trial(self, half_open: Driven) -> None:
        late = half_open.begin()
        assert late is not None
        half_open.clock.advance("6s")
        assert State.HALF_OPEN is half_open.state()
        half_open.calls("SSS")
        half_open.end(late, Outcome.SUCCESS)
        assert State.HALF_OPEN is half_open.state()
        half_open.call("S")
        assert State.CLOSED is half_open.state()

    def test_a_probe_ends_once(self, half_open: Driven) -> None:
        probe = half_open.begin()
        assert probe is not None
        for _ in range(4):
            half_open.end(probe, Outcome.FAILURE)
        assert (State.HALF_OPEN, 1) == (half_open.state(), half_open.machine.snapshot(half_open.clock.now).window.calls)

    def test_an_ignored_probe_is_given_back_once(self, half_open: Driven) -> None:
        probes = [half_open.begin() for _ in range(4)]
        assert probes[0] is not None
        for _ in range(2):
            half_open.end(probes[0], Outcome.IGNORE)
        last = half_open.begin()
        assert last is not None
        assert half_open.begin() is None


class TestHalfOpenBound:
    """How long probes may take."""

    def test_begins_with_the_first_probe(self, half_open: Driven) -> None:
        """Nobody called for an hour: the first call that comes is still let through."""
        half_open.clock.advance("1h")
        assert State.HALF_OPEN is half_open.state()
        assert half_open.begin() is not None

    def test_a_cancelled_probe_takes_its_bound_with_it(self, half_open: Driven) -> None:
        half_open.call("I")
        half_open.clock.advance("2s")
        assert State.HALF_OPEN is half_open.state()

    def test_what_is_due_happens_in_order(self, half_open: Driven) -> None:
        """Open again after 1s, and half-open again 5s later."""
        probe = half_open.begin()
        assert probe is not None
        half_open.clock.now += 6 * S - 1
        assert State.OPEN is half_open.state()
        half_open.clock.now += 1
        assert State.HALF_OPEN is half_open.state()
        assert "SSSS" == half_open.calls("SSSS")

    def test_a_result_after_the_bound_is_dropped(self, half_open: Driven) -> None:
        half_open.calls("SSS")
        probe = half_open.begin()
        assert probe is not None
        half_open.clock.advance("1s")
        half_open.end(probe, Outcome.SUCCESS)
        assert State.OPEN is half_open.state()

    def test_no_bound(self, clock: ManualClock) -> None:
        b = example(clock, half_open_max_wait=0)
        b.calls("FFFSS")
        clock.advance("5s")
        probe = b.begin()
        clock.advance("10d")
        assert (State.HALF_OPEN, True) == (b.state(), probe is not None)


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
        quick = [b.machine.tick is not None]
        clock.now = 12 * S
        b.call("F")
        quick.append(b.machine.tick is not None)
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


class TestEvents:
    """What is reported, and that nothing is made for nobody."""

    def test_a_full_circle(self, clock: ManualClock) -> None:
        events = RecordedEvents("payments", "circuit_breaker")
        b = example(clock, events)
        b.calls("FFFSS")
        b.call("S")
        clock.advance("5s")
        b.calls("SSSS")
        assert [
            "FailureRateExceeded",
            "StateTransition",
            "CallNotPermitted",
            "StateTransition",
            "StateTransition",
        ] == events.types()
        rate, opened, refused, probing, closed = events.seen
        assert isinstance(rate, FailureRateExceeded)
        assert (60.0, 50) == (rate.rate, rate.threshold)
        assert isinstance(refused, CallNotPermitted)
        assert (State.OPEN, 5 * S) == (refused.state, refused.retry_after)
        assert isinstance(opened, StateTransition)
        assert isinstance(probing, StateTransition)
        assert isinstance(closed, StateTransition)
        assert (State.CLOSED, State.OPEN) == (opened.before, opened.after)
        assert (State.OPEN, State.HALF_OPEN) == (probing.before, probing.after)
        assert (State.HALF_OPEN, State.CLOSED) == (closed.before, closed.after)
        assert sorted(e.sequence for e in events.seen) == [e.sequence for e in events.seen]
        assert {("payments", "circuit_breaker")} == {(e.instance_id, e.policy) for e in events.seen}

    def test_slow_calls(self, clock: ManualClock) -> None:
        events = RecordedEvents()
        b = example(clock, events, window_type=WindowType.COUNT)
        for _ in range(5):
            b.call("S", 5 * S)
        assert isinstance(events.seen[0], SlowCallRateExceeded)
        assert 100.0 == events.seen[0].rate

    def test_the_union(self) -> None:
        assert isinstance(StateTransition("a", "b", 0, 0, State.CLOSED, State.OPEN), CircuitBreakerEvent)


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
        assert (None, None) == (b.machine.tick, b.rate)
        b.calls("FFFFF")
        assert State.CLOSED is b.state()
        b.calls("FF")
        assert State.OPEN is b.state()

    @pytest.mark.parametrize("change", [{"window_size": 8}, {"window_type": WindowType.TIME}])
    @pytest.mark.parametrize("letters", ["FS", "FSFF"])
    def test_another_window_begins_empty(self, change: dict[str, Any], letters: str) -> None:
        b = breaker(4, 4)
        b.calls(letters)
        late = b.machine.tick
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
