"""Policies that are switched off stand among the layers, and it is said that they are off."""

from __future__ import annotations

import pytest

from resilience4cata import ConfigSources, Resilience

from ..live import Application

SOURCE = """
    from resilience4cata import *

    @fallback(lambda context: 0)
    @retry(enabled=False)
    @timeout("2s")
    def find(): return 1
"""


@pytest.mark.parametrize(
    ("keys", "way_in", "off"),
    [
        ("", "fallback -> retry (off) -> timeout -> the function", ("retry",)),
        (
            "resilience4cata.defaults.timeout.enabled=false",
            "fallback -> retry (off) -> timeout (off) -> the function",
            ("retry", "timeout"),
        ),
        (
            "resilience4cata.enabled=false",
            "fallback (off) -> retry (off) -> timeout (off) -> the function",
            ("fallback", "retry", "timeout"),
        ),
        (
            "resilience4cata.enabled=false\nresilience4cata.fallback.when-disabled=true",
            "fallback -> retry (off) -> timeout (off) -> the function",
            ("retry", "timeout"),
        ),
    ],
    ids=["by itself", "by a default", "all", "all but fallbacks"],
)
def test_off(keys: str, way_in: str, off: tuple[str, ...], app: Application) -> None:
    app.load("stores", SOURCE)
    app.write("r.properties", keys)
    resilience = Resilience.builder().source(ConfigSources.file("r.properties")).only("stores").build()
    described = resilience.describe("stores#find")
    assert (way_in, off) == (described.way_in, described.off)
    assert ("fallback", "retry", "timeout") == described.layers
    assert f"  {way_in}" == str(described).splitlines()[1]
