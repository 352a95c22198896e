"""Child processes: forked ones go on with a copy of every state, spawned ones begin anew.

A forked child has only the thread that forked. What other threads of the parent held there is free in the child, and no
lock is held by a thread that does not exist.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from resilience4cata import (
    BulkheadFullError,
    CallNotPermittedError,
    ConfigFile,
    ConfigSources,
    Resilience,
    ResilienceWarning,
    activation,
    bulkhead,
    circuit_breaker,
    guards,
    rate_limiter,
    timeout,
)
from resilience4cata.pipeline.workers import Workers

from .ways import World, each_way, guarded


def in_child(work: Callable[[], object]) -> str:
    """What `work` returns in a forked child, as text; a child that hangs is killed after a minute."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        # From 3.12 on, for a process that has several threads: the very thing that is tested here.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        try:
            os.write(write, str(work()).encode())
        except BaseException as error:
            os.write(write, repr(error).encode())
        finally:
            os._exit(0)
    os.close(write)
    watchdog = threading.Timer(60, os.kill, (pid, 9))
    watchdog.start()
    with os.fdopen(read) as found:
        text = found.read()
    watchdog.cancel()
    os.waitpid(pid, 0)
    return text


_BEFORE_FORK: list[Callable[[], object]] = []

# The last that was registered comes first, so before the library takes its locks.
os.register_at_fork(before=lambda: [act() for act in tuple(_BEFORE_FORK)])


@contextmanager
def before_fork(act: Callable[[], object]) -> Iterator[None]:
    """Do something when a fork begins."""
    _BEFORE_FORK.append(act)
    try:
        yield
    finally:
        _BEFORE_FORK.remove(act)


@contextmanager
def meanwhile(work: Callable[[threading.Event, threading.Event], object]) -> Iterator[None]:
    """Another thread, which sets its first event when it is where it should be, and waits there for the second."""
    there, go_on = threading.Event(), threading.Event()
    thread = threading.Thread(target=work, args=(there, go_on))
    thread.start()
    assert there.wait(timeout=60)
    try:
        yield
    finally:
        go_on.set()
        thread.join(timeout=60)
    assert not thread.is_alive()


def stay(there: threading.Event, go_on: threading.Event) -> None:
    there.set()
    assert go_on.wait(timeout=60)


@each_way
def test_a_slot_that_another_thread_holds(way: str) -> None:
    """It is free in the child, where that thread does not exist."""
    resilience = Resilience.builder().only("no.module").build()

    def run(function: Callable[..., Any], *args: Any) -> Any:
        return function(*args)

    with guarded(way, resilience, [bulkhead(name="shared", max_concurrent=1)], run, asynchronous=False) as call:
        with meanwhile(lambda *events: call(stay, *events)):
            with pytest.raises(BulkheadFullError):
                call(str)
            assert "(1, 0, 1, 0)" == in_child(lambda: tuple(resilience.bulkhead("shared").snapshot()))
            assert "done" == in_child(lambda: call(lambda: "done"))
        assert (1, 0, 1, 0) == resilience.bulkhead("shared").snapshot()


def test_a_wait_for_a_slot() -> None:
    """Nobody waits in the child."""
    resilience = Resilience.builder().only("no.module").build()
    pipeline = resilience.pipeline("shared", bulkhead(max_concurrent=1, max_wait="1m"))

    def hold_and_wait(there: threading.Event, go_on: threading.Event) -> None:
        def begin_to_wait() -> None:
            waiter = threading.Thread(target=pipeline.call, args=(str,))
            waiter.start()
            while not resilience.bulkhead("shared").snapshot().waiting:
                threading.Event().wait(0)
            stay(there, go_on)

        pipeline.call(begin_to_wait)

    with meanwhile(hold_and_wait):
        assert "(1, 0, 1, 0)" == in_child(lambda: tuple(resilience.bulkhead("shared").snapshot()))
        assert "done" == in_child(lambda: pipeline.call(lambda: "done"))


def test_a_call_that_forks() -> None:
    """It holds no slot in the child, also when it goes on there to its end."""
    resilience = Resilience.builder().only("no.module").build()
    pipeline = resilience.pipeline("shared", bulkhead(max_concurrent=1, max_wait="1m"))
    slots = resilience.bulkhead("shared")

    def child() -> str:
        during = tuple(slots.snapshot())
        return f"{during} {pipeline.call(lambda: tuple(slots.snapshot()))}"

    assert "(1, 0, 1, 0) (1, 1, 0, 0)" == pipeline.call(lambda: in_child(child))
    assert (1, 0, 1, 0) == slots.snapshot()


