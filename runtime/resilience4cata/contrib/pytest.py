"""The pytest plugin: each test that asks for it runs its guarded code on a `Resilience` of its own, and on manual time.

    @pytest.mark.resilience(profiles=["test"], force_open=["payments"])
    def test_opens(resilience, manual_clock, recorded_events): ...

It comes with the package. Everything but pytest itself is imported by the first fixture that is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

import pytest

if TYPE_CHECKING:
    from resilience4cata import Resilience, ResilienceBuilder
    from resilience4cata.testing import ManualClock, ManualScheduler, RecordedEvents

# Of the marker, and of the fixture that it stands for.
_NAME: Final = "resilience"


@pytest.fixture
def resilience_builder() -> ResilienceBuilder:
    """What `resilience` is built from; override it with the builder of your application."""
    from resilience4cata import Resilience

    return Resilience.builder()


@pytest.fixture
def manual_clock() -> ManualClock:
    """Time that stands still until `manual_clock.advance("30s")`."""
    from resilience4cata.testing import ManualClock

    return ManualClock()


@pytest.fixture
def manual_scheduler(request: pytest.FixtureRequest, manual_clock: ManualClock) -> ManualScheduler:
    """Waits that move `manual_clock` instead of sleeping; they are listed in `manual_scheduler.waits`."""
    from resilience4cata.testing import ManualScheduler

    return ManualScheduler(manual_clock, auto_advance=_marked(request.node).get("auto_advance", True))


@pytest.fixture
def resilience(
    request: pytest.FixtureRequest,
    resilience_builder: ResilienceBuilder,
    manual_clock: ManualClock,
    manual_scheduler: ManualScheduler,
) -> Iterator[Resilience]:
    """What guarded code runs on during the test: built from `resilience_builder`, with manual time and fixed jitter."""
    from random import Random

    marked = _marked(request.node)
    builder = resilience_builder.copy().clock(manual_clock).scheduler(manual_scheduler)
    builder.random(Random(marked.get("seed", 0)))
    with _built(builder, marked).activate() as built:
        for name in marked.get("force_open", ()):
            _force_open(built, name)
        yield built


@pytest.fixture
def recorded_events(resilience: Resilience) -> RecordedEvents:
    """The events of `resilience` from the beginning of the test."""
    from resilience4cata.testing import RecordedEvents

    return RecordedEvents(resilience)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        f"{_NAME}({', '.join(_ARGUMENTS)}): run guarded code on a Resilience of the test's own. "
        "The marker of a function wins over that of its class, argument by argument.",
    )


def pytest_itemcollected(item: pytest.Item) -> None:
    """Let a test that is marked run on `resilience`, whether it names the fixture or not.

    No fixture that applies by itself: that would cost each test of everybody, marked or not.
    """
    if item.get_closest_marker(_NAME) is None or not isinstance(item, pytest.Function):
        return
    names = item.fixturenames
    if _NAME in names:
        names.remove(_NAME)
    # Within what a session or module sets up, before what is set up for the test.
    known = item._fixtureinfo.name2fixturedefs
    own = (i for i, name in enumerate(names) if name in known and known[name][-1].scope == "function")
    names.insert(next(own, len(names)), _NAME)


class _Argument(NamedTuple):
    """An argument of the marker: what it takes, in words and as a check."""

    takes: str
    fits: Callable[[Any], bool]


def _are_names(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(name, str) for name in value)


def _are_settings(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(key, str) and isinstance(setting, str | bool | int | float) for key, setting in value.items()
    )


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


_ARGUMENTS: Final = {
    "profiles": _Argument("a list of profiles", _are_names),
    "settings": _Argument("a mapping of configuration keys to values", _are_settings),
    "force_open": _Argument("a list of circuit breakers", _are_names),
    "disabled": _Argument("True or False", _is_bool),
    "auto_advance": _Argument("True or False", _is_bool),
    "seed": _Argument("a whole number", lambda value: isinstance(value, int)),
}


def _marked(item: pytest.Item) -> dict[str, Any]:
    """The arguments of all markers of a test, those nearest to it first of all."""
    found: dict[str, Any] = {}
    for marker in item.iter_markers(_NAME):
        if marker.args:
            _fail(f"all arguments are named, but {marker.args[0]!r} is not")
        for name, value in marker.kwargs.items():
            _check(name, value)
            found.setdefault(name, value)
    if found.get("disabled") and found.get("force_open"):
        _fail("'force_open' opens nothing where everything is 'disabled'")
    return found


def _check(name: str, value: Any) -> None:
    argument = _ARGUMENTS.get(name)
    if argument is None:
        from resilience4cata.suggestions import did_you_mean

        near = did_you_mean(name, _ARGUMENTS)
        hint = f"did you mean '{near}'?" if near else f"expected: {', '.join(_ARGUMENTS)}"
        _fail(f"there is no argument '{name}'; {hint}")
    if not argument.fits(value):
        _fail(f"'{name}' takes {argument.takes}, not {value!r}")


def _built(builder: ResilienceBuilder, marked: Mapping[str, Any]) -> Resilience:
    from resilience4cata import DefinitionError

    from ._settings import MarkerSource

    off = {"resilience4cata.enabled": False} if marked.get("disabled") else {}
    source = MarkerSource({**marked.get("settings", {}), **off}, f"@pytest.mark.{_NAME}")
    for name in source.foreign:
        _fail(f"'{name}' is no key of the library: in 'settings' they stand as in a .properties file")
    builder.source(source)
    if "profiles" in marked:
        builder.profiles(*marked["profiles"])
    try:
        resilience = builder.build()
    except DefinitionError as error:
        raise _failure(str(error)) from None
    for diagnostic in resilience.diagnostics if "profiles" in marked else ():
        # Elsewhere a warning: a profile may be meant for sources that one process lacks. A test names what it has.
        if diagnostic.code == "R4C-CFG-005":
            raise _failure(diagnostic.text)
    return resilience


def _force_open(resilience: Resilience, name: str) -> None:
    try:
        breaker = resilience.circuit_breaker(name)
    except LookupError as error:
        msg = f"@pytest.mark.{_NAME}: {error}"
        raise _failure(msg) from None
    breaker.force_open()


def _fail(reason: str) -> NoReturn:
    msg = f"@pytest.mark.{_NAME}: {reason}"
    raise _failure(msg)


def _failure(message: str) -> BaseException:
    """What fails a test with a message alone: no line of this module would help."""
    return pytest.fail.Exception(message, pytrace=False)
