"""The pytest plugin among others: asynchronous tests, several processes, unittest, and those who do not use it."""

from __future__ import annotations

import pytest

from .runs import all_passed, run

pytest_plugins = ["pytester"]


def test_asyncio(pytester: pytest.Pytester) -> None:
    """With pytest-asyncio, waits and timeouts of tasks follow the manual clock, which the test may advance itself."""
    tests = """
import asyncio

@pytest.mark.asyncio
async def test_waits(resilience, manual_scheduler):
    with pytest.raises(ConnectionError):
        await charge_later()
    assert [1695843878861] == manual_scheduler.waits

@pytest.mark.asyncio
@pytest.mark.resilience(auto_advance=False)
async def test_advances(manual_clock, manual_scheduler):
    call = asyncio.create_task(charge_later())
    await manual_scheduler.until_waiting_async()
    assert ["charge_later"] == application.calls
    manual_clock.advance("30m")
    with pytest.raises(ConnectionError):
        await call
    assert ["charge_later"] * 2 == application.calls
"""
    assert all_passed(tests) == run(pytester, tests)


def test_anyio(pytester: pytest.Pytester) -> None:
    """With anyio's plugin too."""
    tests = """
@pytest.mark.anyio
async def test_waits(anyio_backend_name, resilience, manual_scheduler):
    with pytest.raises(ConnectionError):
        await charge_later()
    assert [1695843878861] == manual_scheduler.waits

@pytest.fixture
def anyio_backend():
    return "asyncio"
"""
    assert all_passed(tests) == run(pytester, tests)


def test_xdist(pytester: pytest.Pytester) -> None:
    """Each process has its own activation and state."""
    tests = """
@pytest.mark.parametrize("number", range(6))
def test_each(number, resilience):
    assert activation.current() is resilience
    assert 3 == attempts()
    assert 3 == resilience.circuit_breaker("payments").snapshot().total.calls
"""
    assert {f"test_each[{number}]": "passed" for number in range(6)} == run(pytester, tests, "-n", "2")


def test_unittest(pytester: pytest.Pytester) -> None:
    """The marker works on classes of unittest, whose tests take no fixtures."""
    tests = """
import unittest

@pytest.mark.resilience(force_open=["payments"])
class TestCharge(unittest.TestCase):
    def test_refuses(self):
        with self.assertRaises(CallNotPermittedError):
            charge()
"""
    assert all_passed(tests) == run(pytester, tests)


def test_marked_tests_begin_before_their_own_fixtures(pytester: pytest.Pytester) -> None:
    """What is set up for a marked test runs on its `Resilience`; what is set up for the session does not."""
    tests = """
seen = []

@pytest.fixture(scope="session", autouse=True)
def activated_by_the_application():
    with Resilience.builder().build().activate() as own:
        seen.append(own)
        yield own

@pytest.fixture
def client(activated_by_the_application):
    return activation.current()

@pytest.mark.resilience
@pytest.mark.parametrize("number", [1, 2])
def test_marked(client, number, activated_by_the_application):
    assert activation.current() is client
    assert client is not activated_by_the_application

@pytest.mark.resilience
def test_that_names_it_last(client, resilience):
    assert resilience is client

def test_not_marked(client, activated_by_the_application):
    assert client is activated_by_the_application
"""
    expected = ["test_marked[1]", "test_marked[2]", "test_that_names_it_last", "test_not_marked"]
    assert dict.fromkeys(expected, "passed") == run(pytester, tests)


def test_put_back_after_a_failure(pytester: pytest.Pytester) -> None:
    """What was active is active again, also when the test fails or its `Resilience` cannot be made ready."""
    tests = """
def test_fails(resilience):
    assert resilience is None

@pytest.mark.resilience(force_open=["unknown"])
def test_cannot_begin(): ...

def test_next():
    assert activation.current() is None
"""
    outcomes = run(pytester, tests)
    assert ["test_next"] == [name for name, outcome in outcomes.items() if outcome == "passed"]


def test_an_activation_that_does_not_end(pytester: pytest.Pytester) -> None:
    """A test that activates something and does not end it is told so."""
    tests = """
def test_leaves_one_active(resilience):
    Resilience.disabled().activate()
"""
    message = (
        'failed on teardown with "RuntimeError: activations end in reverse order: '
        'another one was made after this, or this one has ended already"'
    )
    assert {"test_leaves_one_active": message} == run(pytester, tests)


def test_those_who_do_not_use_it(pytester: pytest.Pytester) -> None:
    """Without a marker or a fixture nothing is loaded but the plugin and the package's declarations."""
    pytester.makepyfile("""
import sys

def test_loaded(request):
    assert ["request"] == request.fixturenames
    ours = {name for name in sys.modules if name.startswith("resilience4cata.")}
    assert "resilience4cata.contrib.pytest" in ours
    heavy = ("running", "rules", "config", "extract", "pipeline", "events", "testing", "resilience", "activation")
    assert [] == [name for name in ours if name.split(".")[1] in heavy]
""")
    pytester.runpytest_subprocess("-p", "no:asyncio", "-W", "error").assert_outcomes(passed=1)


def test_can_be_left_out(pytester: pytest.Pytester) -> None:
    """`-p no:resilience4cata` takes the fixtures away."""
    tests = """
def test_it(resilience): ...
"""
    (outcome,) = run(pytester, tests, "-p", "no:resilience4cata").values()
    assert outcome.startswith('failed on setup with "file ')
    assert "fixture 'resilience' not found" in outcome
