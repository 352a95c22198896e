"""The circuit breaker's states: the table of the cases, late results, bounds of probes, and what is reported."""

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
from resilience4cata.policies.machines.windows import Figures

from .breakers import Driven, breaker
from .doubles import ManualClock, RecordedEvents, S


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

    def test_refusals_are_its_own(self, clock: ManualClock) -> None:
        """What has never opened has nothing to count with; what has counts alone, also after it began anew."""
        first, second, closed = example(clock), example(clock), example(clock)
        for b in (first, second):
            b.calls("FFFSS")
        assert ["X", "X", "X"] == [b.call("S") for b in (first, first, second)]
        assert [2, 1, 0] == [b.machine.snapshot(clock.now).not_permitted for b in (first, second, closed)]
        first.machine.reset(clock.now)
        first.calls("FFFSS")
        assert "X" == first.call("S")
        assert [1, 1, 0] == [b.machine.snapshot(clock.now).not_permitted for b in (first, second, closed)]

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
