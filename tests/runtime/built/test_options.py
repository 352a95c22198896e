"""Options of the whole, from sources and the interpreter, and how strict `build()` is."""

from __future__ import annotations

import subprocess
import sys

import pytest

from resilience4cata import Budget, ConfigSources, DefinitionError, Layer, Resilience, ResilienceWarning, Severity

from ..live import Application
from .clients import SECOND, builder


class TestOptions:
    def test_defaults(self, app: Application) -> None:
        found = Resilience.builder().only("no.such").build().options
        assert (True, True, tuple(Layer), False, False, 32) == (
            found.enabled,
            found.strict,
            found.order,
            found.events_per_call,
            found.fallback_when_disabled,
            found.offload_max_workers,
        )
        assert ((), (MemoryError, RecursionError), {}) == (
            found.classification_unwrap,
            found.classification_bypass,
            dict(found.budgets),
        )

    def test_from_sources(self, app: Application) -> None:
        app.write(
            "s.properties",
            """
            resilience4cata.enabled = false
            resilience4cata.strict = false
            resilience4cata.order = TIMEOUT, RETRY
            resilience4cata.events.per-call = true
            resilience4cata.offload.max-workers = 4
            resilience4cata.classification.unwrap = acme.errors.Busy
            resilience4cata.budgets.partners.percent = 10
            """,
        )
        found = builder().source(ConfigSources.file("s.properties")).build().options
        assert (False, False, True, 4) == (
            found.enabled,
            found.strict,
            found.events_per_call,
            found.offload_max_workers,
        )
        assert [Layer.FALLBACK, Layer.TIMEOUT, Layer.HEDGE] == list(found.order[:3])
        assert Layer.RETRY is found.order[6]
        assert (sys.modules["acme.errors"].Busy,) == found.classification_unwrap
        assert {"partners": Budget(ttl=10 * SECOND, min_per_second=10, percent=10)} == dict(found.budgets)
        with pytest.raises(AttributeError):
            found.enabled = True  # type: ignore[misc]

    def test_of_the_interpreter(self, app: Application) -> None:
        """`python -X resilience4cata.enabled=false`."""
        code = (
            "from resilience4cata import *; "
            "b = Resilience.builder().source(ConfigSources.options()); print(b.build().options.enabled)"
        )
        command = [sys.executable, "-X", "resilience4cata.enabled=false", "-c", code]
        assert "False\n" == subprocess.run(command, capture_output=True, text=True, check=True).stdout


class TestStrict:
    @pytest.mark.parametrize("key", ["instances.apyments.circuit-breaker.window-size=3", "defaults.retry.dely=1s"])
    def test_what_nobody_knows(self, app: Application, key: str) -> None:
        """An error, or a warning where a source or the builder says so; the builder has the last word."""
        app.write("s.properties", f"resilience4cata.{key}")
        app.write("lax.properties", "resilience4cata.strict=false")
        strict = builder().source(ConfigSources.file("s.properties"))
        with pytest.raises(DefinitionError) as caught:
            strict.build()
        assert [Severity.ERROR] == [d.severity for d in caught.value.diagnostics]
        lax = builder().source(ConfigSources.file("s.properties")).source(ConfigSources.file("lax.properties"))
        with pytest.warns(ResilienceWarning):
            assert not lax.build().options.strict
        with pytest.raises(DefinitionError):
            lax.strict().build()

    def test_variables(self, app: Application) -> None:
        found = builder().source(ConfigSources.environment({"RESILIENCE4CATA_ENABLD": "true"}))
        with pytest.raises(DefinitionError, match="CFG-013"):
            found.build()
        with pytest.warns(ResilienceWarning, match="CFG-013"):
            found.strict(False).build()
