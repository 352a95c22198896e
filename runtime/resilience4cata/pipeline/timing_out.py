"""The timeout layer: a deadline for one attempt, and what becomes of a call that misses it."""

from __future__ import annotations

from ..clock import SECOND, Clock
from ..errors import TimeoutExceededError
from ..events import Channel, TimedOut
from ..policies.machines.timeout import Now, TimeoutSettings, enter_deadline, keep_deadline, nearest
from ..records import dataclass
from .outcome import Outcome
from .ports import Port
from .slow import Call, dropped


@dataclass(frozen=True, slots=True)
class TimeoutLayer:
    """Bounds one attempt."""

    settings: TimeoutSettings
    channel: Channel
    clock: Clock

    async def run(self, call: Call, inner: int, port: Port) -> Outcome:
        now, limit = self.clock.monotonic_ns, self.settings.value
        head = call.head
        began = now() if head is None or head.began is None else head.began

        async def body(port: Port) -> Outcome:
            return await call.inside(inner, port)

        token = keep_deadline()
        try:
            enter_deadline(began + limit, now)
            if self.settings.offload:
                limit = _longest_wait(began, limit, now)
            outcome, late = await port.limited(
                body, limit, began, offload=self.settings.offload, instance_id=self.channel.instance_id, head=head
            )
        finally:
            port.leave_deadline(token)
        try:
            if outcome is not None and not late:
                return outcome
            if outcome is not None:
                dropped(outcome.result)
        finally:
            del outcome
        elapsed = now() - began
        if self.channel.wants(TimedOut):
            self.channel.emit((TimedOut(*self.channel.stamp(began + elapsed), limit, elapsed, late),))
        return Outcome(failure=self._error(limit, late))

    def _error(self, limit: int, late: bool) -> TimeoutExceededError:
        id_, seconds = self.channel.instance_id, limit / SECOND
        how = "finished, but after more than" if late else "did not finish within"
        msg = f"'{id_}' {how} {seconds:g}s"
        return TimeoutExceededError(msg, instance_id=id_, policy="timeout", limit=seconds, completed=late)


def _longest_wait(began: int, limit: int, now: Now) -> int:
    """How long the caller of an offloaded function waits: like every wait, until the nearest deadline at the latest."""
    deadline = nearest(now)
    return limit if deadline is None else min(limit, max(0, deadline - began))
