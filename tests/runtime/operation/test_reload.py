"""All sources again: what changes, what stays, and what a mistake leaves untouched."""

from __future__ import annotations

import asyncio
import importlib
from pathlib import Path
from typing import Any

import pytest

from resilience4cata import (
    BulkheadFullError,
    DefinitionError,
    Layer,
    Resilience,
    ResilienceWarning,
    State,
    bulkhead,
    circuit_breaker,
    retry,
    timeout,
)
from resilience4cata.events import CallSucceeded

from ..decorated.running import Failing, attempts
from .operated import ID, Operated

PREFIX = "resilience4cata."


class TestSettings:
    def test_equal_settings_keep_state(self, shop: Operated) -> None:
        """The same machine, with what it has counted."""
        client = shop.client(ConnectionError())
        shop.fail(3, client.charge)
        shop.resilience.reload()
        breaker = shop.resilience.circuit_breaker("payments")
        assert 3 == breaker.snapshot().window.calls
        shop.fail(1, client.charge)
        assert State.OPEN is breaker.state

    def test_others_go_on_live(self, shop: Operated) -> None:
        client = shop.client(ConnectionError())
        shop.fail(2, client.charge)
        shop.configure(f"{PREFIX}instances.payments.circuit-breaker.minimum-calls=2")
        shop.resilience.reload()
        snapshot = shop.resilience.circuit_breaker("payments").snapshot()
        assert (State.OPEN, 2, 2) == (snapshot.state, snapshot.window.calls, snapshot.total.failed)

    def test_what_the_file_no_longer_says(self, shop: Operated) -> None:
        shop.configure(f"{PREFIX}instances.slots.bulkhead.max-concurrent=9")
        shop.resilience.reload()
        assert 9 == shop.resilience.bulkhead("slots").snapshot().limit
        shop.configure("")
        shop.resilience.reload()
        assert 2 == shop.resilience.bulkhead("slots").snapshot().limit

    def test_pipelines_that_were_made_before(self, shop: Operated) -> None:
        """Also when they take a template whole, which has other policies now."""
        shop.configure(f"{PREFIX}configs.external.retry.max-attempts=2\n{PREFIX}defaults.retry.delay=1ms")
        shop.resilience.reload()
        pipeline = shop.resilience.pipeline("orders", config="external")
        failing = Failing()
        assert 2 == attempts(lambda: pipeline.call(failing), failing)
        shop.configure(
            f"{PREFIX}configs.external.retry.max-attempts=3\n{PREFIX}configs.external.bulkhead.max-concurrent=1\n"
        )
        shop.resilience.reload()
        assert 3 == attempts(lambda: pipeline.call(failing), failing)
        with pytest.raises(BulkheadFullError):
            pipeline.call(pipeline.call, lambda: None)

    def test_asynchronous_callers(self, shop: Operated) -> None:
        pipeline = shop.resilience.pipeline("orders", retry(max_attempts=2, delay="1ms"))
        calls: list[None] = []

        async def call() -> None:
            calls.append(None)
            raise ConnectionError

        async def main() -> None:
            for _ in range(2):
                with pytest.raises(ConnectionError):
                    await pipeline.acall(call)
                shop.configure(f"{PREFIX}instances.orders.retry.max-attempts=3")
                shop.resilience.reload()

        asyncio.run(main())
        assert 5 == len(calls)

    def test_profiles(self, shop: Operated) -> None:
        shop.configure(f"{PREFIX}profiles.active=prod\n{PREFIX}profiles.prod.defaults.timeout.value=7s")
        shop.resilience.reload()
        assert ("prod",) == shop.resilience.profiles

    def test_describe(self, shop: Operated) -> None:
        shop.configure(f"{PREFIX}instances.payments.circuit-breaker.wait-in-open=3s")
        shop.resilience.reload()
        found = shop.resilience.describe("payments.PaymentsClient#charge").of("circuit_breaker")["wait_in_open"]
        assert "wait_in_open=3s <- instances.payments (settings.properties:1)" == str(found)


