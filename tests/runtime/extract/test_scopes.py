"""What names stand for beside a definition: in classes, modules, functions, and classes that are made anew."""

from __future__ import annotations

import gc

import pytest

from resilience4cata.facts import UNKNOWN, Definition, Kind, Scope

from ..live import Application, definition


class TestScopes:
    SOURCE = """
        from functools import partial
        from resilience4cata import retry, fallback

        helper = partial(print)
        number = 5

        def module_fallback(): ...

        class Base:
            def inherited(self): ...
            def __secret(self): ...

        class Client(Base):
            value = 5
            made = partial(print)

            class Inner: ...

            @retry()
            def call(self): ...
            def __own(self): ...
            alias = call

        class Dynamic:
            def __getattr__(self, name): ...
            @retry()
            def call(self): ...

        class Sub(Client):
            def only_here(self): ...

        @retry()
        def loose(): ...
        """

    @pytest.fixture
    def scopes(self, app: Application) -> dict[str, Scope]:
        app.load("acme", self.SOURCE)
        return {name: element.scope for name, element in app.elements("acme").items()}

    def test_lookup_in_a_class(self, scopes: dict[str, Scope]) -> None:
        scope = scopes["acme.Client.call"]
        assert ("acme.Base.inherited", "acme.Base") == (
            definition(scope.lookup("inherited")).id,
            definition(scope.lookup("inherited")).owner,
        )
        assert ("acme.Client.__own", "__own") == (
            definition(scope.lookup("__own")).id,
            definition(scope.lookup("__own")).name,
        )
        assert "acme.Base" == definition(scope.lookup("__secret")).owner, "rules say whose private name it is"
        assert "acme.Client.alias" == definition(scope.lookup("alias")).id
        assert Kind.CLASS is definition(scope.lookup("Inner")).kind
        assert Kind.OTHER is definition(scope.lookup("value")).kind
        assert scope.lookup("made") is UNKNOWN
        assert scope.lookup("absent") is None
        assert scope.lookup("only_here") is None

    def test_policies_of_siblings(self, scopes: dict[str, Scope]) -> None:
        assert 1 == len(definition(scopes["acme.Client.call"].lookup("call")).decorators)

    def test_names(self, scopes: dict[str, Scope]) -> None:
        assert ("call", "__own", "alias", "inherited") == scopes["acme.Client.call"].names()
        assert ("module_fallback", "loose") == scopes["acme.loose"].names()

    def test_dynamic_class(self, scopes: dict[str, Scope]) -> None:
        assert scopes["acme.Dynamic.call"].lookup("absent") is UNKNOWN

    def test_lookup_in_a_module(self, scopes: dict[str, Scope]) -> None:
        scope = scopes["acme.loose"]
        assert "acme.module_fallback" == definition(scope.lookup("module_fallback")).id
        assert Kind.CLASS is definition(scope.lookup("Client")).kind
        assert Kind.OTHER is definition(scope.lookup("number")).kind
        assert scope.lookup("helper") is UNKNOWN
        assert scope.lookup("absent") is None
        assert ((), ()) == (scope.public_methods(), scope.subclasses())

    def test_module_that_makes_names(self, app: Application) -> None:
        app.load("lazy", "from resilience4cata import retry\ndef __getattr__(name): ...\n@retry()\ndef call(): ...")
        assert app.elements("lazy")["lazy.call"].scope.lookup("absent") is UNKNOWN


def test_locals_are_unknown(app: Application) -> None:
    module = app.load(
        "acme",
        """
        from resilience4cata import retry, timeout

        def make(count):
            @retry(max_attempts=count)
            def inner(): ...

            @timeout("1s")
            class Local:
                @retry()
                def call(self): ...
                def sibling(self): ...

            return inner, Local
        """,
    )
    kept = module.make(3)
    elements = app.elements("acme")
    assert ["acme.make.<locals>.inner", "acme.make.<locals>.Local.call", "acme.make.<locals>.Local"] == list(elements)
    inner = elements["acme.make.<locals>.inner"]
    assert ("acme.make", "acme.make", UNKNOWN) == (
        inner.definition.owner,
        inner.scope.id,
        inner.scope.lookup("anything"),
    )
    call = elements["acme.make.<locals>.Local.call"]
    assert ("acme.make.<locals>.Local", True) == (call.scope.id, call.scope.is_class)
    assert "sibling" == definition(call.scope.lookup("sibling")).name
    assert "acme.make" == elements["acme.make.<locals>.Local"].definition.owner
    del kept


def test_many_of_one_local_def(app: Application) -> None:
    """A thousand closures with equal policies are one element; those with other policies are more."""
    module = app.load(
        "acme",
        """
        from resilience4cata import retry

        def make(count):
            @retry(max_attempts=count)
            def inner(): ...
            return inner
        """,
    )
    kept = [module.make(1) for _ in range(1_000)] + [module.make(0)]
    found = [e.policies[0].policy.slots["max_attempts"].value for e in app.extraction("acme").elements]  # type: ignore[union-attr]
    assert [1, 0] == found
    del kept


def test_slots_dataclass(app: Application) -> None:
    """The class in place is the one that was made anew; also where only the marker knows it."""
    module = app.load(
        "acme",
        """
        from dataclasses import dataclass
        from resilience4cata import retry, fallback

        @retry()
        @dataclass(slots=True)
        class Order:
            id: str
            @fallback(method="other")
            def call(self): ...
            def other(self): ...

        def make():
            @dataclass(slots=True)
            class Local:
                id: str
                @fallback(method="other")
                def call(self): ...
                def other(self): ...
            return Local
        """,
    )
    kept = module.make()
    gc.collect()  # the classes that the decorator replaced
    elements = app.elements("acme")
    assert {"acme.Order", "acme.Order.call", "acme.make.<locals>.Local.call"} == set(elements)
    for name in ("acme.Order.call", "acme.make.<locals>.Local.call"):
        scope = elements[name].scope
        assert scope.is_class
        assert isinstance(scope.lookup("other"), Definition)
        assert isinstance(scope.lookup("id"), Definition | type(UNKNOWN)), "a slot is there"
    assert () == app.diagnostics("acme")
    del kept