def test_a_probe_of_another_thread() -> None:
    """A half-open breaker of one probe without a bound lets the child's call through."""
    world = World()
    breaker = circuit_breaker(
        name="shared", window_size=1, minimum_calls=1, half_open_calls=1, wait_in_open="5s", half_open_max_wait="0"
    )
    with pytest.warns(ResilienceWarning, match="R4C-TB-006"):
        pipeline = world.resilience.pipeline("shared", breaker)
    with pytest.raises(ZeroDivisionError):
        pipeline.call(lambda: 1 // 0)
    world.clock.advance("5s")
    with meanwhile(lambda *events: pipeline.call(stay, *events)):
        with pytest.raises(CallNotPermittedError):
            pipeline.call(str)
        assert "done" == in_child(lambda: pipeline.call(lambda: "done"))


def test_state_is_inherited() -> None:
    """An open breaker is open in the child, and used permits are used; what the child does stays its own."""
    world = World()
    policies = circuit_breaker(name="shared", window_size=2, minimum_calls=2), rate_limiter(name="shared", permits=3)
    pipeline = world.resilience.pipeline("shared", *policies)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            pipeline.call(lambda: 1 // 0)

    def look() -> tuple[str, int]:
        resilience = world.resilience
        return resilience.circuit_breaker("shared").state.name, resilience.rate_limiter("shared").snapshot().available

    def child() -> object:
        found = look()
        world.resilience.reset()
        return found, look()

    assert "(('OPEN', 1), ('CLOSED', 3))" == in_child(child)
    assert ("OPEN", 1) == look()


def test_worker_threads() -> None:
    """A child makes its own, however many of the parent's are busy."""
    resilience = Resilience.builder().only("no.module").source(Limited()).build()
    pipeline = resilience.pipeline("offloaded", timeout("1m", offload=True))
    with meanwhile(lambda *events: pipeline.call(stay, *events)):
        with pytest.raises(BulkheadFullError):
            pipeline.call(str)
        assert "done" == in_child(lambda: pipeline.call(lambda: "done"))
    assert "done" == pipeline.call(lambda: "done")


class Limited:
    """A source that allows one worker thread."""

    def load(self) -> ConfigFile:
        return ConfigSources.read("settings.properties", b"resilience4cata.offload.max-workers=1")


def locks_of(resilience: Resilience) -> list[Any]:
    found: list[Any] = [guards.lock, activation.lock, *resilience.locks()]
    return found


def test_a_lock_that_another_thread_holds() -> None:
    """Whichever it is, the fork comes after it is free again, so that the child finds nothing changed by half."""
    resilience = Resilience.builder().only("no.module").build()
    policies = circuit_breaker(name="shared"), bulkhead(name="shared"), rate_limiter(name="shared")
    pipeline = resilience.pipeline("shared", *policies)
    pipeline.call(str)

    def child(steps: list[str]) -> str:
        return f"{steps[0]} {pipeline.call(lambda: 'done')}"

    locks = locks_of(resilience)
    assert 8 == len(locks)
    for lock in locks:
        steps: list[str] = []

        def hold(there: threading.Event, go_on: threading.Event, lock: Any = lock, steps: list[str] = steps) -> None:
            forking = threading.Event()
            with lock, before_fork(forking.set):
                there.set()
                assert forking.wait(timeout=60)
                steps.append("let go")
            assert go_on.wait(timeout=60)

        with meanwhile(hold):
            assert "let go done" == in_child(partial(child, steps))


def test_an_executor_that_was_given_is_its_owners() -> None:
    """A child does not replace it."""
    executor = object()
    workers = Workers(1, World().scheduler, executor)  # type: ignore[arg-type]
    workers.renew_after_fork()
    assert executor is workers._threads()


def test_what_another_thread_was_looking_for() -> None:
    """A child's threads may get the identity of one that made a first call in the parent."""
    activation._looking[-1] = [None]
    try:
        assert "{}" == in_child(lambda: activation._looking)
    finally:
        del activation._looking[-1]


def test_a_spawned_child_begins_anew(tmp_path: Path) -> None:
    """It imports the modules again; nothing of the parent's state is there."""
    program = """
        from multiprocessing import get_context

        from resilience4cata import CallNotPermittedError, circuit_breaker

        @circuit_breaker(window_size=1, minimum_calls=1)
        def call(failing):
            if failing:
                raise ConnectionError
            return "done"

        if __name__ == "__main__":
            for _ in range(2):
                try:
                    call(True)
                except (ConnectionError, CallNotPermittedError) as error:
                    print(type(error).__name__)
            with get_context("spawn").Pool(1) as pool:
                print(pool.apply(call, (False,)))
        """
    file = tmp_path / "program.py"
    file.write_text(dedent(program), encoding="utf-8")
    command = [sys.executable, "-W", "error", str(file)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ("", ["ConnectionError", "CallNotPermittedError", "done"]) == (found.stderr, found.stdout.split())
