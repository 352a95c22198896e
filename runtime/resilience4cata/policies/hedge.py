"""Ask a second time before the first answer is overdue.

A hedge starts further attempts when the first is slow, and takes the first good answer. It trades load for latency and
is meant for reads. It stands where a retry would stand.
"""

from __future__ import annotations

from ..schema import UNSET, AttributeKind, Unset, attribute, declaration
from .declaration import Duration, Policy


@declaration("hedge")
class Hedge(Policy):
    """The attributes of a hedge; see the module's description."""

    name: str | Unset = attribute(AttributeKind.INSTANCE_NAME, default=UNSET, doc="Instance whose counts are shown.")
    config: str | Unset = attribute(AttributeKind.TEMPLATE_NAME, default=UNSET, doc="Template to start from.")
    delay: Duration | Unset = attribute(
        AttributeKind.DURATION, default="100ms", doc='Wait before the next attempt starts; "0" starts all at once.'
    )
    max_hedged: int | Unset = attribute(AttributeKind.INTEGER, default=1, minimum=1, doc="Attempts beyond the first.")
    enabled: bool | Unset = attribute(AttributeKind.BOOLEAN, default=True, doc="False calls once.")


hedge = Hedge
