"""Runs of pytest in processes of their own, with every plugin that is installed, and what became of each test."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

APPLICATION = """
from resilience4cata import circuit_breaker, retry, timeout

calls = []

@retry(max_attempts=3, delay="1h")
@circuit_breaker(name="payments", minimum_calls=50)
def charge():
    calls.append("charge")
    raise ConnectionError("down")

@retry(name="later", max_attempts=2, delay="1h")
@timeout("2h")
async def charge_later():
    calls.append("charge_later")
    raise ConnectionError("down")
"""

PREAMBLE = """
import pytest
import application
from application import charge, charge_later
from resilience4cata import CallNotPermittedError, ConfigSources, Resilience, activation, circuit_breaker, retry
from resilience4cata.events import Retried, RetryExhausted

@pytest.fixture(autouse=True)
def no_calls():
    application.calls.clear()

def attempts():
    with pytest.raises(ConnectionError):
        charge()
    return len(application.calls)
"""

_NAMES = re.compile(r"def (test_\w+)")


def run(pytester: pytest.Pytester, tests: str, *options: str) -> dict[str, str]:
    """Run tests of the application above; what became of each: "passed", or the message with which it failed.

    Warnings are errors.
    """
    pytester.makepyfile(application=APPLICATION, test_it=f"{PREAMBLE}\n{tests}")
    strict = ("--strict-markers", "-W", "error", "-o", "asyncio_default_fixture_loop_scope=function")
    pytester.runpytest_subprocess(*strict, "--junitxml=report.xml", *options)
    cases = ElementTree.parse(pytester.path / "report.xml").iter("testcase")
    return {case.attrib["name"]: _outcome(case) for case in cases}


def all_passed(tests: str) -> dict[str, str]:
    """The outcome of tests each of which passes."""
    return dict.fromkeys(_NAMES.findall(tests), "passed")


def _outcome(case: ElementTree.Element) -> str:
    problems = [child.attrib["message"] for child in case if "message" in child.attrib]
    return problems[0] if problems else "passed"
