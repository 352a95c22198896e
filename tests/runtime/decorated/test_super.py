"""One logical call runs one pipeline: overrides that inherited their policies, and what `super()` leads to."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from typing import Any

from resilience4cata import BulkheadFullError, Resilience, bulkhead, inherit_policies, retry, timeout

from .running import Failing, attempts, running


class TestOnePipeline:
    def test_class_level(self) -> None:
        failing = Failing()

        @retry(max_attempts=3)
        class Base:
            def charge(self) -> object:
                return failing()

        class Derived(Base):
            def charge(self) -> object:
                return super().charge()

        class Further(Derived):
            def charge(self) -> object:
                return super().charge()

        with running():
            assert 3 == attempts(Base().charge, failing)
            assert 3 == attempts(Derived().charge, failing)
            assert 3 == attempts(Further().charge, failing)
            assert 3 == attempts(Base().charge, failing)

    def test_class_level_async(self) -> None:
        failing = Failing()

        @retry(max_attempts=3)
        class Base:
            async def charge(self) -> object:
                return failing()

        class Derived(Base):
            async def charge(self) -> object:
                await asyncio.sleep(0)
                return await super().charge()

        with running():
            assert 3 == attempts(lambda: asyncio.run(Derived().charge()), failing)

    def test_class_methods(self) -> None:
        failing = Failing()

        @retry(max_attempts=3)
        class Base:
            @classmethod
            def charge(cls) -> object:
                return failing()

        class Derived(Base):
            @classmethod
            def charge(cls) -> object:
                return super().charge()

        with running():
            assert 3 == attempts(Derived.charge, failing)
            assert 3 == attempts(Derived().charge, failing)

    def test_abstract(self) -> None:
        failing = Failing()

        class Base(ABC):
            @retry(max_attempts=3)
            @abstractmethod
            def charge(self) -> object:
                return failing()

        class Derived(Base):
            def charge(self) -> object:
                return super().charge()

        with running():
            assert 3 == attempts(Derived().charge, failing)

    def test_inherit_policies(self) -> None:
        failing = Failing()

        class Base:
            @retry(max_attempts=3)
            def charge(self) -> object:
                return failing()

        class Derived(Base):
            @inherit_policies
            def charge(self) -> object:
                return super().charge()

        with running():
            assert 3 == attempts(Derived().charge, failing)
            assert 3 == attempts(Base().charge, failing)

    def test_base_that_was_called_before_the_override_was_there(self) -> None:
        failing = Failing()

        @retry(max_attempts=3)
        class Base:
            def charge(self) -> object:
                return failing()

        with running():
            assert 3 == attempts(Base().charge, failing)

            class Derived(Base):
                def charge(self) -> object:
                    return super().charge()

            assert 3 == attempts(Derived().charge, failing)

    def test_sideways(self) -> None:
        """In a diamond, `super()` leads to a class that the method's own class does not know."""
        failing = Failing()

        @retry(max_attempts=3)
        class Root:
            def charge(self) -> object:
                return failing()

        class Left(Root):
            def charge(self) -> object:
                return super().charge()

        class Right(Root):
            def charge(self) -> object:
                return super().charge()

        class Both(Left, Right): ...

        with running():
            assert 3 == attempts(Both().charge, failing)
            assert 3 == attempts(Right().charge, failing)

    def test_a_permit_is_taken_once(self) -> None:
        @bulkhead(max_concurrent=1)
        class Base:
            def charge(self) -> str:
                return "charged"

        class Derived(Base):
            def charge(self) -> str:
                return super().charge()

        with running():
            assert "charged" == Derived().charge()

    def test_other_decorators_around_an_inherited_method(self) -> None:
        """A class-level policy wraps what its class inherits anew; below a foreign decorator there is a wrapper too."""
        failing = Failing()

        def foreign(function: Any) -> Any:
            def run(self: object) -> object:
                return function(self)

            run.__wrapped__ = function  # type: ignore[attr-defined]
            return run

        class Base:
            @foreign
            @retry(max_attempts=3)
            def charge(self) -> object:
                return failing()

        @retry(delay="1ms")
        class Derived(Base): ...

        with running():
            assert 3 == attempts(Derived().charge, failing)
            assert 3 == attempts(Base().charge, failing)


