"""Classes that a decorator makes anew, as attrs does: methods that know their class know the new one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from resilience4cata import retry

from .running import Failing, attempts, running


@pytest.fixture(autouse=True)
def _running() -> Iterator[None]:
    with running():
        yield


def made_anew(cls: Any) -> Any:
    """The class with `__slots__`, as `attrs.define` makes it: cells that hold the old class get the new one.

    Functions of cached properties are kept beside it.
    """
    namespace = {key: value for key, value in vars(cls).items() if key not in {"__dict__", "__weakref__"}}
    cached = {key: value.func for key, value in namespace.items() if isinstance(value, functools.cached_property)}
    if cached:
        namespace = {key: value for key, value in namespace.items() if key not in cached}
        namespace["__getattr__"] = lambda self, name: cached[name](self)
    made = type(cls)(cls.__name__, cls.__bases__, {**namespace, "__slots__": (), "__qualname__": cls.__qualname__})
    for item in vars(made).values():
        function = item.__func__ if isinstance(item, (classmethod, staticmethod)) else item
        for cell in getattr(function, "__closure__", None) or ():
            if cell.cell_contents is cls:
                cell.cell_contents = made
    return made


def foreign(function: Callable[..., Any]) -> Any:
    @functools.wraps(function)
    def run(*args: Any) -> Any:
        return function(*args)

    return run


class Base:
    def charge(self) -> str:
        return "charged"

    @classmethod
    def opened(cls) -> str:
        return "opened"


def test_methods_call_what_they_override() -> None:
    """`super()` without arguments raised TypeError: the cell with the class was behind our wrappers."""

    @made_anew
    class Payments(Base):
        @retry()
        def charge(self) -> str:
            return f"{super().charge()} by {type(self).__name__}"

        @classmethod
        @retry()
        def opened(cls) -> str:
            return f"{super().opened()} by {cls.__name__}"

    assert "charged by Payments" == Payments().charge()
    assert "opened by Payments" == Payments.opened()


def test_decorators_of_others_in_between() -> None:
    @made_anew
    class Payments(Base):
        @retry()
        @foreign
        def charge(self) -> str:
            return super().charge()

    assert "charged" == Payments().charge()


@pytest.mark.parametrize("above", [True, False])
def test_policies_on_the_class(above: bool) -> None:
    class Payments(Base):
        def charge(self) -> str:
            return super().charge()

    made = retry()(made_anew(Payments)) if above else made_anew(retry()(Payments))
    assert "charged" == made().charge()


def test_policies_on_what_is_overridden() -> None:
    """Nothing of ours stands in the class, but its method has a wrapper all the same."""
    failing = Failing()

    @made_anew
    @retry(max_attempts=2)
    class Payments(Base):
        def charge(self) -> str:
            return super().charge()

        def refund(self) -> str:
            return "refunded"

    @made_anew
    class Cards(Payments):
        def charge(self) -> str:
            return f"{super().charge()} by card"

        def refund(self) -> str:
            return str(failing(super().refund()))

    assert "charged by card" == Cards().charge()
    assert 2 == attempts(Cards().refund, failing)


def test_cached_properties() -> None:
    """They ran without policies where one of them asked for its class, since that kept the old class alive."""
    failing = Failing()

    @made_anew
    class Payments(Base):
        @functools.cached_property
        @retry(max_attempts=2)
        def fee(self) -> str:
            return str(failing())

        @functools.cached_property
        @retry()
        def receipt(self) -> str:
            return super().charge()

    assert 2 == attempts(lambda: Payments().fee, failing)
    assert "charged" == Payments().receipt
