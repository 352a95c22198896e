"""What an operator sees and does: handles, pictures of all, beginning anew, and listening for a while."""

from __future__ import annotations

import json
from typing import Any

import pytest

from resilience4cata import CallNotPermittedError, RateLimitExceededError, State, circuit_breaker, rate_limiter, retry
from resilience4cata.events import RateLimitDelayed, StateTransition
from resilience4cata.pipeline.handles import BulkheadHandle

from .operated import Operated

S = 1_000_000_000


class TestReset:
    def test_breakers(self, shop: Operated) -> None:
        """Also those that an operator forced."""
        client = shop.client(ConnectionError())
        shop.fail(5, client.charge)
        shop.resilience.circuit_breaker("mails").force_open()
        shop.resilience.reset()
        breakers = shop.resilience.snapshot().circuit_breakers
        assert {"payments": State.CLOSED, "mails": State.CLOSED} == {n: b.state for n, b in breakers.items()}
        assert ((0, 0, 0), 0) == (breakers["payments"].total, breakers["payments"].not_permitted)

    def test_rate_limiters(self, shop: Operated) -> None:
        """All permits of a new cycle, which begins now."""
        pipeline = shop.resilience.pipeline("limited", rate_limiter(permits=2, period="10s"))
        pipeline.call(lambda: None)
        pipeline.call(lambda: None)
        with pytest.raises(RateLimitExceededError):
            pipeline.call(lambda: None)
        shop.clock.advance("4s")
        shop.resilience.reset()
        assert (2, 0, 0) == shop.resilience.rate_limiter("limited").snapshot()
        pipeline.call(lambda: None)
        pipeline.call(lambda: None)
        with pytest.raises(RateLimitExceededError) as caught:
            pipeline.call(lambda: None)
        assert 10.0 == caught.value.retry_after

    def test_permits_that_are_waited_for_are_still_theirs(self, shop: Operated) -> None:
        """Of the two permits of the new cycle one was promised before."""
        pipeline = shop.resilience.pipeline("limited", rate_limiter(permits=2, period="10s", max_wait="1m"))
        pipeline.call(lambda: None)
        pipeline.call(lambda: None)
        shop.clock.advance("4s")

        def while_it_waits(event: RateLimitDelayed) -> None:
            waiting.cancel()
            shop.resilience.rate_limiter("limited").reset()
            assert (1, 0, 0) == shop.resilience.rate_limiter("limited").snapshot()

        waiting = shop.resilience.listen(RateLimitDelayed, while_it_waits)
        pipeline.call(lambda: None)
        assert [6 * S] == shop.scheduler.waits
        assert (1, 0, 0) == shop.resilience.rate_limiter("limited").snapshot()

    def test_retry_budgets(self, shop: Operated) -> None:
        shop.configure("resilience4cata.budgets.few.min-per-second=0.1\nresilience4cata.budgets.few.percent=0")
        shop.resilience.reload()
        pipeline = shop.resilience.pipeline("orders", retry(max_attempts=5, delay="1ms", budget="few"))
        client = shop.client(ConnectionError())
        shop.fail(1, lambda: pipeline.call(client.run))
        assert (1, 1, 0) == shop.resilience.snapshot().retry_budgets["few"]
        shop.resilience.reset()
        assert (0, 0, 1) == shop.resilience.snapshot().retry_budgets["few"]

    def test_bulkheads_belong_to_the_calls_that_run(self, shop: Operated) -> None:
        client = shop.client()
        slots = shop.resilience.bulkhead("slots")
        client.hold(shop.resilience.reset)
        assert (2, 1, 1, 0) == client.hold(slots.snapshot)
        assert (2, 0, 2, 0) == slots.snapshot()
        assert not hasattr(BulkheadHandle, "reset")


