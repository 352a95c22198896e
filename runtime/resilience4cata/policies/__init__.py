"""The policies, in the order in which they run."""

from .adaptive_limit import AdaptiveLimit, Algorithm, adaptive_limit
from .applying import inherit_policies, unguarded
from .bulkhead import Bulkhead, bulkhead
from .circuit_breaker import CircuitBreaker, WindowType, circuit_breaker
from .classification import Classifier, Outcome
from .composed import ComposedPolicy, resilience_policy
from .declaration import Decorator, Duration, Policy
from .fallback import Fallback, FallbackContext, FallbackHandler, fallback
from .hedge import Hedge, hedge
from .order import DEFAULT_ORDER, Layer, Order, order
from .rate_limiter import RateLimiter, rate_limiter
from .retry import Backoff, Jitter, OnExhausted, Retry, retry
from .timeout import Timeout, timeout

__all__ = [
    "DEFAULT_ORDER",
    "AdaptiveLimit",
    "Algorithm",
    "Backoff",
    "Bulkhead",
    "CircuitBreaker",
    "Classifier",
    "ComposedPolicy",
    "Decorator",
    "Duration",
    "Fallback",
    "FallbackContext",
    "FallbackHandler",
    "Hedge",
    "Jitter",
    "Layer",
    "OnExhausted",
    "Order",
    "Outcome",
    "Policy",
    "RateLimiter",
    "Retry",
    "Timeout",
    "WindowType",
    "adaptive_limit",
    "bulkhead",
    "circuit_breaker",
    "fallback",
    "hedge",
    "inherit_policies",
    "order",
    "rate_limiter",
    "resilience_policy",
    "retry",
    "timeout",
    "unguarded",
]
