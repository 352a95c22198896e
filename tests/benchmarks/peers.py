"""The same policies by other libraries: decorators by policy, for synchronous and asynchronous functions."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
PLENTY = 10**9
"""Permits of a rate limiter that never refuses."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A library: its name on PyPI, its version, and its decorators by policy; `version` is None if it is missing."""

    name: str
    version: str | None
    sync: Mapping[str, Decorator] = field(default_factory=dict)
    asynchronous: Mapping[str, Decorator] = field(default_factory=dict)
    rejecting: Decorator | None = None


Decorators = tuple[Mapping[str, Decorator], Mapping[str, Decorator], Decorator | None]


def _tenacity() -> Decorators:
    tenacity = import_module("tenacity")

    both = {"retry": tenacity.retry(stop=tenacity.stop_after_attempt(3), wait=tenacity.wait_random_exponential(0.1))}
    return both, both, None


def _stamina() -> Decorators:
    stamina = import_module("stamina")

    both = {"retry": stamina.retry(on=Exception, attempts=3)}
    return both, both, None


def _backoff() -> Decorators:
    backoff = import_module("backoff")

    both: dict[str, Decorator] = {"retry": backoff.on_exception(backoff.expo, Exception, max_tries=3)}
    return both, both, None


def _pybreaker() -> Decorators:
    pybreaker = import_module("pybreaker")

    rejecting = pybreaker.CircuitBreaker()
    rejecting.open()
    # Its asynchronous form is for Tornado.
    return {"circuit_breaker": pybreaker.CircuitBreaker()}, {}, rejecting


def _circuitbreaker() -> Decorators:
    CircuitBreaker = import_module("circuitbreaker").CircuitBreaker  # noqa: N806  # a class

    def rejecting(function: Callable[..., Any]) -> Any:
        def fail(*_: Any) -> None:
            raise ConnectionError

        guarded: Any = CircuitBreaker(failure_threshold=1, recovery_timeout=3600)(fail)
        with suppress(ConnectionError):
            guarded(1)
        return guarded

    def decorate(function: Callable[..., Any]) -> Any:
        return CircuitBreaker()(function)

    return {"circuit_breaker": decorate}, {"circuit_breaker": decorate}, rejecting


def _pyresilience() -> Decorators:
    lib = import_module("pyresilience")

    several: Any = lib.resilient
    parts: dict[str, dict[str, Any]] = {
        "retry": {"retry": lib.RetryConfig()},
        # A window of calls, as ours has.
        "circuit_breaker": {"circuit_breaker": lib.CircuitBreakerConfig(sliding_window_size=100, minimum_calls=10)},
        "rate_limiter": {"rate_limiter": lib.RateLimiterConfig(max_calls=PLENTY)},
        "bulkhead": {"bulkhead": lib.BulkheadConfig(max_concurrent=25)},
        "timeout": {"timeout": lib.TimeoutConfig(seconds=1)},
        "fallback": {"fallback": lib.FallbackConfig(handler=lambda _: None)},
    }
    parts["four"] = parts["retry"] | parts["circuit_breaker"] | parts["bulkhead"] | parts["fallback"]
    parts["six"] = parts["four"] | parts["rate_limiter"] | parts["timeout"]
    made = {name: several(**policies) for name, policies in parts.items()}

    def rejecting(function: Callable[..., Any]) -> Any:
        def fail(*_: Any) -> None:
            raise ConnectionError

        config = lib.CircuitBreakerConfig(failure_threshold=1, recovery_timeout=3600)
        guarded = several(circuit_breaker=config)(fail)
        with suppress(ConnectionError):
            guarded(1)
        return guarded

    return made, made, rejecting


def _nopanic() -> Decorators:
    lib = import_module("nopanic")

    def single() -> dict[str, Any]:
        return {
            "retry": lib.retry(attempts=3, on=Exception),
            "circuit_breaker": lib.circuit_breaker(failure_threshold=0.5, min_calls=10),
            "rate_limiter": lib.rate_limit(PLENTY, per=1.0),
            "bulkhead": lib.bulkhead(25, max_wait=0),
            "timeout": lib.timeout(1.0),
            "fallback": lib.fallback(lambda _: None, on=Exception),
        }

    def several(*names: str) -> Decorator:
        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            for name in reversed(names):
                function = single()[name](function)
            return function

        return decorate

    four = several("fallback", "retry", "circuit_breaker", "bulkhead")
    six = several("fallback", "retry", "circuit_breaker", "rate_limiter", "timeout", "bulkhead")

    def rejecting(_: Callable[..., Any]) -> Callable[..., Any]:
        def fail(*_: Any) -> None:
            raise ConnectionError

        guarded: Callable[..., Any] = lib.circuit_breaker(failure_threshold=0.5, min_calls=1, reset_timeout=3600)(fail)
        with suppress(ConnectionError):
            guarded(1)
        return guarded

    made = {**single(), "four": four, "six": six}
    return made, made, rejecting


def _hyx() -> Decorators:
    bulkhead = import_module("hyx.bulkhead").bulkhead
    consecutive_breaker = import_module("hyx.circuitbreaker").consecutive_breaker
    retry = import_module("hyx.retry").retry
    timeout = import_module("hyx.timeout").timeout

    asynchronous: dict[str, Any] = {
        "retry": retry(attempts=3),
        "circuit_breaker": consecutive_breaker(),
        "bulkhead": bulkhead(max_concurrency=25, max_capacity=25),
        "timeout": timeout(max_delay_secs=1),
    }
    return {}, asynchronous, None


_PEERS: dict[str, Callable[[], Decorators]] = {
    "tenacity": _tenacity,
    "stamina": _stamina,
    "backoff": _backoff,
    "pybreaker": _pybreaker,
    "circuitbreaker": _circuitbreaker,
    "pyresilience": _pyresilience,
    "nopanic": _nopanic,
    "hyx": _hyx,
}


def peers() -> list[Peer]:
    """Every library that we compare with; those that are not installed have no version."""
    logging.disable(logging.CRITICAL)
    found = []
    for name, make in _PEERS.items():
        try:
            found.append(Peer(name, version(name), *make()))
        except (PackageNotFoundError, ImportError):
            found.append(Peer(name, None))
    return found
