"""Copies of a builder, from which tests build variants."""

from __future__ import annotations

from resilience4cata import ConfigSources, Resilience, circuit_breaker, retry
from resilience4cata.events import StateTransition
from resilience4cata.testing import ManualClock, RecordedEvents


def test_knows_what_was_told() -> None:
    """A copy builds what the original would."""
    clock, events = ManualClock(), RecordedEvents()
    builder = Resilience.builder().only("nothing").clock(clock).listener(events)
    builder.source(ConfigSources.options({"resilience4cata.enabled": "false"}))
    built = builder.copy().build()
    built.pipeline("charge", circuit_breaker())
    built.circuit_breaker("charge").force_open()
    assert not built.options.enabled
    assert clock.now == events.one(StateTransition).nanoseconds


def test_later_words_count_for_one_alone() -> None:
    """What either is told afterwards, the other does not know."""
    builder, heard = Resilience.builder().only("nothing").profiles("red"), RecordedEvents()
    copy = builder.copy()
    copy.listener(heard).clock(ManualClock()).config("patient", retry(max_attempts=9)).profiles("blue")
    copy.source(ConfigSources.options({"resilience4cata.strict": "false"}))
    builder.strict(False)
    built = builder.build()
    built.pipeline("charge", circuit_breaker())
    built.circuit_breaker("charge").force_open()
    assert ("red",) == built.profiles
    assert ([], True) == (heard.types(), built.options.enabled)
