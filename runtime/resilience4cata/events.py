"""What happened, as frozen records, and who is told.

Every event has one root, `Event`, and each policy one union of its events, so that a listener can ask for one kind, for
one policy's, or for all. Spans are nanoseconds, rates are percentages. Order across threads is not promised; within one
`Listeners` the sequence numbers tell in which order events were made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from itertools import count
from threading import RLock
from types import UnionType
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, NoReturn, TypeAlias, TypeVar, dataclass_transform

from .arguments import refusal

E = TypeVar("E", bound="Event")


class State(Enum):
    """The states of a circuit breaker. The last two are set by an operator and left by one only."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"
    FORCED_OPEN = "forced_open"
    DISABLED = "disabled"


class StopReason(Enum):
    """Why a retry tries no further although the failure may be retried."""

    ATTEMPTS = "attempts"
    DURATION = "duration"
    DEADLINE = "deadline"
    BUDGET = "budget"


@dataclass_transform(frozen_default=True)
class _Record(type):
    """Makes each class a frozen record of its annotated fields, those of its base first.

    Type checkers read it as a frozen dataclass; to define one takes a small part of the time, and nothing is imported.
    """

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _Record:
        annotations = namespace.get("__annotations__", {})
        own = tuple(field for field, kind in annotations.items() if not kind.startswith("ClassVar"))
        inherited = tuple(field for base in bases for field in getattr(base, "__match_args__", ()))
        return super().__new__(cls, name, bases, {**namespace, "__slots__": own, "__match_args__": inherited + own})


class Event(metaclass=_Record):
    """What happened to an instance of a policy, at which moment of the monotonic clock.

    Kinds that are `per_call` are made only where `events.per-call` is on, however many listen.
    """

    per_call: ClassVar[bool] = False

    instance_id: str
    policy: str
    nanoseconds: int
    sequence: int

    if not TYPE_CHECKING:  # type checkers know the parameters from the fields

        def __init__(self, *values, **named):
            fields = self.__match_args__
            given = dict(zip(fields, values, strict=False)) | named
            if len(values) + len(named) != len(fields) or given.keys() != set(fields):
                msg = f"{type(self).__name__}() takes {', '.join(fields)}"
                raise TypeError(msg)
            for field, value in given.items():
                object.__setattr__(self, field, value)

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field) for field in self.__match_args__)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        msg = f"an event is a record of what happened: '{name}' cannot be changed"
        raise AttributeError(msg)

    def __delattr__(self, name: str) -> NoReturn:
        self.__setattr__(name, None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Event) and type(self) is type(other) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((type(self), self._values()))

    def __repr__(self) -> str:
        fields = ", ".join(f"{field}={getattr(self, field)!r}" for field in self.__match_args__)
        return f"{type(self).__name__}({fields})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._values()


class StateTransition(Event):
    """A circuit breaker went from one state to another."""

    before: State
    after: State


class FailureRateExceeded(Event):
    """The failure rate reached the threshold."""

    rate: float
    threshold: float


class SlowCallRateExceeded(Event):
    """The rate of slow calls reached the threshold."""

    rate: float
    threshold: float


class CallNotPermitted(Event):
    """A circuit breaker refused a call; `retry_after` is None if it cannot be told."""

    state: State
    retry_after: int | None


class CallFailed(Event):
    """A circuit breaker recorded a failure; `failure` is None for a result that a classifier calls one."""

    elapsed: int
    failure: BaseException | None


class CallIgnored(Event):
    """A call ended in a way that leaves no trace."""

    failure: BaseException | None


class CallSucceeded(Event):
    """A circuit breaker recorded a success."""

    per_call: ClassVar[bool] = True

    elapsed: int


class Retried(Event):
    """Attempt number `attempt` failed and the next follows after `wait`."""

    attempt: int
    wait: int
    failure: BaseException | None


class RetryExhausted(Event):
    """A failure that may be retried was not, after `attempts` attempts, for `reason`."""

    attempts: int
    reason: StopReason
    failure: BaseException | None


class RetrySucceeded(Event):
    """The call succeeded, after more than one attempt."""

    attempts: int


class TimedOut(Event):
    """A call took longer than `limit`; `completed` tells that it did finish, only too late."""

    limit: int
    elapsed: int
    completed: bool


class BulkheadFull(Event):
    """No slot became free within `waited`."""

    waited: int


class BulkheadEntered(Event):
    """A call got a slot, having waited for it."""

    per_call: ClassVar[bool] = True

    waited: int


class RateLimitExceeded(Event):
    """A rate limiter refused a call; one may pass after `retry_after`."""

    retry_after: int


class RateLimitDelayed(Event):
    """A call reserved a permit and waits for it."""

    wait: int


class FallbackApplied(Event):
    """A fallback answered in place of the failed call; `target` names it."""

    target: str
    failure: BaseException


class FallbackFailed(Event):
    """A fallback failed itself, with `error`."""

    target: str
    failure: BaseException
    error: BaseException


CircuitBreakerStateTransition: TypeAlias = StateTransition

CircuitBreakerEvent: TypeAlias = (
    StateTransition
    | FailureRateExceeded
    | SlowCallRateExceeded
    | CallNotPermitted
    | CallFailed
    | CallIgnored
    | CallSucceeded
)
RetryEvent: TypeAlias = Retried | RetryExhausted | RetrySucceeded
TimeoutEvent: TypeAlias = TimedOut
BulkheadEvent: TypeAlias = BulkheadFull | BulkheadEntered
RateLimiterEvent: TypeAlias = RateLimitExceeded | RateLimitDelayed
FallbackEvent: TypeAlias = FallbackApplied | FallbackFailed

Events: TypeAlias = tuple[Event, ...]
NO_EVENTS: Final[Events] = ()

