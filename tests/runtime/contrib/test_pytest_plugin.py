"""The pytest plugin, in real runs of pytest; each run has several tests, whose outcomes are asserted one by one."""

from __future__ import annotations

import pytest

from .runs import all_passed, run

pytest_plugins = ["pytester"]


def test_fixtures(pytester: pytest.Pytester) -> None:
    """A test that names the fixtures runs on its own `Resilience`, in which waits take no time and events are kept."""
    tests = """
def test_waits(resilience, manual_clock, manual_scheduler):
    before = manual_clock.now
    assert 3 == attempts()
    assert 2 == len(manual_scheduler.waits)
    assert sum(manual_scheduler.waits) == manual_clock.now - before

def test_same_jitter(resilience, manual_scheduler):
    attempts()
    assert [1695843878861, 177900000341] == manual_scheduler.waits

def test_events(recorded_events):
    attempts()
    assert [Retried, Retried, RetryExhausted] == [t for t in recorded_events.types() if "Retr" in t.__name__]

def test_state_is_new(resilience):
    assert 0 == resilience.circuit_breaker("payments").snapshot().total.calls

def test_is_the_active_one(resilience):
    assert activation.current() is resilience

def test_nothing_is_active_elsewhere():
    assert activation.current() is None

def test_clock_alone_activates_nothing(manual_clock):
    assert activation.current() is None
"""
    assert all_passed(tests) == run(pytester, tests)


def test_marker(pytester: pytest.Pytester) -> None:
    """Each argument does what it says, and the marker alone is enough."""
    tests = """
@pytest.mark.resilience(force_open=["payments"])
def test_force_open():
    with pytest.raises(CallNotPermittedError):
        charge()
    assert [] == application.calls

@pytest.mark.resilience(force_open=["payments"])
def test_force_open_is_no_event(recorded_events):
    assert [] == recorded_events.types()

@pytest.mark.resilience(settings={"application/charge/retry/max-attempts": 2})
def test_settings():
    assert 2 == attempts()

@pytest.mark.resilience(settings={"resilience4cata.enabled": False})
def test_settings_may_be_booleans():
    assert 1 == attempts()

@pytest.mark.resilience(disabled=True)
def test_disabled():
    assert 1 == attempts()

@pytest.mark.resilience(disabled=True, settings={"resilience4cata.fallback.when-disabled": True})
def test_disabled_with_settings(resilience):
    assert not resilience.options.enabled and resilience.options.fallback_when_disabled

@pytest.mark.resilience(auto_advance=False)
def test_auto_advance(manual_scheduler):
    assert not manual_scheduler.auto_advance

@pytest.mark.resilience(seed=1)
def test_seed(manual_scheduler):
    attempts()
    assert [2500248056309, 3529807850207] == manual_scheduler.waits

@pytest.mark.resilience
def test_no_arguments(manual_scheduler):
    assert 3 == attempts()
    assert 2 == len(manual_scheduler.waits)
"""
    assert all_passed(tests) == run(pytester, tests)


def test_nearest_marker_wins(pytester: pytest.Pytester) -> None:
    """Of the markers of module, class and function, each argument is taken from the nearest one that has it."""
    tests = """
pytestmark = pytest.mark.resilience(disabled=True, seed=1)

def test_of_the_module(resilience):
    assert not resilience.options.enabled

@pytest.mark.resilience(disabled=False)
class TestClass:
    def test_of_the_class(self, resilience, manual_scheduler):
        assert resilience.options.enabled
        attempts()
        assert [2500248056309, 3529807850207] == manual_scheduler.waits

    @pytest.mark.resilience(seed=0)
    def test_of_the_function(self, resilience, manual_scheduler):
        assert resilience.options.enabled
        attempts()
        assert [1695843878861, 177900000341] == manual_scheduler.waits
"""
    assert all_passed(tests) == run(pytester, tests)


