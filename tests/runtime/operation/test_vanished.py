"""Overrides of `reconfigure` whose instance is gone: a program that runs for long can be reloaded all the same."""

from __future__ import annotations

import gc
import importlib
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from resilience4cata import ResilienceWarning, bulkhead, circuit_breaker

from .operated import Operated

LATE = """
    from resilience4cata import *

    class Later:
        @bulkhead(name="later", max_concurrent=3)
        def go(self):
            return "gone"
    """
PREFIX = "resilience4cata."


@contextmanager
def told() -> Iterator[list[str]]:
    """What warnings say, without their first words."""
    found: list[str] = []
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always", ResilienceWarning)
        yield found
    found += [str(warning.message).partition("warning: ")[2] for warning in given]


GONE = """[R4C-CFG-009] reconfigure("later"):
    no instance 'later' is declared
    take it back with reconfigure("later"), or leave it for when that is back"""


def vanish(shop: Operated) -> Any:
    """Tune an instance, and let its module be loaded again without it."""
    late = shop.app.load("late", LATE)
    shop.resilience.reload()
    shop.resilience.reconfigure("later", bulkhead(max_concurrent=7))
    shop.app.write("late.py", LATE.replace('"later"', '"anew"'))
    return importlib.reload(late)


def limit(shop: Operated, name: str) -> int:
    return shop.resilience.bulkhead(name).snapshot().limit


class TestReload:
    def test_goes_on_and_tells(self, shop: Operated) -> None:
        vanish(shop)
        shop.configure(f"{PREFIX}instances.slots.bulkhead.max-concurrent=9")
        with told() as found:
            shop.resilience.reload()
        assert [GONE] == found
        assert (9, 3) == (limit(shop, "slots"), limit(shop, "anew"))

    def test_tells_each_time(self, shop: Operated) -> None:
        vanish(shop)
        for _ in range(2):
            with told() as found:
                shop.resilience.reload()
            assert [GONE] == found

    def test_counts_again_when_it_is_back(self, shop: Operated) -> None:
        late = vanish(shop)
        with told():
            shop.resilience.reload()
        shop.app.write("late.py", LATE + "\n    # back, and compiled anew\n")
        importlib.reload(late)
        with told() as found:
            shop.resilience.reload()
        assert [] == found
        assert 7 == limit(shop, "later")

    def test_taken_back(self, shop: Operated) -> None:
        vanish(shop)
        with told():
            shop.resilience.reload()
        shop.resilience.reconfigure("later")
        with told() as found:
            shop.resilience.reload()
        assert [] == found

    def test_function_that_was_collected(self, shop: Operated) -> None:
        def make() -> Callable[[], object]:
            @circuit_breaker(name="local", window_size=4)
            def call() -> object:
                return "called"

            call.__module__ = call.__wrapped__.__module__ = "late"  # type: ignore[attr-defined]
            return call

        function = make()
        shop.resilience.reload()
        shop.resilience.reconfigure("local", circuit_breaker(window_size=2))
        del function
        gc.collect()
        with told() as found:
            shop.resilience.reload()
        assert ['[R4C-CFG-009] reconfigure("local"):'] == [text.partition("\n")[0] for text in found]

    def test_policy_that_is_gone(self, shop: Operated) -> None:
        late = shop.app.load("late", LATE)
        shop.resilience.reload()
        shop.resilience.reconfigure("later", bulkhead(max_concurrent=7))
        shop.app.write("late.py", LATE.replace("bulkhead", "circuit_breaker").replace(", max_concurrent=3", ""))
        importlib.reload(late)
        with told() as found:
            shop.resilience.reload()
        (text,) = found
        assert text.startswith(
            """[R4C-CFG-010] reconfigure("later"):\n    the shared instance 'later' has no bulkhead\n"""
        )


class TestOthers:
    def test_check(self, shop: Operated) -> None:
        vanish(shop)
        with told() as found:
            shop.resilience.check()
            shop.resilience.check()
        assert [GONE] == found

    def test_reconfigure_of_another_instance(self, shop: Operated) -> None:
        vanish(shop)
        with told():
            shop.resilience.reload()
        shop.resilience.reconfigure("slots", bulkhead(max_concurrent=5))
        assert 5 == limit(shop, "slots")

    def test_whoever_names_it_anew_is_refused(self, shop: Operated) -> None:
        """That is a mistake of now, not of the past."""
        vanish(shop)
        with told():
            shop.resilience.reload()
        said = shop.refusal(lambda: shop.resilience.reconfigure("later", bulkhead(max_concurrent=8)))
        assert ["R4C-CFG-009 no instance 'later' is declared"] == said

    def test_values_are_still_judged(self, shop: Operated) -> None:
        """What it names is there: a file that no longer fits it is wrong."""
        shop.resilience.reconfigure("mails", circuit_breaker(window_size=3))
        shop.configure(f"{PREFIX}instances.mails.circuit-breaker.minimum-calls=0")
        assert ["R4C-CFG-012"] == [line.split()[0] for line in shop.refusal(shop.resilience.reload)]
