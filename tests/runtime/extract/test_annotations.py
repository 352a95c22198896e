"""Values, annotations and signatures of live objects become facts."""

from __future__ import annotations

import asyncio
import collections.abc
import concurrent.futures
import enum
import typing
from datetime import timedelta
from typing import Annotated, Any, Literal, Optional, TypeVar, Union

import pytest

from resilience4cata import FallbackHandler, Jitter, Layer
from resilience4cata.extract.annotations import NOT_KNOWN, type_fact
from resilience4cata.extract.typetext import text_as_written, text_of
from resilience4cata.extract.values import value_of
from resilience4cata.facts import UNKNOWN, Interval, Items, Member, ParameterKind, Ref, Signature, Value

from ..live import Application, definition

T = TypeVar("T")
_HANDLER = "resilience4cata.policies.fallback.FallbackHandler"


class User: ...


class Colour(enum.Enum):
    RED = 1


class Size(enum.IntEnum):
    BIG = 3


class Word(enum.StrEnum):
    LONG = "2s"


def helper() -> None: ...


HERE = __name__
OBJECT = "builtins.object"
OS_ERROR = ("builtins.OSError", "builtins.Exception", "builtins.BaseException", OBJECT)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2s", "2s"),
        (5, 5),
        (2.5, 2.5),
        (True, True),
        (None, None),
        (timedelta(microseconds=1), Interval(1_000)),
        (timedelta(days=-1, seconds=3), Interval(-86_397_000_000_000)),
        (timedelta.max, Interval(86_399_999_999_999_999_999_000)),
        (Jitter.FULL, Member("Jitter", "FULL")),
        (Layer.RETRY, Member("Layer", "RETRY")),
        (Colour.RED, UNKNOWN),
        (Size.BIG, 3),
        (Word.LONG, "2s"),
        (User, Ref(f"{HERE}.User", True, (f"{HERE}.User", OBJECT))),
        (OSError, Ref("builtins.OSError", True, OS_ERROR)),
        (helper, Ref(f"{HERE}.helper", False)),
        (len, Ref("builtins.len", False)),
        (lambda: 1, UNKNOWN),
        (object(), UNKNOWN),
        (b"2s", UNKNOWN),
        ((1, "a"), Items((1, "a"), "tuple")),
        ([], Items((), "list")),
        ({"b", "a"}, Items(("a", "b"), "set")),
        (frozenset({1}), Items((1,), "set")),
    ],
)  # fmt: skip
def test_values(value: object, expected: Value) -> None:
    found = value_of(value)
    assert (type(expected), expected) == (type(found), found)


@pytest.mark.parametrize(
    ("cls", "name"),
    [
        (asyncio.CancelledError, "asyncio.exceptions.CancelledError"),
        (concurrent.futures.CancelledError, "concurrent.futures._base.CancelledError"),
        (asyncio.TimeoutError, "builtins.TimeoutError"),
        (EnvironmentError, "builtins.OSError"),
    ],
)
def test_names_of_exceptions(cls: type, name: str) -> None:
    """Where they are defined, whatever alias was written."""
    found = value_of(cls)
    assert isinstance(found, Ref)
    assert name == found.name
    assert found.ancestors is not None
    assert "builtins.BaseException" in found.ancestors


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (User, "User"),
        (None, "None"),
        (type(None), "None"),
        (Any, "Any"),
        (list[User], "list[User]"),
        (typing.List[User], "list[User]"),  # noqa: UP006
        (dict[str, list[int]], "dict[str, list[int]]"),
        (Optional[str], "str | None"),  # noqa: UP045
        (Union[int, str], "int | str"),  # noqa: UP007
        (int | None, "int | None"),
        (tuple[User, ...], "tuple[User, ...]"),
        (collections.abc.Callable[[int], str], "Callable[[int], str]"),
        (typing.Callable[..., str], "Callable[..., str]"),
        (Literal["a", 1], "Literal['a', 1]"),
        (Literal[Colour.RED], "Literal[Colour.RED]"),
        (Annotated[int, "x"], "int"),
        (type[User], "type[User]"),
        (T, "T"),
        (list["User"], "list[User]"),
        (collections.abc.Iterator[int], "Iterator[int]"),
    ],
)
def test_text_of_live_types(type_: object, text: str) -> None:
    assert text == text_of(type_)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("models.User", "User"),
        ("'models.User'", "User"),
        ("list['User']", "list[User]"),
        ("Optional[models.User]", "User | None"),
        ("typing.Union[int, Optional[str]]", "int | str | None"),
        ("Annotated[models.User, 'x']", "User"),
        ("typing.List[int]", "list[int]"),
        ("OldList[int]", "list[int]"),
        ("Literal['a', 'b']", "Literal['a', 'b']"),
        ("Alias", "Alias"),
        ("Renamed", "User"),
        ("Callable[[models.A], None]", "Callable[[A], None]"),
        ("not valid python", "not valid python"),
        ("dict [ str,int ]", "dict[str, int]"),
    ],
)
def test_text_as_written(written: str, text: str) -> None:
    names: dict[str, object] = {"Alias": dict[str, int], "Renamed": User, "OldList": typing.List}  # noqa: UP006
    assert text == text_as_written(written, names.get)


