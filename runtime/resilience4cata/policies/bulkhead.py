"""Keep one slow dependency from using up everything.

A bulkhead bounds how many calls run at the same time. It is the innermost policy: a slot is held only while the
function runs, never during a back-off.
"""

from __future__ import annotations

from ..schema import UNSET, AttributeKind, Unset, attribute, declaration
from .declaration import Duration, Policy


@declaration("bulkhead")
class Bulkhead(Policy):
    """The attributes of a bulkhead; see the module's description."""

    name: str | Unset = attribute(
        AttributeKind.INSTANCE_NAME,
        default=UNSET,
        doc="Instance whose slots are used; methods with one name share them.",
    )
    config: str | Unset = attribute(AttributeKind.TEMPLATE_NAME, default=UNSET, doc="Template to start from.")
    max_concurrent: int | Unset = attribute(
        AttributeKind.INTEGER, default=25, minimum=1, doc="Calls that may run at the same time."
    )
    max_wait: Duration | Unset = attribute(
        AttributeKind.DURATION, default="0", doc='Longest wait for a slot; "0" refuses at once.'
    )
    enabled: bool | Unset = attribute(AttributeKind.BOOLEAN, default=True, doc="False sets no limit.")


bulkhead = Bulkhead
