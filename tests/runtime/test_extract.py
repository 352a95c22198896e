"""Live objects become facts: what stands where, on what, under which name."""

from __future__ import annotations

import gc
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from resilience4cata.facts import (
    UNKNOWN,
    Applied,
    At,
    Composed,
    Declaration,
    Definition,
    Element,
    Foreign,
    Kind,
    NotAPolicy,
    Scope,
    Slot,
    Written,
)

from .live import Application, application, definition


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Application]:
    monkeypatch.chdir(tmp_path)
    with application(tmp_path) as found:
        yield found


def shown(element: Element) -> list[object]:
    """The decorators of an element, as short as can be: names of policies, and full names of foreign ones."""
    return [
        d.name if isinstance(d, Foreign) else getattr(d.policy, "policy", None) or getattr(d.policy, "title", None)
        for d in element.definition.decorators
    ]


def test_a_function_with_every_place(app: Application) -> None:
    app.load(
        "acme",
        """
        from resilience4cata import retry, timeout

        @timeout("2s")
        @retry(
            max_attempts=3, delay="1s",
        )
        async def load(id: str) -> int:
            return 1
        """,
    )
    element = app.elements("acme")["acme.load"]
    timeout_at, retry_at = At("acme.py", 3, 2, 3, 15), At("acme.py", 4, 2, 6, 2)
    timeout = Declaration("timeout", {"value": Slot(("2s",), At("acme.py", 3, 10, 3, 14))}, timeout_at)
    slots = {
        "max_attempts": Slot((3,), At("acme.py", 5, 18, 5, 19)),
        "delay": Slot(("1s",), At("acme.py", 5, 27, 5, 31)),
    }
    retry = Declaration("retry", slots, retry_at)
    assert (Applied(timeout, timeout_at), Applied(retry, retry_at)) == element.definition.decorators
    found = element.definition
    assert ("acme.load", "load", "acme", Kind.FUNCTION) == (found.id, found.name, found.owner, found.kind)
    assert At("acme.py", 7, 11, 7, 15) == found.at
    assert (True, False, False, True) == (found.is_async, found.yields, found.abstract, found.decorators_known)
    assert ("acme", False) == (element.scope.id, element.scope.is_class)
    assert element.body is None


def test_coarse_places(app: Application) -> None:
    """Without reading the source, a call's own place is known, and the first line of a definition."""
    app.load(
        "acme",
        """
        from resilience4cata import retry

        @retry(max_attempts=3)
        def load(): ...
        """,
    )
    element = app.elements("acme", exact=False)["acme.load"]
    at = At("acme.py", 3, 2, 3, 23)
    assert {"max_attempts": Slot((3,), at.inside("max_attempts"))} == dict(element.policies[0].policy.slots)  # type: ignore[union-attr]
    assert At("acme.py", 3) == element.definition.at


def test_without_debug_ranges(app: Application) -> None:
    """Only lines are left."""
    file = app.write("bare.py", "from resilience4cata import retry\n@retry(max_attempts=0)\ndef load(): ...\n")
    code = compile(file.read_text(), str(file), "exec")
    namespace: dict[str, Any] = {"__name__": "bare"}
    exec(code.replace(co_linetable=_lines_only(code)), namespace)
    element = app.elements("bare")["bare.load"]
    assert At("bare.py", 2) == element.policies[0].at
    assert At("bare.py", 3, 5, 3, 9) == element.definition.at


def _lines_only(code: Any) -> bytes:
    """The line table of `code` without columns: one entry of kind 13 for each instruction."""
    table, previous = bytearray(), code.co_firstlineno
    for position in code.co_positions():
        line = previous if position[0] is None else position[0]
        delta, previous = line - previous, line
        zigzag = delta << 1 if delta >= 0 else ((-delta) << 1) | 1
        table.append(0x80 | (13 << 3))
        while zigzag >= 64:
            table.append(64 | (zigzag & 63))
            zigzag >>= 6
        table.append(zigzag)
    return bytes(table)


def test_columns_count_characters(app: Application) -> None:
    app.load(
        "acme",
        """
        from resilience4cata import retry

        class Ünïcode:
            größe = "ß"; x = retry(name="çé", delay="5")(lambda: None)
        @retry(name="çé", delay="5")
        def größe_laden(): ...
        """,
    )
    elements = app.elements("acme")
    slot = elements["acme.größe_laden"].policies[0].policy.slots["delay"]  # type: ignore[union-attr]
    assert At("acme.py", 5, 25, 5, 28) == slot.at
    assert At("acme.py", 6, 5, 6, 16) == elements["acme.größe_laden"].definition.at
    assert At("acme.py", 4, 22, 4, 49) == elements["acme.Ünïcode.x"].policies[0].policy.at