class TestDeclarations:
    LATE = """
        from resilience4cata import *

        class Later:
            @bulkhead(name="later", max_concurrent=3)
            def go(self):
                return "gone"
        """

    def test_late_ones_come_in(self, shop: Operated) -> None:
        late: Any = shop.app.load("late", self.LATE)
        with pytest.raises(LookupError):
            shop.resilience.bulkhead("later")
        shop.resilience.reload()
        assert 3 == shop.resilience.bulkhead("later").snapshot().limit
        assert "gone" == shop.resilience.wrap(late.Later()).go()

    def test_those_that_vanished_are_let_go(self, shop: Operated) -> None:
        """A module that is loaded again under another name of its instance."""
        late = shop.app.load("late", self.LATE)
        shop.resilience.reload()
        shop.resilience.bulkhead("later")
        shop.app.write("late.py", self.LATE.replace('"later"', '"anew"'))
        importlib.reload(late)
        shop.resilience.reload()
        shop.resilience.bulkhead("anew")
        assert ["anew"] == [*shop.resilience.snapshot().bulkheads]
        with pytest.raises(LookupError, match="there is no bulkhead 'later'"):
            shop.resilience.bulkhead("later")

    def test_a_mistake_in_one_changes_nothing(self, shop: Operated) -> None:
        shop.app.load("late", self.LATE.replace("max_concurrent=3", "max_concurrent=0"))
        shop.configure(f"{PREFIX}instances.slots.bulkhead.max-concurrent=9")
        said = shop.refusal(shop.resilience.reload)
        assert ["R4C-VA-001"] == [line.split()[0] for line in said]
        assert 2 == shop.resilience.bulkhead("slots").snapshot().limit

    def test_new_modules_of_a_scanned_package(self, shop: Operated) -> None:
        shop.app.write("late/__init__.py", "")
        resilience = Resilience.builder().scan("late").only("late").build()
        shop.app.write("late/further.py", self.LATE)
        resilience.reload()
        assert 3 == resilience.bulkhead("later").snapshot().limit


class TestMistakes:
    """Nothing changes, and the error says what is wrong and where."""

    def test_broken_file(self, shop: Operated) -> None:
        shop.configure(f"{PREFIX}instances.slots.bulkhead.max-concurrent=many\n{PREFIX}instances.slots.nonsense=1")
        with pytest.raises(DefinitionError) as caught:
            shop.resilience.reload()
        assert ["settings.properties:1", "settings.properties:2"] == [
            f"{d.at.source}:{d.at.line}" for d in caught.value.diagnostics
        ]
        assert 2 == shop.resilience.bulkhead("slots").snapshot().limit

    def test_missing_file(self, shop: Operated) -> None:
        Path("settings.properties").unlink()
        with pytest.raises(DefinitionError, match=r"settings\.properties.*does not exist"):
            shop.resilience.reload()
        assert 2 == shop.resilience.bulkhead("slots").snapshot().limit
        shop.configure("")
        shop.resilience.reload()

    def test_a_pipeline_whose_template_is_gone(self, shop: Operated) -> None:
        shop.configure(f"{PREFIX}configs.external.retry.max-attempts=2")
        shop.resilience.reload()
        shop.resilience.pipeline("orders", config="external")
        shop.configure(f"{PREFIX}configs.externals.retry.max-attempts=2")
        assert ["R4C-CFG-001 no template named 'external' found"] == shop.refusal(shop.resilience.reload)
        assert "2" == shop.resilience.describe("orders").of("retry")["max_attempts"].value

    def test_warnings_as_at_build(self, shop: Operated) -> None:
        shop.configure(f"{PREFIX}instances.nobody.retry.max-attempts=2")
        with pytest.warns(ResilienceWarning, match="no instance 'nobody'") as caught:
            shop.resilience.reload()
        assert [__file__] == [warning.filename for warning in caught]
        assert ["R4C-CFG-009"] == [d.code for d in shop.resilience.diagnostics]


