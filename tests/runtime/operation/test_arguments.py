"""What is given to the methods of the API is looked at where it is given."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Union

import pytest

from resilience4cata import (
    DefinitionError,
    Event,
    Resilience,
    ResilienceBuilder,
    Retried,
    StateTransition,
    TimedOut,
    retry,
    timeout,
)
from resilience4cata.testing import ManualClock, ManualScheduler, RecordedEvents

from .operated import ID, Operated

KIND = "expects a kind of event, such as StateTransition, or a union of kinds, not"


@pytest.fixture
def resilience() -> Resilience:
    return Resilience.builder().only("no.module").build()


async def wait_for_it(event: Event) -> None:
    """Nobody awaits it."""


BUILDER: dict[str, tuple[Callable[[ResilienceBuilder], object], str]] = {
    "source": (
        lambda b: b.source("r.toml"),  # type: ignore[arg-type]
        "source() expects a source of configuration, an object with load(), not 'r.toml'",
    ),
    "profiles": (lambda b: b.profiles("a", 3), "profiles() expects names of profiles as text, not 3"),  # type: ignore[arg-type]
    "config": (lambda b: b.config(retry()), "config() expects the name of a template as text, not retry()"),  # type: ignore[arg-type]
    "extends": (
        lambda b: b.config("a", extends=3),  # type: ignore[arg-type]
        "config() expects the name of a template as text, not 3",
    ),
    "instance": (lambda b: b.instance(None), "instance() expects the name or id of an instance as text, not None"),  # type: ignore[arg-type]
    "locked": (lambda b: b.locked(["a"]), "locked() expects names or ids of instances as text, not ['a']"),  # type: ignore[arg-type]
    "clock": (
        lambda b: b.clock(3),  # type: ignore[arg-type]
        "clock() expects a Clock, an object with monotonic_ns() and wall_ns(), not 3",
    ),
    "clock, a class": (
        lambda b: b.clock(ManualClock),  # type: ignore[arg-type]
        "clock() expects a Clock, an object with monotonic_ns() and wall_ns(), not the class ManualClock",
    ),
    "scheduler": (
        lambda b: b.scheduler(ManualClock()),  # type: ignore[arg-type]
        "scheduler() expects a Scheduler, an object with wait() and wait_async(), not an object of ManualClock",
    ),
    "random": (
        lambda b: b.random(42),  # type: ignore[arg-type]
        "random() expects a random.Random, an object with randint(), not 42",
    ),
    "executor": (
        lambda b: b.executor(4),  # type: ignore[arg-type]
        "executor() expects an executor, an object with submit(), not 4",
    ),
    "handler factory": (
        lambda b: b.handler_factory({}),  # type: ignore[arg-type]
        "handler_factory() expects a function that makes a handler of its class, not {}",
    ),
    "listener": (lambda b: b.listener(3), "listener() expects a function that takes an event, not 3"),  # type: ignore[arg-type]
    "listener, kind": (lambda b: b.listener(print, int), f"listener() {KIND} the class int"),  # type: ignore[arg-type]
    "strict": (lambda b: b.strict("no"), "strict() expects True or False, not 'no'"),  # type: ignore[arg-type]
    "scan": (lambda b: b.scan(None), "scan() expects the name of a package as text, not None"),  # type: ignore[arg-type]
    "only": (lambda b: b.only(3), "only() expects names of packages and modules as text, not 3"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", BUILDER)
def test_builder(name: str) -> None:
    """A wrong type is a TypeError of the method that was given it, not of `build()` or of a call."""
    give, said = BUILDER[name]
    with pytest.raises(TypeError) as caught:
        give(Resilience.builder())
    assert said == str(caught.value)


def test_builder_takes_what_fits() -> None:
    """Whatever has the methods, a class with static ones included."""

    class Noon:
        monotonic_ns = staticmethod(lambda: 0)
        wall_ns = staticmethod(lambda: 0)

    clock = ManualClock()
    with ThreadPoolExecutor(1) as executor:
        built = (
            Resilience.builder()
            .clock(Noon)
            .clock(clock)
            .scheduler(ManualScheduler(clock))
            .random(random.Random(1))
            .executor(executor)
            .listener(print, Union[StateTransition, TimedOut])  # type: ignore[arg-type]  # noqa: UP007
            .listener(RecordedEvents(), StateTransition | TimedOut)
            .only("no.module")
            .build()
        )
    assert () == built.diagnostics


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        (int, "the class int"),
        (print, "<built-in function print>"),
        ("StateTransition", "'StateTransition'"),
        (StateTransition | int, "resilience4cata.events.StateTransition | int"),
        (type[Event], "type[resilience4cata.events.Event]"),
        (None, "None"),
    ],
    ids=str,
)
def test_kinds(kind: Any, shown: str, resilience: Resilience) -> None:
    """Asked for in `listen`, by a builder and in a test's record alike."""
    for call, method in ((resilience.listen, "listen"), (lambda k, _: RecordedEvents().of(k), "of")):
        with pytest.raises(TypeError) as caught:
            call(kind, print)
        assert f"{method}() {KIND} {shown}" == str(caught.value)


