"""Tuning one instance while the program runs."""

from __future__ import annotations

from typing import Any

import pytest

from resilience4cata import (
    BulkheadFullError,
    CallNotPermittedError,
    DefinitionError,
    RateLimitExceededError,
    Resilience,
    State,
    TimeoutExceededError,
    WindowType,
    bulkhead,
    circuit_breaker,
    order,
    rate_limiter,
    resilience_policy,
    retry,
    timeout,
)
from resilience4cata.events import RateLimitDelayed, StateTransition

from .operated import ID, Operated

S = 1_000_000_000


class TestWhatCounts:
    """Attributes apply live, to everything that uses the instance."""

    def test_threshold_applies_to_the_calls_so_far(self, shop: Operated) -> None:
        """Two of four failed; at 50 % that opens the breaker at once."""
        client = shop.client()
        for failure in (ConnectionError(), None, ConnectionError(), None):
            client.failure = failure
            shop.fail(1, client.charge) if failure else client.charge()
        breaker = shop.resilience.circuit_breaker("payments")
        assert (State.CLOSED, 50.0) == breaker.snapshot()[:2]
        shop.resilience.reconfigure("payments", circuit_breaker(failure_rate_threshold=50))
        assert (State.OPEN, 50.0) == breaker.snapshot()[:2]
        assert [(State.CLOSED, State.OPEN)] == [(e.before, e.after) for e in shop.events.of(StateTransition)]
        with pytest.raises(CallNotPermittedError):
            client.charge()

    def test_retry_of_an_object_that_was_bound_before(self, shop: Operated) -> None:
        client = shop.client(ConnectionError())
        shop.fail(1, client.send)
        assert ([S], 2) == (shop.scheduler.waits, client.calls)
        shop.resilience.reconfigure("payments.PaymentsClient#send", retry(max_attempts=4, delay="2s"))
        shop.fail(1, client.send)
        assert ([S, 2 * S, 4 * S, 8 * S], 6) == (shop.scheduler.waits, client.calls)

    def test_timeout_by_the_id_of_its_element(self, shop: Operated) -> None:
        client = shop.client()
        client.run = lambda: shop.clock.advance("3s")
        with pytest.raises(TimeoutExceededError) as caught:
            client.status()
        assert 2.0 == caught.value.limit
        shop.resilience.reconfigure(ID, timeout("4s"))
        assert client.status() is None

    def test_pipelines_by_their_name(self, shop: Operated) -> None:
        """Policies without an instance too: a pipeline's timeout has the pipeline's name."""
        pipeline = shop.resilience.pipeline("orders", retry(max_attempts=1), timeout("1s"))
        shop.resilience.reconfigure("orders", timeout("4s"), retry(max_attempts=3, delay="1ms"))
        calls: list[int] = []

        def call() -> None:
            calls.append(shop.clock.now)
            shop.clock.advance("3s")
            raise ConnectionError

        with pytest.raises(ConnectionError):
            pipeline.call(call)
        assert 3 == len(calls)
        assert pipeline is shop.resilience.pipeline("orders", retry(max_attempts=1), timeout("1s"))

    def test_a_pipeline_that_is_made_afterwards_shares_the_settings(self, shop: Operated) -> None:
        shop.client()
        shop.resilience.reconfigure("slots", bulkhead(max_concurrent=1))
        pipeline = shop.resilience.pipeline("other", bulkhead(name="slots", max_concurrent=2))
        with pytest.raises(BulkheadFullError):
            pipeline.call(pipeline.call, lambda: None)

    def test_lists_of_exceptions(self, shop: Operated) -> None:
        """What is compiled into layers."""
        client = shop.client(ConnectionError())
        shop.resilience.reconfigure("payments.PaymentsClient#send", retry(abort_on=ConnectionError))
        shop.fail(1, client.send)
        assert 1 == client.calls


