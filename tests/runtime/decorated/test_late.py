"""What is declared after `build()`, declared anew, or thrown away."""

from __future__ import annotations

import asyncio
import gc
import importlib
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from resilience4cata import (
    CallNotPermittedError,
    DefinitionError,
    Resilience,
    activation,
    bulkhead,
    circuit_breaker,
    fallback,
    guards,
    retry,
)

from ..live import Application, recorded_numbers
from .running import Failing, attempts, built, running

BREAKER = """
    from resilience4cata import *

    calls = []

    @circuit_breaker(window_size={size}, minimum_calls={size})
    def charge(amount=1):
        calls.append(amount)
        raise ConnectionError
"""


def opened(charge: Callable[[], object], after: int) -> None:
    """Let the breaker of `charge` open by `after` failures."""
    for _ in range(after):
        with pytest.raises(ConnectionError):
            charge()
    with pytest.raises(CallNotPermittedError):
        charge()


class TestDeclaredLater:
    def test_function(self, app: Application) -> None:
        with running("shop"):
            module = app.load("shop", BREAKER.format(size=2))
            opened(module.charge, 2)

    def test_errors_are_those_of_the_function_alone(self, app: Application) -> None:
        """All of its errors, and none of its neighbours'."""
        text = """
            from resilience4cata import *

            @retry(max_attempts=0)
            @timeout("soon")
            def broken(): return "called"

            @timeout("later")
            def other(): ...

            @retry()
            def fine(): return "fine"
        """
        with running("shop"):
            module = app.load("shop", text)
            assert "fine" == module.fine()
            with pytest.raises(DefinitionError) as caught:
                module.broken()
        codes = sorted(d.code.rpartition("-")[0] for d in caught.value.diagnostics)
        assert ["R4C-DU", "R4C-VA"] == codes
        assert all("shop.broken" in d.text for d in caught.value.diagnostics)

    def test_what_was_built_keeps_its_state(self, app: Application) -> None:
        module = app.load("shop", BREAKER.format(size=2))
        with running("shop", "late"):
            opened(module.charge, 2)
            late = app.load("late", BREAKER.format(size=3))
            opened(late.charge, 3)
            with pytest.raises(CallNotPermittedError):
                module.charge()

    def test_check_finds_it(self, app: Application) -> None:
        with running("shop") as resilience:
            app.load("shop", "from resilience4cata import *\n@timeout('soon')\ndef f(): ...\n")
            with pytest.raises(DefinitionError, match="R4C-DU-"):
                resilience.check()

    def test_disagreement_is_the_late_ones_fault(self, app: Application) -> None:
        """A shared instance goes on as it was declared first."""
        shared = BREAKER.replace("circuit_breaker(", 'circuit_breaker(name="payments", ')
        module = app.load("shop", shared.format(size=2))
        with running("shop", "late"):
            late = app.load("late", shared.format(size=3))
            with pytest.raises(DefinitionError, match="R4C-IN-001"):
                late.charge()
            opened(module.charge, 2)

    def test_of_a_package_that_was_not_chosen(self, app: Application) -> None:
        """`only` is about what `build()` checks: what is called runs its policies, and is checked then."""
        module = app.load("shop", BREAKER.format(size=2))
        broken = app.load("broken", "from resilience4cata import *\n@timeout('soon')\ndef f(): ...\n")
        with running("other"):
            opened(module.charge, 2)
            with pytest.raises(DefinitionError, match="R4C-DU-"):
                broken.f()

    def test_subclass(self, app: Application) -> None:
        text = "from resilience4cata import *\n@retry(max_attempts=3)\nclass Base:\n    def m(self): ...\n"
        app.load("shop", text)
        failing = Failing()
        with running("shop", "late"):
            late = app.load(
                "late", "from shop import Base\nclass Late(Base):\n    def m(self): return self.failing()\n"
            )
            late.Late.failing = staticmethod(failing)
            assert 3 == attempts(late.Late().m, failing)

    def test_policy_on_a_function_that_was_called_already(self) -> None:
        failing = Failing()

        @retry(max_attempts=2)
        def charge() -> object:
            return failing()

        with running():
            assert 2 == attempts(charge, failing)
            assert charge is fallback(lambda context: "instead")(charge)
            assert "instead" == charge()


class TestDeclaredAnew:
    def test_equal_settings_keep_the_state(self, app: Application) -> None:
        module = app.load("shop", BREAKER.format(size=2))
        with running("shop"):
            opened(module.charge, 2)
            importlib.reload(module)
            with pytest.raises(CallNotPermittedError):
                module.charge()
            assert [] == module.calls

    def test_other_settings_count(self, app: Application) -> None:
        module = app.load("shop", BREAKER.format(size=2))
        with running("shop"):
            opened(module.charge, 2)
            app.write("shop.py", BREAKER.format(size=4) + "\n    # longer, so that it is compiled anew\n")
            importlib.reload(module)
            opened(module.charge, 4)

    def test_old_function_goes_on(self, app: Application) -> None:
        """Who still has it calls it with its own policies."""
        module = app.load("shop", BREAKER.format(size=2))
        old = module.charge
        with running("shop"):
            app.write("shop.py", BREAKER.format(size=4) + "\n    # longer, so that it is compiled anew\n")
            importlib.reload(module)
            opened(module.charge, 4)
            opened(old, 2)


