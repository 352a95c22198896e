"""The application in the working folder."""

from __future__ import annotations

import pytest

from ..live import Application
from .clients import CODE, ERRORS, FILE


@pytest.fixture
def app(app: Application) -> Application:
    app.write("acme/__init__.py", "")
    app.write("acme/errors.py", ERRORS)
    app.write("acme/clients.py", CODE)
    app.write("r.toml", FILE)
    return app
