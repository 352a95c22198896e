"""An application with clients and a configuration file, and what is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from resilience4cata import ConfigSources, Resilience, ResilienceBuilder

CODE = """
    from datetime import timedelta
    from resilience4cata import *

    class Verdict(Classifier[str]):
        made = 0
        def __init__(self) -> None:
            Verdict.made += 1
        def classify(self, result, failure):
            return Outcome.SUCCESS

    def answer(context): ...

    external_call = resilience_policy(
        "external-call", retry(config="external", classifier=Verdict), timeout(timedelta(seconds=2))
    )

    class PaymentsClient:
        @external_call
        @circuit_breaker(name="payments", record_on=(OSError, (KeyError, ValueError)))
        def charge(self, amount: int) -> str: ...

        @fallback(answer)
        @timeout("1500ms", offload=True)
        def status(self, id: str) -> str: ...

    @external_call
    class CardClient:
        def charge(self, amount: int) -> str: ...

        @staticmethod
        def refund(amount: int) -> str: ...

        @unguarded
        def close(self) -> None: ...

    class SlowCardClient(CardClient):
        def charge(self, amount: int) -> str: ...

    @retry(jitter=Jitter.EQUAL)
    async def send(message: str) -> None: ...
    """

FILE = """
[resilience4cata.configs.external]
retry = { delay = "50ms", retry-on = ["ConnectionError", "acme.errors.Busy"], max-attempts = 4 }
timeout = { value = "7s" }

[resilience4cata.profiles.prod.configs.external]
retry = { backoff = "FIXED" }

[resilience4cata.instances]
payments = { circuit-breaker = { wait-in-open = "30s", classifier = "acme.errors.judge" } }
"acme.clients.CardClient#refund" = { timeout = { value = "9s" } }
"""

ERRORS = """
    from resilience4cata import Classifier, Outcome
    class Busy(Exception): ...
    class Judge(Classifier[str]):
        def classify(self, result, failure):
            return Outcome.FAILURE
    judge = Judge()
    SEVERAL = (OSError, Busy)
    """

SECOND = 10**9


def builder(*profiles: str) -> ResilienceBuilder:
    found = Resilience.builder().only("acme").scan("acme").source(ConfigSources.file("r.toml"))
    return found.profiles(*profiles) if profiles else found


def settings(resilience: Resilience, id: str) -> Mapping[str, Mapping[str, Any]]:
    return resilience.settings_for(resilience.element(f"acme.clients{id}"))