@pytest.mark.parametrize("callback", [None, 3])
def test_callback(callback: Any, resilience: Resilience) -> None:
    with pytest.raises(TypeError) as caught:
        resilience.listen(StateTransition, callback)
    assert f"listen() expects a function that takes an event, not {callback}" == str(caught.value)


def test_async_callback(resilience: Resilience, recwarn: pytest.WarningsRecorder) -> None:
    """Refused as `build()` refuses it, with the place of the argument, and never called."""
    with pytest.raises(DefinitionError) as caught:
        resilience.listen(Retried | TimedOut, wait_for_it)
    (found,) = caught.value.diagnostics
    assert ("R4C-AS-003", "listen(wait_for_it)") == (found.code, found.subject)
    assert "'wait_for_it' is asynchronous, but it is called and never awaited" == found.message
    assert ("test_arguments.py", 47) == (found.at.source.rpartition("/")[2], found.at.column)
    assert [("'wait_for_it' is defined here", 11)] == [(related.text, related.at.column) for related in found.related]
    with pytest.raises(TimeoutError):
        resilience.pipeline("late", timeout("1ns")).call(lambda: sum(range(1000)))
    gc.collect()
    assert [] == [str(warning.message) for warning in recwarn]


class TestInstance:
    """An instance of which no event can come is told, with the nearest that there is."""

    @pytest.mark.parametrize("name", ["payments", "mails", "slots", ID, "stock"])
    def test_known(self, name: str, shop: Operated) -> None:
        shop.resilience.pipeline("stock", retry())
        assert name == shop.resilience.listen(Event, print, instance=name).instance_id

    @pytest.mark.parametrize(
        ("name", "near"),
        [("paymnets", "payments"), ("stok", "stock"), (ID.replace("status", "sttaus"), ID), ("nothing like it", None)],
    )
    def test_unknown(self, name: str, near: str | None, shop: Operated) -> None:
        shop.resilience.pipeline("stock", retry())
        with pytest.raises(LookupError) as caught:
            shop.resilience.listen(Event, print, instance=name)
        suggestion = "" if near is None else f"; did you mean '{near}'?"
        assert f"there is no instance '{name}'{suggestion}" == str(caught.value)

    def test_declared_later(self, shop: Operated) -> None:
        """What was declared since `build()` counts, wherever it stands."""
        shop.app.load("later", "from resilience4cata import *\n@retry(name='stars')\ndef f(): ...")
        assert "stars" == shop.resilience.listen(Event, print, instance="stars").instance_id

    def test_made_by_a_function(self, shop: Operated) -> None:
        """Functions that another function made have ids too."""
        module = shop.app.load(
            "local", "from resilience4cata import *\ndef make():\n @retry()\n def f(): ...\n return f\ng = make()"
        )
        assert callable(module.g)
        heard = shop.resilience.listen(Event, print, instance="local.make#f")
        assert "local.make#f" == heard.instance_id

    def test_disabled(self) -> None:
        """Where nothing is declared, nothing can be misspelt."""
        assert "any" == Resilience.disabled().listen(Event, print, instance="any").instance_id


@pytest.mark.parametrize("method", ["circuit_breaker", "bulkhead", "rate_limiter", "reconfigure"])
def test_names_of_instances(method: str, resilience: Resilience) -> None:
    with pytest.raises(TypeError) as caught:
        getattr(resilience, method)(3)
    assert f"{method}() expects the name or id of an instance as text, not 3" == str(caught.value)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ManualClock("1s"), "ManualClock() expects whole nanoseconds, not '1s'"),  # type: ignore[arg-type]
        (lambda: ManualClock().advance_ns("1s"), "advance_ns() expects whole nanoseconds, not '1s'"),  # type: ignore[arg-type]
        (lambda: ManualClock().advance_to(None), "advance_to() expects whole nanoseconds, not None"),  # type: ignore[arg-type]
        (lambda: ManualClock().follow(3), "follow() expects a function without parameters, not 3"),  # type: ignore[arg-type]
        (
            lambda: ManualScheduler(3),  # type: ignore[arg-type]
            "ManualScheduler() expects a ManualClock, an object with advance_to() and follow(), not 3",
        ),
        (
            lambda: RecordedEvents(3),  # type: ignore[arg-type]
            "RecordedEvents() expects a Resilience, an object with listen(), not 3",
        ),
        (
            lambda: RecordedEvents().of(Event, instance=3),  # type: ignore[call-overload]
            "of() expects the name or id of an instance as text, not 3",
        ),
    ],
    ids=range(7),
)
def test_testing(make: Callable[[], object], said: str) -> None:
    """A test that asks for what cannot be is told, and does not pass by chance."""
    with pytest.raises(TypeError) as caught:
        make()
    assert said == str(caught.value)
