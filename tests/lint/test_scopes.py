"""Where names are looked up: classes with their bases over modules, modules, locals; and what stays unknown."""

from __future__ import annotations

import pytest

from resilience4cata.facts import UNKNOWN, Definition, Kind, Scope, Unknown

from .linking import element, found, linked

HEAD = "from resilience4cata import *\n"


def scope(text: str, name: str = "Client", **modules: str) -> Scope:
    """The scope of a class of `acme.app`, which needs no decorator for that."""
    others = {module.replace("__", "."): content for module, content in modules.items()}
    project = linked({"acme.app": f"{HEAD}{text}\n@retry()\ndef _element(): ...\n", **others})
    world = project.oracle._world
    assert world is not None
    result = world.scope_of(f"acme.app.{name}")
    assert result is not None
    return result


BASES = (
    "class Base:\n    def own(self): ...\n    def base(self): ...\n"
    "class Mixin:\n    def base(self): ...\n    def mixin(self): ...\n"
)


def test_bases_over_modules() -> None:
    """The resolution order decides, over any number of modules."""
    text = "from acme.b import Middle, M\nclass Client(Middle, M):\n    def own(self): ...\n"
    middle = "from acme.a import Base as B, Mixin as M\nclass Middle(B): ...\n"
    client = scope(text, acme__a=BASES, acme__b=middle)
    expected = ("acme.app.Client", "acme.b.Middle", "acme.a.Base", "acme.a.Mixin", "builtins.object")
    assert expected == client.ancestors
    names = ["own", "base", "mixin", "other"]
    assert ["acme.app.Client.own", "acme.a.Base.base", "acme.a.Mixin.mixin", "nothing"] == [
        found(client, n) for n in names
    ]
    assert ("own", "base", "mixin") == client.names()


def test_diamond() -> None:
    """C3, not depth first."""
    text = (
        "class A:\n    def f(self): ...\nclass B(A): ...\nclass C(A):\n    def f(self): ...\nclass Client(B, C): ...\n"
    )
    assert "acme.app.C.f" == found(scope(text), "f")


@pytest.mark.parametrize(
    "text",
    [
        "class Client(Other): ...",
        "from other import Base\nclass Client(Base): ...",
        "class Client(make()): ...",
        "class Client(*bases): ...",
        "class A: ...\nclass B(A): ...\nclass Client(A, B): ...",
        "class Client(Client): ...",
        "class Client(metaclass=Meta): ...",
        "class Client(**options): ...",
        "@decorate\nclass Client: ...",
        "@decorate()\nclass Client: ...",
        "class Client: ...\nsetattr(Client, name, 1)",
        "class Client: ...\nClient.f = other",
        "class Client:\n    exec(code)",
        "class Client:\n    def __init_subclass__(cls): setattr(cls, name, 1)",
        "class Base:\n    def __init_subclass__(cls): setattr(cls, name, 1)\nclass Client(Base): ...",
        "class Client:\n    f = make()",
        "class Client:\n    f: Callable[[], int]",
        "class Client:\n    if x:\n        def f(self): ...",
        "class Client:\n    def f(self): ...\n    del f",
        "class Client:\n    for f in x: ...",
        "class Client:\n    from other import f",
        "class Client:\n    with_traceback = f = make()",
        "class Client:\n    def __getattr__(self, name): ...",
        "class Base:\n    def __getattr__(self, name): ...\nclass Client(Base): ...",
        "class Client:\n    __slots__ = ('f',)",
        "class Client:\n    __slots__ = 'f'",
        "class Client:\n    __slots__ = names",
        "class Client: ...\nClient.f = lambda self: 1",
        "class Client: ...\nsetattr(Client, 'f', 1)",
        "class Base: ...\nclass Client(Base): ...\nBase.f = 1",
        "class Client: ...\nOther = Client\nOther.f = 1",
        "class Client: ...\nmake().f = 1",
        "class Client: ...\ndef patch(some): some.f = 1",
        "class Base:\n    def __init_subclass__(cls): cls.f = 1\nclass Client(Base): ...",
        "class Client:\n    def g(self): type(self).f = 1",
        "class Client:\n    def g(self): self.__class__.f = 1",
    ],
)
def test_unknown(text: str) -> None:
    """Whatever may have the name makes it unknown, never absent."""
    assert "unknown" == found(scope(text), "f")


