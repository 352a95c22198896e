"""Change the order in which policies run.

The order is fixed, whatever order decorators are written in; `order(…)` changes it for one element. Layers that it does
not name keep their relative place.
"""

from __future__ import annotations

import sys
from enum import Enum
from typing import Final

from ..schema import AttributeKind, attribute, declaration
from .declaration import Policy
from .spelling import as_code


class Layer(Enum):
    """The layers of a call, outermost first."""

    FALLBACK = "fallback"
    RETRY = "retry"
    HEDGE = "hedge"
    CIRCUIT_BREAKER = "circuit_breaker"
    RATE_LIMITER = "rate_limiter"
    ADAPTIVE_LIMIT = "adaptive_limit"
    TIMEOUT = "timeout"
    BULKHEAD = "bulkhead"


DEFAULT_ORDER: Final = tuple(Layer)


@declaration("order")
class Order(Policy):
    """The layers of one element, outermost first."""

    layers: tuple[Layer, ...] = attribute(
        AttributeKind.LAYERS, default=DEFAULT_ORDER, kw_only=False, doc="The layers, outermost first."
    )

    def __init__(self, *layers: Layer) -> None:
        self._remember({"layers": layers}, sys._getframe(1))

    def __repr__(self) -> str:
        return f"order({', '.join(map(as_code, self.layers))})"


order = Order
