"""Which choices of profiles there are, and what counts under each."""

import pytest

from resilience4cata.config.profiles import Prospects, Settled, choices
from resilience4cata.config.resolve import active_profiles
from resilience4cata.facts import UNKNOWN, Element, Items, Member, Project, Value
from tests.runtime.config.making import composed, files, function, method, policy, project

PROFILES = """\
resilience4cata.profiles.prod.defaults.retry.delay = 1s
resilience4cata.profiles.eu.configs.x.extends = y
resilience4cata.profiles.prod.configs.x.retry.delay = 2s
"""


def settled(element: Element, *sources: str, profile: str | None = None) -> Settled:
    around = project(element, sources=files(a_properties="\n".join(sources)))
    choice = () if profile is None else (profile,)
    ((_, found),) = Prospects(around, [choice]).of(element)
    return found


def test_no_profile() -> None:
    """Without any, there is one choice."""
    assert ((),) == choices(project())


def test_each_profile_and_each_set() -> None:
    """None, each profile by itself in the order of the files, and the sets that a file activates, each once."""
    active = "resilience4cata.profiles.active = eu, prod\n"
    assert ((), ("prod",), ("eu",), ("eu", "prod")) == choices(project(sources=files(a_properties=PROFILES + active)))
    again = files(a_properties=PROFILES, b_properties="resilience4cata.profiles.active = prod\n")
    assert ((), ("prod",), ("eu",)) == choices(project(sources=again))


def test_profiles_of_code() -> None:
    """What code activates is a choice too."""
    assert ((), ("a", "b")) == choices(Project(profiles=("a", "b")))


def test_active_profiles() -> None:
    """Code decides, else the last file that says."""
    sources = files(
        a_properties="resilience4cata.profiles.active=a", b_toml='resilience4cata.profiles.active=["b", "c"]'
    )
    assert ("b", "c") == active_profiles(Project(files=sources))
    assert ("x",) == active_profiles(Project(files=sources, profiles=("x",)))
    assert () == active_profiles(Project())
    assert ("d",) == active_profiles(Project(files=files(a_toml='resilience4cata.profiles.active="d"')))


def test_under_each_choice() -> None:
    """The same element has other settings under another profile."""
    element = function("app.f", policy("retry"))
    around = project(element, sources=files(a_properties=PROFILES))
    found = {choice: s.span("retry", "delay") for choice, s in Prospects(around, choices(around)).of(element)}
    assert {(): None, ("prod",): 1_000_000_000, ("eu",): None} == found


def test_defaults_are_not_written() -> None:
    """A default counts, but nobody wrote it."""
    found = settled(function("app.f", policy("retry", delay="2s")))
    attempts = found.get("retry", "max_attempts")
    assert (3, None) == (attempts and attempts.value, found.written("retry", "max_attempts"))
    assert (2_000_000_000, None) == (found.span("retry", "delay"), found.span("retry", "max_duration"))


def test_what_is_not_known_is_not_written() -> None:
    """An open declaration may set anything."""
    found = settled(function("app.f", policy("timeout", closed=False, value="2s")))
    assert (2_000_000_000, None) == (found.span("timeout", "value"), found.written("timeout", "offload"))


@pytest.mark.parametrize(("enabled", "expected"), [(False, None), (True, 1), (UNKNOWN, 1)])
def test_switched_off(enabled: Value, expected: int | None) -> None:
    """A policy that is certainly off is not there; one that may be on is."""
    found = settled(function("app.f", policy("timeout", value="1ns", enabled=enabled)))
    assert expected == found.span("timeout", "value")


def test_lacks() -> None:
    """A policy is certainly absent only where no unseen one may stand."""
    some = composed("some", policy("timeout"), UNKNOWN)
    elements = (
        function("app.f", policy("retry")),
        function("app.f", policy("timeout")),
        function("app.f", some),
        method("app.C.m", policy("retry"), bases=None),
        method("app.C.m", policy("retry"), known=False),
    )
    assert [True, False, False, False, False] == [settled(element).lacks("timeout") for element in elements]


@pytest.mark.parametrize(
    ("own", "everywhere", "expected"),
    [
        (None, None, True),
        (("TIMEOUT", "RETRY"), None, False),
        (None, "TIMEOUT, RETRY", False),
        (("RETRY", "TIMEOUT"), "TIMEOUT, RETRY", True),
        ((), None, False),
    ],
    ids=["default", "own", "everywhere", "own beats", "unknown"],
)
def test_is_within(own: tuple[str, ...] | None, everywhere: str | None, expected: bool) -> None:
    """The element's order counts, else that of all; in one that is not known nothing is certainly inside."""
    layers = Items(tuple(Member("Layer", name) for name in own)) if own else UNKNOWN
    order = () if own is None else (policy("order", layers=layers),)
    keys = () if everywhere is None else (f"resilience4cata.order = {everywhere}",)
    found = settled(function("app.f", policy("retry"), policy("timeout"), *order), *keys)
    assert expected is found.is_within("timeout", "retry")
    assert found.is_within("bulkhead", "retry") is False