@pytest.mark.parametrize(
    "text",
    [
        "class Client: ...",
        "class Client(object): ...",
        "import abc\nclass Client(abc.ABC): ...",
        "import abc\nclass Client(metaclass=abc.ABCMeta): ...",
        "from typing import Protocol\nclass Client(Protocol): ...",
        "from typing import Generic, TypeVar\nT = TypeVar('T')\nclass Client(Generic[T]): ...",
        "from typing_extensions import Protocol\nclass Client(Protocol): ...",
        "import enum\nclass Client(enum.StrEnum): ...",
        "from typing import NamedTuple\nclass Client(NamedTuple): ...",
        "from typing import TypedDict\nclass Client(TypedDict, total=False): ...",
        "class Client(ValueError): ...",
        "from collections.abc import Mapping\nclass Client(Mapping[str, int]): ...",
        "class Client(FallbackHandler[int]): ...",
        "import dataclasses as d\n@d.dataclass(frozen=True)\nclass Client: ...",
        "import functools, typing, enum\n@functools.total_ordering\n@typing.final\nclass Client: ...",
        "@retry()\n@timeout('1s')\nclass Client: ...",
        "shared = retry()\n@shared\nclass Client: ...",
        "all = resilience_policy('all', retry())\n@all\nclass Client: ...",
        "class Client:\n    def set(self): setattr(self, 'f', 1)",
        "class Client:\n    def set(self): self.f = 1",
        "class Client:\n    __slots__ = ('g', 'h')",
        "class Other: ...\nclass Client: ...\nOther.f = 1",
        "import os\nclass Client: ...\nos.f = 1",
        "class Client: ...\nsetattr(Client, 'g', 1)",
    ],
)
def test_absent(text: str) -> None:
    """With known bases and harmless decorators, absence is certain."""
    assert "nothing" == found(scope(text), "f")


@pytest.mark.parametrize(
    "text",
    [
        "import acme.app\nacme.app.Client.f = 1",
        "from acme.app import Client\nClient.f = 1",
        "from acme.app import Client as K\nK.f = 1",
        "from acme.app import Client as K\nsetattr(K, 'f', 1)",
        "from acme.app import Client as K\nfor name in 'ef': setattr(K, name, 1)",
        "def patch(cls): cls.f = 1",
    ],
)
def test_set_in_another_file(text: str) -> None:
    """A class may get an attribute anywhere, under any of its names."""
    assert "unknown" == found(scope("class Client: ...", acme__patch=text), "f")


def test_what_is_set_on_something_else_changes_no_method() -> None:
    """A test that replaces a method of one object says nothing about the class."""
    patch = "def test(client): client.f = 1"
    assert "acme.app.Client.f" == found(scope("class Client:\n    def f(self): ...", acme__test=patch), "f")


def test_a_function_by_another_name_in_a_class_is_a_method() -> None:
    """Its first parameter takes the instance; what is bound already stays as it is."""
    text = (
        "def plain(self, n): ...\n"
        "class Other:\n    def method(self, n): ...\n    @staticmethod\n    def static(n): ...\n"
        "class Client:\n    f = plain\n    g = Other.method\n    h = Other.static\n    i = f\n"
    )
    client = scope(text)
    methods = [client.lookup(name) for name in "fgi"]
    assert [Kind.METHOD] * 3 == [m.kind for m in methods if isinstance(m, Definition)]
    signatures = [m.signature for m in methods if isinstance(m, Definition)]
    assert ["f", "g", "i"] == [m.name for m in methods if isinstance(m, Definition)]
    assert [["n"]] * 3 == [[p.name for p in s.parameters] for s in signatures if s is not None]
    assert UNKNOWN is client.lookup("h")


def test_an_unknown_base_hides_only_what_comes_after_it() -> None:
    """What is found before the unknown base is certain."""
    text = (
        "from other import Unknown\nfrom acme.a import Base, Mixin\n"
        "class Client(Base, Unknown, Mixin):\n    def own(self): ...\n"
    )
    client = scope(text, acme__a=BASES)
    expected = ["acme.app.Client.own", "acme.a.Base.base", "unknown", "unknown"]
    assert expected == [found(client, name) for name in ("own", "base", "mixin", "other")]
    assert client.ancestors is None
    assert ("own", "base", "mixin") == client.names()


def test_names_of_standard_bases_are_unknown() -> None:
    """A method of `Exception` exists, but nobody has looked at it."""
    client = scope("class Client(Exception): ...")
    assert ["unknown", "unknown", "nothing"] == [found(client, n) for n in ("with_traceback", "__init__", "f")]


def test_handlers_know_the_abstract_method() -> None:
    """Whether a handler implements `apply` can be told."""
    lookup = scope("class Client(FallbackHandler[int]):\n    def handle(self, context): ...").lookup("apply")
    assert isinstance(lookup, Definition)
    assert ("resilience4cata.policies.fallback.FallbackHandler.apply", True) == (lookup.id, lookup.abstract)


def test_repeated_definitions() -> None:
    """Of two definitions in one body, the last one counts."""
    client = scope(
        "class Client:\n    def f(self): ...\n    @staticmethod\n"
        "    def f(): ...\n    g = 1\n    def g(self): ...\n"
        "    def h(self): ...\n    h = 1\n"
    )
    kinds = [definition.kind for name in "fgh" if isinstance(definition := client.lookup(name), Definition)]
    assert [Kind.STATIC_METHOD, Kind.METHOD, Kind.OTHER] == kinds


def test_aliases() -> None:
    """A second name for a method finds the method."""
    client = scope(
        "class Client:\n    def f(self): ...\n    g = f\n    class Inner: ...\n"
        "    h = Inner\n    k = helper\ndef helper(): ...\n"
    )
    assert ["acme.app.Client.f", "acme.app.Client.Inner", "unknown"] == [found(client, name) for name in "ghk"]


