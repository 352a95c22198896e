"""SRC: source files that cannot be looked at."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics import Context, Fault, Needs, rule
from ..facts import Unreadable


@rule("R4C-SRC-001", "unreadable-source", view=Unreadable, needs=Needs.SOURCES)
def unreadable_source(source: Unreadable, context: Context) -> Iterator[Fault]:
    """What cannot be read or parsed cannot be checked; passing over it in silence would look like a clean result."""
    yield Fault(
        source.at,
        "",
        "cannot be checked: {reason}",
        {"reason": source.reason},
        help="mend it, or leave it out with 'exclude' in [tool.r4c]",
    )
