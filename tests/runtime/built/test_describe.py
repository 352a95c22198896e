"""What a built application says of its settings, and where they come from."""

from __future__ import annotations

import pickle
import sys

import pytest

from ..live import Application
from .clients import builder


class TestDescribe:
    def test_by_function(self, app: Application) -> None:
        """A function, a bound method, a static method, or the id."""
        resilience = builder().build()
        clients = sys.modules["acme.clients"]
        targets = {
            "acme.clients#send": (clients.send,),
            "acme.clients.PaymentsClient#charge": (
                clients.PaymentsClient.charge,
                clients.PaymentsClient().charge,
                "acme.clients.PaymentsClient#charge",
            ),
            "acme.clients.CardClient#refund": (clients.CardClient.refund, vars(clients.CardClient)["refund"]),
        }
        for id, several in targets.items():
            assert [id] * len(several) == [resilience.describe(target).id for target in several]

    def test_in_words(self, app: Application) -> None:
        """Layers in their order, each value with its origin, objects by what they are."""
        lines = str(builder("prod").build().describe("acme.clients.PaymentsClient#charge")).splitlines()
        assert [
            "acme.clients.PaymentsClient#charge",
            "  retry -> circuit_breaker -> timeout -> the function",
        ] == lines[:2]
        for line in (
            "    backoff=FIXED <- configs.external (prod profile, r.toml:6)",
            "    retry_on=(ConnectionError, Busy) <- configs.external (r.toml:2)",
            '    value=2s <- resilience_policy("external-call") (acme/clients.py:14)',
            "  circuit_breaker (instance 'payments')",
            "    wait_in_open=30s <- instances.payments (r.toml:9)",
            "    classifier=judge <- instances.payments (r.toml:9)",
            "    window_size=100 <- built-in default",
        ):
            assert line in lines, line

    def test_frozen(self, app: Application) -> None:
        """A value like any other."""
        description = builder().build().describe("acme.clients#send")
        assert description == pickle.loads(pickle.dumps(description))
        with pytest.raises(AttributeError):
            description.id = "x"  # type: ignore[misc]

    @pytest.mark.parametrize(
        ("target", "said"),
        [
            ("acme.clients.PaymentsClient#chrge", "did you mean 'acme.clients.PaymentsClient#charge'?"),
            ("acme.clients.PaymentsClient.charge", "did you mean 'acme.clients.PaymentsClient#charge'?"),
            ("xyz", "an id looks like 'acme.clients."),
            (print, "nothing guarded has the id"),
            (int, "nothing guarded has the id"),
            (lambda: None, "TestDescribe#<lambda>"),
        ],
    )
    def test_unknown(self, app: Application, target: object, said: str) -> None:
        """A LookupError with the nearest id."""
        del app
        with pytest.raises(LookupError) as caught:
            builder().build().describe(target)
        assert said in str(caught.value)