class TestState:
    """Machines stay; only another window begins anew."""

    def test_a_lowered_bulkhead_is_a_debt(self, shop: Operated) -> None:
        """Nobody is turned out, and nobody enters until usage is below the new limit."""
        client = shop.client()
        slots = shop.resilience.bulkhead("slots")

        def lower() -> Any:
            shop.resilience.reconfigure("slots", bulkhead(max_concurrent=1))
            with pytest.raises(BulkheadFullError):
                client.hold(lambda: None)
            return slots.snapshot()

        during = client.hold(lambda: client.hold(lower))
        assert (1, 2, 0, 0) == during
        assert (1, 0, 1, 0) == slots.snapshot()

    def test_another_window_begins_empty_and_closed(self, shop: Operated) -> None:
        client = shop.client(ConnectionError())
        shop.fail(4, client.charge)
        breaker = shop.resilience.circuit_breaker("payments")
        assert State.OPEN is breaker.state
        shop.resilience.reconfigure("payments", circuit_breaker(window_type=WindowType.TIME))
        assert (State.CLOSED, None, 0) == (
            breaker.state,
            breaker.snapshot().failure_rate,
            breaker.snapshot().window.calls,
        )
        assert 4 == breaker.snapshot().total.calls

    def test_anything_else_keeps_the_window(self, shop: Operated) -> None:
        client = shop.client()
        client.charge()
        shop.resilience.reconfigure("payments", circuit_breaker(wait_in_open="5s", slow_call_duration="1s"))
        assert 1 == shop.resilience.circuit_breaker("payments").snapshot().window.calls

    def test_a_new_wait_counts_for_a_breaker_that_is_open(self, shop: Operated) -> None:
        client = shop.client(ConnectionError())
        shop.fail(4, client.charge)
        shop.clock.advance("10s")
        shop.resilience.reconfigure("payments", circuit_breaker(wait_in_open="10s"))
        assert State.HALF_OPEN is shop.resilience.circuit_breaker("payments").state

    def test_reservations_of_a_limiter_are_kept(self, shop: Operated) -> None:
        """A call that waits for its permit gets it at the moment that it was promised; others come after it."""
        limiter = rate_limiter(permits=1, period="10s", max_wait="1m")
        pipeline = shop.resilience.pipeline("limited", limiter)
        pipeline.call(lambda: None)

        def while_it_waits(event: object) -> None:
            subscription.cancel()
            shop.resilience.reconfigure("limited", rate_limiter(permits=1, period="2s", max_wait="0"))
            assert (0, 1, 0) == shop.resilience.rate_limiter("limited").snapshot()

        subscription = shop.resilience.listen(RateLimitDelayed, while_it_waits)
        began = shop.clock.now
        pipeline.call(lambda: None)
        assert ([10 * S], 10 * S) == (shop.scheduler.waits, shop.clock.now - began)
        with pytest.raises(RateLimitExceededError) as caught:
            pipeline.call(lambda: None)
        assert 2.0 == caught.value.retry_after

    def test_a_running_call_finishes_on_the_settings_it_began_with(self, shop: Operated) -> None:
        """Its retry goes on as planned although there are to be no attempts any more."""
        client = shop.client()
        attempts: list[None] = []

        def run() -> None:
            shop.resilience.reconfigure("payments.PaymentsClient#send", retry(max_attempts=1))
            attempts.append(None)
            raise ConnectionError

        client.run = run
        shop.fail(1, client.send)
        assert 2 == len(attempts)
        shop.fail(1, client.send)
        assert 3 == len(attempts)


