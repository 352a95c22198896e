"""Operating while calls run, from several threads and from within."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resilience4cata import BulkheadFullError, ConfigFile, ConfigSources, Pipeline, Resilience, bulkhead, retry
from resilience4cata.events import StateTransition
from resilience4cata.policies.circuit_breaker import circuit_breaker

from ..policies.doubles import in_threads

LIMIT = "resilience4cata.instances.slots.bulkhead.max-concurrent="


class Source:
    """A source whose lines can be changed; `meanwhile` is called once, while it is read."""

    def __init__(self) -> None:
        self.lines = ""
        self.meanwhile: Callable[[], object] | None = None

    def load(self) -> ConfigFile:
        lines, meanwhile = self.lines, self.meanwhile
        self.meanwhile = None
        if meanwhile is not None:
            meanwhile()
        return ConfigSources.read("settings.properties", lines.encode())


def with_slots(limit: int) -> tuple[Resilience, Source, Pipeline]:
    """A `Resilience` with its source and a pipeline that is a bulkhead of so many slots."""
    source = Source()
    resilience = Resilience.builder().only("no.module").source(source).build()
    return resilience, source, resilience.pipeline("slots", bulkhead(max_concurrent=limit))


def test_reload_under_four_threads_of_calls() -> None:
    """In each round four calls are inside while the limit falls below them; afterwards all permits are there."""
    resilience, source, pipeline = with_slots(4)
    slots = resilience.bulkhead("slots")
    entered, reloaded, left = (threading.Barrier(5, timeout=60) for _ in range(3))
    seen = []

    def inside() -> None:
        entered.wait()
        reloaded.wait()

    def calls(_: int) -> None:
        for _ in range(20):
            pipeline.call(inside)
            left.wait()
            left.wait()

    def operator() -> None:
        for _ in range(20):
            entered.wait()
            source.lines = f"{LIMIT}1"
            resilience.reload()
            seen.append(tuple(slots.snapshot()))
            reloaded.wait()
            left.wait()
            seen.append(tuple(slots.snapshot()))
            source.lines = f"{LIMIT}4"
            resilience.reload()
            left.wait()

    in_threads(5, lambda number: operator() if number == 4 else calls(number))
    assert {(1, 4, 0, 0), (1, 0, 1, 0)} == set(seen)
    assert (4, 0, 4, 0) == slots.snapshot()


def test_a_wait_ends_when_the_limit_rises() -> None:
    """Who waits for a slot gets it from the operator."""
    resilience, _, _ = with_slots(1)
    pipeline = resilience.pipeline("waiting", bulkhead(max_concurrent=1, max_wait="1m"))
    inside, go_on = threading.Barrier(3, timeout=60), threading.Barrier(3, timeout=60)

    def work() -> None:
        inside.wait()
        go_on.wait()

    def operate(number: int) -> None:
        if number < 2:
            pipeline.call(work)
            return
        # Both are inside at last: without the second slot the barrier would break.
        resilience.reconfigure("waiting", bulkhead(max_concurrent=2))
        inside.wait()
        go_on.wait()

    in_threads(3, operate)
    assert (2, 0, 2, 0) == resilience.bulkhead("waiting").snapshot()


def test_a_task_gets_its_slot_from_another_thread() -> None:
    """The event loop is told of the second slot."""
    resilience, _, _ = with_slots(1)
    pipeline = resilience.pipeline("waiting", bulkhead(max_concurrent=1, max_wait="1m"))
    slots = resilience.bulkhead("waiting")

    async def main() -> None:
        go_on = asyncio.Event()
        tasks = [asyncio.create_task(pipeline.acall(_wait, go_on)) for _ in range(2)]
        await asyncio.sleep(0)
        assert (1, 1, 0, 1) == slots.snapshot()
        await asyncio.to_thread(resilience.reconfigure, "waiting", bulkhead(max_concurrent=2))
        assert (2, 2, 0, 0) == slots.snapshot()
        go_on.set()
        await asyncio.gather(*tasks)

    asyncio.run(main())
    assert (2, 0, 2, 0) == slots.snapshot()


class TestWhoeverIsFaster:
    """Nothing that was done during a reload is lost."""

    def test_reconfigure(self) -> None:
        resilience, source, _ = with_slots(2)
        source.lines = f"{LIMIT}5"
        source.meanwhile = lambda: resilience.reconfigure("slots", bulkhead(max_wait="7s"))
        resilience.reload()
        found = resilience.describe("slots").of("bulkhead")
        assert ("5", "7s") == (found["max_concurrent"].value, found["max_wait"].value)

    def test_a_new_pipeline(self) -> None:
        resilience, source, _ = with_slots(2)
        source.lines = "resilience4cata.instances.orders.retry.max-attempts=5"
        made = []
        source.meanwhile = lambda: made.append(resilience.pipeline("orders", retry(max_attempts=2)))
        resilience.reload()
        assert "5" == resilience.describe("orders").of("retry")["max_attempts"].value
        assert made == [resilience.pipeline("orders", retry(max_attempts=2))]

    def test_another_reload(self) -> None:
        """What the file says last counts."""
        resilience, source, _ = with_slots(2)

        def again() -> None:
            source.lines = f"{LIMIT}7"
            resilience.reload()

        source.lines, source.meanwhile = f"{LIMIT}5", again
        resilience.reload()
        assert 7 == resilience.bulkhead("slots").snapshot().limit

    def test_many_threads(self) -> None:
        resilience, _, _ = with_slots(2)
        names = [f"instance-{number}" for number in range(4)]
        for name in names:
            resilience.pipeline(name, bulkhead(max_concurrent=1))
        begin = threading.Barrier(4, timeout=60)

        def operate(number: int) -> None:
            begin.wait()
            resilience.reconfigure(names[number], bulkhead(max_concurrent=number + 2))

        in_threads(4, operate)
        assert [2, 3, 4, 5] == [resilience.bulkhead(name).snapshot().limit for name in names]


def test_a_listener_may_operate() -> None:
    """It is called under no lock: it reloads, and asks for another pipeline."""
    resilience, _, _ = with_slots(2)
    breaker = circuit_breaker(window_size=1, minimum_calls=1, failure_rate_threshold=100)
    pipeline = resilience.pipeline("orders", breaker)

    def operate(event: StateTransition) -> None:
        subscription.cancel()
        resilience.reload()
        resilience.reconfigure("orders", circuit_breaker(window_size=3))
        resilience.pipeline("another", retry()).call(lambda: None)

    subscription = resilience.listen(StateTransition, operate)
    with pytest.raises(ZeroDivisionError):
        pipeline.call(lambda: 1 // 0)
    assert "3" == resilience.describe("orders").of("circuit_breaker")["window_size"].value


STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["enter", "leave"]), st.just(0)),
        st.tuples(st.sampled_from(["reconfigure", "reload"]), st.integers(1, 5)),
        st.tuples(st.just("take back"), st.just(0)),
    ),
    max_size=14,
)


@settings(max_examples=60, deadline=None)
@given(steps=STEPS, begin=st.integers(1, 5))
def test_permits_are_whole_after_any_sequence(steps: list[tuple[str, int]], begin: int) -> None:
    """At any time free and held slots are the limit, or more while it is a debt; in the end all are free."""

    async def main() -> None:
        resilience, source, pipeline = with_slots(begin)
        slots = resilience.bulkhead("slots")
        running: list[tuple[asyncio.Task[None], asyncio.Event]] = []
        in_file, override = None, None
        for step, number in steps:
            match step:
                case "enter":
                    free, go_on = slots.snapshot().free, asyncio.Event()
                    task = asyncio.create_task(pipeline.acall(_wait, go_on))
                    await asyncio.sleep(0)
                    if free:
                        running.append((task, go_on))
                    else:
                        with pytest.raises(BulkheadFullError):
                            await task
                case "leave" if running:
                    task, go_on = running.pop()
                    go_on.set()
                    await task
                case "reconfigure":
                    override = number
                    resilience.reconfigure("slots", bulkhead(max_concurrent=number))
                case "reload":
                    in_file, source.lines = number, f"{LIMIT}{number}"
                    resilience.reload()
                case "take back":
                    override = None
                    resilience.reconfigure("slots")
            limit = override or in_file or begin
            held = len(running)
            assert (limit, held, max(0, limit - held), 0) == slots.snapshot()
        for task, go_on in running:
            go_on.set()
            await task
        limit = override or in_file or begin
        assert (limit, 0, limit, 0) == slots.snapshot()

    asyncio.run(main())


async def _wait(go_on: asyncio.Event) -> None:
    await go_on.wait()