Callback: TypeAlias = Callable[[Any], object]


def expect_kind(call: str, kind: Any) -> None:
    """Raise TypeError for what is no kind of event, nor a union of kinds; `call` is the method that was given it."""
    try:
        fits = all(issubclass(each, Event) for each in getattr(kind, "__args__", (kind,)))
        issubclass(Event, kind)  # other things have arguments as well (`type[Event]`)
    except TypeError:
        fits = False
    if not fits:
        raise refusal(call, "a kind of event, such as StateTransition, or a union of kinds", kind)


class Subscription:
    """A listener: which kinds of event it hears, of which instance and policy (None: of any), until it is cancelled."""

    __slots__ = ("_listeners", "callback", "instance_id", "kind", "policy")

    def __init__(
        self,
        listeners: Listeners,
        kind: type[Event] | UnionType,
        callback: Callback,
        instance_id: str | None = None,
        policy: str | None = None,
    ) -> None:
        self._listeners = listeners
        self.kind = kind
        self.callback = callback
        self.instance_id = instance_id
        self.policy = policy

    def cancel(self) -> None:
        """Call the callback no more; nothing happens the second time."""
        self._listeners.remove(self)

    def hears(self, kind: type[Event], instance_id: str, policy: str) -> bool:
        return self.instance_id in (None, instance_id) and self.policy in (None, policy) and issubclass(kind, self.kind)


class Listeners:
    """Who listens, for all instances of one `Resilience`.

    Kinds that are `per_call` are heard only with `per_call`. `subscriptions` is a new tuple after each change, so that
    whoever has compiled it into something sees the change by identity; `changed` is called after each one.
    """

    __slots__ = ("_changed", "lock", "next_number", "per_call", "subscriptions")

    def __init__(self, *, per_call: bool = False, changed: Callable[[], None] | None = None) -> None:
        self.per_call = per_call
        self.subscriptions: tuple[Subscription, ...] = ()
        self.next_number = count(1).__next__
        self._changed = changed
        # Reentrant, since the collector or a signal may run code that listens at any point.
        self.lock = RLock()

    def add(
        self,
        kind: type[E] | UnionType,
        callback: Callable[[E], object],
        *,
        instance_id: str | None = None,
        policy: str | None = None,
    ) -> Subscription:
        """Call `callback` with each event of that kind (a class or a union of classes) from now on."""
        made = Subscription(self, kind, callback, instance_id, policy)
        with self.lock:
            self.subscriptions = (*self.subscriptions, made)
        if self._changed is not None:
            self._changed()
        return made

    def remove(self, subscription: Subscription) -> None:
        """Call it no more; nothing happens if it is gone already."""
        with self.lock:
            self.subscriptions = tuple(s for s in self.subscriptions if s is not subscription)
        if self._changed is not None:
            self._changed()

    def hear_per_call(self, per_call: bool) -> None:
        """From now on, hear events of kinds that are `per_call`, or hear them no more."""
        with self.lock:
            self.per_call = per_call
            # A new tuple: whoever compiled the old one has to see that something changed.
            self.subscriptions = (*self.subscriptions,)
        if self._changed is not None:
            self._changed()

    def channel(self, instance_id: str, policy: str) -> Channel:
        """What the state machine of one instance needs in order to report."""
        return Channel(self, instance_id, policy)


class _Heard(NamedTuple):
    """The callbacks for each kind of event, as they follow from `subscriptions`."""

    subscriptions: tuple[Subscription, ...]
    callbacks: dict[type[Event], tuple[Callback, ...]]


# One for all: it counts while nobody listens, and then nothing is looked up.
_NOTHING_HEARD: Final = _Heard((), {})


class Channel:
    """Where the events of one instance go. Asking costs one look-up in a dictionary once a kind was asked for."""

    __slots__ = ("_heard", "instance_id", "listeners", "policy")

    def __init__(self, listeners: Listeners, instance_id: str, policy: str) -> None:
        self.instance_id = instance_id
        self.policy = policy
        self.listeners = listeners
        self._heard = _NOTHING_HEARD

    def wants(self, kind: type[Event]) -> bool:
        """Whether anybody would hear an event of that kind: otherwise it need not be made."""
        return bool(self._callbacks(kind))

    def stamp(self, now: int) -> tuple[str, str, int, int]:
        """The first four fields of an event: instance, policy, moment, sequence number."""
        return self.instance_id, self.policy, now, self.listeners.next_number()

    def emit(self, events: Iterable[Event]) -> None:
        """Tell those who listen. To be called under no lock. What a listener raises is logged, if an Exception."""
        for event in events:
            for callback in self._callbacks(type(event)):
                try:
                    callback(event)
                except Exception:  # a listener must not break the call that it hears of
                    _log_failure(callback, event)

    def _callbacks(self, kind: type[Event]) -> tuple[Callback, ...]:
        subscriptions = self.listeners.subscriptions
        if not subscriptions:
            return ()
        heard = self._heard
        if heard.subscriptions is not subscriptions:
            # One store of both parts: another thread sees the old pair or the new one.
            self._heard = heard = _Heard(subscriptions, {})
        found = heard.callbacks.get(kind)
        if found is None:
            audible = self.listeners.per_call or not kind.per_call
            hearing = (s.callback for s in subscriptions if s.hears(kind, self.instance_id, self.policy))
            found = heard.callbacks[kind] = tuple(hearing) if audible else ()
        return found


SILENT: Final = Listeners().channel("", "")
"""The channel of a state machine that reports to nobody."""


def _log_failure(callback: Callback, event: Event) -> None:
    import logging

    logging.getLogger("resilience4cata").exception("listener %r failed on %r", callback, event)
