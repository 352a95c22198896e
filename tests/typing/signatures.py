# pyright: strict
"""What is decorated keeps its type: checked by mypy and pyright, never run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Generic, ParamSpec, Protocol, TypeVar, assert_type, overload

from resilience4cata import (
    Backoff,
    Jitter,
    Layer,
    WindowType,
    adaptive_limit,
    bulkhead,
    circuit_breaker,
    fallback,
    hedge,
    inherit_policies,
    order,
    rate_limiter,
    resilience_policy,
    retry,
    timeout,
    unguarded,
)

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

external_call = resilience_policy("external-call", retry(max_attempts=3), resilience_policy("inner", timeout("2s")))


@retry(max_attempts=3, delay=timedelta(seconds=1), backoff=Backoff.EXPONENTIAL, jitter=Jitter.FULL)
@timeout("2s", offload=True)
def function(a: int, /, b: str = "", *args: bytes, c: float, **kwargs: bool) -> list[str]:
    return []


assert_type(function(1, "b", b"", c=2.0, d=True), list[str])


@external_call
@circuit_breaker(window_type=WindowType.COUNT, record_on=(OSError, ValueError), ignore_on=KeyError)
@rate_limiter(permits=5, period="1s")
@bulkhead(max_concurrent=5)
@hedge(delay="10ms")
@adaptive_limit(initial_limit=5)
@order(Layer.TIMEOUT, Layer.RETRY)
async def coroutine(a: int) -> str:
    return ""


async def awaits(client: Client) -> None:
    assert_type(await coroutine(1), str)
    async for chunk in client.stream():
        assert_type(chunk, bytes)


@external_call
class Client:
    """A class stays the class it is."""

    def __init__(self, url: str) -> None: ...

    @retry()
    def method(self, a: int) -> str:
        return ""

    @staticmethod
    @timeout("1s")
    def static(a: int) -> str:
        return ""

    @classmethod
    @timeout("1s")
    def make(cls, url: str) -> Client:
        return cls(url)

    @property
    @retry()
    def name(self) -> str:
        return ""

    @unguarded
    def free(self, a: int) -> str:
        return ""

    @unguarded
    async def stream(self) -> AsyncIterator[bytes]:
        yield b""

    @fallback(method=("one", "two"), apply_on=OSError, skip_on=BaseException)
    def chained(self) -> Client:
        return self


client = Client("url")
assert_type(client, Client)
assert_type(client.method(1), str)
assert_type(client.chained().chained(), Client)
assert_type(client.name, str)
assert_type(client.free(1), str)
assert_type(Client.static(1), str)
assert_type(client.static(1), str)
assert_type(Client.make("url"), Client)


class Sub(Client):
    @inherit_policies
    def method(self, a: int) -> str:
        return super().method(a)


assert_type(Sub("url").method(1), str)


@retry()
@dataclass(frozen=True, slots=True)
class Order(Generic[T]):
    id: T

    @timeout("1s")
    def get(self) -> T:
        return self.id


assert_type(Order(5).get(), int)
assert_type(Order("5"), Order[str])


@retry()
def generic(value: T, others: list[T]) -> dict[str, T]:
    return {}


assert_type(generic(5, [6]), dict[str, int])


@overload
def overloaded(value: int) -> int: ...
@overload
def overloaded(value: str) -> str: ...
@retry()
def overloaded(value: int | str) -> int | str:
    return value


assert_type(overloaded(1), int)
assert_type(overloaded(""), str)


def logged(call: Callable[P, R]) -> Callable[P, R]:
    return call


@logged
@retry()
@logged
def between(a: int, *, b: str) -> bytes:
    return b""


assert_type(between(1, b=""), bytes)


def guard(call: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
    """Policies are values: they guard what a parameter holds."""
    return retry()(external_call(call))


assert_type(guard(coroutine)(1), Awaitable[str])


class Source(Protocol):
    @retry()
    def read(self) -> int: ...


class Base(ABC):
    @abstractmethod
    @retry()
    def read(self) -> int: ...


class File(Base):
    def read(self) -> int:
        return 1


def reads(source: Source) -> int:
    return source.read()


assert_type(reads(File()), int)
assert_type(retry(max_attempts=3).max_attempts == 3, bool)