class TestBreakerHandle:
    def test_forced_states(self, shop: Operated) -> None:
        client = shop.client()
        breaker = shop.resilience.circuit_breaker("payments")
        breaker.force_open()
        with pytest.raises(CallNotPermittedError):
            client.charge()
        breaker.disable()
        assert ("charged", State.DISABLED, 0) == (client.charge(), breaker.state, breaker.snapshot().total.calls)
        breaker.force_closed()
        assert ("charged", State.CLOSED, 1) == (client.charge(), breaker.state, breaker.snapshot().total.calls)

    def test_a_forced_state_survives_a_reload(self, shop: Operated) -> None:
        breaker = shop.resilience.circuit_breaker("payments")
        breaker.force_open()
        shop.configure("resilience4cata.instances.payments.circuit-breaker.window-size=50")
        shop.resilience.reload()
        assert State.FORCED_OPEN is shop.resilience.circuit_breaker("payments").state is breaker.state

    def test_unknown_name(self, shop: Operated) -> None:
        with pytest.raises(LookupError, match=r"there is no circuit_breaker 'paymets'; did you mean 'payments'\?"):
            shop.resilience.circuit_breaker("paymets")


class TestSnapshot:
    def taken(self, shop: Operated) -> Any:
        client = shop.client(ConnectionError())
        shop.fail(3, client.charge)
        client.failure = None
        client.charge()
        client.hold(lambda: None)
        shop.resilience.pipeline("limited", rate_limiter(permits=5)).call(lambda: None)
        return shop.resilience.snapshot()

    def test_printed(self, shop: Operated) -> None:
        text = (
            "circuit_breaker mails     closed, window calls 0 failed 0 slow 0, total calls 0 failed 0 slow 0, "
            "not permitted 0\n"
            "circuit_breaker payments  closed, failure rate 75%, window calls 4 failed 3 slow 0, "
            "total calls 4 failed 3 slow 0, not permitted 0\n"
            "bulkhead slots            limit 2, running 0, free 2, waiting 0\n"
            "rate_limiter limited      available 4, reserved 0, refused 0"
        )
        assert text == str(self.taken(shop))

    def test_printed_without_instances(self, shop: Operated) -> None:
        assert "no instance is in use" == str(shop.resilience.snapshot())

    def test_plain_values(self, shop: Operated) -> None:
        plain = self.taken(shop).as_dict()
        assert plain == json.loads(json.dumps(plain))
        assert ["circuit_breakers", "bulkheads", "rate_limiters", "retry_budgets"] == [*plain]
        assert {
            "state": "closed",
            "failure_rate": 75.0,
            "slow_call_rate": None,
            "window": {"calls": 4, "failed": 3, "slow": 0},
            "total": {"calls": 4, "failed": 3, "slow": 0},
            "not_permitted": 0,
        } == plain["circuit_breakers"]["payments"]

    def test_it_cannot_be_changed(self, shop: Operated) -> None:
        snapshot = self.taken(shop)
        with pytest.raises(TypeError):
            snapshot.bulkheads["slots"] = None
        with pytest.raises(AttributeError, match="cannot assign to field"):
            snapshot.bulkheads = {}


def test_description_as_plain_values(shop: Operated) -> None:
    shop.resilience.reconfigure("payments", circuit_breaker(wait_in_open="5s"))
    plain = shop.resilience.describe("payments.PaymentsClient#charge").as_dict()
    assert plain == json.loads(json.dumps(plain))
    assert (["circuit_breaker"], {"circuit_breaker": "payments"}) == (plain["layers"], plain["instances"])
    setting = plain["settings"]["circuit_breaker"]["wait_in_open"]
    assert ("5s", [{"value": "60s", "origin": "built-in default"}]) == (setting["value"], setting["shadowed"])
    assert setting["origin"].startswith('reconfigure("payments") (')


class TestSubscriptions:
    def test_cancelled(self, shop: Operated) -> None:
        """Nothing is heard any more, and nothing happens the second time."""
        heard: list[StateTransition] = []
        subscription = shop.resilience.listen(StateTransition, heard.append, instance="payments")
        breaker = shop.resilience.circuit_breaker("payments")
        breaker.force_open()
        subscription.cancel()
        subscription.cancel()
        breaker.reset()
        assert [State.FORCED_OPEN] == [event.after for event in heard]
        assert 2 == len(shop.events.of(StateTransition))

    def test_of_two_alike_only_one_ends(self, shop: Operated) -> None:
        heard: list[StateTransition] = []
        first, _ = (shop.resilience.listen(StateTransition, heard.append) for _ in range(2))
        first.cancel()
        shop.resilience.circuit_breaker("payments").force_open()
        assert 1 == len(heard)
