"""The half-open period of a circuit breaker: which calls are let through to find out, and what they found."""

from __future__ import annotations

from collections.abc import Callable

from ..classification import Outcome
from .windows import NO_FIGURES, Figures


class Trial:
    """One half-open period. `since` is when the first of its probes began; None while there is nothing to wait for.

    Everything here happens under the breaker's lock.
    """

    __slots__ = ("figures", "outstanding", "since")

    def __init__(self) -> None:
        self.outstanding = 0
        self.figures = NO_FIGURES
        self.since: int | None = None

    def probe(self, now: int, most: int, lost: Callable[[Probe], None]) -> Probe | None:
        """Let one more through, unless `most` are: those that left no trace make room, those that ended do not.

        `lost` is called with a probe that was let go before it ended.
        """
        if self.outstanding + self.figures.calls >= most:
            return None
        probe = Probe(self, lost)
        if self.since is None:
            self.since = now
        # Both or none of them: no signal is looked at in between.
        self.outstanding += 1
        probe.ended = False
        return probe

    def end(self, probe: Probe, outcome: Outcome, slow: bool) -> bool:
        """Take the end of a probe, once: whether it was recorded."""
        if probe.ended or probe.trial is not self:
            return False
        # Both or none of them, as above.
        probe.ended = True
        self.outstanding -= 1
        if outcome is Outcome.IGNORE:
            if not self.outstanding and not self.figures.calls:
                self.since = None
            return False
        self.figures = self.figures.plus(Figures(1, int(outcome is Outcome.FAILURE), int(slow)))
        return True


class Probe:
    """The admission of one half-open call; it ends once.

    One that an interrupt took from its call, before that could say how it ended, is let go and ends by itself.
    """

    __slots__ = ("ended", "lost", "trial")

    def __init__(self, trial: Trial, lost: Callable[[Probe], None]) -> None:
        self.ended = True
        self.lost = lost
        self.trial = trial

    def __del__(self) -> None:
        # An interrupt may have come before it had any attributes.
        if not getattr(self, "ended", True):
            self.lost(self)
