"""What `build()` makes of classes that policies name: handlers and classifiers, once and before any call."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from resilience4cata import ConfigSources, DefinitionError, Resilience, ResilienceBuilder

from ..live import Application, failure

HANDLERS = """
    from resilience4cata import *

    made = []

    class Instead(FallbackHandler[str]):
        def __init__(self):
            made.append(type(self).__name__)
        def apply(self, context) -> str:
            return "instead"

    class Failing(FallbackHandler[str]):
        def __init__(self):
            raise ValueError("no answer")
        def apply(self, context) -> str:
            return "never"

    class FailingVerdict(Classifier[str]):
        def __init__(self):
            raise ValueError("no judge")
        def classify(self, result, failure):
            return Outcome.SUCCESS
    """

USERS = """
    from handlers import *

    @fallback(Instead)
    class Client:
        def find(self) -> str:
            raise ConnectionError
        def call(self) -> str:
            raise ConnectionError

    @fallback(Instead)
    def fetch() -> str:
        raise ConnectionError

    def make():
        @fallback(Instead)
        def local() -> str:
            raise ConnectionError
        return local
    """

FAILING = """
    from handlers import *

    @fallback(Failing)
    def fetch() -> str:
        raise ConnectionError

    @fallback(Failing)
    class Client:
        def find(self) -> str:
            raise ConnectionError
        def call(self) -> str:
            raise ConnectionError

    @retry(classifier=FailingVerdict)
    def judged() -> str:
        return ""
    """

LOCAL = """
    from handlers import *

    def make(*policies):
        def local() -> str:
            return "ran"
        for policy in policies:
            local = policy(local)
        return local
    """


@pytest.fixture
def shop(app: Application) -> ResilienceBuilder:
    app.load("handlers", HANDLERS)
    return Resilience.builder().only("shop")


def told(error: DefinitionError) -> list[str]:
    return [f"{d.code} {d.place} {d.headline}" for d in error.diagnostics]


class TestHandlers:
    def test_one_for_each_instance(self, app: Application, shop: ResilienceBuilder) -> None:
        """Before any call, and not again by a call, by `check()` or by `reload()`; for local functions as they come."""
        module = app.load("shop", USERS)
        resilience = shop.build()
        assert ["Instead"] * 3 == module.made
        with resilience.activate():
            client = module.Client()
            assert ["instead"] * 3 == [client.find(), client.call(), module.fetch()]
            resilience.check()
            resilience.reload()
            assert ["instead"] * 3 == [client.find(), client.call(), module.fetch()]
            assert ["Instead"] * 3 == module.made
            assert "instead" == module.make()()
        assert ["Instead"] * 4 == module.made

    def test_that_fail(self, app: Application, shop: ResilienceBuilder) -> None:
        """One at the class is told once."""
        app.load("shop", FAILING)
        error = failure(shop)
        handler, judge = (f"cannot be made: ValueError: no {what}" for what in ("answer", "judge"))
        assert [
            f"R4C-FB-008 shop.py:3:2 @fallback(Failing) on shop.fetch: Failing {handler}",
            f"R4C-FB-008 shop.py:7:2 @fallback(Failing) on shop.Client.find: Failing {handler}",
            f"R4C-CL-005 shop.py:14:2 @retry(classifier=FailingVerdict) on shop.judged: FailingVerdict {judge}",
        ] == told(error)
        assert "no judge" == str(error.__cause__)
        assert error.__context__ is None

    def test_none_where_nothing_runs(self, app: Application, shop: ResilienceBuilder) -> None:
        """A switch that turns everything off does not fail for what it turns off."""
        app.write("off.properties", "resilience4cata.enabled=false")
        module = app.load("shop", USERS)
        shop.source(ConfigSources.file("off.properties")).build()
        assert [] == module.made

    @pytest.mark.parametrize(
        ("factory", "reason"),
        [
            (lambda kind: None, "TypeError: an object of NoneType was made, which has no 'apply'"),
            (lambda kind: {}[kind.__name__], "KeyError: 'Instead'"),
        ],
    )
    def test_of_a_factory_that_fails(
        self, app: Application, shop: ResilienceBuilder, factory: Callable[[type], object], reason: str
    ) -> None:
        app.load("shop", USERS)
        found = told(failure(shop.handler_factory(factory)))
        assert [f"R4C-FB-008 Instead cannot be made: {reason}"] * 2 == [
            f"{line.split()[0]} Instead{line.partition(': Instead')[2]}" for line in found
        ]

    def test_reload_with_one_that_fails_changes_nothing(self, app: Application, shop: ResilienceBuilder) -> None:
        app.load("shop", USERS)
        resilience = shop.only("shop", "late").build()
        app.load("late", FAILING)
        with pytest.raises(DefinitionError) as caught:
            resilience.reload()
        assert ["R4C-FB-008", "R4C-FB-008", "R4C-CL-005"] == [d.code for d in caught.value.diagnostics]
        assert "instead" == resilience.wrap(__import__("shop").Client()).find()


class TestClassifierOfAFile:
    def test_is_told_at_its_key(self, app: Application, shop: ResilienceBuilder) -> None:
        """Once, however many it would judge."""
        app.write("judges.toml", '[resilience4cata.defaults.retry]\nclassifier = "handlers.FailingVerdict"\n')
        app.load("shop", "from resilience4cata import *\n\n@retry()\ndef a(): ...\n\n@retry()\ndef b(): ...\n")
        error = failure(shop.source(ConfigSources.file("judges.toml")))
        said = "defaults.retry.classifier: FailingVerdict cannot be made: ValueError: no judge"
        assert [f"R4C-CL-005 judges.toml:2:1 {said}"] == told(error)


class TestAtTheFirstCall:
    """What `build()` has not seen."""

    def refused(self, call: Callable[[], object]) -> DefinitionError:
        with pytest.raises(DefinitionError) as caught:
            call()
        assert caught.value.__context__ is None
        return caught.value

    def test_late_ones(self, app: Application, shop: ResilienceBuilder) -> None:
        with shop.build().activate():
            late = app.load("shop", FAILING)
            for _ in range(2):
                assert ["R4C-FB-008"] == [d.code for d in self.refused(late.fetch).diagnostics]
                assert ["R4C-CL-005"] == [d.code for d in self.refused(late.judged).diagnostics]
                assert ["R4C-FB-008"] == [d.code for d in self.refused(late.Client().find).diagnostics]

    def test_local_functions(self, app: Application, shop: ResilienceBuilder) -> None:
        module = app.load("shop", LOCAL)
        handlers = __import__("handlers")
        with shop.build().activate():
            for policy, code in (
                (handlers.fallback(handlers.Failing), "R4C-FB-008"),
                (handlers.retry(classifier=handlers.FailingVerdict), "R4C-CL-005"),
                (handlers.fallback(method="nothing"), "R4C-FB-002"),
                (handlers.retry(retry_on=[OSError]), "R4C-VA-003"),
            ):
                assert code == self.refused(module.make(policy)).diagnostics[0].code

    def test_instances_of_local_functions(self, app: Application, shop: ResilienceBuilder) -> None:
        module = app.load("shop", LOCAL)
        breaker = module.circuit_breaker
        with shop.build().activate():
            assert "ran" == module.make(breaker(name="shared", window_size=5))()
            error = self.refused(module.make(breaker(name="shared", window_size=50)))
        (found,) = error.diagnostics
        assert ("R4C-IN-001", "shared" in found.message) == (found.code, True)
