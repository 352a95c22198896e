"""Modules with a fault each: one that needs another module to be understood, and one that stands for itself."""

from __future__ import annotations

POLICIES = """\
from resilience4cata import resilience_policy, timeout

short = resilience_policy("short", timeout("2s"))
long = resilience_policy("long", timeout("5s"))
"""
# It never names the library, and is to be understood with the module above.
USER = """\
from .policies import long, short


@short
@long
def f() -> None: ...
"""
CLIENT = """\
from resilience4cata import fallback, timeout


class Client:
    @timeout("2 s")
    @fallback(method="find_fallbak")
    def find(self, id: str) -> str:
        return id

    def find_fallback(self, id: str) -> str:
        return id
"""
