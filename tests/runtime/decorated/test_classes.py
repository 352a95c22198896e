"""Classes: what happens when they are made, made anew, or derived from behind our back."""

from __future__ import annotations

import abc
import enum
import inspect
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import pytest

from resilience4cata import CallNotPermittedError, Resilience, circuit_breaker, inherit_policies, retry
from resilience4cata.guards import guard_of

from ..live import Application
from .running import Failing, attempts, built, running

T = TypeVar("T")

BASE = """
    from resilience4cata import *
    from tests.runtime.decorated.running import Failing

    failing = Failing()

    @retry(max_attempts=3)
    class Base:
        def charge(self): failing()
"""


class TestMadeAnew:
    """Decorators that return another class than they were given."""

    @pytest.mark.parametrize(
        "order", ["@dataclass(slots=True)\n@retry(max_attempts=3)", "@retry(max_attempts=3)\n@dataclass(slots=True)"]
    )
    @pytest.mark.parametrize("is_local", [True, False])
    def test_slots_dataclass(self, app: Application, order: str, is_local: bool) -> None:
        """Once, whichever stands above, and in a function too."""
        lines = ["class Client:", "    amount: int = 1", "    def charge(self): failing()"]
        body = [*order.splitlines(), *lines]
        indented = [f"    {line}" for line in body]
        made = ["def make():", *indented, "    return Client", "Client = make()"] if is_local else body
        head = "from dataclasses import dataclass\nfrom resilience4cata import *\nfailing = None\n"
        module: Any = app.load("shop", head + "\n".join(made) + "\n")
        module.failing = Failing()
        with running("shop"):
            assert 3 == attempts(module.Client().charge, module.failing)
        assert "charge" in vars(module.Client)

    def test_method_of_a_slots_dataclass(self) -> None:
        failing = Failing()

        @dataclass(slots=True)
        class Client:
            amount: int = 1

            @retry(max_attempts=3)
            def charge(self) -> object:
                return failing()

        class Derived(Client):
            @inherit_policies
            def charge(self) -> object:
                return failing()

        with running():
            assert 3 == attempts(Client().charge, failing)
            assert 3 == attempts(Derived().charge, failing)

    def test_super_in_a_slots_dataclass(self) -> None:
        failing = Failing()

        @retry(max_attempts=3)
        class Base:
            __slots__ = ()

            def charge(self) -> object:
                return failing()

        @dataclass(slots=True)
        class Derived(Base):
            amount: int = 1

            def charge(self) -> object:
                return Base.charge(self)

        with running():
            assert 3 == attempts(Derived().charge, failing)


class TestInitSubclass:
    def test_of_the_user(self) -> None:
        """It is called as ever, with its keyword arguments, and sees methods with their wrappers."""
        failing, seen = Failing(), []

        @retry(max_attempts=3)
        class Base:
            def __init_subclass__(cls, *, name: str, **kwargs: object) -> None:
                super().__init_subclass__(**kwargs)
                seen.append((name, guard_of(vars(cls)["charge"]) is not None))

            def charge(self) -> object:
                return failing()

        class Derived(Base, name="derived"):
            def charge(self) -> object:
                return failing()

        assert [("derived", True)] == seen
        with running():
            assert 3 == attempts(Derived().charge, failing)

    def test_without_super(self) -> None:
        """A class that does not pass the news on does not hide its own subclasses."""
        failing = Failing()

        @retry(max_attempts=3)
        class Base:
            def charge(self) -> object:
                return failing()

        class Silent(Base):
            def __init_subclass__(cls) -> None:
                cls.told = True  # type: ignore[attr-defined]

        class Derived(Silent):
            def charge(self) -> object:
                return failing()

        assert Derived.told  # type: ignore[attr-defined]
        with running():
            assert 3 == attempts(Derived().charge, failing)

    def test_hidden_by_another_base(self, app: Application) -> None:
        """`build()` finds what no `__init_subclass__` of ours has heard of."""
        silent = "    class Silent:\n        def __init_subclass__(cls): pass\n"
        derived = "    class Derived(Silent, Base):\n        def charge(self): failing()\n"
        module = app.load("shop", BASE + silent + derived)
        with running("shop"):
            assert 3 == attempts(module.Derived().charge, module.failing)

    def test_on_the_class_itself(self) -> None:
        """A class-level policy on a class with subclasses reaches those that exist already."""
        failing = Failing()

        class Base:
            def charge(self) -> object:
                return failing()

        class Derived(Base):
            def charge(self) -> object:
                return failing()

        retry(max_attempts=3)(Base)
        with running():
            assert 3 == attempts(Derived().charge, failing)

    def test_default_one_takes_no_arguments(self) -> None:
        @retry()
        class Base:
            def charge(self) -> None: ...

        with pytest.raises(TypeError, match="takes no keyword arguments"):

            class Derived(Base, name="derived"):  # type: ignore[call-arg]
                pass