def signature(app: Application, name: str, exact: bool = True) -> Signature:
    found = app.elements("acme", exact=exact)[name].definition.signature
    assert found is not None
    return found


class TestSignatures:
    SOURCE = """
        from __future__ import annotations
        from typing import TYPE_CHECKING, Optional
        from collections.abc import Awaitable, Coroutine
        from resilience4cata import retry
        import asyncio, typing as t
        if TYPE_CHECKING:
            from elsewhere import Later

        class Order: ...

        class Client:
            class Inner: ...

            @retry()
            def call(self, a, /, b: int, *args: str, c: Later, d: Optional[t.Any] = None, **kwargs: Inner) -> list[Order]:
                return []

            @retry()
            async def slow(self) -> Order: ...

            @retry()
            def awaits(self) -> Awaitable[Order]: ...

            @retry()
            def coroutine(self) -> Coroutine[t.Any, t.Any, list[Order]]: ...

            @retry()
            def task(self) -> asyncio.Task[Order]: ...

            @retry()
            def bare(*args): ...

            @retry()
            def nothing(): ...

        @retry()
        def broken(a: 1 / 0, b: undefined.name, c: "not python") -> Client.Inner: ...
        """  # noqa: E501

    def test_kinds_and_texts(self, app: Application) -> None:
        app.load("acme", self.SOURCE)
        found = signature(app, "acme.Client.call")
        shape = [(p.name, p.kind, p.required, p.annotated, p.type and p.type.text) for p in found.parameters]
        kind = ParameterKind
        expected = [
            ("a", kind.POSITIONAL_ONLY, True, False, None),
            ("b", kind.POSITIONAL_OR_KEYWORD, True, True, "int"),
            ("args", kind.VAR_POSITIONAL, False, True, "str"),
            ("c", kind.KEYWORD_ONLY, True, True, "Later"),
            ("d", kind.KEYWORD_ONLY, False, True, "Any | None"),
            ("kwargs", kind.VAR_KEYWORD, False, True, "Inner"),
        ]
        assert expected == shape
        assert found.result is not None
        assert "list[Order]" == found.result.text
        types = {p.name: p.type for p in found.parameters if p.type is not None}
        assert (NOT_KNOWN, None) == (types["c"].handle, types["c"].classes)
        assert (Ref("builtins.int", True, ("builtins.int", OBJECT)),) == types["b"].classes
        assert "Inner" == getattr(types["kwargs"].handle, "__name__", None), "names of the class body are found"

    def test_awaited_results(self, app: Application) -> None:
        app.load("acme", self.SOURCE)
        elements = app.elements("acme")
        found = {}
        for name in ("slow", "awaits", "coroutine", "task"):
            definition_ = elements[f"acme.Client.{name}"].definition
            assert definition_.signature is not None
            assert definition_.signature.result is not None
            found[name] = (definition_.is_async, definition_.signature.result.text)
        assert {
            "slow": (True, "Order"),
            "awaits": (True, "Order"),
            "coroutine": (True, "list[Order]"),
            "task": (None, "Task[Order]"),
        } == found

    def test_odd_shapes(self, app: Application) -> None:
        app.load("acme", self.SOURCE)
        assert ["args"] == [p.name for p in signature(app, "acme.Client.bare").parameters]
        assert app.elements("acme")["acme.Client.nothing"].definition.signature is None

    def test_annotations_that_fail(self, app: Application) -> None:
        app.load("acme", self.SOURCE)
        found = signature(app, "acme.broken", exact=False)
        assert [("1 / 0", NOT_KNOWN), ("name", NOT_KNOWN), ("not python", NOT_KNOWN)] == [
            (p.type.text, p.type.handle) for p in found.parameters if p.type is not None
        ]
        assert found.result is not None
        assert "Inner" == found.result.text

    def test_alias_without_future_import(self, app: Application) -> None:
        """The source is asked for the alias, if it may be read; the live object has lost it."""
        source = """
            from resilience4cata import retry
            Orders = list[int]
            @retry()
            def call() -> Orders: ...
            """
        app.load("acme", source)
        texts = [found.text for exact in (True, False) if (found := signature(app, "acme.call", exact).result)]
        assert ["Orders", "list[int]"] == texts

    def test_signature_attributes_do_not_lie(self, app: Application) -> None:
        """The shape is that of the code, whatever a framework claims."""
        app.load(
            "acme",
            """
            import inspect
            from resilience4cata import retry
            @retry()
            def call(a, b): ...
            call.__signature__ = inspect.Signature()
            """,
        )
        assert ["a", "b"] == [p.name for p in signature(app, "acme.call").parameters]

    def test_generic_base(self, app: Application) -> None:
        """What a generic base's method takes, as the class at the end of two hops sees it."""
        app.load(
            "acme",
            """
            from typing import Generic, TypeVar
            from resilience4cata import fallback
            K = TypeVar("K")
            V = TypeVar("V")
            class Base(Generic[K, V]):
                def other(self, key: K, values: list[V]) -> "dict[K, V]": ...
            class Middle(Base[str, V]): ...
            class Client(Middle[int]):
                @fallback(method="other")
                def call(self, key: str, values: list[int]) -> dict[str, int]: ...
            class Wrong(Middle[bytes]):
                @fallback(method="other")
                def call(self, key: int, values: list[int]) -> dict[str, bytes]: ...
            """,
        )
        scope = app.elements("acme")["acme.Client.call"].scope
        found = definition(scope.lookup("other")).signature
        assert found is not None
        assert ["str", "list[int]"] == [p.type.text for p in found.parameters if p.type]
        assert found.result is not None
        assert "dict[str, int]" == found.result.text
        messages = [d.message for d in app.diagnostics("acme")]
        assert ["'other' cannot take every call of 'call': 'key' takes str, not int"] == messages


