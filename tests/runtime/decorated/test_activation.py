"""What decorated callables run on: what is active, what was before, and what is built when nothing is."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from resilience4cata import (
    CallNotPermittedError,
    ConfigSources,
    DefinitionError,
    Resilience,
    activation,
    circuit_breaker,
    retry,
)

from ..live import Application
from .running import Failing, attempts, builder, built, running

MODULE = """
    from resilience4cata import *

    calls = []

    @retry(max_attempts=2)
    @circuit_breaker(name="payments", window_size=2, minimum_calls=2)
    def charge(amount=1):
        calls.append(amount)
        raise ConnectionError

    @retry()
    def refund():
        return "refunded"
"""


class TestActivation:
    def test_state_belongs_to_what_is_active(self, app: Application) -> None:
        """A breaker that opened on one stays closed on the other."""
        module = app.load("shop", MODULE)
        first, second = built("shop"), built("shop")
        with first.activate():
            with pytest.raises(ConnectionError):
                module.charge()
            with pytest.raises(CallNotPermittedError):
                module.charge()
            with second.activate(), pytest.raises(ConnectionError):
                module.charge()
            with pytest.raises(CallNotPermittedError):
                module.charge()
        assert [1] * 4 == module.calls

    def test_gives_the_resilience(self) -> None:
        resilience = built()
        with resilience.activate() as active:
            assert resilience is active
            assert resilience is activation.current()

    def test_for_good(self) -> None:
        first, second = built(), built()
        outer = first.activate()
        inner = second.activate()
        assert second is activation.current()
        inner.end()
        assert first is activation.current()
        outer.end()

    def test_reverse_order(self) -> None:
        """Ending one before those that came after it is refused, and changes nothing."""
        first, second = built(), built()
        outer = first.activate()
        inner = second.activate()
        with pytest.raises(RuntimeError, match="activations end in reverse order"):
            outer.end()
        assert second is activation.current()
        inner.end()
        outer.end()
        with pytest.raises(RuntimeError, match="activations end in reverse order"):
            outer.end()

    def test_same_one_twice(self) -> None:
        resilience = built()
        with resilience.activate(), resilience.activate():
            assert resilience is activation.current()

    def test_whole_process(self, app: Application) -> None:
        module = app.load("shop", MODULE)
        found: list[object] = []

        def work() -> None:
            module.refund()
            found.append(activation.current())

        with running("shop") as resilience:
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        assert [resilience] == found

    def test_running_calls_finish_on_what_they_began_with(self, app: Application) -> None:
        """An activation in the middle of a call concerns the next one."""
        module = app.load("shop", MODULE)
        second = builder("shop").instance("payments").build()
        seen: list[Any] = []

        @retry(max_attempts=3)
        def change() -> None:
            seen.append(activation.current())
            if len(seen) == 1:
                seen.append(second.activate())
            raise ConnectionError

        first = builder("shop").defaults(retry(max_attempts=5)).build()
        with first.activate():
            with pytest.raises(ConnectionError):
                change()
            seen[1].end()
        assert 4 == len(seen)
        assert [first, second, second] == [seen[0], *seen[2:]]
        assert [] == module.calls

    def test_async(self, app: Application) -> None:
        module = app.load("shop", MODULE.replace("def charge", "async def charge"))
        with running("shop"):
            with pytest.raises(ConnectionError):
                asyncio.run(module.charge())
            with pytest.raises(CallNotPermittedError):
                asyncio.run(module.charge())

    def test_disabled(self, app: Application) -> None:
        module = app.load("shop", MODULE)
        with Resilience.disabled().activate():
            for _ in range(3):
                with pytest.raises(ConnectionError):
                    module.charge()
        assert [1, 1, 1] == module.calls

    def test_bound_object_beats_activation(self, app: Application) -> None:
        text = "from resilience4cata import *\nclass C:\n    @retry()\n    def m(self): return self.failing()\n"
        failing = Failing()
        module = app.load("shop", text)
        few, many = (builder("shop").defaults(retry(max_attempts=n)).build() for n in (2, 4))
        module.C.failing = staticmethod(failing)
        client = few.wrap(module.C())
        with many.activate():
            assert 2 == attempts(client.m, failing)
            assert 4 == attempts(module.C().m, failing)


class TestDefault:
    def test_environment(self, app: Application, monkeypatch: pytest.MonkeyPatch) -> None:
        module = app.load("shop", MODULE.replace("max_attempts=2", "delay='1ms'"))
        monkeypatch.setenv("RESILIENCE4CATA_DEFAULTS_RETRY_MAX_ATTEMPTS", "1")
        with pytest.raises(ConnectionError):
            module.charge()
        assert 1 == len(module.calls)

    def test_file(self, app: Application, monkeypatch: pytest.MonkeyPatch) -> None:
        module = app.load("shop", MODULE.replace("max_attempts=2", ""))
        app.write("r4c.properties", "resilience4cata.defaults.retry.max-attempts=1\n")
        monkeypatch.setenv("RESILIENCE4CATA_FILE", "r4c.properties")
        with pytest.raises(ConnectionError):
            module.charge()
        assert 1 == len(module.calls)

    def test_one_for_all(self, app: Application) -> None:
        module = app.load("shop", MODULE)
        module.refund()
        first = activation.current()
        app.load("other", MODULE).refund()
        assert first is not None
        assert first is activation.current()

    def test_broken_configuration(self, app: Application, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is refused at each first call, until it is mended."""
        module = app.load("shop", MODULE)
        monkeypatch.setenv("RESILIENCE4CATA_FILE", "r4c.properties")
        app.write("r4c.properties", "resilience4cata.defaults.retry.max-attempts=none\n")
        for _ in range(2):
            with pytest.raises(DefinitionError, match=r"r4c\.properties:1"):
                module.refund()
        app.write("r4c.properties", "resilience4cata.defaults.retry.max-attempts=3\n")
        assert "refunded" == module.refund()

    def test_only_what_is_called_is_judged(self, app: Application) -> None:
        module = app.load("shop", MODULE + "\n    @timeout('soon')\n    def broken(): ...\n")
        assert "refunded" == module.refund()
        with pytest.raises(DefinitionError, match="R4C-DU-") as caught:
            module.broken()
        assert 1 == len(caught.value.diagnostics)
        default = activation.current()
        assert isinstance(default, Resilience)
        with pytest.raises(DefinitionError, match="R4C-DU-"):
            default.check()

    def test_ends_while_something_is_active(self, app: Application) -> None:
        module = app.load("shop", MODULE)
        module.refund()
        default = activation.current()
        with running("shop") as resilience:
            module.refund()
            assert resilience is activation.current()
        module.refund()
        assert default is activation.current()


