"""Decorators record what they stand on, change nothing and hold nothing."""

from __future__ import annotations

import enum
import sys
import threading
import typing
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple, Protocol, TypedDict

import pytest

from resilience4cata import inherit_policies, retry, timeout, unguarded
from resilience4cata.guards import original_of
from resilience4cata.policies.recorded import Recorded, function_of, holds, is_abstract, layers
from resilience4cata.policies.recording import INHERIT_POLICIES, UNGUARDED, Application, recorded

MARKER = "__resilience4cata__"


def on(target: object) -> list[Application]:
    """The applications that stand on `target` or on a wrapper around it."""
    return [application for application in recorded() if application.anchor() is original_of(target)]


def untyped(decorator: object) -> Any:
    """A decorator of which type checkers know nothing, for targets that they refuse."""
    return decorator


def test_functions_stay_unchanged_below_their_wrappers() -> None:
    """What is decorated is not touched, and is what the wrapper wraps."""

    def plain(a: int) -> int:
        return a + 1

    before = dict(vars(plain))
    wrapper = retry()(plain)
    assert plain is wrapper.__wrapped__  # type: ignore[attr-defined]
    assert 2 == plain(1)
    assert before == vars(plain)


def test_classes_are_given_back_unchanged() -> None:
    class Client: ...

    assert Client is retry()(Client)


class Described:
    """Has attributes that bind."""

    def getter(self) -> int:
        """Of the getter."""
        return 1

    one = property(getter)
    other = property(getter, lambda self, value: None, lambda self: None, doc="Of the property.")
    static: Any = staticmethod(getter)
    cls_method: Any = classmethod(untyped(getter))
    kept = untyped(cached_property)(getter)
    static.noted = "noted"


@pytest.mark.parametrize("name", ["one", "other", "static", "cls_method", "kept"])
def test_what_binds_is_the_same_around_a_wrapper(name: str) -> None:
    """All that can be seen of it stays; a policy more does not make another one of it."""
    target: Any = vars(Described)[name]
    made = untyped(retry())(target)
    assert (type(target), target.__doc__) == (type(made), made.__doc__)
    assert [made, Described.getter] == list(layers(made))
    assert getattr(target, "noted", None) == getattr(made, "noted", None)
    assert (getattr(target, "fset", None), getattr(target, "fdel", None)) == (
        getattr(made, "fset", None),
        getattr(made, "fdel", None),
    )
    assert made is untyped(timeout("1s"))(made)


@pytest.mark.parametrize("target", [len, print, partial(len), lambda: 1])
def test_other_callables_stand_below_a_wrapper(target: Any) -> None:
    wrapper = untyped(retry())(target)
    assert target is wrapper.__wrapped__
    assert [target] == list(layers(wrapper))


@pytest.mark.parametrize("target", [property(), cached_property(len), int, Any])
def test_nothing_fails_on_import(target: object) -> None:
    """Not even on what can never be guarded."""
    assert target is untyped(retry(max_attempts=0))(target)
    assert target is untyped(unguarded)(target)
    assert target is untyped(inherit_policies)(target)


def test_hostile_objects() -> None:
    """Proxies run code when asked for their class; nobody asks, recording or refusing."""

    class Proxy:
        @property  # type: ignore[misc]
        def __class__(self) -> type:
            raise RuntimeError

        def __getattr__(self, name: str) -> object:
            raise RuntimeError

        def __eq__(self, other: object) -> bool:
            raise RuntimeError

        __hash__ = None  # type: ignore[assignment]

    class Descriptor(Proxy):
        def __get__(self, target: object, owner: type) -> object:
            raise RuntimeError

    target = Descriptor()
    assert target is untyped(retry())(target)
    assert [True] == [a.anchor() is target for a in recorded() if a.anchor() is target]
    with pytest.raises(TypeError, match=r"is applied to a function, a method or a class, not an object of .*Proxy"):
        untyped(retry())(Proxy())


def test_wrappers_are_recorded_through_their_function() -> None:
    """A property cannot be held weakly; what stands on it is found through its function."""

    def name(self: object) -> str:
        return ""

    prop = property(name)
    policy = retry()
    untyped(policy)(prop)
    assert [(policy, property)] == [(a.policy, a.through) for a in on(name)]
    assert policy is Recorded().around(prop)[0].policy
    assert () == Recorded().around(name)


def test_order_is_outermost_first() -> None:
    outer, inner = retry(), timeout("1s")

    @outer
    @inner
    def call() -> None: ...

    assert (outer, inner) == Recorded().policies(call)


def test_marks() -> None:
    class Client:
        @unguarded
        def a(self) -> None: ...

        @staticmethod
        @unguarded
        def b() -> None: ...

        @inherit_policies
        def c(self) -> None: ...

    found = Recorded()
    members = vars(Client)
    assert [True, True, False] == [found.marked(members[name], UNGUARDED) for name in "abc"]
    assert [False, False, True] == [found.marked(members[name], INHERIT_POLICIES) for name in "abc"]
    assert () == found.policies(members["a"])


