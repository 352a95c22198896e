"""What is declared after `build()` is judged when it is first called or bound: it warns or raises then."""

from __future__ import annotations

import warnings

import pytest

from resilience4cata import (
    CallNotPermittedError,
    DefinitionError,
    Resilience,
    ResilienceWarning,
    circuit_breaker,
    resilience_policy,
    retry,
)

from ..live import Application
from .late import LATE, SHOP, call, told
from .running import built, running

# Two attempts of two seconds each do not fit into three.
SUSPICIOUS = """
    from resilience4cata import *

    @retry(max_attempts=4, max_duration="3s")
    @timeout("2s")
    def fetch(): return "fetched"

    def make():
        @retry(max_attempts=4, max_duration="3s")
        @timeout("2s")
        def fetch(): return "fetched"
        return fetch

    class Client:
        @retry(max_attempts=4, max_duration="3s")
        @timeout("2s")
        def fetch(self): return "fetched"
"""


class TestWarnings:
    def test_of_a_function(self, app: Application) -> None:
        """Once, from where it was called, and as the check says it."""
        with running("late") as resilience:
            late = app.load("late", SUSPICIOUS)
            with warnings.catch_warnings(record=True) as given:
                warnings.simplefilter("always")
                assert ["fetched", "fetched"] == [late.fetch(), late.fetch()]
            (warning,) = given
            assert (ResilienceWarning, __file__) == (warning.category, warning.filename)
            (diagnostic,) = resilience.diagnostics
            assert diagnostic.text == str(warning.message)
            assert "late.py:4:10" == diagnostic.place
            assert "2 attempts x 2s = 4s > max_duration 3s" == diagnostic.message
            with told() as again:
                resilience.check()
            assert ['late.py:15:14: warning: [R4C-TB-002] @timeout("2s") on late.Client.fetch:'] == again

    def test_of_each_kind(self, app: Application) -> None:
        """Functions that are made at one place have one warning."""
        with running("late") as resilience:
            late = app.load("late", SUSPICIOUS)
            with told() as first:
                late.make()()
                late.make()()
            with told() as second:
                resilience.wrap(late.Client()).fetch()
                late.Client().fetch()
            assert ['late.py:9:14: warning: [R4C-TB-002] @timeout("2s") on late.make.<locals>.fetch:'] == first
            assert ['late.py:15:14: warning: [R4C-TB-002] @timeout("2s") on late.Client.fetch:'] == second
            assert [9, 15] == [diagnostic.at.line for diagnostic in resilience.diagnostics]

    def test_order_of_places(self, app: Application) -> None:
        with running("late") as resilience:
            late = app.load("late", SUSPICIOUS)
            with told():
                late.Client().fetch()
                late.fetch()
            assert [4, 15] == [diagnostic.at.line for diagnostic in resilience.diagnostics]

    def test_as_an_error(self, app: Application) -> None:
        """Where warnings are errors, each call fails: the first one has changed nothing."""
        with running("late") as resilience:
            late = app.load("late", SUSPICIOUS)
            for _ in range(2):
                with pytest.raises(ResilienceWarning, match="R4C-TB-002"):
                    late.fetch()
            assert [] == list(resilience.diagnostics)
            with pytest.warns(ResilienceWarning, match="R4C-TB-002"):
                assert "fetched" == late.fetch()
            assert ["R4C-TB-002"] == [d.code for d in resilience.diagnostics]
            assert "fetched" == late.fetch()

    def test_none_where_nothing_is_suspicious(self, app: Application) -> None:
        with running("late") as resilience:
            app.load("late", LATE).first()
            assert () == resilience.diagnostics


class TestWrap:
    def test_class_of_a_module(self, app: Application) -> None:
        with running("shop") as resilience:
            module = app.load("shop", SHOP)
            client = resilience.wrap(module.Client())
            call(client.call, 2)
            assert 4 == resilience.snapshot().circuit_breakers["shop.Client#call"].window.calls

    def test_local_class(self) -> None:
        resilience = built(__name__)

        class Client:
            @circuit_breaker(window_size=2, minimum_calls=2)
            def call(self) -> None:
                raise ConnectionError

        client = resilience.wrap(Client())
        call(client.call, 2)
        with pytest.raises(CallNotPermittedError):
            client.call()

    def test_class_with_errors(self, app: Application) -> None:
        with running("shop") as resilience:
            text = "from resilience4cata import *\nclass C:\n    @timeout('soon')\n    def f(self): ...\n"
            target = app.load("shop", text).C()
            with pytest.raises(DefinitionError, match="R4C-DU-"):
                resilience.wrap(target)
            assert {} == vars(target)

    def test_class_without_policies(self) -> None:
        with pytest.raises(TypeError, match="Application has no guarded methods"):
            built(__name__).wrap(Application.__new__(Application))


