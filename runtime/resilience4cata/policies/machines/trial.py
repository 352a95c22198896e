"""The half-open period of a circuit breaker: which calls are let through to find out, and what they found."""

from __future__ import annotations

from ..classification import Outcome
from .windows import Figures


class Trial:
    """One half-open period. `since` is when the first of its probes began; None while there is nothing to wait for.

    Everything here happens under the breaker's lock.
    """

    __slots__ = ("figures", "outstanding", "since")

    def __init__(self) -> None:
        self.outstanding = 0
        self.figures = Figures()
        self.since: int | None = None

    def probe(self, now: int, most: int) -> Probe | None:
        """Let one more through, unless `most` are: those that left no trace make room, those that ended do not."""
        if self.outstanding + self.figures.calls >= most:
            return None
        if self.since is None:
            self.since = now
        self.outstanding += 1
        return Probe(self)

    def end(self, probe: Probe, outcome: Outcome, slow: bool) -> bool:
        """Take the end of a probe, once: whether it was recorded."""
        if probe.ended or probe.trial is not self:
            return False
        probe.ended = True
        self.outstanding -= 1
        if outcome is Outcome.IGNORE:
            if not self.outstanding and not self.figures.calls:
                self.since = None
            return False
        self.figures = self.figures.plus(Figures(1, int(outcome is Outcome.FAILURE), int(slow)))
        return True


class Probe:
    """The admission of one half-open call; it ends once."""

    __slots__ = ("ended", "trial")

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.ended = False
