"""Mistakes that users of such libraries really made, named for where they were reported; here each does what was meant.

Those that are reported instead of being made right have a rule each; its fixture is the regression test.
"""

from __future__ import annotations

from functools import partial

import pytest

from resilience4cata import (
    CallNotPermittedError,
    ConfigSources,
    Jitter,
    RateLimitExceededError,
    Resilience,
    State,
    TimeoutExceededError,
    circuit_breaker,
    rate_limiter,
    retry,
    rules,
    timeout,
)
from resilience4cata.policies import CircuitBreaker
from resilience4cata.testing import ManualClock, ManualScheduler

REPORTED = {
    "resilience4j#1517: the method got a parameter, its fallback did not": {"R4C-FB-003"},
    "resilience4j#2216: the fallback's result is another": {"R4C-FB-004"},
    "Hystrix#1782: a class-wide fallback does not fit all methods": {"R4C-FB-014"},
    "quarkus#6142: the fallback's name is misspelt": {"R4C-FB-002"},
    "fallbacks that name each other": {"R4C-FB-010"},
    "resilience4j#558: a fallback further in makes the retry useless": {"R4C-OR-002"},
    "resilience4j#920: the written order is believed to be the order of execution": {"R4C-OR-004"},
    "smallrye-fault-tolerance#819: a property is not guarded": {"R4C-LOC-001"},
    "qcore#35: a policy above classmethod": {"R4C-LOC-002"},
    "tenacity#63: the body of a generator runs after the policy has ended": {"R4C-LOC-003"},
    "tenacity#186: CancelledError is listed": {"R4C-CL-003"},
    "Polly#340: a timeout does not stop synchronous work": {"R4C-TB-005"},
    "resilience4j#905: a blocking call in an asynchronous function under a timeout": {"R4C-TB-004"},
    "backoff#186: a limit for all attempts does not interrupt one": {"R4C-TB-001", "R4C-TB-002"},
    "CPython 3.11: TimeoutError is an OSError": {"R4C-CL-007"},
    "resilience4j#1378: the level 'instances' is missing": {"R4C-CFG-011"},
    "resilience4j#1448: a space behind the duration": {"R4C-CFG-012"},
    "resilience4j#584: a second configuration of one name": {"R4C-IN-001"},
    "open-liberty#186: a class-level key thought to reach a method's value": {"R4C-CFG-018"},
    "tenacity#269: a strategy given positionally": {"R4C-LOC-006"},
    "aspnetcore#48089: a new breaker for each call": {"R4C-LOC-009"},
    "tenacity#252: nested retries multiply": {"R4C-NE-001"},
    "resilience4j#280: a wrapped exception is not matched": {"R4C-CL-008"},
    "MicroProfile: a listed subclass under a denied parent": {"R4C-CL-004"},
    "smallrye-fault-tolerance#350: only the creation of a future is guarded": {"R4C-AS-001"},
}
PROBING = circuit_breaker(name="probed", window_size=1, minimum_calls=1, wait_in_open="30s", half_open_calls=2)


class Wrapper(Exception):
    """What a framework makes of any exception."""


class World:
    """A `Resilience` on manual time, for what the test declares itself."""

    def __init__(self, **options: str) -> None:
        self.clock = ManualClock()
        self.scheduler = ManualScheduler(self.clock)
        builder = Resilience.builder().only("nothing").clock(self.clock).scheduler(self.scheduler)
        self.resilience = builder.source(ConfigSources.options(options)).build()

    def recovering(self, breaker: CircuitBreaker) -> str:
        """The name of a breaker that has opened and waits for probes."""
        opened = self.resilience.pipeline("opened", breaker)
        with pytest.raises(ConnectionError):
            opened.call(fail)
        self.clock.advance("30s")
        assert State.HALF_OPEN is self.resilience.circuit_breaker("probed").state
        return "probed"


@pytest.fixture
def world() -> World:
    return World()


def fail(error: BaseException | None = None) -> None:
    raise error or ConnectionError


def test_rules_exist() -> None:
    """What is reported has its rule."""
    reported = set[str]().union(*REPORTED.values())
    assert set() == reported - set(rules.all_rules())


def test_resilience4j_770_a_self_call_is_guarded(world: World) -> None:
    """There is no proxy that a call through `self` could pass by."""

    class Client:
        calls = 0

        @retry(max_attempts=3)
        def find(self) -> None:
            self.calls += 1
            fail()

        def find_all(self) -> None:
            self.find()

    client = Client()
    with world.resilience.activate(), pytest.raises(ConnectionError):
        client.find_all()
    assert 3 == client.calls


def test_smallrye_819_a_private_method_is_guarded(world: World) -> None:
    """Whatever its name begins with."""

    class Client:
        calls = 0

        @retry(max_attempts=3)
        def _find(self) -> None:
            self.calls += 1
            fail()

        @retry(max_attempts=2)
        def __find(self) -> None:
            self._find()

        def find(self) -> None:
            self.__find()

    client = Client()
    with world.resilience.activate(), pytest.raises(ConnectionError):
        client.find()
    assert 6 == client.calls


