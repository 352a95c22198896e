"""`socket.setdefaulttimeout`: a limit for all sockets that Python makes."""

from __future__ import annotations

from textwrap import dedent

import pytest

from resilience4cata.diagnostics import FRONT_ENDS, Context
from resilience4cata.rules import check
from resilience4cata_lint.engine import analyse
from resilience4cata_lint.options import load

from .folder import write
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


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("seconds", "lines"), [("4", []), ("None", [6])])
@pytest.mark.parametrize("checked", [".", "acme/app.py"])
def test_limit_in_a_file_that_does_not_name_the_library(checked: str, seconds: str, lines: list[int]) -> None:
    """Where an application starts, nothing need be guarded."""
    write("pyproject.toml")
    write("acme/main.py", f"import socket\n\nsocket.setdefaulttimeout({seconds})\n")
    text = """
    from resilience4cata import timeout
    from urllib.request import urlopen

    @timeout("2s")
    def get() -> object: return urlopen("https://shop.example")
    """
    write("acme/app.py", dedent(text))
    report = analyse([checked], load([checked]))
    assert lines == [d.at.line for d in report.diagnostics if d.code == "R4C-TB-005"]