def test_source_that_is_gone_or_changed(app: Application) -> None:
    source = """
        from resilience4cata import retry

        @retry(max_attempts=0)
        def load(): ...
        """
    app.load("acme", source)
    app.write("acme.py", "x = (\n")
    assert [At("acme.py", 3, 2, 3, 23)] == [d.at for d in app.diagnostics("acme")]
    app.write("acme.py", "\n\n\n\n\n\n")
    assert [At("acme.py", 3, 2, 3, 23)] == [d.at for d in app.diagnostics("acme")]
    (app.folder / "acme.py").unlink()
    assert [At("acme.py", 3, 2, 3, 23)] == [d.at for d in app.diagnostics("acme")]


class TestKinds:
    SOURCE = """
        from contextlib import contextmanager, asynccontextmanager
        from functools import cached_property, lru_cache, wraps
        from abc import ABC, abstractmethod
        from typing import Protocol
        from resilience4cata import retry, timeout, unguarded

        def loose(function):
            @wraps(function)
            def inner(*args, **kwargs):
                return function(*args, **kwargs)
            return inner

        def opaque(function):
            return lambda *args: function(*args)

        class Client(ABC):
            @retry()
            def method(self, a): ...

            @staticmethod
            @retry()
            def static_below(a): ...

            @retry()
            @staticmethod
            def static_above(a): ...

            @classmethod
            @retry()
            def class_below(cls, a): ...

            @retry()
            @classmethod
            def class_above(cls, a): ...

            @property
            @retry()
            def property_below(self): ...

            @retry()
            @property
            def property_above(self): ...

            @retry()
            @cached_property
            def cached(self): ...

            @property
            def named(self): ...

            @named.setter
            @retry()
            def named(self, value): ...

            @abstractmethod
            @retry()
            async def abstract(self): ...

            @timeout("1s")
            @abstractmethod
            def abstract_below(self): ...

            @retry()
            def generates(self):
                yield 1

            @retry()
            async def agenerates(self):
                yield 1

            @retry()
            @contextmanager
            def manages(self):
                yield 1

            @asynccontextmanager
            @retry()
            async def amanages(self):
                yield 1

            @timeout("1s")
            @loose
            @retry()
            def between(self, a): ...

            @opaque
            @retry()
            def hidden(self, a): ...

            @retry()
            @lru_cache
            def memo(self, a): ...

            @unguarded
            @retry()
            def __call__(self): ...

            @retry()
            def __private(self): ...
        """

    @pytest.fixture
    def elements(self, app: Application) -> dict[str, Element]:
        app.load("acme", self.SOURCE)
        found = app.elements("acme")
        return {name.removeprefix("acme.Client."): element for name, element in found.items()}

    def test_kinds_and_decorators(self, elements: dict[str, Element]) -> None:
        found = {name: (element.definition.kind, *shown(element)) for name, element in elements.items()}
        static, cls_method = "builtins.staticmethod", "builtins.classmethod"
        expected: dict[str, tuple[object, ...]] = {
            "method": (Kind.METHOD, "retry"),
            "static_below": (Kind.STATIC_METHOD, static, "retry"),
            "static_above": (Kind.STATIC_METHOD, "retry", static),
            "class_below": (Kind.CLASS_METHOD, cls_method, "retry"),
            "class_above": (Kind.CLASS_METHOD, "retry", cls_method),
            "property_below": (Kind.PROPERTY, "builtins.property", "retry"),
            "property_above": (Kind.PROPERTY, "retry", "builtins.property"),
            "cached": (Kind.PROPERTY, "retry", "functools.cached_property"),
            "abstract": (Kind.METHOD, "retry", "abc.abstractmethod"),
            "abstract_below": (Kind.METHOD, "timeout", "abc.abstractmethod"),
            "generates": (Kind.METHOD, "retry"),
            "agenerates": (Kind.METHOD, "retry"),
            "manages": (Kind.METHOD, "retry", "contextlib.contextmanager"),
            "amanages": (Kind.METHOD, "contextlib.asynccontextmanager", "retry"),
            "between": (Kind.METHOD, "timeout", UNKNOWN, "retry"),
            "memo": (Kind.METHOD, "retry", "functools.lru_cache"),
            "__call__": (Kind.METHOD, "resilience4cata.unguarded", "retry"),
            "__private": (Kind.METHOD, "retry"),
        }
        # Nothing leads from the class to what an opaque decorator swallowed, nor from a getter to its setter.
        assert expected == {name: value for name, value in found.items() if name not in ("hidden", "named")}
        assert not elements["hidden"].definition.decorators_known
        assert elements["hidden"].definition.signature is None

    def test_flags(self, elements: dict[str, Element]) -> None:
        def named(attribute: str) -> list[str]:
            return [name for name, element in elements.items() if getattr(element.definition, attribute)]

        assert ["agenerates", "amanages", "generates", "manages"] == sorted(named("yields"))
        assert ["abstract", "agenerates", "amanages"] == sorted(named("is_async"))
        assert ["abstract", "abstract_below"] == sorted(named("abstract"))

    def test_signatures(self, elements: dict[str, Element]) -> None:
        """Without self and cls; none behind decorators that may change it."""
        found = {
            name: element.definition.signature and [p.name for p in element.definition.signature.parameters]
            for name, element in elements.items()
        }
        one = ("method", "static_below", "static_above", "class_below", "class_above")
        assert {name: ["a"] for name in one} == {name: found[name] for name in one}
        assert dict.fromkeys(("between", "memo", "manages", "cached")) == {
            name: found[name] for name in ("between", "memo", "manages", "cached")
        }

    def test_places_of_foreign_decorators(self, elements: dict[str, Element]) -> None:
        above = elements["property_above"].definition
        foreign = [d for d in above.decorators if isinstance(d, Foreign)]
        text = [line.strip() for line in self.SOURCE.strip("\n").splitlines()]
        line = text.index("def property_above(self): ...")
        assert [At("acme.py", line, 6, line, 14)] == [f.at for f in foreign]

    def test_scopes(self, elements: dict[str, Element]) -> None:
        assert {"acme.Client"} == {e.scope.id for name, e in elements.items() if name != "hidden"}
        assert {"acme.Client"} == {e.definition.owner for e in elements.values()}


