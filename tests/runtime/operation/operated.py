"""A running application for tests: its module, its configuration file, and a `Resilience` whose time stands still."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from resilience4cata import CallNotPermittedError, ConfigSources, DefinitionError, Resilience
from resilience4cata.testing import ManualClock, ManualScheduler, RecordedEvents

from ..live import Application, application

PAYMENTS = """
    from resilience4cata import *

    class PaymentsClient:
        def __init__(self):
            self.calls = 0
            self.failure = None

        def run(self):
            self.calls += 1
            if self.failure is not None:
                raise self.failure
            return "charged"

        @circuit_breaker(name="payments", window_size=4, minimum_calls=4, failure_rate_threshold=100)
        def charge(self):
            return self.run()

        @circuit_breaker(name="mails")
        @retry(max_attempts=2, delay="1s", jitter=Jitter.NONE)
        def send(self):
            return self.run()

        @bulkhead(name="slots", max_concurrent=2)
        def hold(self, inside):
            return inside()

        @timeout("2s")
        def status(self):
            return self.run()
    """

ID = "payments.PaymentsClient#status"


class Operated:
    """The application `payments`, with `settings.properties` as its only source."""

    def __init__(self, app: Application) -> None:
        self.app = app
        self.clock = ManualClock()
        self.scheduler = ManualScheduler(self.clock)
        self.events = RecordedEvents()
        self.configure("")
        self.module: Any = app.load("payments", PAYMENTS)
        builder = Resilience.builder().only("payments", "late").source(ConfigSources.file("settings.properties"))
        builder.clock(self.clock).scheduler(self.scheduler).random(Random(1)).listener(self.events)
        self.resilience = builder.build()

    def configure(self, lines: str) -> None:
        """Write the configuration file: one key and value a line."""
        self.app.write("settings.properties", lines)

    def client(self, failure: Exception | None = None) -> Any:
        """A client that is bound."""
        client = self.resilience.wrap(self.module.PaymentsClient())
        client.failure = failure
        return client

    def fail(self, times: int, call: Callable[[], object]) -> None:
        """Make a call so often, each time with a failure of the client's or of a policy."""
        for _ in range(times):
            with pytest.raises((ConnectionError, CallNotPermittedError)):
                call()

    def refusal(self, operate: Callable[[], object]) -> list[str]:
        """What the DefinitionError of an operation says, without its first line and places."""
        with pytest.raises(DefinitionError) as caught:
            operate()
        return [f"{d.code} {d.message}" for d in caught.value.diagnostics]


@contextmanager
def operated(folder: Path) -> Iterator[Operated]:
    """The application in a folder."""
    with application(folder) as app:
        yield Operated(app)