def test_wrong_markers(pytester: pytest.Pytester) -> None:
    """What is wrong about a marker is an error of that test, in one line that says what to write."""
    tests = """
@pytest.mark.resilience(profile=["test"])
def test_misspelt(): ...

@pytest.mark.resilience(colour="red")
def test_unknown(): ...

@pytest.mark.resilience(["test"])
def test_positional(): ...

@pytest.mark.resilience(force_open="payments")
def test_text_for_list(): ...

@pytest.mark.resilience(seed="lucky")
def test_text_for_number(): ...

@pytest.mark.resilience(disabled=1)
def test_number_for_bool(): ...

@pytest.mark.resilience(settings={"a": []})
def test_list_for_setting(): ...

@pytest.mark.resilience(force_open=["paymentz"])
def test_unknown_breaker(): ...

@pytest.mark.resilience(disabled=True, force_open=["payments"])
def test_disabled_and_open(): ...

@pytest.mark.resilience(settings={"defaults.retry.max-attempts": 1})
def test_foreign_setting(): ...

@pytest.mark.resilience(settings={"resilience4cata.defaults.retry.max-attempt": 1})
def test_misspelt_setting(): ...
"""
    mark = 'failed on setup with "Failed: @pytest.mark.resilience: '
    expected = {
        "test_misspelt": "there is no argument 'profile'; did you mean 'profiles'?",
        "test_unknown": "there is no argument 'colour'; "
        "expected: profiles, settings, force_open, disabled, auto_advance, seed",
        "test_positional": "all arguments are named, but ['test'] is not",
        "test_text_for_list": "'force_open' takes a list of circuit breakers, not 'payments'",
        "test_text_for_number": "'seed' takes a whole number, not 'lucky'",
        "test_number_for_bool": "'disabled' takes True or False, not 1",
        "test_list_for_setting": "'settings' takes a mapping of configuration keys to values, not {'a': []}",
        "test_unknown_breaker": "there is no circuit_breaker 'paymentz'; did you mean 'payments'?",
        "test_disabled_and_open": "'force_open' opens nothing where everything is 'disabled'",
        "test_foreign_setting": "'defaults.retry.max-attempts' is no key of the library: "
        "in 'settings' they stand as in a .properties file",
    }
    outcomes = run(pytester, tests)
    misspelt = (
        'failed on setup with "Failed: 1 error in resilience policies and their configuration\n'
        "@pytest.mark.resilience: error: [R4C-CFG-011] defaults.retry.max-attempt:\n"
        "    unknown key 'max-attempt'\n    did you mean 'max-attempts'?\""
    )
    assert misspelt == outcomes.pop("test_misspelt_setting")
    assert {name: f'{mark}{reason}"' for name, reason in expected.items()} == outcomes


def test_builder_of_the_application(pytester: pytest.Pytester) -> None:
    """An overriding `resilience_builder`, of any scope, is what tests build from; no test changes it for the next."""
    tests = """
@pytest.fixture(scope="session")
def resilience_builder():
    return Resilience.builder().instance("payments", circuit_breaker(minimum_calls=7))

@pytest.mark.resilience(disabled=True)
def test_tells_it_more(resilience):
    assert not resilience.options.enabled

def test_is_built_from_it(resilience):
    assert resilience.options.enabled
    assert "7" == resilience.describe(charge).of("circuit_breaker")["minimum_calls"].value
"""
    assert all_passed(tests) == run(pytester, tests)


def test_profiles(pytester: pytest.Pytester) -> None:
    """`profiles` are those of the configuration that the builder reads."""
    pytester.path.joinpath("resilience4cata.toml").write_text(
        "[resilience4cata.profiles.patient.defaults.retry]\nmax-attempts = 5\n"
        "[resilience4cata.profiles.hasty.defaults.retry]\nmax-attempts = 4\n"
    )
    tests = """
@pytest.fixture
def resilience_builder():
    return Resilience.builder().source(ConfigSources.file("resilience4cata.toml"))

@retry(delay="1s")
def restock():
    application.calls.append("restock")
    raise ConnectionError("down")

def attempts_to_restock():
    with pytest.raises(ConnectionError):
        restock()
    return len(application.calls)

@pytest.mark.resilience(profiles=["patient"])
def test_one():
    assert 5 == attempts_to_restock()

@pytest.mark.resilience(profiles=["patient", "hasty"])
def test_two(resilience):
    assert ("patient", "hasty") == resilience.profiles
    assert 4 == attempts_to_restock()

def test_none(resilience):
    assert 3 == attempts_to_restock()
"""
    assert all_passed(tests) == run(pytester, tests)


def test_settings_and_profiles_that_nobody_knows(pytester: pytest.Pytester) -> None:
    """A profile is an error of the test; a key is told even if it could be somebody else's in a file."""
    tests = """
pytestmark = pytest.mark.filterwarnings("default")

@pytest.mark.resilience(profiles=["patient"])
def test_profile(): ...

@pytest.mark.resilience(settings={"nobody/timeout/value": "3s"})
def test_stray_key(resilience):
    assert ["R4C-CFG-009"] == [found.code for found in resilience.diagnostics]

@pytest.mark.resilience(settings={"nobody/timeout": "3s"})
def test_short_key(): ...
"""
    outcomes = run(pytester, tests)
    assert "no source defines the profile 'patient'" in outcomes["test_profile"]
    assert "did you mean 'nobody/timeout/value'?" in outcomes["test_short_key"]
    assert "passed" == outcomes["test_stray_key"]
