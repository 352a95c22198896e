"""Policies on what is neither a function nor a class: what cannot be called is refused where it stands."""

from __future__ import annotations

import pytest

from ..live import Application

HEAD = "from resilience4cata import *\n"


@pytest.mark.parametrize(
    ("source", "subject", "given"),
    [
        ("retry()(3)", "retry() is applied to a function, a method or a class", "3"),
        ("timeout('1s')('find')", "timeout('1s') is applied to a function, a method or a class", "'find'"),
        ("retry()(None)", "retry() is applied to a function, a method or a class", "None"),
        ("retry()([1] * 99)", "retry() is applied to a function, a method or a class", "an object of list"),
        ("order(Layer.RETRY)(3)", "order(Layer.RETRY) is applied to a function, a method or a class", "3"),
        (
            "resilience_policy('call', retry())(7)",
            "resilience_policy('call', retry()) is applied to a function, a method or a class",
            "7",
        ),
        ("class Client:\n    found = retry()(7)", "retry() is applied to a function, a method or a class", "7"),
        (
            "def broken(f): ...\n@retry()\n@broken\ndef find(): ...",
            "retry() is applied to a function, a method or a class",
            "None",
        ),
        ("unguarded(3)", "@unguarded is applied to a method", "3"),
        ("inherit_policies('find')", "@inherit_policies is applied to a method", "'find'"),
    ],
)
def test_refused_at_once(source: str, subject: str, given: str, app: Application) -> None:
    """Also where a decorator below has given nothing back."""
    with pytest.raises(TypeError) as caught:
        app.load("astray", HEAD + source)
    assert f"{subject}, not {given}" == str(caught.value)


def test_refused_leaves_nothing(app: Application) -> None:
    """No declaration counts, and nobody is told of its attributes."""
    source = "try:\n    retry(max_attempts=0)(3)\nexcept TypeError:\n    pass"
    app.load("astray", HEAD + source)
    assert () == app.diagnostics("astray")


@pytest.mark.parametrize(
    "source",
    [
        "found = {policy}(len)",
        "class Client:\n    def __call__(self): ...\nfound = {policy}(Client())",
        "class Found:\n    def __get__(self, one, cls): return 1\nclass Client:\n    found = {policy}(Found())",
        "import unittest.mock\nfound = {policy}(unittest.mock.Mock())",
    ],
    ids=["built in", "object", "descriptor", "mock"],
)
def test_taken(source: str, app: Application) -> None:
    """What is called, or leads to what is called, may well be guarded; its attributes are judged."""
    app.load("astray", HEAD + source.format(policy="retry()"))
    assert () == app.diagnostics("astray")
    app.load("wrong", HEAD + source.format(policy="retry(max_attempts=0)"))
    assert ["R4C-VA-001"] == [diagnostic.code for diagnostic in app.diagnostics("wrong")]


def test_given_back(app: Application) -> None:
    """Nothing is put in place of what is not called itself."""
    source = "class Found:\n    def __get__(self, one, cls): return 1\nfound = Found()\nsame = retry()(found)"
    module = app.load("astray", HEAD + source)
    assert module.found is module.same


def test_only_in_chosen_modules(app: Application) -> None:
    app.load("astray", HEAD + "found = retry(max_attempts=0)(len)")
    assert () == app.diagnostics("another")
