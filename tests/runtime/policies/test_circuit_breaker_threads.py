"""The circuit breaker under many threads: counts are exact, and no more probes pass than may."""

from __future__ import annotations

from functools import partial

import pytest

from resilience4cata import Outcome, WindowType
from resilience4cata.events import State, StateTransition
from resilience4cata.policies.machines.circuit_breaker import Admission
from resilience4cata.policies.machines.windows import Figures

from .breakers import Driven, breaker
from .doubles import ManualClock, RecordedEvents, S, in_threads

THREADS = 8
CALLS = 10_000


@pytest.mark.parametrize("kind", WindowType)
@pytest.mark.parametrize("size", [100, 1_000_000])
def test_counts_are_exact(kind: WindowType, size: int) -> None:
    """Every third call fails; none is lost, none counted twice."""
    b = breaker(size, 10, 100, window_type=kind)

    def work(index: int) -> None:
        for number in range(CALLS):
            admission = b.begin()
            assert admission is not None
            b.end(admission, Outcome.SUCCESS if number % 3 else Outcome.FAILURE)

    in_threads(THREADS, work)
    failed = THREADS * len(range(0, CALLS, 3))
    assert Figures(THREADS * CALLS, failed) == b.machine.snapshot(b.clock.now).total


def test_counts_are_exact_while_seconds_turn() -> None:
    """A success that is counted across the turn of a second is lost in neither."""
    clock = ManualClock()
    b = breaker(5, 10, 100, window_type=WindowType.TIME, clock=clock)

    def work(index: int) -> None:
        for number in range(CALLS):
            if index == 0:
                clock.now += S // 50
            admission = b.begin()
            assert admission is not None
            b.end(admission, Outcome.FAILURE if number % 10 == 9 else Outcome.SUCCESS)

    in_threads(THREADS, work)
    figures = b.machine.snapshot(clock.now).total
    assert Figures(THREADS * CALLS, THREADS * CALLS // 10) == figures


def test_the_window_is_exact_after_contention() -> None:
    """What many threads recorded last is what the window holds."""
    b = breaker(50, 10, 100)

    def work(index: int) -> None:
        for number in range(CALLS):
            admission = b.begin()
            assert admission is not None
            b.end(admission, Outcome.SUCCESS if number % 7 else Outcome.FAILURE)

    in_threads(THREADS, work)
    b.calls("SFSSSSSSSS" * 5)
    assert Figures(50, 5) == b.machine.snapshot(b.clock.now).window


@pytest.mark.parametrize("letter", "SFI")
def test_fifty_callers_at_recovery(letter: str) -> None:
    """Exactly `half_open_calls` run, however many arrive at that instant."""
    clock = ManualClock()
    b = breaker(4, 4, half_open_calls=3, clock=clock)
    for _ in range(20):
        b.machine.reset(clock.now)
        b.calls("FFFF")
        clock.advance("60s")
        admitted: list[Admission] = []

        def work(index: int, admitted: list[Admission] = admitted) -> None:
            admission = b.begin()
            if admission is not None:
                admitted.append(admission)

        in_threads(50, work)
        assert 3 == len(admitted)
        for admission in admitted:
            b.end(admission, {"S": Outcome.SUCCESS, "F": Outcome.FAILURE, "I": Outcome.IGNORE}[letter])
        assert {"S": State.CLOSED, "F": State.OPEN, "I": State.HALF_OPEN}[letter] is b.state()


def test_refusals_are_counted_exactly() -> None:
    b = breaker(4, 4)
    b.calls("FFFF")
    in_threads(THREADS, lambda index: [b.begin() for _ in range(CALLS)])
    assert THREADS * CALLS == b.machine.snapshot(b.clock.now).not_permitted


def failing(b: Driven, index: int) -> None:
    b.calls("F" * 20)


def test_a_breaker_opens_once() -> None:
    """However many failures arrive at once, each opening is reported once."""
    for _ in range(20):
        events = RecordedEvents()
        b = breaker(10, 10, channel=events.channel)
        in_threads(THREADS, partial(failing, b))
        opened = [event for event in events.seen if isinstance(event, StateTransition)]
        assert [(State.CLOSED, State.OPEN)] == [(event.before, event.after) for event in opened]


def test_threads_cross_all_states() -> None:
    """While states change under eight threads, outcomes of one period never reach another: totals equal what the
    periods themselves recorded."""
    clock = ManualClock()
    b = breaker(10, 5, clock=clock, half_open_calls=3, wait_in_open=S)

    def work(index: int) -> None:
        for number in range(2_000):
            admission = b.begin()
            if index == 0:
                clock.now += S // 3
            if admission is not None:
                b.end(admission, Outcome.FAILURE if number % 40 < 10 else Outcome.SUCCESS)

    in_threads(THREADS, work)
    snapshot = b.machine.snapshot(clock.now)
    assert 0 < snapshot.total.failed < snapshot.total.calls <= b.executions
    b.machine.force_closed(clock.now)
    b.machine.reset(clock.now)
    b.calls("SSSSF")
    assert Figures(5, 1) == b.machine.snapshot(clock.now).window