def test_resilience4j_920_order_of_execution(world: World) -> None:
    """Whatever the order in which policies are written, the breaker counts each attempt of the retry."""
    for name, policies in {
        "one": (retry(max_attempts=3), circuit_breaker()),
        "other": (circuit_breaker(), retry(max_attempts=3)),
    }.items():
        with pytest.raises(ConnectionError):
            world.resilience.pipeline(name, *policies).call(fail)
        assert 3 == world.resilience.circuit_breaker(name).snapshot().total.failed


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(), GeneratorExit()], ids=lambda e: type(e).__name__)
def test_tenacity_529_what_is_no_exception_passes(world: World, error: BaseException) -> None:
    """It is neither retried nor counted."""
    pipeline = world.resilience.pipeline("guarded", retry(retry_on=Exception), circuit_breaker())
    calls = []

    def interrupted() -> None:
        calls.append(1)
        fail(error)

    with pytest.raises(type(error)):
        pipeline.call(interrupted)
    assert ([1], 0) == (calls, world.resilience.circuit_breaker("guarded").snapshot().total.calls)


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (None, State.CLOSED),
        (ConnectionError(), State.OPEN),
        (KeyError(), State.CLOSED),
        (ValueError(), State.HALF_OPEN),
    ],
    ids=["success", "failure", "not listed", "ignored"],
)
def test_mcp_server_221_each_probe_has_one_outcome(world: World, error: Exception | None, state: State) -> None:
    """Success, failure or neither: the permit of a probe comes back in any case."""
    breaker = circuit_breaker(
        name="probed",
        window_size=1,
        minimum_calls=1,
        wait_in_open="30s",
        half_open_calls=1,
        record_on=ConnectionError,
        ignore_on=ValueError,
    )
    world.recovering(breaker)
    pipeline = world.resilience.pipeline("probing", breaker)
    if error is None:
        pipeline.call(lambda: None)
    else:
        with pytest.raises(type(error)):
            pipeline.call(fail, error)
    assert state is world.resilience.circuit_breaker("probed").state
    if state is State.HALF_OPEN:
        pipeline.call(lambda: None)
        assert State.CLOSED is world.resilience.circuit_breaker("probed").state


def test_smallrye_320_one_classification_in_every_state(world: World) -> None:
    """What is ignored while the breaker is closed is ignored while it probes."""
    breaker = circuit_breaker(
        name="probed", window_size=1, minimum_calls=1, wait_in_open="30s", half_open_calls=1, ignore_on=KeyError
    )
    world.recovering(breaker)
    for _ in range(3):
        with pytest.raises(KeyError):
            world.resilience.pipeline("probing", breaker).call(fail, KeyError())
    assert State.HALF_OPEN is world.resilience.circuit_breaker("probed").state


def test_resilience4j_948_a_timeout_of_a_synchronous_method(world: World) -> None:
    """It works: a call that is late says so when it returns."""
    patient = world.resilience.pipeline("patient", timeout("2s"))
    assert "done" == patient.call(lambda: "done")
    with pytest.raises(TimeoutExceededError) as told:
        patient.call(world.clock.advance, "3s")
    assert told.value.completed


def test_resilience4j_280_a_wrapped_exception_is_unwrapped() -> None:
    """Types listed in `classification.unwrap` stand for what caused them."""

    def wrapped() -> None:
        calls.append(1)
        try:
            fail()
        except ConnectionError as error:
            raise Wrapper from error

    calls: list[int] = []
    world = World(**{"resilience4cata.classification.unwrap": f"{__name__}.Wrapper"})
    with pytest.raises(Wrapper):
        world.resilience.pipeline("guarded", retry(max_attempts=3, retry_on=ConnectionError)).call(wrapped)
    assert 3 == len(calls)


def test_resilience4j_2064_calls_around_the_edge_of_a_period(world: World) -> None:
    """Permits belong to cycles: twice as many calls may fall together at the edge, and no more."""
    pipeline = world.resilience.pipeline("limited", rate_limiter(permits=5, period="1s"))
    pipeline.call(lambda: None)
    world.clock.advance("999ms")
    for _ in range(4):
        pipeline.call(lambda: None)
    world.clock.advance("1ms")
    for _ in range(5):
        pipeline.call(lambda: None)
    with pytest.raises(RateLimitExceededError):
        pipeline.call(lambda: None)


def test_smallrye_150_retries_have_a_bound(world: World) -> None:
    """There is no number that means "unlimited": attempts are many, and time ends them."""
    pipeline = world.resilience.pipeline(
        "patient", retry(max_attempts=10**6, delay="1s", max_delay="1s", jitter=Jitter.NONE, max_duration="10s")
    )
    calls = []

    def failing() -> None:
        calls.append(1)
        fail()

    with pytest.raises(ConnectionError):
        pipeline.call(failing)
    assert 11 == len(calls)


def test_a_call_with_wrong_arguments_is_not_counted(world: World) -> None:
    """TypeError comes before any policy."""
    calls = []

    @retry(name="wrong", max_attempts=3)
    @circuit_breaker(name="wrong", window_size=2, minimum_calls=1)
    def charge(order: str) -> None:
        calls.append(order)

    with world.resilience.activate():
        with pytest.raises(TypeError):
            charge()  # type: ignore[call-arg]
        charge("A-17")
        snapshot = world.resilience.circuit_breaker("wrong").snapshot()
    assert (["A-17"], State.CLOSED, 1) == (calls, snapshot.state, snapshot.total.calls)


def test_smallrye_206_units_belong_to_values(world: World) -> None:
    """No other field tells what a number means, and a bare number is refused."""
    pipeline = world.resilience.pipeline("waiting", retry(max_attempts=2, delay="1500ms", jitter=Jitter.NONE))
    with pytest.raises(ConnectionError):
        pipeline.call(fail)
    assert [1_500_000_000] == world.scheduler.waits


def test_resilience4j_1432_exactly_so_many_probes(world: World) -> None:
    """A caller too many is refused while the probes are out."""
    world.recovering(PROBING)
    pipeline = world.resilience.pipeline("probing", PROBING)
    refused = []

    def probe() -> None:
        with pytest.raises(CallNotPermittedError):
            pipeline.call(lambda: None)
        refused.append(1)

    pipeline.call(partial(pipeline.call, probe))
    assert [1] == refused
