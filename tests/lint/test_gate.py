"""Which files are worth parsing, told from their bytes."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resilience4cata_lint.gate import Export, Gate, Imports, Memory, import_lines, mentions

POLICIES = Export("src/acme/policies.py", "acme.policies", frozenset({"external_call"}))
PACKAGE = Export("src/acme/__init__.py", "acme", frozenset({"external_call"}))
TOP = Export("policies.py", "policies", frozenset({"external_call"}))


def admits(source: str, *exports: Export, path: str = "src/acme/users.py") -> bool:
    return [path] == Gate(exports or [POLICIES], Memory()).admitted([path], {path: source.encode()}.__getitem__)


def test_mentions() -> None:
    """The name of the library anywhere in the file."""
    assert (True, False) == (mentions(b"import resilience4cata as r"), mentions(b"import resilience"))


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("import a\nx = 1\nfrom b import c\n", ["import a", "from b import c"]),
        ("from a import (\n    b,\n    c,\n)\nd\n", ["from a import (\n    b,\n    c,\n)"]),
        ("from a import \\\n    b\nc", ["from a import \\\n    b"]),
        ("from a \\\n    import b", ["from a \\\n    import b"]),
        ("from a \\\r\n    import b\r\n", ["from a \\\r\n    import b\r"]),
        ("    import a", ["    import a"]),
        ("# import a", []),
        ("from a import (b", ["from a import (b"]),
        ("import a; import b", ["import a; import b"]),
        ("", []),
    ],
)
def test_import_lines(source: str, lines: list[str]) -> None:
    """Each statement whole, however it is broken."""
    assert lines == [line.decode() for line in import_lines(source.encode())]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from . import (\n a as b)", (frozenset({b"from", b"import", b"a", b"as", b"b"}), False, True)),
        ("from .. import *", (frozenset({b"from", b"import"}), True, True)),
        ("from .a import b", (frozenset({b"from", b"a", b"import", b"b"}), False, False)),
    ],
)
def test_imports(source: str, expected: tuple[frozenset[bytes], bool, bool]) -> None:
    """Words, stars, and whether the package itself is imported from."""
    assert expected == Imports.of(source.encode())


@pytest.mark.parametrize(
    "source",
    [
        "from acme.policies import external_call",
        "from acme.policies import external_call as ec",
        "from .policies import external_call",
        "from acme.policies import (\n    internal_call,\n    external_call,\n)",
        "import acme.policies\n@acme.policies.external_call\ndef f(): ...",
        "from acme import policies\n@policies.external_call\ndef f(): ...",
        "from acme import policies as p\n@p.external_call\ndef f(): ...",
        "from . import policies\n@policies.external_call\ndef f(): ...",
        "def f():\n    from acme.policies import external_call",
        "from acme.policies import *",
    ],
)
def test_users_of_a_module_are_let_in(source: str) -> None:
    """However they import it."""
    assert admits(source)


@pytest.mark.parametrize(
    "source",
    [
        "",
        "external_call = 1",
        "from acme.other import external_call",
        "from acme.policies import internal_call",
        "import policies_of_others\nexternal_call = 1",
    ],
)
def test_others_stay_outside(source: str) -> None:
    """A name alone, or a module alone, is not enough."""
    assert not admits(source)


def test_package_that_hands_on() -> None:
    """`from . import external_call` says no name of a module."""
    assert admits("from . import external_call", PACKAGE)
    assert admits("from .. import (\n    external_call,\n)", PACKAGE, path="src/acme/a/b.py")
    assert admits("from . import *", PACKAGE)
    assert not admits("from . import other", PACKAGE)


def test_far_away_files() -> None:
    """Outside of the package its name must be said; a module at the top is found from anywhere."""
    assert admits("from acme.policies import external_call", path="tests/test_a.py")
    assert not admits("from other.policies import external_call", path="tests/test_a.py")
    assert admits("from policies import external_call", TOP, path="deep/down/a.py")


def test_many_packages() -> None:
    """With more packages than are looked for one by one, nothing is lost."""
    exports = [Export(f"src/acme/p{n}/m.py", f"acme.p{n}.m", frozenset({"external_call"})) for n in range(30)]
    assert all(admits(f"from acme.p{n}.m import external_call", *exports, path="tests/a.py") for n in range(30))
    assert not admits("from acme.p7.other import external_call", *exports, path="tests/a.py")


PLACES = ("a/pkg", "b/pkg", "b/pkg/sub", "lib", "")
FILES = {
    f"{place}/user_{number}.py".lstrip("/"): source.encode()
    for place in PLACES
    for number, source in enumerate(
        (
            "from pkg.m import one",
            "from .m import one",
            "from . import one",
            "import lib, m\nlib.one",
            "from sub.m import two",
            "x = 1",
        )
    )
}
EXPORTS = [
    Export(f"{place}/m.py".lstrip("/"), f"{place.rpartition('/')[2]}.m".lstrip("."), frozenset({name}))
    for place in PLACES
    for name in ("one", "two")
]


@given(st.lists(st.lists(st.sampled_from(EXPORTS), min_size=1, unique=True), min_size=1, max_size=4))
def test_a_gate_after_others(rounds: list[list[Export]]) -> None:
    """What earlier gates have learnt lets more files in at most, and keeps none out."""
    memory, outside = Memory(), list(FILES)
    for exports in rounds:
        admitted = Gate(exports, memory).admitted(outside, FILES.__getitem__)
        assert set(Gate(exports, Memory()).admitted(outside, FILES.__getitem__)) <= set(admitted)
        outside = [path for path in outside if path not in admitted]


def test_time_is_linear() -> None:
    """A megabyte of import statements is read in a moment."""
    source = b"from a.b import c\n" * 60_000
    began = time.perf_counter()
    Imports.of(source)
    assert time.perf_counter() - began < 2
