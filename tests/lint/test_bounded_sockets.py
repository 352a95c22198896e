"""`socket.setdefaulttimeout`: a limit for all sockets that Python makes."""

from __future__ import annotations

from textwrap import dedent

import pytest

from resilience4cata.diagnostics import FRONT_ENDS, Context
from resilience4cata.rules import check

from .linking import linked


@pytest.mark.parametrize(
    ("setting", "lines"),
    [
        ("socket.setdefaulttimeout(5)", [8]),
        ("from socket import setdefaulttimeout as bound; bound(5)", [8]),
        ("import acme.net", [8]),
        ("socket.setdefaulttimeout(None)", [7, 8]),
        ("socket.getdefaulttimeout()", [7, 8]),
    ],
)
def test_sockets_bounded_for_all(setting: str, lines: list[int]) -> None:
    """A limit for all sockets of Python's own bounds what waits on them, and nothing else: requests has its own way."""
    text = f"""
        import socket, requests
        from urllib.request import urlopen
        {setting}
        @timeout("2s")
        def get():
            urlopen("https://shop.example")
            requests.get("https://shop.example")
        """
    files = {"acme": "", "acme.app": f"from resilience4cata import *\n{dedent(text).lstrip()}"}
    if "acme.net" in setting:
        files["acme.net"] = "import socket\ndef _set(): socket.setdefaulttimeout(4)\n_set()\n"
    project = linked(files)
    findings = check((*project.views, project.project), Context(FRONT_ENDS["lint"], project.oracle, project.project))
    assert lines == [f.fault.at.line for f in findings if f.rule.code == "R4C-TB-005"]
