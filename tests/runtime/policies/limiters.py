"""A rate limiter for tests, called as the generated wrapper calls it."""

from __future__ import annotations

from resilience4cata.policies.machines.rate_limiter import RateLimiterMachine, RateLimiterSettings
from resilience4cata.policies.machines.waits import permit

from .doubles import MS, ManualClock, ManualScheduler, RecordedEvents

C = 250 * MS


class Limited:
    """A rate limiter with a clock, called as the generated wrapper calls it."""

    def __init__(self, permits: int, period: int, max_wait: int = 0, events: RecordedEvents | None = None) -> None:
        self.events = events or RecordedEvents("payments", "rate_limiter")
        self.clock = ManualClock()
        self.scheduler = ManualScheduler(self.clock)
        self.machine = RateLimiterMachine(RateLimiterSettings(permits, period, max_wait), self.events.channel)

    def quick(self) -> bool:
        """The quick way."""
        if self.clock.now >= self.machine.end:
            self.machine.turn(self.clock.now)
        for _ in self.machine.permits:
            return True
        return False

    def call(self, deadline: int | None = None) -> int | None:
        """One call; None if it ran, else when a try may pass."""
        if self.quick():
            return None
        return permit(self.machine, self.clock, self.scheduler, self.events.channel, deadline)
