"""Which policies count for a method: the tables of the cases, and what the documentation says beyond them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import pytest

from resilience4cata import Resilience, bulkhead, inherit_policies, resilience_policy, retry, timeout, unguarded
from resilience4cata.config.origin import Layer

# That generators and fields stay unguarded is what some of these classes show.
pytestmark = pytest.mark.filterwarnings("ignore::resilience4cata.ResilienceWarning")


def written(cls: type, method: str = "call") -> dict[str, dict[str, str]]:
    """What counts for a call on `cls` and stands in code, in words, by policy and attribute; empty if unguarded."""
    try:
        described = Resilience.builder().only(__name__).build().describe(getattr(cls, method))
    except (LookupError, TypeError):
        return {}
    found: dict[str, dict[str, str]] = {}
    for setting in described.settings:
        attributes = found.setdefault(setting.policy, {})
        if setting.origin.layer is not Layer.BUILT_IN:
            attributes[setting.attribute] = setting.value
    return found


def attempts(cls: type, method: str = "call") -> int | None:
    """`max_attempts` as it counts for a call on `cls`; None without any retry."""
    found = written(cls, method).get("retry", {}).get("max_attempts")
    return None if found is None else int(found)


class TestTable:
    """Each row of the table: B base, A subclass; the number is `max_attempts` for a call on A."""

    def test_class_level_and_nothing(self) -> None:
        @retry(max_attempts=3)
        class B:
            def call(self) -> None: ...

        class A(B): ...

        assert 3 == attempts(A)

    def test_class_level_and_undecorated_override(self) -> None:
        @retry(max_attempts=3)
        class B:
            def call(self) -> None: ...

        class A(B):
            def call(self) -> None: ...

        assert 3 == attempts(A)

    def test_class_level_on_both_without_override(self) -> None:
        @retry(max_attempts=3)
        class B:
            def call(self) -> None: ...

        @retry(max_attempts=4)
        class A(B): ...

        assert (3, 4) == (attempts(B), attempts(A))

    def test_class_level_on_both_with_override(self) -> None:
        @retry(max_attempts=3)
        class B:
            def call(self) -> None: ...

        @retry(max_attempts=4)
        class A(B):
            def call(self) -> None: ...

        assert 4 == attempts(A)

    def test_decorated_override_beats_every_class(self) -> None:
        @retry(max_attempts=3)
        class B:
            def call(self) -> None: ...

        @retry(max_attempts=5)
        class A(B):
            @retry(max_attempts=4)
            def call(self) -> None: ...

        assert 4 == attempts(A)

    def test_inherited_method_level(self) -> None:
        class B:
            @retry(max_attempts=3)
            def call(self) -> None: ...

        class A(B): ...

        assert 3 == attempts(A)

    def test_undecorated_override_loses_policies(self) -> None:
        class B:
            @retry(max_attempts=3)
            def call(self) -> None: ...

        class A(B):
            def call(self) -> None: ...

        assert attempts(A) is None
        assert {} == written(A, "call")

    def test_inherit_policies_takes_them_over(self) -> None:
        class B:
            @retry(max_attempts=3)
            def call(self) -> None: ...

        class A(B):
            @inherit_policies
            def call(self) -> None: ...

        assert 3 == attempts(A)

    def test_inherited_method_level_beats_class_level(self) -> None:
        class B:
            @retry(max_attempts=3)
            def call(self) -> None: ...

        @retry(max_attempts=4, delay="1s")
        class A(B): ...

        assert {"max_attempts": "3", "delay": "1s"} == written(A, "call")["retry"]

    def test_undecorated_override_below_class_level(self) -> None:
        class B:
            @retry(max_attempts=3)
            def call(self) -> None: ...

        @retry(max_attempts=4)
        class A(B):
            def call(self) -> None: ...

        assert 4 == attempts(A)

    def test_abstract_and_undecorated_implementation(self) -> None:
        class B(ABC):
            @abstractmethod
            @retry(max_attempts=3)
            def call(self) -> None: ...

        class A(B):
            def call(self) -> None: ...

        assert 3 == attempts(A)

    def test_abstract_and_decorated_implementation(self) -> None:
        class B(ABC):
            @abstractmethod
            @retry(max_attempts=3, delay="1s")
            def call(self) -> None: ...

        class A(B):
            @retry(delay="2s")
            def call(self) -> None: ...

        assert {"max_attempts": "3", "delay": "2s"} == written(A, "call")["retry"]

    def test_class_and_method_level_with_undecorated_override(self) -> None:
        @retry(max_attempts=3)
        class B:
            @retry(max_attempts=4)
            def call(self) -> None: ...

        class A(B):
            def call(self) -> None: ...

        assert (4, 3) == (attempts(B), attempts(A))


class TestCoverage:
    """What a class-level policy covers."""

    def test_public_methods_of_all_kinds(self) -> None:
        @retry(max_attempts=3)
        class Client:
            def method(self) -> None: ...
            async def slow(self) -> None: ...
            @staticmethod
            def static() -> None: ...
            @classmethod
            def cls_method(cls) -> None: ...
            def _private(self) -> None: ...
            def __call__(self) -> None: ...
            @property
            def prop(self) -> int:
                return 1

            @unguarded
            def free(self) -> None: ...
            def pages(self) -> Iterator[int]:
                yield 1

            value = 5

        covered = [name for name in vars(Client) if attempts(Client, name) == 3]
        assert ["method", "slow", "static", "cls_method"] == covered

    def test_own_policies_of_what_the_class_does_not_cover(self) -> None:
        @retry(max_attempts=3)
        class Client:
            @timeout("1s")
            def __call__(self) -> None: ...

            @unguarded
            @timeout("1s")
            def free(self) -> None: ...

        assert {"timeout": {"value": "1s"}} == written(Client, "__call__")
        assert {"timeout": {"value": "1s"}} == written(Client, "free")

    def test_method_of_an_unguarded_base(self) -> None:
        """A class-level policy covers the body of its class, not everything that it inherits."""

        class B:
            def call(self) -> None: ...

        @retry(max_attempts=3)
        class A(B):
            def other(self) -> None: ...

        assert (None, 3) == (attempts(A), attempts(A, "other"))

    def test_class_level_adds_to_an_inherited_guarded_method(self) -> None:
        class B:
            @timeout("1s")
            def call(self) -> None: ...

        @retry(max_attempts=3)
        class A(B): ...

        assert {"retry": {"max_attempts": "3"}, "timeout": {"value": "1s"}} == written(A, "call")
        assert {"timeout": {"value": "1s"}} == written(B, "call")

    def test_attribute_by_attribute(self) -> None:
        shared = resilience_policy("shared", retry(max_attempts=2, delay="1s"), timeout("2s"))

        @shared
        @bulkhead(max_concurrent=5)
        class Client:
            @retry(delay="5s")
            def call(self) -> None: ...

        expected = {
            "retry": {"max_attempts": "2", "delay": "5s"},
            "timeout": {"value": "2s"},
            "bulkhead": {"max_concurrent": "5"},
        }
        assert expected == written(Client, "call")

    def test_direct_beats_composed_wherever_it_is_written(self) -> None:
        shared = resilience_policy("outer", resilience_policy("inner", timeout("1s")), timeout("2s"))

        @timeout("3s")
        @shared
        def above() -> None: ...

        class Client:
            first = staticmethod(above)

            @shared
            @timeout("4s")
            def call(self) -> None: ...

            @shared
            def composed(self) -> None: ...

        found = [written(Client, name)["timeout"]["value"] for name in ("first", "call", "composed")]
        assert ["3s", "4s", "2s"] == found


class TestAbstract:
    """Policies on abstract methods apply to implementations, however far down."""

    def test_protocol(self) -> None:
        class Source(Protocol):
            @retry(max_attempts=3)
            def call(self) -> int: ...

            @retry(max_attempts=4)
            def with_body(self) -> int:
                return 1

        class Explicit(Source):
            def call(self) -> int:
                return 1

            def with_body(self) -> int:
                return 2

        class Structural:
            def call(self) -> int:
                return 1

        assert (3, 4) == (attempts(Explicit), attempts(Explicit, "with_body"))
        assert attempts(Structural) is None

    def test_second_implementation(self) -> None:
        """Overriding an implementation drops its policies, but not those of the abstract method."""

        class Base(ABC):
            @abstractmethod
            @retry(max_attempts=3)
            def call(self) -> None: ...

        class First(Base):
            @timeout("1s")
            def call(self) -> None: ...

        class Second(First):
            def call(self) -> None: ...

        assert {"retry": {"max_attempts": "3"}} == written(Second, "call")

    def test_two_abstract_bases(self) -> None:
        class Left(ABC):
            @abstractmethod
            @retry(max_attempts=3)
            def call(self) -> None: ...

        class Right(ABC):
            @abstractmethod
            @retry(max_attempts=4, delay="1s")
            def call(self) -> None: ...

        class Both(Left, Right):
            def call(self) -> None: ...

        assert {"max_attempts": "3", "delay": "1s"} == written(Both, "call")["retry"]

    def test_inherit_policies_over_two_overrides(self) -> None:
        class A:
            @retry(max_attempts=3)
            def call(self) -> None: ...

        class B(A):
            @inherit_policies
            @timeout("1s")
            def call(self) -> None: ...

        class C(B):
            @inherit_policies
            def call(self) -> None: ...

        class D(C):
            def call(self) -> None: ...

        assert {"retry": {"max_attempts": "3"}, "timeout": {"value": "1s"}} == written(C, "call")
        assert {} == written(D, "call")


def test_slots_dataclass() -> None:
    """The class that is made anew has the functions of the first one."""

    @retry(max_attempts=3)
    @dataclass(slots=True)
    class Order:
        id: str

        def send(self) -> None: ...

        @retry(max_attempts=5)
        def pay(self) -> None: ...

    assert (3, 5) == (attempts(Order, "send"), attempts(Order, "pay"))
