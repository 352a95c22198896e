# pyright: strict
"""What plain types can refuse is refused, without any plugin: checked by mypy and pyright, never run.

Each ignore comment is needed by both of them (pyright reads mypy's too), or they fail: an error that vanished is a hole
in the types.
"""

import resilience4cata
from resilience4cata import (
    Backoff,
    Classifier,
    FallbackContext,
    FallbackHandler,
    Layer,
    Resilience,
    bulkhead,
    circuit_breaker,
    fallback,
    order,
    rate_limiter,
    resilience_policy,
    retry,
    timeout,
    unguarded,
)

resilience4cata.rety  # type: ignore[attr-defined]
retry(3)  # type: ignore[call-arg, arg-type]
retry(max_atempts=3)  # type: ignore[call-arg]
retry(max_attempts="3")  # type: ignore[arg-type]
retry(max_attempts=2.5)  # type: ignore[arg-type]
retry(delay=2)  # type: ignore[arg-type]
retry(backoff="EXPONENTIAL")  # type: ignore[arg-type]
retry(retry_on=int)  # type: ignore[arg-type]
retry(retry_on=(OSError, "ValueError"))  # type: ignore[arg-type]
retry(retry_on=[OSError])  # type: ignore[arg-type]
retry(retry_on=KeyboardInterrupt)  # type: ignore[arg-type]
retry(classifier=len)  # type: ignore[arg-type]
timeout(2)  # type: ignore[arg-type]
timeout(2.5)  # type: ignore[arg-type]
timeout("2s", "3s")  # type: ignore[call-arg]
timeout("2s", offload="yes")  # type: ignore[arg-type]
circuit_breaker(window_type=Backoff.FIXED)  # type: ignore[arg-type]
circuit_breaker(failure_rate_threshold="50")  # type: ignore[arg-type]
bulkhead(5)  # type: ignore[call-arg, arg-type]
rate_limiter(permits=None)  # type: ignore[arg-type]
order("retry")  # type: ignore[arg-type]
order(layers=(Layer.RETRY,))  # type: ignore[call-arg]
resilience_policy(retry())  # type: ignore[arg-type]
resilience_policy("external-call", "retry")  # type: ignore[arg-type]
resilience_policy("external-call", retry)  # type: ignore[arg-type]
resilience_policy()  # type: ignore[call-arg]

retry().max_attempts = 5  # type: ignore[misc]


class NoApply(FallbackHandler[int]): ...


class WrongApply(FallbackHandler[int]):
    def apply(self, context: FallbackContext) -> str:  # type: ignore[override]
        return ""


class WrongOutcome(Classifier[int]):
    def classify(self, result: int | None, failure: BaseException | None) -> bool:  # type: ignore[override]
        return True


NoApply()  # type: ignore[abstract]
fallback(5)  # type: ignore[arg-type]
fallback(method=5)  # type: ignore[arg-type]
fallback(method=["a", "b"])  # type: ignore[arg-type]


@retry  # type: ignore[call-arg, arg-type]
def without_parentheses() -> None: ...


class Client:
    @retry()  # type: ignore[prop-decorator]
    @property
    def above_property(self) -> int:
        return 1

    @unguarded  # type: ignore[prop-decorator]
    @property
    def unguarded_property(self) -> int:
        return 1


retry()(5)  # type: ignore[type-var]
retry()()  # type: ignore[call-arg]
external_call = resilience_policy("external-call", retry())


@external_call()  # type: ignore[call-arg, untyped-decorator]
def called_again() -> None: ...


Resilience.builder().config("external", external_call)  # type: ignore[arg-type]
Resilience.builder().config("external", extends=5)  # type: ignore[arg-type]
Resilience.builder().source("resilience4cata.toml")  # type: ignore[arg-type]
Resilience.builder().scan("a").biuld()  # type: ignore[attr-defined]


@retry()
def function(a: int) -> str:
    return ""


function("a")  # type: ignore[arg-type]
function(1).missing  # type: ignore[attr-defined]
