"""Give up waiting.

A timeout bounds one attempt, while the retry's `max_duration` bounds them all. Asynchronous calls are cancelled. A
synchronous call cannot be: by default it gets a deadline that it can ask for and that is checked when it returns; with
`offload` it runs on a worker thread and the caller gets the error on time.
"""

from __future__ import annotations

from ..schema import UNSET, AttributeKind, Unset, attribute, declaration
from .declaration import Duration, Policy


@declaration("timeout")
class Timeout(Policy):
    """The attributes of a timeout; see the module's description."""

    value: Duration | Unset = attribute(
        AttributeKind.DURATION, default="1s", zero=False, kw_only=False, doc="Longest time that one attempt may take."
    )
    config: str | Unset = attribute(AttributeKind.TEMPLATE_NAME, default=UNSET, doc="Template to start from.")
    offload: bool | Unset = attribute(
        AttributeKind.BOOLEAN, default=False, doc="Run a synchronous function on a worker thread."
    )
    enabled: bool | Unset = attribute(AttributeKind.BOOLEAN, default=True, doc="False sets no bound.")


timeout = Timeout