class TestLookingForPolicies:
    """What is asked for policies may itself call what they stand on."""

    def test_source_that_is_guarded(self, app: Application, monkeypatch: pytest.MonkeyPatch) -> None:
        """While the default is built its own calls run as they are; nothing waits for itself."""
        failing = Failing()

        @retry(max_attempts=3, delay="1ms")
        def fetch() -> object:
            return failing()

        class Source:
            def load(self) -> Any:
                try:
                    fetch()
                except ConnectionError:
                    found.append(failing.calls)
                return ConfigSources.environment({}).load()

        found: list[int] = []
        monkeypatch.setattr(ConfigSources, "default", staticmethod(lambda: (Source(),)))
        assert 1 + 3 == attempts(fetch, failing)
        assert [1] == found
        assert 3 == attempts(fetch, failing)

    def test_classifier_that_calls_what_it_classifies(self, app: Application) -> None:
        text = """
            from resilience4cata import *
            calls = []

            class Picky(Classifier):
                def __init__(self): calls.append(charge(0))
                def classify(self, result, failure):
                    return Outcome.FAILURE if failure is not None else Outcome.SUCCESS

            @retry(max_attempts=3, delay="1ms", classifier=Picky)
            def charge(amount):
                calls.append(amount)
                return "charged"
        """
        module = app.load("shop", text)
        assert "charged" == module.charge(5)
        assert [0, "charged", 5] == module.calls

    def test_fallback_handler_that_calls_others(self, app: Application) -> None:
        text = """
            from resilience4cata import *

            @retry()
            def rates():
                return 5

            class Rates(FallbackHandler[int]):
                def __init__(self): self.rates = rates()
                def apply(self, context): return self.rates

            @fallback(Rates)
            def charge() -> int:
                raise ConnectionError
        """
        module = app.load("shop", text)
        with running("shop"):
            assert 5 == module.charge()

    def test_failing_lookup_leaves_nothing_behind(self, app: Application) -> None:
        module = app.load("shop", MODULE)
        broken = "from resilience4cata import *\n@timeout('soon')\ndef f(): ...\n"
        with running("shop"):
            late = app.load("late", broken)
            for _ in range(2):
                with pytest.raises(DefinitionError):
                    late.f()
            assert "refunded" == module.refund()
        assert {} == activation._looking


def test_breaker_of_a_local_function_is_its_own() -> None:
    """Two functions that one `def` made do not share state, and keep theirs from call to call."""

    def make(failing: Failing) -> Any:
        @circuit_breaker(window_size=2, minimum_calls=2)
        def charge() -> object:
            return failing()

        return charge

    one, other, failing = make(Failing()), make(Failing()), Failing()
    assert failing.calls == 0
    with running():
        for _ in range(2):
            with pytest.raises(ConnectionError):
                one()
        with pytest.raises(CallNotPermittedError):
            one()
        with pytest.raises(ConnectionError):
            other()


def test_files_are_not_read_on_import(tmp_path: Path) -> None:
    """Decorating asks nobody for anything."""

    @retry()
    def charge() -> None: ...

    assert activation.current() is None
    assert charge is not None
