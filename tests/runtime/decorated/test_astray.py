"""Policies on what cannot be called: nothing fails at import, and `build()` tells."""

from __future__ import annotations

import pytest

from ..live import Application

HEAD = "from resilience4cata import *\n"
CANNOT = "what cannot be called has nothing to guard"


@pytest.mark.parametrize(
    ("source", "subject"),
    [
        ("found = retry()(3)", "@retry() on 3"),
        ("found = timeout('1s')('find')", '@timeout() on "find"'),
        ("found = retry()(None)", "@retry() on None"),
        ("found = retry()([1, 2])", "@retry() on an object of list"),
        ("class Client: ...\nfound = retry()(Client())", "@retry() on an object of Client"),
        ("call = resilience_policy('call', retry())\nfound = call(7)", "@call on 7"),
        ("class Client:\n    found = retry()(7)", "@retry() on 7"),
        ("def broken(f): ...\n@retry()\n@broken\ndef find(): ...", "@retry() on None"),
    ],
)
def test_told(source: str, subject: str, app: Application) -> None:
    """At the place of the policy, also where a decorator below has given nothing back."""
    app.load("astray", HEAD + source)
    (found,) = app.diagnostics("astray")
    assert ("R4C-LOC-005", subject, CANNOT) == (found.code, found.subject, found.message)
    assert ("astray.py", True) == (found.at.source, found.at.line > 1)


@pytest.mark.parametrize(
    "source",
    [
        "found = retry()(len)",
        "class Client:\n    def __call__(self): ...\nfound = retry()(Client())",
        "class Found:\n    def __get__(self, one, cls): return 1\nclass Client:\n    found = retry()(Found())",
        "import unittest.mock\nfound = retry()(unittest.mock.Mock())",
    ],
    ids=["built in", "object", "descriptor", "mock"],
)
def test_not_told(source: str, app: Application) -> None:
    """What is called, or belongs to a class, may well be guarded."""
    app.load("astray", HEAD + source)
    assert () == app.diagnostics("astray")


def test_given_back(app: Application) -> None:
    """Nothing is put in its place, and nothing fails at import."""
    module = app.load("astray", HEAD + "one = retry()(3)\nnone = retry()(None)\nbundle = resilience_policy('b')(none)")
    assert (3, None, None) == (module.one, module.none, module.bundle)


def test_only_in_chosen_modules(app: Application) -> None:
    app.load("astray", HEAD + "one = retry()(3)")
    assert () == app.diagnostics("another")
