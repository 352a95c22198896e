"""Functions and classes as definitions: ids, kinds, signatures, types."""

from __future__ import annotations

import pytest

from resilience4cata.facts import At, Definition, Kind, Parameter, ParameterKind, Ref, Signature, TypeFact

from .linking import IMPORTS, element, elements, linked

OBJECT = "builtins.object"


def definition(text: str, name: str = "f", before: str = "") -> Definition:
    """The definition of `name`, which `text` defines; decorated with a policy just above it."""
    return element(linked(f"{IMPORTS}{before}\n{text}\n"), name).definition


def method(text: str) -> Definition:
    """The method `f`, whose decorators and definition are `text`."""
    body = "".join(f"    {line}\n" for line in text.splitlines())
    return definition(
        f"class C:\n{body}", before="import abc, functools, contextlib, typing\nfrom collections.abc import *"
    )


def test_ids() -> None:
    """Names as Python qualifies them."""
    text = (
        f"{IMPORTS}@retry()\ndef f():\n    @retry()\n    class C:\n"
        "        @retry()\n        def m(self):\n            @retry()\n"
        "            def g(): ...\n"
    )
    found = {e.definition.id: e.definition.owner for e in elements(linked(text)).values()}
    expected = {
        "acme.app.f": "acme.app",
        "acme.app.f.<locals>.C": "acme.app.f",
        "acme.app.f.<locals>.C.m": "acme.app.f.<locals>.C",
        "acme.app.f.<locals>.C.m.<locals>.g": "acme.app.f.<locals>.C.m",
    }
    assert expected == found


def test_places() -> None:
    """A definition stands at its name, a decorator at its expression."""
    text = f"{IMPORTS}class C:\n    @retry(\n        delay='1s',\n    )\n    async def f(self): ...\n"
    found = element(linked(text), "f").definition
    assert At("acme/app.py", 6, 15, 6, 16) == found.at
    assert At("acme/app.py", 3, 6, 5, 6) == found.decorators[0].at


@pytest.mark.parametrize(
    ("text", "kind", "parameters"),
    [
        ("@retry()\ndef f(self, a): ...", Kind.METHOD, ["a"]),
        ("@staticmethod\n@retry()\ndef f(a, b): ...", Kind.STATIC_METHOD, ["a", "b"]),
        ("@classmethod\n@retry()\ndef f(cls, a): ...", Kind.CLASS_METHOD, ["a"]),
        ("@retry()\ndef f(*args): ...", Kind.METHOD, ["args"]),
        ("@retry()\ndef f(self, /, a): ...", Kind.METHOD, ["a"]),
        ("@retry()\ndef f(): ...", Kind.METHOD, []),
        ("@property\n@retry()\ndef f(self): ...", Kind.PROPERTY, None),
        ("@functools.cached_property\n@retry()\ndef f(self): ...", Kind.PROPERTY, None),
        ("@x.setter\n@retry()\ndef f(self, a): ...", Kind.PROPERTY, None),
        ("@abc.abstractmethod\n@unguarded\n@inherit_policies\n@retry()\ndef f(self, a): ...", Kind.METHOD, ["a"]),
        ("@functools.wraps(g)\n@retry()\ndef f(self, a): ...", Kind.METHOD, None),
        ("@unknown\n@retry()\ndef f(self, a): ...", Kind.METHOD, None),
        ("@contextlib.contextmanager\n@retry()\ndef f(self, a): yield", Kind.METHOD, None),
    ],
)
def test_kinds(text: str, kind: Kind, parameters: list[str] | None) -> None:
    """Decorators decide about the kind, and whether the signature is known."""
    found = method(text)
    signature = found.signature
    assert (kind, parameters) == (found.kind, None if signature is None else [p.name for p in signature.parameters])


def test_functions_and_classes() -> None:
    """Outside of classes there are functions and classes."""
    assert Kind.FUNCTION is definition("@retry()\n@staticmethod\ndef f(a): ...").kind
    found = definition("@retry()\nclass f: ...")
    assert (Kind.CLASS, None) == (found.kind, found.signature)


def text_type(text: str, *ancestors: str) -> TypeFact:
    return TypeFact(text, None, (Ref(ancestors[0], True, (*ancestors, OBJECT)),))


STR, INT = text_type("str", "builtins.str"), text_type("int", "builtins.int")


