"""The system's clock and waits, with spans of no time, signals that are set, and deadlines that are over."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time

import pytest

from resilience4cata.clock import (
    SECOND,
    SYSTEM_CLOCK,
    Clock,
    Scheduler,
    SystemScheduler,
    TaskSignal,
    ThreadSignal,
    bounded,
    in_nanoseconds,
    reading,
)
from resilience4cata.testing import ManualClock

HOUR = 3600 * 10**9
MS = 10**6


def test_protocols() -> None:
    """What the system offers is what everything asks for."""
    clock: Clock = SYSTEM_CLOCK
    scheduler: Scheduler = SystemScheduler(clock)
    assert scheduler is not None
    assert abs(time.monotonic_ns() - clock.monotonic_ns()) < HOUR
    assert abs(time.time_ns() - clock.wall_ns()) < HOUR


@pytest.mark.parametrize(
    ("span", "deadline", "expected"),
    [(5, None, 5), (5, 103, 3), (5, 105, 5), (5, 200, 5), (5, 100, 0), (5, 7, 0), (-5, None, 0)],
)
def test_bounded(span: int, deadline: int | None, expected: int) -> None:
    assert expected == bounded(span, 100, deadline)


class TestReadings:
    """How the quick way looks at a clock."""

    def test_the_system_shows_seconds(self) -> None:
        before = time.monotonic_ns()
        shown = reading(SYSTEM_CLOCK)
        assert before <= in_nanoseconds(shown.now()) <= time.monotonic_ns()
        assert (0.25, True) == (shown.span(250_000_000), shown.in_seconds)

    @pytest.mark.parametrize("exact", [False, True])
    def test_nanoseconds(self, exact: bool) -> None:
        """Those of another clock, and those of the system where all of them count."""
        clock = SYSTEM_CLOCK if exact else ManualClock(7)
        shown = reading(clock, exact=exact)
        assert (clock.monotonic_ns, 250_000_000, False) == (shown.now, shown.span(250_000_000), shown.in_seconds)

    @pytest.mark.parametrize("nanoseconds", [0, 1, 999_999_999, 10**15 + 1, 26 * 24 * HOUR - 1])
    def test_no_nanosecond_is_lost(self, nanoseconds: int) -> None:
        """For 26 days."""
        assert nanoseconds == in_nanoseconds(nanoseconds / SECOND) == in_nanoseconds(nanoseconds)


class TestThreads:
    def test_waits_at_least_that_long(self) -> None:
        began = time.monotonic_ns()
        SystemScheduler().wait(2 * MS)
        assert time.monotonic_ns() - began >= 2 * MS

    @pytest.mark.parametrize("signal", [None, "unset"])
    def test_a_deadline_that_is_over(self, signal: str | None) -> None:
        SystemScheduler().wait(
            HOUR, deadline=SYSTEM_CLOCK.monotonic_ns() - 1, signal=ThreadSignal() if signal else None
        )

    def test_a_signal_that_is_set(self) -> None:
        signal = ThreadSignal()
        states = [signal.is_set, signal.set(), signal.is_set]
        assert [False, True, True] == states
        SystemScheduler().wait(2**63 - 1, signal=signal)

    def test_a_signal_from_another_thread(self) -> None:
        signal = ThreadSignal()
        thread = threading.Thread(target=signal.set)
        thread.start()
        SystemScheduler().wait(HOUR, signal=signal)
        thread.join()
        assert signal.is_set


class TestTasks:
    def test_waits_at_least_that_long(self) -> None:
        began = time.monotonic_ns()
        asyncio.run(SystemScheduler().wait_async(2 * MS))
        assert time.monotonic_ns() - began >= 2 * MS

    def test_a_deadline_that_is_over(self) -> None:
        async def scenario() -> None:
            over = SYSTEM_CLOCK.monotonic_ns() - 1
            await SystemScheduler().wait_async(HOUR, deadline=over)
            await SystemScheduler().wait_async(HOUR, deadline=over, signal=TaskSignal())

        asyncio.run(scenario())

    def test_a_signal_from_another_thread(self) -> None:
        async def scenario() -> None:
            signal = TaskSignal()
            thread = threading.Thread(target=signal.set)
            thread.start()
            await SystemScheduler().wait_async(HOUR, signal=signal)
            thread.join()
            assert signal.is_set

        asyncio.run(scenario())

    def test_a_cancelled_wait_leaves_no_timer(self) -> None:
        async def scenario() -> None:
            signal = TaskSignal()
            task = asyncio.ensure_future(SystemScheduler().wait_async(HOUR, signal=signal))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert 0 == task.cancelling() - 1
            assert signal.set()
            await asyncio.sleep(0)

        asyncio.run(scenario())

    def test_the_signal_of_a_closed_loop(self) -> None:
        async def make() -> TaskSignal:
            return TaskSignal()

        signal = asyncio.run(make())
        assert not signal.set()


COSTLY = ("asyncio", "dataclasses", "inspect", "logging", "random")


def loaded_by(code: str) -> set[str]:
    """Modules that are loaded after `code`, in an interpreter without site-packages' own start-up."""
    script = f"import sys; sys.path[:0] = {sys.path!r}\n{code}\nprint(*sys.modules)"
    result = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True)
    return set(result.stdout.split())


def test_importing_the_package_loads_no_machine() -> None:
    """Declaring costs nothing of what running needs."""
    loaded = loaded_by("import resilience4cata")
    assert set() == loaded & {*COSTLY, "contextvars", "threading"}
    assert set() == {name for name in loaded if name.startswith("resilience4cata.policies.machines")}


def test_machines_load_no_asyncio() -> None:
    """Nor do waits, until a task waits."""
    modules = ("budget", "circuit_breaker", "retry", "settings", "timeout", "waits")
    imports = "\n".join(f"import resilience4cata.policies.machines.{module}" for module in modules)
    code = f"{imports}\nfrom resilience4cata.clock import SystemScheduler\nSystemScheduler().wait(0)"
    assert set() == loaded_by(code) & set(COSTLY)