class TestLocal:
    """Functions that other functions make."""

    def test_share_by_name(self) -> None:
        def make(failing: Failing) -> Any:
            @circuit_breaker(name="payments", window_size=2, minimum_calls=2)
            def charge() -> object:
                return failing()

            return charge

        one, other = make(Failing()), make(Failing())
        with running() as resilience:
            opened(one, 2)
            with pytest.raises(CallNotPermittedError):
                other()
            assert "OPEN" == resilience.circuit_breaker("payments").state.name

    def test_state_survives_a_reload(self) -> None:
        """Its settings change live, and its breaker stays open."""

        @circuit_breaker(window_size=2, minimum_calls=2)
        def charge() -> object:
            raise ConnectionError

        with running() as resilience:
            opened(charge, 2)
            resilience.reload()
            with pytest.raises(CallNotPermittedError):
                charge()

    def test_methods_of_local_classes(self) -> None:
        """Two classes that one function made have breakers of their own."""

        def make() -> Any:
            class Client:
                @circuit_breaker(window_size=2, minimum_calls=2)
                def charge(self) -> object:
                    raise ConnectionError

            return Client()

        one, other = make(), make()
        with running():
            opened(one.charge, 2)
            opened(other.charge, 2)


class TestThreads:
    def test_first_calls_at_once(self, app: Application) -> None:
        """Many threads resolve, one result is published: there is one bulkhead, and nobody waits for anybody."""
        text = """
            import threading
            from resilience4cata import *
            inside, leave = [], threading.Event()

            class Handler(FallbackHandler[str]):
                def apply(self, context): return "full"

            @fallback(Handler)
            @bulkhead(max_concurrent=2)
            def charge() -> str:
                inside.append(1)
                leave.wait(10)
                return "charged"
        """
        module = app.load("shop", text)
        start, found = threading.Barrier(8), []

        def work() -> None:
            start.wait()
            found.append(module.charge())
            if len(found) == 6:
                module.leave.set()

        with running("shop"):
            threads = [threading.Thread(target=work) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert ["charged"] * 2 + ["full"] * 6 == sorted(found)
        assert 2 == len(module.inside)

    def test_slow_first_call_does_not_undo_an_activation(self, app: Application) -> None:
        """What was found for one activation is not installed after the next one."""
        text = """
            import threading
            from resilience4cata import *
            entered, leave = threading.Event(), threading.Event()

            class Slow(FallbackHandler[str]):
                def __init__(self):
                    if not entered.is_set():
                        entered.set()
                        leave.wait(10)
                def apply(self, context): return "instead"

            @fallback(Slow)
            @retry()
            def charge() -> str:
                calls.append(1)
                raise ConnectionError
            calls = []
        """
        module = app.load("shop", text)
        found: list[str] = []
        thread = threading.Thread(target=lambda: found.append(module.charge()))
        first = built("shop")
        second = Resilience.builder().only("shop").defaults(retry(max_attempts=1)).build()
        with first.activate():
            thread.start()
            assert module.entered.wait(10)
            with second.activate():
                module.leave.set()
                thread.join()
                assert ["instead"] == found
                del module.calls[:]
                assert "instead" == module.charge()
                assert [1] == module.calls

    def test_default_is_built_once(self, app: Application) -> None:
        module = app.load("shop", BREAKER.format(size=100))
        start, found = threading.Barrier(4), []

        def work() -> None:
            start.wait()
            with pytest.raises(ConnectionError):
                module.charge()
            found.append(activation.current())

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 1 == len({id(resilience) for resilience in found})


class TestThrownAway:
    def test_functions(self) -> None:
        """Nothing of them stays: no declaration, no wrapper, no machine."""

        def make() -> Callable[[], int]:
            @retry()
            @circuit_breaker()
            @bulkhead(max_concurrent=2)
            def call() -> int:
                return 1

            return call

        with running() as resilience:
            make()()
            gc.collect()
            before, installed, objects = recorded_numbers(), len(guards._installed), len(gc.get_objects())
            assert 20_000 == sum(make()() for _ in range(20_000))
            gc.collect()
            assert recorded_numbers() <= before
            assert len(guards._installed) <= installed
            assert len(gc.get_objects()) - objects < 1_000
            assert {} == dict(resilience._decorated._machines)

    def test_machines_die_with_their_function(self) -> None:
        """At once, without the collector: nothing about a function is circular."""

        @circuit_breaker()
        def call() -> None: ...

        gone = weakref.ref(call)
        gc.disable()
        try:
            with running() as resilience:
                call()
                assert 1 == len(resilience._decorated._machines)
                del call
                assert gone() is None
                assert 0 == len(resilience._decorated._machines)
        finally:
            gc.enable()

    def test_async_functions(self) -> None:
        def make() -> Any:
            @retry()
            async def call() -> int:
                return 1

            return call

        async def many() -> int:
            return sum([await make()() for _ in range(1_000)])

        with running():
            assert 1_000 == asyncio.run(many())
            gc.collect()
            assert 0 == sum(1 for reference in guards._installed if "many" in repr(reference()))

    def test_policies_that_are_made_anew_each_time(self) -> None:
        """A handler of its own for each of many functions: what is remembered of places is bounded."""

        def make(number: int) -> Callable[[], object]:
            @fallback(lambda context: number)
            def call() -> object:
                raise ConnectionError

            return call

        with running() as resilience:
            assert list(range(600)) == [make(number)() for number in range(600)]
            assert len(resilience._decorated._locals._known[1]) <= 256

    def test_local_classes(self) -> None:
        """Classes with policies may come and go too."""
        failing = Failing()

        def make() -> Any:
            @retry(max_attempts=2)
            class Local:
                def charge(self) -> object:
                    return failing()

            return Local

        gc.collect()
        before = recorded_numbers()
        with running():
            for _ in range(20):
                assert 2 == attempts(make()().charge, failing)
        gc.collect()
        assert recorded_numbers() <= before