def test_signature() -> None:
    """Every kind of parameter, its default, its annotation, and the result."""
    found = definition(
        "@retry()\ndef f(a, b: int = 1, /, c: str = 'x', *d: int, e, f: 'str' = '', **g: x.y) -> int: ..."
    )
    expected = Signature(
        (
            Parameter("a", ParameterKind.POSITIONAL_ONLY, required=True, annotated=False),
            Parameter("b", ParameterKind.POSITIONAL_ONLY, required=False, type=INT),
            Parameter("c", ParameterKind.POSITIONAL_OR_KEYWORD, required=False, type=STR),
            Parameter("d", ParameterKind.VAR_POSITIONAL, required=False, type=INT),
            Parameter("e", ParameterKind.KEYWORD_ONLY, required=True, annotated=False),
            Parameter("f", ParameterKind.KEYWORD_ONLY, required=False, type=STR),
            Parameter("g", ParameterKind.VAR_KEYWORD, required=False, type=TypeFact("y")),
        ),
        INT,
    )
    assert expected == found.signature


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        ("User", "User"),
        ("'User'", "User"),
        ("m.User", "User"),
        ("Alias", "User"),
        ("list[User]", "list[User]"),
        ("List['User']", "list[User]"),
        ("t.Optional[str]", "str | None"),
        ("t.Union[str, int, None]", "str | int | None"),
        ("t.Union[str, t.Optional[User]]", "str | User | None"),
        ("str | None", "str | None"),
        ("None", "None"),
        ("tuple[int, ...]", "tuple[int, ...]"),
        ("tuple[()]", "tuple[()]"),
        ("t.Callable[[int, User], str]", "Callable[[int, User], str]"),
        ("t.Callable[..., str]", "Callable[..., str]"),
        ("t.Literal['a', 1]", "Literal['a', 1]"),
        ("t.Annotated[User, 'x']", "User"),
        ("t.Any", "Any"),
        ("T", "T"),
        ("unknown.Thing", "Thing"),
        ("dict[str, list[m.User]] | None", "dict[str, list[User]] | None"),
        ("decimal.Decimal", "Decimal"),
    ],
)
def test_texts_of_types(annotation: str, text: str) -> None:
    """Types read as a person would write them in that module."""
    app = (
        "import typing as t, decimal\nimport acme.m as m\n"
        "from typing import List\nfrom acme.m import User, User as Alias\n"
        f"T = t.TypeVar('T')\n{IMPORTS}@retry()\ndef f() -> {annotation}: ...\n"
    )
    signature = element(linked({"acme.app": app, "acme.m": "class User: ...\n"}), "f").definition.signature
    assert signature is not None
    assert signature.result is not None
    assert text == signature.result.text


def classes(annotation: str) -> list[str] | None:
    signature = definition(
        f"@retry()\ndef f(error: {annotation}): ...",
        before="import typing as t, requests\nclass Own(OSError): ...\nT = t.TypeVar('T')\nBoth = Own | KeyError\n",
    ).signature
    assert signature is not None
    type_ = signature.parameters[0].type
    found = type_.classes if type_ is not None else None
    return None if found is None else [ref.name for ref in found]


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("Exception", ["builtins.Exception"]),
        ("IOError", ["builtins.OSError"]),
        ("Own", ["acme.app.Own"]),
        ("'Own | KeyError'", ["acme.app.Own", "builtins.KeyError"]),
        ("t.Optional[Own]", ["acme.app.Own", "builtins.NoneType"]),
        ("ExceptionGroup[Own]", ["builtins.ExceptionGroup"]),
        ("requests.Timeout", None),
        ("T", None),
        ("t.Any", None),
        ("Both", None),
        ("undefined", None),
    ],
)
def test_classes_of_types(annotation: str, expected: list[str] | None) -> None:
    """The classes that an exception's annotation names, or nothing at all."""
    assert expected == classes(annotation)


@pytest.mark.parametrize(
    ("text", "is_async", "result"),
    [
        ("def f(self) -> int: ...", False, "int"),
        ("async def f(self) -> int: ...", True, "int"),
        ("def f(self) -> Awaitable[int]: ...", True, "int"),
        ("def f(self) -> typing.Coroutine[None, None, int]: ...", True, "int"),
        ("def f(self) -> 'Awaitable[int]': ...", True, "int"),
        ("def f(self) -> Awaitable: ...", True, None),
        ("def f(self): ...", False, None),
    ],
)
def test_async(text: str, is_async: bool, result: str | None) -> None:
    """What gives an awaitable is asynchronous, and its result is what is awaited."""
    found = method(f"@retry()\n{text}")
    signature = found.signature
    assert signature is not None
    assert (is_async, result) == (found.is_async, signature.result.text if signature.result else None)


def test_futures_are_left_open() -> None:
    """Whether a function that returns a task is asynchronous is for others to say."""
    before = "import asyncio\n"
    assert definition("@retry()\ndef f() -> asyncio.Task[int]: ...", before=before).is_async is None
    assert definition("@retry()\n@unknown\nasync def f(): ...").is_async is None


@pytest.mark.parametrize(
    ("body", "yields"),
    [
        ("yield", True),
        ("return (yield from x)", True),
        ("x = yield", True),
        ("def g(): yield", False),
        ("return lambda: (yield)", False),
        ("class C:\n        def g(self): yield", False),
        ("await x", False),
        ("for a in b:\n        if c:\n            yield a", True),
    ],
)
def test_generators(body: str, yields: bool) -> None:
    """Only a `yield` of the function's own makes it a generator."""
    found = definition(
        f"@retry()\nasync def f(x):\n    {body}\n" if "from" not in body else f"@retry()\ndef f(x):\n    {body}\n"
    )
    assert (yields, "from" not in body) == (found.yields, found.is_async)


@pytest.mark.parametrize(
    ("bases", "text", "abstract"),
    [
        ("", "@abc.abstractmethod\ndef f(self): return 1", True),
        ("(Protocol)", "def f(self): ...", True),
        ("(Protocol)", "def f(self):\n        '''Documented.'''", True),
        ("(Protocol)", "def f(self):\n        raise NotImplementedError", True),
        ("(Protocol)", "def f(self): return 1", False),
        ("(P)", "def f(self): ...", False),
        ("", "def f(self): ...", False),
    ],
)
def test_abstract(bases: str, text: str, abstract: bool) -> None:
    """Abstract methods, and those of a Protocol itself that have no body."""
    head, _, rest = text.rpartition("def f")
    decorators = "".join(f"    {line}\n" for line in head.splitlines())
    code = f"class C{bases}:\n{decorators}    @retry()\n    def f{rest}\n"
    before = "import abc\nfrom typing import Protocol\nclass P(Protocol): ...\n"
    assert abstract is definition(code, before=before).abstract
