"""R4C-LOC-003 where a call applies a policy: `retry()(pages)`."""

from __future__ import annotations

import pytest

from .effective_project import diagnostics

pytestmark = pytest.mark.usefixtures("here")

_HEAD = """\
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from acme import anything
from resilience4cata import resilience_policy, retry, timeout
careful = resilience_policy("careful", retry())
def pages(): yield 1
async def lines(): yield 1
@contextmanager
def session(): yield 1
@anything
def made(): yield 1
def page(): return [1]
"""


def said(code: str) -> list[str]:
    """Place, code, subject and message of each finding in lines that follow the head."""
    last = _HEAD.count("\n")
    every = diagnostics(_HEAD + code)
    return [f"{d.at.line - last}:{d.at.column} {d.code} {d.subject}: {d.message}" for d in every if d.at.line > last]


def unguarded(place: str, policy: str, name: str, what: str) -> str:
    """One finding."""
    return f"{place} R4C-LOC-003 @{policy} on app.{name}: only the creation of {what} would be guarded, not its body"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = retry()(pages)", unguarded("1:5", "retry()", "pages", "a generator")),
        ("x = retry()(lines)", unguarded("1:5", "retry()", "lines", "an async generator")),
        ("x = retry()(session)", unguarded("1:5", "retry()", "session", "a context manager")),
        ("x = retry()(contextmanager(pages))", unguarded("1:5", "retry()", "pages", "a context manager")),
        ("x = retry()(asynccontextmanager(lines))", unguarded("1:5", "retry()", "lines", "a context manager")),
        ("x = careful(pages)", unguarded("1:5", "careful", "pages", "a generator")),
        ("def f(): return retry()(pages)()", unguarded("1:17", "retry()", "pages", "a generator")),
        ("class A:\n    x = retry()(pages)", unguarded("2:9", "retry()", "pages", "a generator")),
    ],
)
def test_policy_given_a_generator(code: str, expected: str) -> None:
    """The words are those for a decorator."""
    assert [expected] == said(code)


@pytest.mark.parametrize(
    "code",
    [
        "x = retry()(page)",
        "x = retry()(made)",
        "x = retry()(cache(pages))",
        "x = retry()(anything(pages))",
        "def f(pages): return retry()(pages)",
    ],
)
def test_what_may_be_an_ordinary_function(code: str) -> None:
    """Nothing is said where somebody else's decorator may have made one of it."""
    assert [] == said(code)


def test_decorator_and_call() -> None:
    """Each policy is told where it is written, once."""
    code = "@retry()\ndef rows(): yield 1\nx = timeout('1s')(rows)"
    assert [
        unguarded("1:2", "retry()", "rows", "a generator"),
        unguarded("3:5", "timeout()", "rows", "a generator"),
    ] == said(code)