class TestOwners:
    """A marker in the class body learns the class and leaves no trace."""

    def owners(self, function: object) -> list[type | None]:
        return [application.owner() for application in on(function)]

    def test_plain_class(self) -> None:
        class Client:
            @retry()
            def a(self) -> None: ...

            @timeout("1s")
            @retry()
            def b(self) -> None: ...

        assert [Client] == self.owners(Client.a)
        assert [Client, Client] == self.owners(Client.b)
        assert MARKER not in vars(Client)

    def test_nested_classes(self) -> None:
        class Outer:
            @retry()
            def a(self) -> None: ...

            class Inner:
                @retry()
                def a(self) -> None: ...

        assert [Outer] == self.owners(Outer.a)
        assert [Outer.Inner] == self.owners(Outer.Inner.a)

    def test_a_function_in_a_method_has_no_owner(self) -> None:
        class Client:
            def make(self) -> object:
                @retry()
                def local() -> None: ...

                return local

        assert [None] == self.owners(Client().make())

    def test_protocol(self) -> None:
        @typing.runtime_checkable
        class Source(Protocol):
            @retry()
            def read(self) -> int: ...

        class File:
            def read(self) -> int:
                return 1

        assert [Source] == self.owners(Source.read)
        assert isinstance(File(), Source), "the marker is not a member of the protocol"

    def test_dataclass_with_slots(self) -> None:
        """The decorator makes the class twice; both are free of the marker."""

        @dataclass(slots=True)
        class Order:
            id: str

            @retry()
            def send(self) -> str:
                return self.id

        assert "7" == Order("7").send()
        assert MARKER not in vars(Order)
        assert not hasattr(Order, MARKER)

    def test_enum(self) -> None:
        """A marker would become a member."""

        class Colour(enum.Enum):
            RED = 1

            @retry()
            def paint(self) -> str:
                return self.name

        assert [Colour.RED] == list(Colour)
        assert "RED" == Colour.RED.paint()
        assert not hasattr(Colour, MARKER)

    def test_named_tuple(self) -> None:
        class Point(NamedTuple):
            x: int

            @retry()
            def far(self) -> bool:
                return self.x > 1

        assert ("x",) == Point._fields
        assert Point(2).far()

    def test_typed_dict(self) -> None:
        class Options(TypedDict):
            verbose: bool

        assert Options is retry()(Options)
        assert {"verbose"} == Options.__required_keys__

    def test_metaclass_that_forbids_deleting(self) -> None:
        class Strict(type):
            def __delattr__(cls, name: str) -> None:
                raise AttributeError(name)

        class Client(metaclass=Strict):
            @retry()
            def a(self) -> None: ...

        assert [Client] == self.owners(Client.a)
        assert MARKER not in vars(Client)

    def test_metaclass_with_a_namespace_of_its_own(self) -> None:
        seen: list[str] = []

        class Namespace(dict[str, object]):
            def __setitem__(self, key: str, value: object) -> None:
                seen.append(key)
                super().__setitem__(key, value)

        class Meta(type):
            @classmethod
            def __prepare__(mcs, *args: object, **kwargs: object) -> Namespace:  # noqa: N804
                return Namespace()

        class Client(metaclass=Meta):
            @retry()
            def a(self) -> None: ...

        assert MARKER not in seen
        assert [None] == self.owners(Client.a)

    def test_class_that_cannot_be_made(self) -> None:
        """The marker goes with the body."""

        class Refusing(type):
            def __new__(mcs, *args: Any) -> Any:
                raise ValueError

        with pytest.raises(ValueError, match=r"^$"):

            class Client(metaclass=Refusing):
                @retry()
                def a(self) -> None: ...


def test_threads_recording_at_once() -> None:
    """Nothing is lost, and numbers are unique."""
    made: list[list[Any]] = [[] for _ in range(8)]
    start = threading.Barrier(8)

    def work(mine: list[Any]) -> None:
        start.wait()
        for _ in range(500):

            @retry()
            def call() -> None: ...

            mine.append(call)
            if len(mine) % 100 == 0:
                recorded()

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work, args=(mine,)) for mine in made]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    alive = {id(original_of(call)) for mine in made for call in mine}
    found = [a for a in recorded() if id(a.anchor()) in alive]
    assert 4_000 == len(found)
    assert 4_000 == len({a.number for a in found})


def test_layers() -> None:
    def plain(self: object) -> None: ...

    wrapped = staticmethod(plain)
    assert [wrapped, plain] == list(layers(wrapped))
    cached = cached_property(plain)
    assert [cached, plain] == list(layers(cached))
    assert plain is function_of(property(plain))
    assert function_of(5) is None
    assert function_of(len) is None
    assert holds(property(None, plain), plain), "a setter belongs to its property"
    assert not holds(property(), plain)


def test_layers_end_in_a_circle() -> None:
    def circular() -> None: ...

    circular.__wrapped__ = circular  # type: ignore[attr-defined]
    assert [circular] == list(layers(circular))


def test_abstract() -> None:
    class Source(Protocol):
        def bare(self) -> int: ...

        def documented(self) -> int:
            """Only a docstring."""

        async def slow(self) -> int: ...

        def complete(self) -> int:
            return 1

    found = {name: is_abstract(vars(Source)[name], Source) for name in ("bare", "documented", "slow", "complete")}
    assert {"bare": True, "documented": True, "slow": True, "complete": False} == found
