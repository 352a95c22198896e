"""No lock is held while anything of the user's runs: it may call what is guarded again, or block for ever."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from random import Random
from threading import RLock
from typing import Any

import pytest

from resilience4cata import (
    Classifier,
    ConfigFile,
    ConfigSources,
    FallbackContext,
    FallbackHandler,
    Outcome,
    Resilience,
    activation,
    bulkhead,
    circuit_breaker,
    fallback,
    guards,
    rate_limiter,
    retry,
    timeout,
)
from resilience4cata.events import Event, StateTransition
from resilience4cata.testing import ManualClock, ManualScheduler

from .ways import each_way, guarded

HELD: list[object] = []
"""The locks that this test's thread holds."""


class Watched:
    """A reentrant lock that knows when it is held."""

    def __init__(self) -> None:
        self._lock = RLock()

    def __enter__(self) -> None:
        self._lock.acquire()
        HELD.append(self)

    def __exit__(self, *_: object) -> None:
        HELD.remove(self)
        self._lock.release()


@pytest.fixture(autouse=True)
def watched_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every lock that the library makes in this test is a watched one, and so are those of its modules."""
    for name in ("policies.machines.rate_limiter", "policies.machines.circuit_breaker", "policies.machines.bulkhead"):
        monkeypatch.setattr(f"resilience4cata.{name}.RLock", Watched)
    for name in ("policies.machines.budget", "pipeline.instances", "pipeline.workers", "events"):
        monkeypatch.setattr(f"resilience4cata.{name}.RLock", Watched)
    for module in (guards, activation):
        monkeypatch.setattr(module, "lock", Watched())
    HELD.clear()


class User:
    """Everything of the user's that the library calls; each part is counted, and finds no lock held."""

    def __init__(self) -> None:
        self.called: Counter[str] = Counter()
        self.failing = False

    def look(self, part: str) -> None:
        self.called[part] += 1
        assert [] == HELD, part

    def function(self) -> str:
        self.look("function")
        if self.failing:
            raise ConnectionError
        return "done"

    async def function_async(self) -> str:
        await asyncio.sleep(0)
        return self.function()

    def listen(self, event: Event) -> None:
        self.look("listener")

    def load(self) -> ConfigFile:
        self.look("source")
        lines = b"resilience4cata.budgets.shared.percent=50\nresilience4cata.events.per-call=true"
        return ConfigSources.read("settings.properties", lines)

    def make_handler(self, kind: type) -> Any:
        self.look("handler factory")
        handler = kind()
        handler.user = self
        return handler

    def randint(self, low: int, high: int) -> int:
        self.look("random")
        return Random(1).randint(low, high)


class WatchedClock(ManualClock):
    def __init__(self, user: User) -> None:
        super().__init__()
        self.user = user

    def monotonic_ns(self) -> int:
        self.user.look("clock")
        return super().monotonic_ns()


class WatchedScheduler(ManualScheduler):
    def wait(self, nanoseconds: int, **others: Any) -> None:
        assert isinstance(self.clock, WatchedClock)
        self.clock.user.look("scheduler")
        super().wait(nanoseconds, **others)

    async def wait_async(self, nanoseconds: int, **others: Any) -> None:
        assert isinstance(self.clock, WatchedClock)
        self.clock.user.look("scheduler")
        await super().wait_async(nanoseconds, **others)


class WatchedExecutor(ThreadPoolExecutor):
    def __init__(self, user: User) -> None:
        super().__init__(1)
        self.user = user

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.user.look("executor")
        future = super().submit(function, *args, **kwargs)
        future.result()
        return future


class Judge(Classifier[str]):
    def __init__(self, user: User) -> None:
        self.user = user

    def classify(self, result: str | None, failure: BaseException | None) -> Outcome:
        self.user.look("classifier")
        return Outcome.SUCCESS if failure is None else Outcome.FAILURE


class Answer(FallbackHandler[str]):
    user: User

    def apply(self, context: FallbackContext) -> str:
        self.user.look("handler")
        return "answer"


def built(user: User) -> tuple[Resilience, WatchedClock]:
    clock = WatchedClock(user)
    builder = Resilience.builder().only("no.module").source(user).clock(clock).random(user).listener(user.listen)
    builder.scheduler(WatchedScheduler(clock)).handler_factory(user.make_handler).executor(WatchedExecutor(user))
    return builder.build(), clock


def policies(user: User, *, offload: bool = False) -> list[Any]:
    judge = Judge(user)
    breaker = circuit_breaker(name="shared", window_size=4, minimum_calls=4, classifier=judge, half_open_calls=2)
    return [
        fallback(Answer),
        retry(name="shared", classifier=judge, budget="shared", max_duration="1h"),
        breaker,
        rate_limiter(name="shared", permits=1, period="1s", max_wait="1m"),
        timeout("9s", offload=offload),
        bulkhead(name="shared", max_concurrent=1, max_wait="1s"),
    ]