def test_class_element(app: Application) -> None:
    app.load(
        "acme",
        """
        from resilience4cata import retry, unguarded

        class Base:
            def inherited(self): ...

        @retry(max_attempts=0)
        class Client(Base):
            limit = 5
            def call(self): ...
            @staticmethod
            def static(): ...
            @classmethod
            def clazz(cls): ...
            @property
            def prop(self): ...
            def pages(self):
                yield 1
            def _hidden(self): ...
            def __call__(self): ...
            @unguarded
            def free(self): ...
            class Inner: ...

        class Sub(Client):
            def more(self): ...
        class SubSub(Sub): ...
        """,
    )
    element = app.elements("acme")["acme.Client"]
    assert (Kind.CLASS, "acme", At("acme.py", 7, 7, 7, 13)) == (
        element.definition.kind,
        element.definition.owner,
        element.definition.at,
    )
    body = element.body
    assert body is not None
    assert ("acme.Client", ("acme.Client", "acme.Base", "builtins.object")) == (body.id, body.ancestors)
    methods = body.public_methods()
    assert methods is not UNKNOWN
    assert ["call", "static", "clazz", "pages", "free"] == [method.name for method in methods]
    assert ["acme.Sub", "acme.SubSub"] == [scope.id for scope in body.subclasses()]
    assert ("acme", False) == (element.scope.id, element.scope.is_class)


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


class TestReload:
    SOURCE = """
        from resilience4cata import retry

        @retry(max_attempts=-1)
        class Client:
            @retry(max_attempts=0)
            def call(self): ...

        @retry(max_attempts=-1)
        def load(): ...
        """

    def test_the_new_definition_replaces_the_old(self, app: Application) -> None:
        module = app.load("acme", self.SOURCE)
        old = (module.Client, module.load)
        assert ["R4C-VA-001"] * 3 == [d.code for d in app.diagnostics("acme")]
        app.write("acme.py", self.SOURCE.replace("=0", "=1").replace("=-1", "=2"))
        importlib.reload(module)
        assert () == app.diagnostics("acme")
        assert ["acme.Client", "acme.Client.call", "acme.load"] == sorted(app.elements("acme"))
        del old

    def test_policies_that_are_gone(self, app: Application) -> None:
        """The old class still lives, but nobody reaches it."""
        module = app.load("acme", self.SOURCE)
        old = module.Client
        app.write("acme.py", "class Client:\n    def call(self): ...\n")
        importlib.reload(module)
        assert {"acme.load"} == set(app.elements("acme"))
        del old

    def test_hidden_by_an_opaque_decorator(self, app: Application) -> None:
        """Neither is reachable: the one recorded last counts."""
        source = """
        from resilience4cata import retry
        kept = globals().get("kept", [])
        def opaque(function):
            kept.append(function)
            return lambda: function()

        @opaque
        @retry(max_attempts=0)
        def load(): ...
        """
        module = app.load("acme", source)
        app.write("acme.py", source.replace("=0", "=1"))
        importlib.reload(module)
        assert () == app.diagnostics("acme")
        assert 2 == len(module.kept)


