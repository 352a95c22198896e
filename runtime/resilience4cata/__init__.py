"""Resilience policies that are checked before the code runs."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

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

if _TYPE_CHECKING:
    from .diagnostics import Diagnostic, Related, Severity
    from .events import State
    from .facts import At, ConfigFile
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
    "CallNotPermittedError",
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
    "RejectedError",
    "Related",
    "Resilience",
    "ResilienceBuilder",
    "ResilienceError",
    "ResilienceWarning",
    "ResultRejectedError",
    "Severity",
    "State",
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
    "ConfigFile": "facts",
    "ConfigSource": "resilience",
    "ConfigSources": "resilience",
    "DescribedSetting": "resilience",
    "Description": "resilience",
    "Diagnostic": "diagnostics",
    "Options": "resilience",
    "Pipeline": "resilience",
    "Related": "diagnostics",
    "Resilience": "resilience",
    "ResilienceBuilder": "resilience",
    "Severity": "diagnostics",
    "State": "events",
    "current_deadline": "policies.machines.timeout",
}


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
