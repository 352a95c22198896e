"""Which live type certainly fits which other."""

from __future__ import annotations

import collections.abc
import typing
from abc import ABC, abstractmethod
from enum import IntEnum
from typing import Annotated, Any, Generic, Literal, NewType, Optional, Protocol, TypedDict, TypeVar

import pytest

from resilience4cata.extract.annotations import NOT_KNOWN
from resilience4cata.extract.assignability import assignable, bindings

from ..live import Application

T = TypeVar("T")


class User: ...


class Admin(User): ...


class Source(Protocol):
    def read(self) -> int: ...


class Options(TypedDict):
    a: int


class Anything(Any): ...  # type: ignore[misc]


class Status(IntEnum):
    OK = 200


UserId = NewType("UserId", int)


class Registered(ABC):
    @abstractmethod
    def read(self) -> int: ...


Registered.register(User)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (User, User, True),
        (Admin, User, True),
        (User, Admin, False),
        (User, object, True),
        (User, Any, None),
        (Any, User, None),
        (Anything, User, None),
        (NOT_KNOWN, User, None),
        (User, NOT_KNOWN, None),
        (T, User, None),
        ("User", User, None),
        (None, None, True),
        (None, User, False),
        (User, None, False),
        (None, Optional[User], True),  # noqa: UP045
        (User, Admin | None, False),
        (Admin, User | int, True),
        (User | None, User, False),
        (Admin | User, User, True),
        (Any | None, User, False),
        (bool, int, True),
        (int, float, True),
        (float, int, False),
        # What derives from a number is promoted as the number is.
        (Status, float, True),
        (Status, complex, True),
        (Status, str, False),
        (int, complex, True),
        (str, bytes, False),
        (list[int], list[int], True),
        (list[bool], list[int], None),
        (list[int], list, True),
        (list, list[int], None),
        (list[int], tuple[int, ...], False),
        (tuple[int, ...], list[int], False),
        (list[bool], collections.abc.Sequence[int], True),
        (list[str], collections.abc.Sequence[int], False),
        (collections.abc.Sequence[int], list[int], False),
        (dict[str, int], collections.abc.Mapping[str, int], None),
        (tuple[bool, str], tuple[int, str], True),
        (tuple[int], tuple[int, str], False),
        (tuple[int, str], tuple[int, ...], False),
        (tuple[bool, ...], tuple[int, ...], True),
        (tuple[int, ...], tuple[int, str], None),
        (Literal["a"], str, True),
        (Literal["a"], int, False),
        (Literal["a"], Literal["a", "b"], True),
        (Literal["c"], Literal["a", "b"], False),
        (str, Literal["a"], None),
        (UserId, int, True),
        (UserId, UserId, True),
        (int, UserId, None),
        (UserId, str, None),
        (Annotated[int, "x"], int, True),
        (User, Source, None),
        (Options, dict, None),
        (dict, Options, None),
        (User, Registered, True),
        (collections.abc.Callable[[], int], collections.abc.Callable[[], int], True),
        (type[User], type[User], True),
        (typing.NoReturn, User, True),
    ],
)
def test_assignable(source: object, target: object, expected: bool | None) -> None:
    assert expected is assignable(source, target)


class Store(Generic[T]): ...


class Left(Store[T]): ...


class Right(Left[int], Generic[T]): ...


class Bare(Store): ...  # type: ignore[type-arg]


def test_bindings() -> None:
    parameter = Store.__parameters__[0]  # type: ignore[attr-defined]
    assert {parameter: int} == bindings(Right, Store)
    assert {parameter: T} == bindings(Left, Store)
    assert {} == bindings(Bare, Store)
    assert {} == bindings(User, Store)


def test_a_future_may_stand_in_for_what_it_brings(app: Application) -> None:
    """A target that returns a future fits an asynchronous method: it will be awaited."""
    app.load(
        "acme",
        """
        from asyncio import Future, get_running_loop
        from resilience4cata import fallback
        class Client:
            @fallback(method="later")
            async def find(self) -> int: return 1
            def later(self) -> Future[int]: return get_running_loop().create_future()
            @fallback(method="text")
            async def other(self) -> int: return 1
            def text(self) -> str: return ""
        """,
    )
    assert ["'text' returns str, but 'other' returns int"] == [d.message for d in app.diagnostics("acme")]