class TestTwoPipelines:
    def test_both_decorated(self) -> None:
        failing = Failing()

        class Base:
            @retry(max_attempts=3)
            def charge(self) -> object:
                return failing()

        class Derived(Base):
            @retry(max_attempts=2)
            def charge(self) -> object:
                return super().charge()

        with running():
            assert 6 == attempts(Derived().charge, failing)

    def test_another_method_of_the_base(self) -> None:
        failing = Failing()

        @retry(max_attempts=3)
        class Base:
            def charge(self) -> object:
                return failing()

            def refund(self) -> object:
                return failing()

        class Derived(Base):
            def charge(self) -> object:
                return super().refund()

            def refund(self) -> object:
                raise NotImplementedError

        with running():
            assert 9 == attempts(Derived().charge, failing)

    def test_an_unguarded_method_that_asks_the_base(self) -> None:
        failing = Failing()

        @retry(max_attempts=3)
        class Base:
            def charge(self) -> object:
                return failing()

        class Derived(Base):
            def charge(self) -> object:
                raise NotImplementedError

            def _charge_as_before(self) -> object:
                return super().charge()

        with running():
            assert 3 == attempts(Derived()._charge_as_before, failing)

    def test_a_call_of_its_own_is_another_call(self) -> None:
        """What calls the method again by its name begins anew, at any depth."""
        failing = Failing()

        @retry(max_attempts=2)
        class Base:
            def charge(self, depth: int) -> object:
                return failing() if depth == 0 else self.charge(depth - 1)

        class Derived(Base):
            def charge(self, depth: int) -> object:
                return super().charge(depth)

        with running():
            assert 2 == attempts(lambda: Derived().charge(0), failing)
            assert 4 == attempts(lambda: Derived().charge(1), failing)
            assert 8 == attempts(lambda: Derived().charge(2), failing)

    def test_another_object(self) -> None:
        failing = Failing()

        @retry(max_attempts=2)
        class Base:
            def charge(self, other: Base | None = None) -> object:
                return failing()

        class Derived(Base):
            def charge(self, other: Base | None = None) -> object:
                assert other is not None
                return Base.charge(other)

        with running():
            assert 4 == attempts(lambda: Derived().charge(Derived()), failing)

    def test_after_the_override_has_returned(self) -> None:
        failing = Failing()

        @retry(max_attempts=2)
        class Base:
            def charge(self) -> object:
                return failing()

        class Derived(Base):
            def charge(self) -> object:
                return "mine"

        derived = Derived()
        with running():
            assert "mine" == derived.charge()
            assert 2 == attempts(lambda: Base.charge(derived), failing)


class TestElsewhere:
    def test_offloaded(self) -> None:
        """The override runs on a thread of its own."""
        seen = []

        @timeout("10s", offload=True)
        @bulkhead(max_concurrent=1)
        class Base:
            def charge(self) -> str:
                seen.append(threading.current_thread() is threading.main_thread())
                return "charged"

        class Derived(Base):
            def charge(self) -> str:
                return super().charge()

        with Resilience.builder().only("nothing").build().activate():
            assert "charged" == Derived().charge()
        assert [False] == seen

    def test_tasks_of_one_call(self) -> None:
        """Tasks that the override starts belong to its call."""
        started = []

        @bulkhead(max_concurrent=1)
        class Base:
            async def charge(self) -> None:
                started.append(self)
                await asyncio.sleep(0)

        class Derived(Base):
            async def charge(self) -> None:
                await asyncio.gather(super().charge(), super().charge())

        with running():
            asyncio.run(Derived().charge())
        assert 2 == len(started)

    def test_tasks_of_many_calls(self) -> None:
        """Calls that interleave do not take each other's part: of three at once, two are too many."""

        @bulkhead(name="slots", max_concurrent=1)
        class Base:
            async def charge(self) -> str:
                await asyncio.sleep(0)
                return "charged"

        class Derived(Base):
            async def charge(self) -> str:
                await asyncio.sleep(0)
                return await super().charge()

        async def three() -> list[object]:
            derived = Derived()
            return [*await asyncio.gather(*(derived.charge() for _ in range(3)), return_exceptions=True)]

        with running():
            found = asyncio.run(three())
        assert ["charged", BulkheadFullError, BulkheadFullError] == [f if f == "charged" else type(f) for f in found]

    def test_threads(self) -> None:
        """A thread of the base's own methods is not taken for a part of what runs elsewhere."""
        entered, leave, failing = threading.Event(), threading.Event(), Failing()

        @retry(max_attempts=2)
        class Base:
            def charge(self) -> object:
                return failing()

        class Derived(Base):
            def charge(self) -> object:
                entered.set()
                leave.wait(10)
                return "mine"

        derived = Derived()
        with running():
            thread = threading.Thread(target=derived.charge)
            thread.start()
            assert entered.wait(10)
            found = attempts(lambda: Base.charge(derived), failing)
            leave.set()
            thread.join()
        assert 2 == found
