"""What is given to be called with events, followed through names, attributes and parameters."""

from __future__ import annotations

import pytest

from .test_body_rules import found

_LATER = {"acme": "", "acme.events": "async def later(event): ...\ndef plain(event): ...\n"}
_RUNNING = {
    **_LATER,
    "acme.running": "from resilience4cata import Resilience\nrunning = Resilience.builder().build()\n",
}


_BUS = """
class Bus:
    def __init__(self): self.it = Resilience.builder().strict().build()
    def start(self): self.it.listen(object, self.on)
    async def on(self, event): ...
"""
_PARAMETERS = """
def start(it: 'Resilience | None', that: Resilience):
    async def on(event): ...
    it.listen(object, on)
    that.listen(object, on)
"""
_INHERITED = """
class Base:
    async def on(self, event): ...
class Bus(Base):
    def start(self, it: Resilience): it.listen(object, self.on)
"""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("from acme.events import later as on\nResilience.builder().listener(print).listener(on).build()", [3]),
        ("import acme.events as e\nit = Resilience.disabled()\nit.listen(callback=e.later, kind=object)", [4]),
        ("from acme.running import running as it\nfrom acme.events import later\nit.listen(object, later)", [4]),
        (_BUS, [4]),
        (_PARAMETERS, [5]),
        (_INHERITED, [5]),
        ("@retry()\nasync def on(event): ...\nResilience.disabled().listen(object, on)", [4]),
    ],
)
def test_async_listeners(text: str, lines: list[int]) -> None:
    """However it is named and wherever it stands."""
    assert lines == found(text, "AS-003", _RUNNING)


_ON = "async def on(event): ...\n"
_OVERRIDDEN = """
class Bus:
    def start(self, it: Resilience): it.listen(object, self.on)
    async def on(self, event): ...
class Below(Bus):
    def on(self, event): ...
"""
_IN_BRANCHES = """
if FAST:
    def on(event): ...
else:
    async def on(event): ...
Resilience.disabled().listen(object, on)
"""


@pytest.mark.parametrize(
    "text",
    [
        "from acme.events import plain\nResilience.builder().listener(plain)",
        f"{_ON}import elsewhere\nelsewhere.bus.listen(object, on)",
        f"{_ON}def start(it, Resilience): it.listen(object, on)",
        f"{_ON}def start(it: Resilience):\n    it = wrapped(it)\n    it.listen(object, on)",
        f"import elsewhere\n@elsewhere.sync\n{_ON}Resilience.disabled().listen(object, on)",
        f"{_ON}Resilience.disabled().listen(*[object, on])",
        f"{_ON}Resilience.disabled().listen(object, wrapped(on))",
        "async def on(event): yield 1\nResilience.disabled().listen(object, on)",
        _OVERRIDDEN,
        _IN_BRANCHES,
    ],
)
def test_other_callbacks(text: str) -> None:
    """What may be another function, or another object, is left alone."""
    assert [] == found(text, "AS-003", _RUNNING)
