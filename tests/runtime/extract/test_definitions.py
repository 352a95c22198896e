"""Live objects become facts: what stands on what, under which name."""

from __future__ import annotations

import pytest

from resilience4cata.facts import UNKNOWN, At, Element, Foreign, Kind

from ..live import Application


def shown(element: Element) -> list[object]:
    """The decorators of an element, as short as can be: names of policies, and full names of foreign ones."""
    return [
        d.name if isinstance(d, Foreign) else getattr(d.policy, "policy", None) or getattr(d.policy, "title", None)
        for d in element.definition.decorators
    ]


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