class TestErrors:
    """Each is told of what is called, wherever it stands."""

    TEXT = """
        from resilience4cata import *

        def make_client():
            class Client:
                @timeout("soon")
                def call(self): ...
            return Client

        def make():
            @timeout("soon")
            def call(): ...
            return call
    """

    @pytest.mark.parametrize("chosen", ["late", "other"])
    @pytest.mark.parametrize("before", [True, False])
    def test_of_what_a_function_made(self, app: Application, chosen: str, before: bool) -> None:
        if before:
            late = app.load("late", self.TEXT)
        with running(chosen):
            if not before:
                late = app.load("late", self.TEXT)
            for call in (late.make(), late.make_client()().call):
                for _ in range(2):
                    with pytest.raises(DefinitionError) as caught:
                        call()
                    assert ["R4C-DU-001"] == [d.code for d in caught.value.diagnostics]


class TestUsedElsewhere:
    """What a function uses that is written elsewhere, and that nobody else judges, is judged with it."""

    TEXT = """
        from resilience4cata import *

        soon = timeout("soon")
        never = resilience_policy("never", retry(max_attempts=0))
        around = resilience_policy("around", never, bulkhead(max_concurrent=2))
        slow = resilience_policy("slow", timeout("3s"), retry(max_duration="2s"))

        @soon
        def of_variable(): ...

        @never
        def of_composed(): ...

        @around
        def of_nested(): ...

        @slow
        def suspicious(): ...

        @slow
        def suspicious_as_well(): ...

        def make():
            @around
            def call(): ...
            return call
    """

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("of_variable", 'late.py:3:16: error: [R4C-DU-001] timeout("soon"):'),
            ("of_composed", 'late.py:4:55: error: [R4C-VA-001] retry(max_attempts=0) in resilience_policy("never"):'),
            ("of_nested", 'late.py:4:55: error: [R4C-VA-001] retry(max_attempts=0) in resilience_policy("never"):'),
        ],
    )
    def test_errors(self, app: Application, name: str, text: str) -> None:
        with running("late"):
            late = app.load("late", self.TEXT)
            for _ in range(2):
                with pytest.raises(DefinitionError) as caught:
                    getattr(late, name)()
                assert [text] == [str(caught.value).splitlines()[0]]

    def test_of_what_a_function_made(self, app: Application) -> None:
        with running("late"):
            late = app.load("late", self.TEXT)
            with pytest.raises(DefinitionError) as caught:
                late.make()()
            assert ["R4C-VA-001"] == [d.code for d in caught.value.diagnostics]

    def test_warnings(self, app: Application) -> None:
        """Once, however many functions use it."""
        with running("late") as resilience:
            late = app.load("late", self.TEXT)
            with told() as first:
                late.suspicious()
                late.suspicious_as_well()
            subject = 'retry(max_duration="2s") in resilience_policy("slow")'
            assert [f"late.py:6:68: warning: [R4C-TB-001] {subject}:"] == first
            assert ["R4C-TB-001"] == [d.code for d in resilience.diagnostics]

    def test_pipeline(self) -> None:
        never = resilience_policy("never", retry(max_attempts=0))
        with pytest.raises(DefinitionError, match="R4C-VA-001"):
            built(__name__).pipeline("clients", never)


class TestClassThatWasThere:
    """A policy that comes to a class which was checked, and called, before."""

    SOURCE = """
        from typing import NamedTuple

        from resilience4cata import *

        class Client:
            @timeout("1s")
            def call(self):
                return "called"

            def answers(self):
                yield "answer"

        class Address(NamedTuple):
            street: str
        """
    LATER = "import late\nfrom resilience4cata import retry\n{}"

    def test_errors(self, app: Application) -> None:
        late = app.load("late", self.SOURCE)
        with Resilience.builder().only("late", "later").build().activate():
            assert "called" == late.Client().call()
            app.load("later", self.LATER.format("retry(max_attempts=0)(late.Client)"))
            for _ in range(2):
                with pytest.raises(DefinitionError) as caught:
                    late.Client().call()
                assert ["R4C-VA-001"] == [d.code for d in caught.value.diagnostics]

    def test_warnings(self, app: Application) -> None:
        late = app.load("late", self.SOURCE)
        with Resilience.builder().only("late", "later").build().activate() as resilience:
            assert "called" == late.Client().call()
            app.load("later", self.LATER.format("retry()(late.Client)"))
            with pytest.warns(ResilienceWarning, match="R4C-LOC-003") as caught:
                assert "called" == late.Client().call()
            assert [__file__] == [warning.filename for warning in caught]
            assert ["R4C-LOC-003"] == [d.code for d in resilience.diagnostics]

    def test_without_methods(self, app: Application) -> None:
        """No call leads to it: what looks at everything tells."""
        late = app.load("late", self.SOURCE)
        resilience = Resilience.builder().only("late", "later").build()
        app.load("later", self.LATER.format("retry()(late.Address)"))
        assert "Main" == late.Address("Main").street
        with pytest.raises(DefinitionError) as caught:
            resilience.check()
        assert ["R4C-LOC-005"] == [d.code for d in caught.value.diagnostics]
