"""What can be replaced in a `Resilience`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..clock import SYSTEM_CLOCK, Clock, Scheduler
from ..policies.machines.retry import Random
from ..records import dataclass, field

if TYPE_CHECKING:
    from concurrent.futures import Executor


@dataclass(slots=True)
class Parts:
    """What can be replaced in a `Resilience`, by tests above all."""

    clock: Clock = SYSTEM_CLOCK
    scheduler: Scheduler | None = None
    random: Random | None = None
    executor: Executor | None = None
    make_handler: Callable[[type], Any] = field(default=lambda kind: kind())
    listeners: list[tuple[Any, Callable[[Any], object]]] = field(default_factory=list)
