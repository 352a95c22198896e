"""Every scenario of a `World` runs synchronously and asynchronously."""

from __future__ import annotations

import pytest

from .scripted import World


@pytest.fixture(params=["sync", "async"])
def world(request: pytest.FixtureRequest) -> World:
    return World(asynchronous=request.param == "async")