class TestOptions:
    """The keys that stand alone."""

    def reload(self, shop: Operated, lines: str) -> None:
        shop.configure(lines)
        shop.resilience.reload()

    def test_enabled(self, shop: Operated) -> None:
        """Off and on again: the breaker still knows its calls."""
        client = shop.client(ConnectionError())
        shop.fail(3, client.charge)
        self.reload(shop, f"{PREFIX}enabled=false")
        shop.fail(9, client.charge)
        self.reload(shop, f"{PREFIX}enabled=true")
        assert (12, 3) == (client.calls, shop.resilience.circuit_breaker("payments").snapshot().window.calls)

    def test_order(self, shop: Operated) -> None:
        """With the breaker around the retry, a call that failed twice is recorded once."""
        client = shop.client(ConnectionError())
        shop.fail(1, client.send)
        assert 2 == shop.resilience.circuit_breaker("mails").snapshot().window.calls
        self.reload(shop, f"{PREFIX}order=CIRCUIT_BREAKER, RETRY")
        assert shop.resilience.options.order.index(Layer.CIRCUIT_BREAKER) == 1
        shop.fail(1, client.send)
        assert 3 == shop.resilience.circuit_breaker("mails").snapshot().window.calls

    def test_classification(self, shop: Operated) -> None:
        client = shop.client(ConnectionError())
        self.reload(shop, f"{PREFIX}classification.bypass=builtins.ConnectionError")
        shop.fail(1, client.send)
        assert 1 == client.calls

    def test_events_per_call(self, shop: Operated) -> None:
        """Also for those who listen already."""
        client = shop.client()
        client.charge()
        self.reload(shop, f"{PREFIX}events.per-call=true")
        client.charge()
        self.reload(shop, "")
        client.charge()
        assert 1 == len(shop.events.of(CallSucceeded))

    def test_offload_workers(self, shop: Operated) -> None:
        """The refusal says whose call found no thread."""
        offloaded = shop.resilience.pipeline("slow", timeout("1m", offload=True))
        self.reload(shop, f"{PREFIX}offload.max-workers=1")
        with pytest.raises(BulkheadFullError) as caught:
            offloaded.call(offloaded.call, lambda: None)
        assert ("slow", "timeout") == (caught.value.instance_id, caught.value.policy)
        said = "no thread for 'slow': all 1 worker threads for offloaded calls are busy (offload.max-workers)"
        assert said == str(caught.value)
        self.reload(shop, f"{PREFIX}offload.max-workers=2")
        assert "in time" == offloaded.call(offloaded.call, lambda: "in time")

    def test_budgets(self, shop: Operated) -> None:
        """A budget goes on with other numbers and keeps what was paid and spent."""
        empty = f"{PREFIX}budgets.shared.min-per-second=0\n{PREFIX}budgets.shared.percent=0\n"
        self.reload(shop, empty)
        pipeline = shop.resilience.pipeline("orders", retry(max_attempts=2, delay="1ms", budget="shared"))
        failing = Failing()
        assert 1 == attempts(lambda: pipeline.call(failing), failing)
        self.reload(shop, empty.replace("percent=0", "percent=100"))
        assert 2 == attempts(lambda: pipeline.call(failing), failing)
        budget = shop.resilience.snapshot().retry_budgets["shared"]
        assert (2, 1, 1) == budget


class TestCheck:
    """What was declared since `build()`, by itself."""

    def test_sources_are_not_read(self, shop: Operated) -> None:
        shop.configure("nonsense")
        shop.resilience.check()

    def test_late_declarations_count_from_then_on(self, shop: Operated) -> None:
        late: Any = shop.app.load("late", TestDeclarations.LATE)
        shop.resilience.check()
        assert "gone" == shop.resilience.wrap(late.Later()).go()
        assert 3 == shop.resilience.bulkhead("later").snapshot().limit

    def test_mistakes(self, shop: Operated) -> None:
        shop.app.load("late", TestDeclarations.LATE.replace("max_concurrent=3", "max_concurrent=0"))
        assert ["R4C-VA-001"] == [line.split()[0] for line in shop.refusal(shop.resilience.check)]

    def test_only_new_warnings(self, shop: Operated) -> None:
        shop.configure(f"{PREFIX}instances.nobody.retry.max-attempts=2")
        with pytest.warns(ResilienceWarning):
            shop.resilience.reload()
        shop.resilience.check()
        assert ["R4C-CFG-009"] == [d.code for d in shop.resilience.diagnostics]


def test_handlers_and_classifiers_are_made_once(shop: Operated) -> None:
    """They may remember something, so a reload does not replace them."""
    shop.app.load(
        "late",
        """
        from resilience4cata import *
        made = []

        class Instead(FallbackHandler[str]):
            def __init__(self):
                made.append("handler")
            def apply(self, context) -> str:
                return "instead"

        class Verdict(Classifier[str]):
            def __init__(self):
                made.append("classifier")
            def classify(self, result, failure):
                return Outcome.FAILURE

        class Later:
            @fallback(Instead)
            @retry(max_attempts=1, classifier=Verdict)
            def go(self) -> str:
                raise ConnectionError
        """,
    )
    shop.resilience.reload()
    import late  # type: ignore[import-not-found]

    client = shop.resilience.wrap(late.Later())
    assert "instead" == client.go()
    shop.resilience.reload()
    shop.resilience.reconfigure("late.Later#go", retry(max_attempts=2, delay="1ms"))
    assert "instead" == client.go()
    assert ["classifier", "handler"] == late.made


def test_breaker_and_bulkhead_of_other_declarations(shop: Operated) -> None:
    """Instances of pipelines follow the same rules."""
    pipeline = shop.resilience.pipeline("orders", circuit_breaker(), bulkhead(max_concurrent=3))
    pipeline.call(lambda: None)
    shop.configure(f"{PREFIX}instances.orders.bulkhead.max-concurrent=5")
    shop.resilience.reload()
    assert 5 == shop.resilience.bulkhead("orders").snapshot().limit
    assert 1 == shop.resilience.circuit_breaker("orders").snapshot().total.calls
    assert ID in shop.resilience.describe(ID).id