class TestLayer:
    """It is the strongest layer, until it is taken back."""

    def test_later_calls_add_to_earlier_ones(self, shop: Operated) -> None:
        tune = shop.resilience.reconfigure
        tune("payments", circuit_breaker(failure_rate_threshold=30, wait_in_open="5s"))
        tune("payments", circuit_breaker(failure_rate_threshold=40))
        found = shop.resilience.describe("payments.PaymentsClient#charge").of("circuit_breaker")
        assert ("40", "5s") == (found["failure_rate_threshold"].value, found["wait_in_open"].value)
        assert ["30", "100", "50"] == [value for value, _ in found["failure_rate_threshold"].shadowed]

    def test_provenance(self, shop: Operated) -> None:
        shop.resilience.reconfigure("payments", circuit_breaker(wait_in_open="5s"))
        found = shop.resilience.describe("payments.PaymentsClient#charge").of("circuit_breaker")["wait_in_open"]
        assert str(found).startswith('wait_in_open=5s <- reconfigure("payments") (')

    def test_taking_it_back(self, shop: Operated) -> None:
        tune = shop.resilience.reconfigure
        tune("payments", circuit_breaker(failure_rate_threshold=30))
        tune("slots", bulkhead(max_concurrent=1))
        tune("payments")
        found = shop.resilience.describe("payments.PaymentsClient#charge").of("circuit_breaker")
        assert "100" == found["failure_rate_threshold"].value
        assert 1 == shop.resilience.bulkhead("slots").snapshot().limit

    def test_it_survives_a_reload(self, shop: Operated) -> None:
        shop.resilience.reconfigure("slots", bulkhead(max_concurrent=1))
        shop.configure("resilience4cata.instances.slots.bulkhead.max-concurrent=7")
        shop.resilience.reload()
        assert 1 == shop.resilience.bulkhead("slots").snapshot().limit
        shop.resilience.reconfigure("slots")
        assert 7 == shop.resilience.bulkhead("slots").snapshot().limit

    def test_superseded_calls_are_forgotten(self, shop: Operated) -> None:
        """A program that tunes itself every second must not grow."""
        for limit in (3, 4, 5):
            shop.resilience.reconfigure("slots", bulkhead(max_concurrent=limit))
        found = shop.resilience.describe("payments.PaymentsClient#hold").of("bulkhead")["max_concurrent"]
        assert ("5", ["2", "25"]) == (found.value, [value for value, _ in found.shadowed])


class TestRefusals:
    """Checked by the rules of everything else; what is refused changes nothing."""

    def test_unknown_name(self, shop: Operated) -> None:
        said = shop.refusal(lambda: shop.resilience.reconfigure("paymets", circuit_breaker(wait_in_open="5s")))
        assert ["R4C-CFG-009 no instance 'paymets' is declared"] == said

    def test_suggestion_and_place(self, shop: Operated) -> None:
        with pytest.raises(DefinitionError) as caught:
            shop.resilience.reconfigure("paymets", circuit_breaker(wait_in_open="5s"))
        (diagnostic,) = caught.value.diagnostics
        assert (("payments",), __file__) == (diagnostic.suggestions, diagnostic.at.source)
        assert 'reconfigure("paymets")' in diagnostic.text

    def test_policy_that_is_not_declared(self, shop: Operated) -> None:
        said = shop.refusal(lambda: shop.resilience.reconfigure("payments", bulkhead(max_concurrent=3)))
        assert ["R4C-CFG-010 the shared instance 'payments' has no bulkhead"] == said

    def test_value_out_of_range(self, shop: Operated) -> None:
        """All diagnostics at once."""
        wrong = circuit_breaker(failure_rate_threshold=0, window_size=0)
        said = shop.refusal(lambda: shop.resilience.reconfigure("payments", wrong))
        assert ["R4C-VA-001", "R4C-VA-001"] == [line.split()[0] for line in said]
        found = shop.resilience.describe("payments.PaymentsClient#charge").of("circuit_breaker")
        assert "100" == found["failure_rate_threshold"].value

    def test_locked_instance(self, shop: Operated) -> None:
        shop.configure("resilience4cata.instances.payments.locked=true")
        shop.resilience.reload()
        said = shop.refusal(lambda: shop.resilience.reconfigure("payments", circuit_breaker(wait_in_open="5s")))
        assert ["R4C-CFG-014 refused, since the instance 'payments' is locked"] == said

    def test_composed_policies(self, shop: Operated) -> None:
        composed: Any = resilience_policy("external", retry())
        with pytest.raises(TypeError, match="expected single policies"):
            shop.resilience.reconfigure("payments", composed)

    def test_choosing_another_instance_or_template(self, shop: Operated) -> None:
        """They would have no effect; the builder refuses them too."""
        with pytest.raises(TypeError, match="'config' is chosen where retry is applied"):
            shop.resilience.reconfigure("payments", retry(config="external"))
        with pytest.raises(TypeError, match="'name' is chosen where bulkhead is applied"):
            Resilience.builder().instance("payments", bulkhead(name="slots"))

    def test_order_of_an_element_without_one(self, shop: Operated) -> None:
        layers: Any = order()
        said = shop.refusal(lambda: shop.resilience.reconfigure(ID, layers))
        assert "R4C-CFG-010 payments.PaymentsClient.status declares no order" in said