def test_handler_result(app: Application) -> None:
    """T of a handler over several hops; None where it is left open."""
    app.load(
        "acme",
        """
        from typing import Generic, TypeVar
        from resilience4cata import FallbackHandler, fallback
        T = TypeVar("T")
        class Direct(FallbackHandler[int]): ...
        class Base(FallbackHandler[list[T]], Generic[T]): ...
        class Hop(Base[T]): ...
        class Far(Hop[str]): ...
        class Open(FallbackHandler[T]): ...
        class Raw(FallbackHandler): ...
        class Forward(FallbackHandler["Undefined"]): ...
        class Plain: ...
        def function(): ...
        guarded = [
            fallback(handler)(len) for handler in (Direct, Far, Open, Raw, Forward, Plain, function)
        ]
        """,
    )
    module = __import__("acme")
    extraction = app.extraction("acme")
    names = ("Direct", "Far", "Open", "Raw", "Forward", "Plain", "function")
    results = {name: extraction.oracle.type_argument(value_of(getattr(module, name)), _HANDLER) for name in names}
    assert {"Direct": "int", "Far": "list[str]"} == {k: v.text for k, v in results.items() if v is not None}
    far, plain = value_of(module.Far), value_of(module.function)
    assert isinstance(far, Ref)
    assert isinstance(plain, Ref)
    scope = extraction.oracle.class_scope(far)
    assert scope is not None
    assert f"{_HANDLER}.apply" == definition(scope.lookup("apply")).id
    assert definition(scope.lookup("apply")).abstract
    found = extraction.oracle.definition(plain)
    assert found is not None
    assert "acme.function" == found.id
    assert extraction.oracle.definition(far) is None
    assert extraction.oracle.class_scope(plain) is None
    assert extraction.oracle.type_argument(UNKNOWN, _HANDLER) is None


def test_type_fact() -> None:
    found = type_fact(User | None)
    assert ("User | None", User | None) == (found.text, found.handle)
    assert found.classes is not None
    assert [f"{HERE}.User", "builtins.NoneType"] == [ref.name for ref in found.classes]
    assert type_fact(FallbackHandler).classes is not None
    assert type_fact(Any).classes is None
    assert type_fact(T).classes is None
