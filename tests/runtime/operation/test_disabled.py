"""A `Resilience` that lets everything pass."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from resilience4cata import ConfigSource, ConfigSources, DefinitionError, Resilience, circuit_breaker, retry

from .operated import Operated

FALLING_BACK = """
    from resilience4cata import *

    class Client:
        calls = 0

        @fallback(method="other")
        @retry(max_attempts=3, delay="1ms")
        @circuit_breaker(config="external")
        def find(self) -> str:
            self.calls += 1
            raise ConnectionError

        def other(self, error: Exception) -> str:
            return "other"
    """
EXTERNAL = "resilience4cata.configs.external.circuit-breaker.wait-in-open=3s\n"


def test_bound_objects_pass_through(shop: Operated) -> None:
    """Once, without any policy, even though the template of one is nowhere."""
    module: Any = shop.app.load("late", FALLING_BACK)
    client = Resilience.disabled().wrap(module.Client())
    with pytest.raises(ConnectionError):
        client.find()
    assert 1 == client.calls


def test_pipelines_pass_through() -> None:
    disabled = Resilience.disabled()
    pipeline = disabled.pipeline("orders", retry(config="nowhere"), circuit_breaker(name="orders"))
    assert 3 == pipeline.call(len, "abc")

    async def call() -> int:
        return 4

    assert 4 == asyncio.run(pipeline.acall(call))
    assert "no instance is in use" == str(disabled.snapshot())


@pytest.mark.parametrize("sources", [(), (ConfigSources.file("settings.properties"),)], ids=["without", "with"])
def test_declarations_are_not_checked(shop: Operated, sources: tuple[ConfigSource, ...]) -> None:
    """Also by what looks at everything again."""
    shop.app.load("late", "from resilience4cata import *\n@retry(max_attempts=0)\ndef call(): ...")
    disabled = Resilience.disabled(*sources)
    disabled.reload()
    disabled.check()
    assert ((), False) == (disabled.diagnostics, disabled.options.enabled)


def test_a_reload_may_let_fallbacks_run(shop: Operated) -> None:
    module: Any = shop.app.load("late", FALLING_BACK)
    disabled = Resilience.disabled(ConfigSources.file("settings.properties"))
    client = disabled.wrap(module.Client())
    shop.configure(f"{EXTERNAL}resilience4cata.fallback.when-disabled=true")
    disabled.reload()
    assert ("other", 1) == (client.find(), client.calls)


def test_fallbacks_where_a_source_wants_them(shop: Operated) -> None:
    """Fallbacks alone: there is one attempt."""
    module: Any = shop.app.load("late", FALLING_BACK)
    shop.configure(f"{EXTERNAL}resilience4cata.fallback.when-disabled=true\nresilience4cata.enabled=true")
    client = Resilience.disabled(ConfigSources.file("settings.properties")).wrap(module.Client())
    assert ("other", 1) == (client.find(), client.calls)


def test_sources_are_checked(shop: Operated) -> None:
    disabled = Resilience.disabled(ConfigSources.file("settings.properties"))
    shop.configure("resilience4cata.enabled=perhaps")
    assert ["R4C-CFG-012"] == [line.split()[0] for line in shop.refusal(disabled.reload)]
    with pytest.raises(DefinitionError, match="does not exist"):
        Resilience.disabled(ConfigSources.file("nowhere.properties"))
