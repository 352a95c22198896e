"""Bytes of one file become facts or a reason, whatever they are."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from resilience4cata.facts import At, Unreadable
from resilience4cata_lint.extract import extract
from resilience4cata_lint.symbols import Assigned, FileFacts, Imported
from resilience4cata_lint.terms import Constant

from .linking import facts


def read(source: bytes) -> FileFacts | Unreadable:
    return extract("app.py", source, "app", False)


def refused(source: bytes) -> tuple[int, int, str]:
    found = read(source)
    assert isinstance(found, Unreadable)
    assert found.at.source == "app.py"
    return found.at.line, found.at.column, found.reason


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b"x = 1\ny = (\n", (2, 5, "'(' was never closed")),
        (b"if x:\ny = 1\n", (2, 1, "expected an indented block after 'if' statement on line 1")),
        (
            b"ok = 1\nx = '\xe4'\n",
            (2, 6, "'utf-8' codec can't decode byte 0xe4 in position 12: invalid continuation byte"),
        ),
        (b"# coding: klingon\n", (1, 1, "unknown encoding: klingon")),
        (b"# coding: hex\n", (1, 1, "'hex' is not a text encoding; use codecs.decode() to handle arbitrary codecs")),
        (b"\xef\xbb\xbf# coding: latin-1\n", (1, 1, "encoding problem: utf-8")),
        (b"x = 1\ny = \x00\n", (2, 5, "source code cannot contain null bytes")),
        (b"x" * 10 + b" = " + b"(" * 300 + b")" * 300, (1, 214, "too many nested parentheses")),
        (b"print 'x'\n", (1, 1, "missing parentheses in call to 'print'. Did you mean print(...)?")),
    ],
)
def test_unreadable(source: bytes, expected: tuple[int, int, str]) -> None:
    """The reason is Python's own, and the place is where it says."""
    assert expected == refused(source)


@pytest.mark.parametrize(
    "source", [b"x = " + b"-" * 20_000 + b"1", b"x = 1" + b" + 1" * 20_000, b"x = a" + b".b" * 20_000]
)
def test_too_deep_for_python(source: bytes) -> None:
    """A tree that Python itself cannot build is a finding, not a crash."""
    assert (1, 1, "nested too deeply to be read") == refused(source)


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\xef\xbb\xbf",
        b"\n" * 100_000,
        b"# coding: latin-1\nx = '\xe4'\n",
        b"x = 1\r\ny = 2\r\n",
        b"x = 1\ry = 2\r",
        b"x = 1\x0cy = 2".replace(b"y", b"\ny"),
        b"if x:\n    pass\n" + b"elif x:\n    pass\n" * 900,
        b"x = " + b"[" * 150 + b"]" * 150,
        b"x = " + b" + ".join([b"1"] * 900),
        b"x = a" + b".b" * 900,
        b"import resilience4cata as r\nx = r" + b".b(1)" * 400,
        b"import resilience4cata as r\nx = " + b"r.retry(" * 95 + b")" * 95,
        b"match x:\n    case {'a': [y, *z], **rest} | y: pass\n",
        b"def f():\n    global g, h\n    g = 1\n",
        b"from . import x\nfrom .... import y\nfrom .z import *\n",
        b"'\\d'\n",
    ],
)
def test_readable(source: bytes) -> None:
    """Unusual files are read, without a warning, and what is read can be stored."""
    found = read(source)
    assert isinstance(found, FileFacts)
    assert found == pickle.loads(pickle.dumps(found))


def test_line_ends_and_byte_order_mark_change_nothing() -> None:
    """Places are those that an editor shows."""
    text = 'from resilience4cata import retry\n\n@retry(\n    delay="1s",\n)\ndef f(): ...\n'
    plain = read(text.encode())
    assert plain == read(text.replace("\n", "\r\n").encode()) == read(text.replace("\n", "\r").encode())
    assert plain == read(b"\xef\xbb\xbf" + text.encode())


def test_encodings() -> None:
    """The declared encoding counts, and columns count characters."""
    source = "# coding: latin-1\nfrom resilience4cata import retry\nä = 'ö', retry(delay='ü')\n".encode("latin-1")
    found = read(source)
    assert isinstance(found, FileFacts)
    (site,) = found.sites
    assert (3, 10, 3, 26) == site.call.span
    assert Constant("ü") == site.call.arguments[0].value


