"""What a fallback is called with, where its original takes any number of arguments."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from resilience4cata import Resilience, fallback

FAILURE = OSError("away")


@pytest.fixture(autouse=True)
def _active() -> Iterator[None]:
    with Resilience.builder().only(__name__).build().activate():
        yield


class Client:
    @fallback(method="named")
    def by_name(self, id: str, *tags: str, dry: bool = False, **rest: int) -> Any:
        raise FAILURE

    def named(self, id: str, error: OSError, *tags: str, dry: bool = False, **rest: int) -> Any:
        return self, id, error, tags, dry, rest

    @fallback(method="nameless")
    def by_position(self, id: str, /, *tags: str) -> Any:
        raise FAILURE

    def nameless(self, id: str, error: OSError, /, *tags: str) -> Any:
        return self, id, error, tags

    @fallback(method="alone")
    async def later(self, *tags: str) -> Any:
        raise FAILURE

    async def alone(self, error: OSError, *tags: str) -> Any:
        return self, error, tags

    @staticmethod
    @fallback(method="static_fallback")
    def static(id: str, *tags: str) -> Any:
        raise FAILURE

    @staticmethod
    def static_fallback(id: str, error: OSError, *tags: str) -> Any:
        return id, error, tags

    @classmethod
    @fallback(method="of_class_fallback")
    def of_class(cls, id: str, *tags: str) -> Any:
        raise FAILURE

    @classmethod
    def of_class_fallback(cls, id: str, error: OSError, *tags: str) -> Any:
        return cls, id, error, tags


def instead(id: str, error: OSError, *tags: str) -> Any:
    return id, error, tags


@fallback(instead)
def by_reference(id: str, *tags: str) -> Any:
    raise FAILURE


CLIENT = Client()


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: CLIENT.by_name("a"), (CLIENT, "a", FAILURE, (), False, {})),
        (lambda: CLIENT.by_name(id="a", dry=True, x=1), (CLIENT, "a", FAILURE, (), True, {"x": 1})),
        (lambda: CLIENT.by_name("a", "b", "c", dry=True), (CLIENT, "a", FAILURE, ("b", "c"), True, {})),
        (lambda: CLIENT.by_position("a"), (CLIENT, "a", FAILURE, ())),
        (lambda: CLIENT.by_position("a", "b"), (CLIENT, "a", FAILURE, ("b",))),
        (lambda: asyncio.run(CLIENT.later("b", "c")), (CLIENT, FAILURE, ("b", "c"))),
        (lambda: asyncio.run(CLIENT.later()), (CLIENT, FAILURE, ())),
        (lambda: Client.static("a", "b"), ("a", FAILURE, ("b",))),
        (lambda: Client.of_class("a", "b"), (Client, "a", FAILURE, ("b",))),
        (lambda: by_reference("a", "b"), ("a", FAILURE, ("b",))),
    ],
)
def test_exception_stands_before_further_arguments(call: Callable[[], Any], expected: tuple[Any, ...]) -> None:
    """The exception is the last parameter with a name; what fills `*tags` follows it."""
    assert expected == call()


def test_wrapped_object() -> None:
    """An object that `wrap` binds gets the same."""
    client = Resilience.builder().only(__name__).build().wrap(Client())
    assert (client, "a", FAILURE, ("b",), False, {}) == client.by_name("a", "b")