def operate(resilience: Resilience, clock: ManualClock, call: Callable[[], str], user: User) -> list[str]:
    """Cross every state, and do whatever an operator can."""
    found = [call()]
    user.failing = True
    found += [call() for _ in range(3)]
    clock.advance("1m")
    user.failing = False
    found += [call() for _ in range(3)]
    handle = resilience.circuit_breaker("shared")
    for act in (handle.force_open, handle.disable, handle.force_closed, handle.reset, resilience.reset):
        act()
    resilience.reconfigure("shared", circuit_breaker(window_size=9), bulkhead(max_concurrent=2))
    resilience.listen(StateTransition, user.listen).cancel()
    resilience.snapshot()
    resilience.reload()
    return [*found, call()]


PARTS = {"function", "listener", "source", "handler", "handler factory", "random", "clock", "scheduler", "classifier"}


@each_way
@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_whatever_is_called(way: str, asynchronous: bool) -> None:
    user = User()
    resilience, clock = built(user)
    function = user.function_async if asynchronous else user.function
    of_all_six = policies(user)
    resilience.pipeline("declared", *of_all_six)
    with guarded(way, resilience, of_all_six, function, asynchronous=asynchronous) as call:
        found = operate(resilience, clock, lambda: asyncio.run(call()) if asynchronous else call(), user)
    assert ["done", *["answer"] * 3, *["done"] * 4] == found
    assert user.called.keys() == PARTS


@each_way
def test_offloaded(way: str) -> None:
    """The executor is the user's too. Its thread and the caller's run one after the other here."""
    user = User()
    resilience, _ = built(user)
    with guarded(way, resilience, policies(user, offload=True), user.function, asynchronous=False) as call:
        assert "done" == call()
    assert 1 == user.called["executor"]


def shared_policies() -> list[Any]:
    """A breaker that opens at the second failure, within a bulkhead of two slots."""
    breaker = circuit_breaker(name="shared", window_size=2, minimum_calls=2, wait_in_open="1h")
    return [breaker, bulkhead(name="shared", max_concurrent=2)]


@each_way
def test_a_listener_that_calls_what_it_hears_of(way: str) -> None:
    """From within each event it calls the same function, looks at its breaker and its bulkhead, and resets them."""
    resilience = Resilience.builder().only("no.module").build()
    found: list[str] = []

    def function(failing: bool) -> str:
        if failing:
            raise ConnectionError
        return "done"

    def reenter(event: StateTransition) -> None:
        if event.after.name == "OPEN":
            resilience.circuit_breaker("shared").reset()
            found.append(call(False))
            found.append(resilience.circuit_breaker("shared").state.name)
            assert (2, 0, 2, 0) == resilience.bulkhead("shared").snapshot()

    resilience.listen(StateTransition, reenter)
    with guarded(way, resilience, shared_policies(), function, asynchronous=False) as call:
        for _ in range(2):
            with pytest.raises(ConnectionError):
                call(True)
    assert ["done", "CLOSED"] == found


@pytest.fixture
def threads() -> Iterator[Callable[[Callable[[], object]], threading.Thread]]:
    """Starts threads, which must have ended when the test has."""
    started: list[threading.Thread] = []

    def start(work: Callable[[], object]) -> threading.Thread:
        thread = threading.Thread(target=work, daemon=True)
        started.append(thread)
        thread.start()
        return thread

    yield start
    for thread in started:
        thread.join(timeout=60)
        assert not thread.is_alive()


@each_way
def test_a_listener_that_blocks(way: str, threads: Callable[[Callable[[], object]], threading.Thread]) -> None:
    """While one thread is stuck in a listener, others call, operate and listen."""
    resilience = Resilience.builder().only("no.module").build()
    stuck, go_on = threading.Event(), threading.Event()

    def block(event: StateTransition) -> None:
        stuck.set()
        assert go_on.wait(timeout=60)

    def function(failing: bool) -> str:
        if failing:
            raise ConnectionError
        return "done"

    def open_it() -> None:
        for _ in range(2):
            with pytest.raises(ConnectionError):
                call(True)

    found: list[object] = []

    def others() -> None:
        found.append(resilience.circuit_breaker("shared").state.name)
        resilience.listen(StateTransition, found.append).cancel()
        blocking.cancel()
        resilience.circuit_breaker("shared").reset()
        found.append(call(False))
        resilience.reconfigure("shared", bulkhead(max_concurrent=3))
        found.append(tuple(resilience.bulkhead("shared").snapshot()))

    blocking = resilience.listen(StateTransition, block)
    resilience.pipeline("declared", *shared_policies())
    with guarded(way, resilience, shared_policies(), function, asynchronous=False) as call:
        threads(open_it)
        assert stuck.wait(timeout=60)
        thread = threads(others)
        thread.join(timeout=60)
        assert ["OPEN", "done", (3, 0, 3, 0)] == found
        go_on.set()
