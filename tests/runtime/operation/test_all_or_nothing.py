"""A reload counts as a whole or not at all, whatever goes wrong and whoever calls meanwhile."""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from resilience4cata import (
    CallNotPermittedError,
    ConfigFile,
    ConfigSources,
    DefinitionError,
    Resilience,
    State,
    bulkhead,
    circuit_breaker,
)
from resilience4cata.events import StateTransition

from ..policies.doubles import in_threads
from .operated import Operated

PREFIX = "resilience4cata.instances."
LIMIT = PREFIX + "slots.bulkhead.max-concurrent="
HANDLED = """
    from pathlib import Path

    from resilience4cata import *

    made = []

    class First(FallbackHandler[str]):
        def __init__(self):
            made.append("first")
        def apply(self, context) -> str:
            return "first"

    class Second(FallbackHandler[str]):
        def __init__(self):
            made.append("second")
            if Path("broken").exists():
                raise ValueError("no answer")
        def apply(self, context) -> str:
            return "second"

    class Later:
        @fallback(First)
        def one(self) -> str:
            raise ConnectionError

        @fallback(Second)
        def two(self) -> str:
            raise ConnectionError
    """


class Source:
    """A source of one's own, that may fail."""

    def __init__(self, name: str, lines: str = "") -> None:
        self.name = name
        self.lines = lines
        self.failure: Exception | None = None

    def load(self) -> ConfigFile:
        if self.failure is not None:
            raise self.failure
        return ConfigSources.read(self.name, self.lines.encode())


def with_sources() -> tuple[Resilience, Source, Source]:
    first, second = Source("first.properties"), Source("second.properties")
    resilience = Resilience.builder().only("no.module").source(first).source(second).build()
    resilience.pipeline("slots", bulkhead(max_concurrent=2))
    return resilience, first, second


def said_by(operate: Callable[[], object]) -> list[tuple[str, str]]:
    with pytest.raises(DefinitionError) as caught:
        operate()
    return [(f"{d.code} {d.message}", d.place) for d in caught.value.diagnostics]


class TestSources:
    def test_one_of_several_that_is_broken(self) -> None:
        """What the others say does not count either."""
        resilience, first, second = with_sources()
        first.lines, second.lines = f"{LIMIT}7", f"{PREFIX}slots.bulkhead.max-wait=soon"
        for _ in range(2):
            ((said, place),) = said_by(resilience.reload)
            assert 'R4C-CFG-012 "soon" is not a duration: it is made of words, at character 1' == said
            assert "second.properties:1:51" == place
            assert 2 == resilience.bulkhead("slots").snapshot().limit
        second.lines = ""
        resilience.reload()
        assert 7 == resilience.bulkhead("slots").snapshot().limit

    def test_one_that_raises(self) -> None:
        resilience, first, second = with_sources()
        first.lines, second.failure = f"{LIMIT}7", TimeoutError("no reply")
        said = "R4C-CFG-008 configuration cannot be read: cannot be loaded: TimeoutError: no reply"
        assert [(said, "Source")] == said_by(resilience.reload)
        assert 2 == resilience.bulkhead("slots").snapshot().limit
        second.failure = None
        resilience.reload()
        assert 7 == resilience.bulkhead("slots").snapshot().limit

    def test_same_content_again(self, shop: Operated) -> None:
        """Nothing is said, nothing happens, and what was counted stays."""
        shop.configure(f"{PREFIX}payments.circuit-breaker.minimum-calls=3\n{LIMIT}5")
        shop.resilience.reload()
        shop.fail(2, shop.client(ConnectionError()).charge)
        before, happened = shop.resilience.snapshot(), len(shop.events.seen)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(2):
                shop.resilience.reload()
        assert (before, happened, ()) == (
            shop.resilience.snapshot(),
            len(shop.events.seen),
            shop.resilience.diagnostics,
        )


class TestHandlers:
    def test_one_that_cannot_be_made(self, shop: Operated) -> None:
        """All is told, what was raised is the cause, and the others count as little as it does."""
        late: Any = shop.app.load("late", HANDLED)
        Path("broken").touch()
        shop.configure(f"{LIMIT}7")
        with pytest.raises(DefinitionError) as caught:
            shop.resilience.reload()
        said = "@fallback(Second) on late.Later.two: Second cannot be made: ValueError: no answer"
        assert [f"R4C-FB-008 {said}"] == [f"{d.code} {d.headline}" for d in caught.value.diagnostics]
        assert "no answer" == str(caught.value.__cause__)
        assert 2 == shop.resilience.bulkhead("slots").snapshot().limit
        Path("broken").unlink()
        late.made.clear()
        shop.resilience.reload()
        shop.resilience.reload()
        client = shop.resilience.wrap(late.Later())
        assert ("first", "second", ["first", "second"]) == (client.one(), client.two(), late.made)
        assert 7 == shop.resilience.bulkhead("slots").snapshot().limit


def test_listener_that_raises(shop: Operated, caplog: pytest.LogCaptureFixture) -> None:
    """It hears what the new settings do when they count already: nothing is taken back."""

    def listener(event: StateTransition) -> None:
        raise ZeroDivisionError

    shop.resilience.listen(StateTransition, listener)
    shop.fail(2, shop.client(ConnectionError()).charge)
    shop.configure(f"{PREFIX}payments.circuit-breaker.minimum-calls=2\n{LIMIT}7")
    with caplog.at_level(logging.ERROR):
        shop.resilience.reload()
    assert 1 == len([record for record in caplog.records if record.exc_info])
    assert State.OPEN is shop.resilience.circuit_breaker("payments").state
    assert 7 == shop.resilience.bulkhead("slots").snapshot().limit


def test_forced_open(shop: Operated) -> None:
    """Other settings wait until the breaker is let go; then they count."""
    client, breaker = shop.client(ConnectionError()), shop.resilience.circuit_breaker("payments")
    breaker.force_open()
    shop.configure(f"{PREFIX}payments.circuit-breaker.window-size=1\n{PREFIX}payments.circuit-breaker.minimum-calls=1")
    shop.resilience.reload()
    with pytest.raises(CallNotPermittedError):
        client.charge()
    assert (State.FORCED_OPEN, 0) == (breaker.state, client.calls)
    breaker.reset()
    shop.fail(1, client.charge)
    assert (State.OPEN, 1) == (breaker.state, client.calls)


def test_four_threads_that_call_freely() -> None:
    """No call is lost or counted twice, and a broken file in between is nobody's business."""
    source = Source("settings.properties")
    resilience = Resilience.builder().only("no.module").source(source).build()
    pipeline = resilience.pipeline("work", circuit_breaker(), bulkhead(max_concurrent=4))
    begin, refused = threading.Barrier(5, timeout=60), []

    def operate() -> None:
        key = f"{PREFIX}work.circuit-breaker.minimum-calls="
        for number in range(20):
            source.lines = f"{key}{number + 1}" if number % 2 else f"{key}none"
            try:
                resilience.reload()
            except DefinitionError:
                refused.append(number)

    def work(number: int) -> None:
        begin.wait()
        if number == 4:
            operate()
            return
        for turn in range(500):
            assert turn == pipeline.call(int, turn)

    in_threads(5, work)
    assert [*range(0, 20, 2)] == refused
    assert (2000, 0, 0) == resilience.circuit_breaker("work").snapshot().total
    assert (4, 0, 4, 0) == resilience.bulkhead("work").snapshot()
    assert "20" == resilience.describe("work").of("circuit_breaker")["minimum_calls"].value