class TestNames:
    def test_inherited_unchanged_shares_the_instance(self, app: Application) -> None:
        text = BASE.replace("@retry(max_attempts=3)", "@circuit_breaker(window_size=2, minimum_calls=2)")
        module = app.load("shop", text + "\n    class Derived(Base): ...\n")
        with running("shop") as resilience:
            attempts(module.Derived().charge, module.failing)
            attempts(module.Base().charge, module.failing)
            assert "OPEN" == resilience.circuit_breaker("shop.Base#charge").state.name
        assert module.Base.charge is module.Derived.charge

    def test_wrapped_again(self, app: Application) -> None:
        """A class-level policy of the subclass makes another element, with a name and instances of its own."""
        text = BASE.replace("@retry(max_attempts=3)", "@circuit_breaker(window_size=2, minimum_calls=2)")
        module = app.load("shop", text + "\n    @retry(max_attempts=1)\n    class Derived(Base): ...\n")
        with running("shop") as resilience:
            for _ in range(2):
                attempts(module.Derived().charge, module.failing)
            states = [resilience.circuit_breaker(f"shop.{name}#charge").state.name for name in ("Base", "Derived")]
            assert ["CLOSED", "OPEN"] == states
            assert "shop.Derived#charge" == resilience.describe(module.Derived.charge).id
            assert "shop.Base#charge" == resilience.describe(module.Base.charge).id
        assert "Derived.charge" == module.Derived.charge.__qualname__
        assert "Base.charge" == module.Base.charge.__qualname__

    def test_key_for_what_is_wrapped_again(self, app: Application) -> None:
        module = app.load("shop", BASE + "\n    @retry(delay='1ms')\n    class Derived(Base): ...\n")
        resilience = Resilience.builder().only("shop").instance("shop.Derived#charge", retry(max_attempts=2)).build()
        with resilience.activate():
            assert 2 == attempts(module.Derived().charge, module.failing)


class TestKindsOfClasses:
    def test_generic(self) -> None:
        failing = Failing()

        @retry(max_attempts=3)
        class Base(Generic[T]):
            def charge(self, value: T) -> object:
                return failing()

        class Derived(Base[int]):
            def charge(self, value: int) -> object:
                return failing()

        with running():
            assert 3 == attempts(lambda: Derived().charge(1), failing)

    def test_runtime_checkable_protocol(self) -> None:
        """Structural implementers are not covered, and are recognised as before."""
        failing = Failing()

        @runtime_checkable
        class Charges(Protocol):
            @retry(max_attempts=3)
            def charge(self) -> object: ...

        class Explicit(Charges):
            def charge(self) -> object:
                return failing()

        class Structural:
            def charge(self) -> object:
                return failing()

        assert [True, True, False] == [isinstance(value, Charges) for value in (Explicit(), Structural(), 5)]
        with running():
            assert 3 == attempts(Explicit().charge, failing)
            assert 1 == attempts(Structural().charge, failing)

    def test_abstract_methods_stay_abstract(self) -> None:
        class Base(abc.ABC):
            @retry()
            @abc.abstractmethod
            def one(self) -> None: ...

            @abc.abstractmethod
            @retry()
            def two(self) -> None: ...

        assert {"one", "two"} == Base.__abstractmethods__
        with pytest.raises(TypeError, match="abstract"):
            Base()  # type: ignore[abstract]

    def test_enumeration(self) -> None:
        failing = Failing()

        class Gateway(enum.Enum):
            MAIN = 1

            @retry(max_attempts=3)
            def charge(self) -> object:
                return failing()

        assert [1] == [gateway.value for gateway in Gateway]
        with running():
            assert 3 == attempts(Gateway.MAIN.charge, failing)

    def test_metaclass_that_refuses_to_be_changed(self) -> None:
        class Frozen(type):
            def __setattr__(cls, name: str, value: object) -> None:
                raise AttributeError(name)

        failing = Failing()

        @retry(max_attempts=3)
        class Client(metaclass=Frozen):
            def charge(self) -> object:
                return failing()

        with running():
            assert 3 == attempts(Client().charge, failing)

    def test_private_names(self) -> None:
        failing = Failing()

        class Client:
            def charge(self) -> object:
                return self.__charge()

            @retry(max_attempts=3)
            def __charge(self) -> object:
                return failing()

        with running():
            assert 3 == attempts(Client().charge, failing)

    def test_two_names_for_one_method(self) -> None:
        failing = Failing()

        class Client:
            @retry(max_attempts=3)
            def charge(self) -> object:
                return failing()

            bill = charge

        with running():
            assert 3 == attempts(Client().bill, failing)

    def test_method_of_another_class(self, app: Application) -> None:
        """A method that is lent to a class keeps its element."""
        text = BASE + "\n    class Other:\n        charge = Base.charge\n"
        module = app.load("shop", text)
        with running("shop"):
            assert 3 == attempts(module.Other().charge, module.failing)

    def test_classes_keep_their_looks(self) -> None:
        @retry()
        class Client:
            """What it says."""

            def charge(self, amount: int) -> str:
                """And how."""
                return str(amount)

        assert "(self, amount: int) -> str" == str(inspect.signature(Client.charge, eval_str=True)).replace("'", "")
        assert ("What it says.", "And how.") == (Client.__doc__, Client.charge.__doc__)
        assert [] == [name for name in vars(Client) if "resilience" in name]

    def test_instances_of_a_class_share_what_the_class_has(self) -> None:
        failing = Failing()

        class Client:
            @circuit_breaker(window_size=2, minimum_calls=2)
            def charge(self) -> object:
                return failing()

        resilience = built()
        with resilience.activate():
            assert [1, 1] == [attempts(Client().charge, failing) for _ in range(2)]
            with pytest.raises(CallNotPermittedError):
                Client().charge()
