"""A circuit breaker says why it permits no calls: it is open, an operator opened it, or it is half-open and full."""

from __future__ import annotations

import pytest

from resilience4cata import CallNotPermittedError, Pipeline, Resilience, State, circuit_breaker
from resilience4cata.testing import ManualClock, RecordedEvents


class World:
    def __init__(self, *, heard: bool) -> None:
        self.clock = ManualClock()
        self.resilience = Resilience.builder().clock(self.clock).only("no.module").build()
        if heard:
            RecordedEvents(self.resilience)
        policy = circuit_breaker(minimum_calls=1, window_size=1, wait_in_open="60s", half_open_calls=1)
        self.pipeline: Pipeline = self.resilience.pipeline("payments", policy)
        self.breaker = self.resilience.circuit_breaker("payments")

    def refusal(self) -> tuple[str, float | None]:
        with pytest.raises(CallNotPermittedError) as caught:
            self.pipeline.call(int)
        return str(caught.value), caught.value.retry_after

    def fail(self) -> None:
        with pytest.raises(ZeroDivisionError):
            self.pipeline.call(lambda: 1 // 0)


@pytest.mark.parametrize("heard", [False, True], ids=["nobody listens", "somebody listens"])
class TestWhy:
    def test_open(self, heard: bool) -> None:
        world = World(heard=heard)
        world.fail()
        world.clock.advance("20s")
        assert ("the circuit breaker 'payments' permits no calls, for another 40.000s", 40.0) == world.refusal()

    def test_forced_open(self, heard: bool) -> None:
        world = World(heard=heard)
        world.breaker.force_open()
        assert ("the circuit breaker 'payments' is forced open and permits no calls", None) == world.refusal()

    def test_half_open_and_full(self, heard: bool) -> None:
        """The one call that is to decide still runs."""
        world = World(heard=heard)
        world.fail()
        world.clock.advance("60s")
        said = world.pipeline.call(world.refusal)
        assert ("the circuit breaker 'payments' is half-open and permits no further calls", None) == said
        assert State.CLOSED is world.breaker.state