def test_ancestors_of_special_classes() -> None:
    """Named tuples and typed dictionaries show what they are."""
    text = "from typing import *\nclass Client(NamedTuple):\n    x: int\nclass Options(TypedDict): ...\n"
    assert ("acme.app.Client", "typing.NamedTuple", "builtins.tuple", "builtins.object") == scope(text).ancestors
    assert ("acme.app.Options", "typing.TypedDict", "builtins.dict", "builtins.object") == scope(
        text, "Options"
    ).ancestors


def test_subclasses() -> None:
    """Direct and indirect subclasses of all files, also of those that name nothing of ours."""
    files = {
        "acme.b": "from acme.app import Client\nclass B(Client): ...\n",
        "acme.c": "from acme.b import B\nclass C(B): ...\n",
    }
    client = scope("class Client: ...", acme__b=files["acme.b"], acme__c=files["acme.c"])
    assert ["acme.b.B", "acme.c.C"] == [subclass.id for subclass in client.subclasses()]


def public(text: str) -> list[str] | Unknown:
    methods = scope(text).public_methods()
    return UNKNOWN if isinstance(methods, Unknown) else [method.name for method in methods]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("def f(self): ...\n    def _g(self): ...\n    def __call__(self): ...", ["f"]),
        ("@staticmethod\n    def f(): ...\n    @classmethod\n    def g(cls): ...", ["f", "g"]),
        ("@property\n    def f(self): ...", []),
        ("class Inner: ...\n    x = 1\n    y: int\n    z: int = make()", []),
        ("def f(self): ...\n    f = make()", UNKNOWN),
        ("if x:\n        def f(self): ...", UNKNOWN),
        ("f = make()", UNKNOWN),
        ("_f = make()", []),
        ("def f(self): yield\n    @unguarded\n    def g(self): ...", ["f", "g"]),
    ],
)
def test_public_methods(body: str, expected: list[str] | Unknown) -> None:
    """Methods that are defined in the body, under a name without a leading underscore."""
    assert expected == public(f"class Client:\n    {body}\n")


def test_members_of_an_enumeration_are_no_methods() -> None:
    """Whatever a member's value is, it cannot be guarded."""
    assert [] == public("import enum\nclass Client(enum.Enum):\n    A = enum.auto()\n    B = make()\n")


def module(text: str, **modules: str) -> Scope:
    others = {name.replace("__", "."): content for name, content in modules.items()}
    text = f"{HEAD}{text}\nimport resilience4cata as r\n@r.retry()\ndef element(): ...\n"
    return element(linked({"acme.app": text, **others}), "element").scope


def test_modules() -> None:
    """A module's functions, imported ones included, are found; classes and values are what they are."""
    text = (
        "from acme.x import helper, LIMIT\nimport acme.x\ndef f(): ...\n"
        "class C: ...\nX = 1\nY = f\nif a:\n    def g(): ...\n"
    )
    here = module(text, acme__x="def helper(): ...\nLIMIT = 1\n")
    names = ["f", "C", "X", "Y", "helper", "g", "LIMIT", "nope", "print"]
    expected = [
        "acme.app.f",
        "acme.app.C",
        "acme.app.X",
        "acme.app.f",
        "acme.x.helper",
        "unknown",
        "unknown",
        "nothing",
    ]
    assert [*expected, "unknown"] == [found(here, name) for name in names]
    assert ("acme.app", False, None) == (here.id, here.is_class, here.ancestors)
    assert ("helper", "f", "Y", "element") == here.names()


@pytest.mark.parametrize(
    "text",
    [
        "from other import *",
        "globals()['f'] = 1",
        "exec(code)",
        "def __getattr__(name): ...",
        "def make():\n    global f\n    f = 1",
    ],
)
def test_open_modules(text: str) -> None:
    """Where names may come from elsewhere, absence proves nothing."""
    assert "unknown" == found(module(text), "f")


def test_star_imports_of_the_project() -> None:
    """A star import of a module that is known adds what it has, and nothing else."""
    here = module("from acme.x import *\n", acme__x="def helper(): ...\ndef _hidden(): ...\n")
    assert ["acme.x.helper", "nothing", "nothing"] == [found(here, name) for name in ("helper", "_hidden", "f")]


def test_locals() -> None:
    """Names in a function are found there first, then around it."""
    text = (
        f"{HEAD}def outside(): ...\ndef make():\n    def inside(): ...\n"
        "    class C:\n        def method(self): ...\n    @retry()\n"
        "    def f(): ...\n"
    )
    here = element(linked(text), "f").scope
    assert "acme.app.make" == here.id
    names = ["inside", "outside", "C", "method"]
    expected = ["acme.app.make.<locals>.inside", "acme.app.outside", "acme.app.make.<locals>.C", "nothing"]
    assert expected == [found(here, name) for name in names]
    assert ("inside", "f", "outside", "make") == here.names()