@given(st.binary(max_size=200))
@example(b"\xff\xfe")
@example(b"# -*- coding: utf-7 -*-\n+AD8-")
@example(b"# coding: undefined\n")
@example(b"\\\n")
def test_any_bytes(source: bytes) -> None:
    """Property: no bytes make the extractor fail."""
    assert isinstance(read(source), FileFacts | Unreadable)


fragments = st.sampled_from(
    [
        "from resilience4cata import *\n",
        "import resilience4cata as r\n",
        "retry", "r.", "(", ")", "[", "]", "{", "}", "=", ",", ":", "@", "*", "**", ".", " ", "\n", "\n    ",
        "def f(self):", "class C:", "async ", "yield", "await ", "lambda x: x", "for x in y", "if a else b",
        "'1s'", 'f"{x}"', "1", "-", "None", "x", "\\\n", "# comment\n", "\t", "global x", "del x", "x := 1",
    ]
)  # fmt: skip


@given(st.lists(fragments, max_size=30).map("".join))
def test_any_text(source: str) -> None:
    """Property: text that nearly is a program does not make the extractor fail either."""
    assert isinstance(read(source.encode()), FileFacts | Unreadable)


def test_installed_packages_are_readable() -> None:
    """Files that other people wrote: none makes the extractor fail, and none of libcst's is unreadable."""
    folder = Path(pytest.__file__).parents[1] / "libcst"
    found = [extract(path.name, path.read_bytes(), path.stem, False) for path in sorted(folder.rglob("*.py"))]
    assert 100 < len(found)
    assert [] == [facts for facts in found if isinstance(facts, Unreadable)]


def test_no_second_parser_is_loaded() -> None:
    """Facts come from `ast` alone: importing libcst takes as long as reading ten thousand files."""
    program = (
        "import sys; from resilience4cata_lint.extract import extract;"
        "extract('a.py', b'from resilience4cata import retry\\n@retry(delay=1)\\ndef f(): ...', 'a', False);"
        "assert 'libcst' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def imports(text: str, module: str, *, is_package: bool) -> dict[str, Imported | None]:
    scope = facts(text, module, is_package=is_package).scopes[0]
    return {name: b.to for name, (b, *_) in scope.bindings.items() if isinstance(b.to, Imported) or b.to is None}


def test_relative_imports() -> None:
    """Dots count from the module's package; too many of them lead nowhere."""
    text = "from . import a\nfrom .b import c\nfrom ..d import e\nfrom .... import f\nimport g.h\nimport g.h as i\n"
    expected = {
        "a": Imported("acme.sub", "a"),
        "c": Imported("acme.sub.b", "c"),
        "e": Imported("acme.d", "e"),
        "f": None,
        "g": Imported("g"),
        "i": Imported("g.h"),
    }
    assert expected == imports(text, "acme.sub.app", is_package=False)
    assert expected == imports(text, "acme.sub", is_package=True)


def test_exports() -> None:
    """Names that may lead other modules to the library: it, what is made of it, and classes that carry it."""
    text = """
        import json
        from resilience4cata import retry as again, timeout
        from acme.policies import external_call, helper, other

        shared = again(max_attempts=2)
        LIMIT = 3

        @external_call
        class Client: ...

        class Inner:
            @again()
            def find(self): ...

        class Plain:
            def find(self): return helper()
        """
    assert ("Client", "Inner", "again", "external_call", "other", "shared", "timeout") == facts(text).exports
    package = facts("from acme.policies import helper\nhelper()\n", "acme", is_package=True)
    assert ("helper",) == package.exports


def test_constants_are_kept_and_other_values_are_not() -> None:
    """Only what a policy could refer to is stored."""
    scope = facts("A = '1s'\nB = compute()\nC: int = 3\nfor D in x: ...\nE, F = 1, 2\nG += 1\n").scopes[0]
    kept = {name: b.to.value for name, (b,) in scope.bindings.items() if isinstance(b.to, Assigned)}
    assert {"A": Constant("1s"), "C": Constant(3), "E": Constant(1), "F": Constant(2)} == kept
    assert {"A", "B", "C", "D", "E", "F", "G"} == scope.bindings.keys()


def test_paths_are_taken_as_given() -> None:
    """The extractor does not look at the file system."""
    found = extract("some/where.py", b"class A: ...\n", "some.where", False)
    assert isinstance(found, FileFacts)
    assert At("some/where.py", 1, 7, 1, 8) == found.at(found.classes[0].name_span)
