"""Resilience policies that are checked before the code runs."""

import typing as _typing

from ._version import __version__
from .errors import (
    BulkheadFullError,
    CallNotPermittedError,
    ConcurrencyLimitExceededError,
    DefinitionError,
    RateLimitExceededError,
    RejectedError,
    ResilienceError,
    ResilienceWarning,
    ResultRejectedError,
    TimeoutExceededError,
)
from .policies import (
    Algorithm,
    Backoff,
    Classifier,
    FallbackContext,
    FallbackHandler,
    Jitter,
    Layer,
    OnExhausted,
    Outcome,
    WindowType,
    adaptive_limit,
    bulkhead,
    circuit_breaker,
    fallback,
    hedge,
    inherit_policies,
    order,
    rate_limiter,
    resilience_policy,
    retry,
    timeout,
    unguarded,
)
from .schema import UNSET

if _typing.TYPE_CHECKING:
    from .diagnostics import Diagnostic, Related, Severity
    from .events import State, Subscription
    from .facts import At, ConfigFile
    from .pipeline.handles import BulkheadHandle, CircuitBreakerHandle, RateLimiterHandle, Snapshot
    from .policies.machines.timeout import current_deadline
    from .resilience import (
        Budget,
        ConfigSource,
        ConfigSources,
        DescribedSetting,
        Description,
        Options,
        Pipeline,
        Resilience,
        ResilienceBuilder,
    )

__all__ = [
    "UNSET",
    "Algorithm",
    "At",
    "Backoff",
    "Budget",
    "BulkheadFullError",
    "BulkheadHandle",
    "CallNotPermittedError",
    "CircuitBreakerHandle",
    "Classifier",
    "ConcurrencyLimitExceededError",
    "ConfigFile",
    "ConfigSource",
    "ConfigSources",
    "DefinitionError",
    "DescribedSetting",
    "Description",
    "Diagnostic",
    "FallbackContext",
    "FallbackHandler",
    "Jitter",
    "Layer",
    "OnExhausted",
    "Options",
    "Outcome",
    "Pipeline",
    "RateLimitExceededError",
    "RateLimiterHandle",
    "RejectedError",
    "Related",
    "Resilience",
    "ResilienceBuilder",
    "ResilienceError",
    "ResilienceWarning",
    "ResultRejectedError",
    "Severity",
    "Snapshot",
    "State",
    "Subscription",
    "TimeoutExceededError",
    "WindowType",
    "__version__",
    "adaptive_limit",
    "bulkhead",
    "circuit_breaker",
    "current_deadline",
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

# What checks declarations is loaded when it is first used: importing a module that only declares stays cheap.
_LAZY = {
    "At": "facts",
    "Budget": "resilience",
    "BulkheadHandle": "pipeline.handles",
    "CircuitBreakerHandle": "pipeline.handles",
    "ConfigFile": "facts",
    "ConfigSource": "resilience",
    "ConfigSources": "resilience",
    "DescribedSetting": "resilience",
    "Description": "resilience",
    "Diagnostic": "diagnostics",
    "Options": "resilience",
    "Pipeline": "resilience",
    "RateLimiterHandle": "pipeline.handles",
    "Related": "diagnostics",
    "Resilience": "resilience",
    "ResilienceBuilder": "resilience",
    "Severity": "diagnostics",
    "Snapshot": "pipeline.handles",
    "State": "events",
    "Subscription": "events",
    "current_deadline": "policies.machines.timeout",
}


# Hidden from type checkers, which would take any name for one of the package's.
if not _typing.TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        module = _LAZY.get(name)
        if module is None:
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        from importlib import import_module

        value: object = getattr(import_module(f"{__name__}.{module}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