def test_composed(app: Application) -> None:
    app.load(
        "policies",
        """
        from resilience4cata import resilience_policy, retry, timeout

        base = timeout("1s")
        inner = resilience_policy("inner", retry(max_attempts=3))
        outer = resilience_policy("outer", inner, base, timeout, 5, retry(delay="1s"))
        class Policies:
            slow = resilience_policy("slow", timeout("9s"))
        unused = retry(delay="7s")
        """,
    )
    app.load(
        "acme",
        """
        from policies import outer, Policies, outer as again

        @outer
        def load(): ...

        @Policies.slow
        def slow(): ...
        """,
    )
    extraction = app.extraction("acme", "policies")
    composed = {c.name.value: c for c in extraction.composed}
    outer, inner, slow = composed["outer"], composed["inner"], composed["slow"]
    assert ("policies.outer", "policies.inner", "policies.Policies.slow") == tuple(
        c.variable for c in (outer, inner, slow)
    )
    assert At("policies.py", 5, 9, 5, 79) == outer.at
    assert Slot(("outer",), At("policies.py", 5, 27, 5, 34)) == outer.name
    assert outer.members[0] == inner
    assert NotAPolicy("timeout", At("policies.py", 5, 49, 5, 56)) == outer.members[2]
    assert NotAPolicy("5", At("policies.py", 5, 58, 5, 59)) == outer.members[3]
    element = {e.definition.id: e for e in extraction.elements}["acme.load"]
    assert (Applied(outer, At("acme.py", 3, 2, 3, 7)),) == element.definition.decorators
    written = [v for v in extraction.views if isinstance(v, Written)]
    found = {(w.declaration.policy, *(s.value for s in w.declaration.slots.values()), w.within) for w in written}
    assert {
        ("timeout", "1s", ""),
        ("retry", 3, 'resilience_policy("inner")'),
        ("retry", "1s", 'resilience_policy("outer")'),
        ("timeout", "9s", 'resilience_policy("slow")'),
        ("retry", "7s", ""),
    } == found
    assert 3 == len([v for v in extraction.views if isinstance(v, Composed)])


def test_policies_in_variables_are_judged_where_they_are_made(app: Application) -> None:
    app.load(
        "acme",
        """
        from resilience4cata import retry, order, Layer
        shared = retry(max_attempts=0)

        @shared
        def one(): ...
        @shared
        def two(): ...
        @order(Layer.RETRY, Layer.FALLBACK)
        def three(): ...
        retry(delay="5")(7)
        """,
    )
    assert [("acme.py", 2, 29), ("acme.py", 8, 8), ("acme.py", 10, 13)] == [
        (d.at.source, d.at.line, d.at.column) for d in app.diagnostics("acme")
    ]
    three = app.elements("acme")["acme.three"].policies[0]
    assert (At("acme.py", 8, 2, 8, 36), At("acme.py", 8, 8, 8, 35)) == (
        three.policy.at,
        three.policy.slots["layers"].at,  # type: ignore[union-attr]
    )


def test_chosen_modules_only(app: Application) -> None:
    for name in ("one", "two"):
        app.load(name, "from resilience4cata import retry\n@retry(max_attempts=0)\ndef call(): ...")
    assert ["one.call"] == list(app.elements("one"))
    assert ["one.py"] == [d.at.source for d in app.diagnostics("one")]


def test_lazy_proxies_are_not_woken(app: Application) -> None:
    """A module full of proxies that work only within a request is looked at without asking them anything."""
    app.load(
        "acme",
        """
        from resilience4cata import retry, fallback

        class Proxy:
            @property
            def __class__(self): raise RuntimeError("working outside of request context")
            @property
            def __dict__(self): raise RuntimeError("working outside of request context")
            def __getattr__(self, name): raise RuntimeError("working outside of request context")
            def __eq__(self, other): raise RuntimeError("working outside of request context")
            def __repr__(self): raise RuntimeError("working outside of request context")
            __hash__ = None

        current = Proxy()

        @retry(name=current)
        @fallback(method="curent")
        def call(): ...

        class Client:
            current = current
            @fallback(method="curent")
            def call(self): ...
        """,
    )
    assert ["R4C-FB-002", "R4C-FB-002"] == [d.code for d in app.diagnostics("acme")]
