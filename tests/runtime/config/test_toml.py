"""The scanner finds everything that tomllib finds, and places it."""

import string
import tomllib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resilience4cata.config import toml
from resilience4cata.config.toml import Lines, Part, Span
from resilience4cata.facts import At

Place = tuple[int, int, int, int]


def leaves(value: object, path: tuple[Part, ...] = ()) -> Iterator[tuple[tuple[Part, ...], object]]:
    """Every key and every element of an array with what tomllib reads there."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
        return
    yield path, value
    if isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))


def found(text: str) -> dict[tuple[Part, ...], toml.Entry]:
    """What the scanner finds, arrays of tables under the path of the array."""
    return {entry.path: entry for entry in toml.scan(text)}


def check(text: str) -> None:
    """Each leaf of tomllib has a place, the text there is its key, and the value there is its value."""
    entries = found(text)
    for path, value in leaves(tomllib.loads(text)):
        if (*path, 0) in entries and entries[*path, 0].kind == "array":
            continue  # headers of tables, whose keys are leaves of their own
        assert path in entries, path
        entry = entries[path]
        assert repr(value) == repr(toml.value_of(text, entry.value))  # nan equals nothing
        for part, span in zip(path, entry.parts, strict=True):
            if isinstance(part, str):
                written = text[span.start : span.end]
                assert part == next(iter(tomllib.loads(f"{written}=0")))


SAMPLE = '''# comment = "no"
title = "a # b" # c
'quoted "key"' = 'literal \\ # string'
"a.b" . c . "d\\u0041" = 1
multi = """
x = 1
[not.a.table]
quotes "" and \\""" end""""
raw = \'\'\'
'' y = 2 \'\'\'\'
dates = [1979-05-27 07:32:00Z, 07:32:00, # one
  1979-05-27,
]
empty = {}
nested = { a.b = { c = [1, { d = "}" }], e = -1.5e3 }, f = true }
[table]
x = 0x_ff
[ table . "sub table" ] # comment
y = inf
[[array]]
z = 1
[array.inner]
w = [[], [1]]
[[array]]
z = 2
[[array.deeper]]
v = "v"
'''


def test_sample() -> None:
    """Comments, all four kinds of strings, quoted and dotted keys, tables, arrays of tables, inline tables, arrays."""
    text = SAMPLE.replace("0x_ff", "0xff")
    check(text)
    entries = found(text)
    assert {"array", "inline", "table", "value"} == {entry.kind for entry in entries.values()}
    assert ("array", 1, "deeper", 0, "v") in entries
    assert ("nested", "a", "b", "c", 1, "d") in entries


@pytest.mark.parametrize(
    ("text", "path", "key", "value"),
    [
        ("a = 1", ("a",), (1, 1, 1, 2), (1, 5, 1, 6)),
        ('x = 1\n[t]\n  a.b  =  "s" # c', ("t", "a", "b"), (3, 5, 3, 6), (3, 11, 3, 14)),
        ("a = { b = 1, c = { d = 2 } }", ("a", "c", "d"), (1, 20, 1, 21), (1, 24, 1, 25)),
        ("a = [\n 1,\n 2\n]", ("a",), (1, 1, 1, 2), (1, 5, 4, 2)),
        ('"a b" = 1', ("a b",), (1, 1, 1, 6), (1, 9, 1, 10)),
        ("[a.b]\n[a.c]", ("a", "c"), (2, 4, 2, 5), (2, 1, 2, 6)),
        ("é = 1".replace("é", '"é"'), ("é",), (1, 1, 1, 4), (1, 7, 1, 8)),
        ("d = 1979-05-27 07:32:00  # c", ("d",), (1, 1, 1, 2), (1, 5, 1, 24)),
        ('s = """\nx"""', ("s",), (1, 1, 1, 2), (1, 5, 2, 5)),
    ],
)
def test_places(text: str, path: tuple[Part, ...], key: Place, value: Place) -> None:
    """Keys are placed at their last part, values as they are written."""
    lines = Lines.of("f", text)
    entry = found(text)[path]
    assert At("f", *key) == lines.at(entry.parts[-1])
    assert At("f", *value) == lines.at(entry.value)


@pytest.mark.parametrize(
    "text",
    ["a", "a 1", "[a", "[[a]", "a = ", "a = {b", "a = [1", 'a = "x', "= 1", "a = {b = [1}", '"\x11" = 1', r'"\q" = 1'],
)
def test_not_understood(text: str) -> None:
    """What is no TOML is refused by the scanner too, with a place inside the text."""
    with pytest.raises(toml.ScanError) as caught:
        toml.scan(text)
    assert 0 <= caught.value.offset <= len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1", None),
        ("a = \n", ("invalid value", 1, 5)),
        ("a = 1\nb", ("expected '=' after a key in a key/value pair", None, None)),
        ("a = " + "[" * 100_000, ("arrays or tables are nested too deeply", 1, 1)),
        ("a = 1\nb = " + "9" * 5000, ("a number has too many digits", 2, 5)),
    ],
)
def test_problems(text: str, expected: tuple[str, int | None, int | None] | None) -> None:
    """tomllib's reason with its place, also where tomllib raises something else."""
    assert expected == toml.problem(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1\na = 2", [(("a",), 2)]),
        ("a.b = 1\na.b = 2\na.b = 3", [(("a", "b"), 2), (("a", "b"), 3)]),
        ('a = 1\n"a" = 2', [(("a",), 2)]),
        ("[t]\nx = 1\n[t]\nx = 2", [(("t",), 3), (("t", "x"), 4)]),
        ("a = {b = 1, b = 2}", [(("a", "b"), 1)]),
        ("a = {b = 1}\na = {b = 2}", [(("a",), 2)]),
        ("[[t]]\nx = 1\n[[t]]\nx = 2", []),
        ("[t]\n[t.u]\n[v]", []),
        ("a = [{x = 1}, {x = 2}]", []),
    ],
)
def test_repetitions(text: str, expected: list[tuple[tuple[Part, ...], int]]) -> None:
    """Keys and tables written twice; elements of arrays are apart, and a repeated inline table counts once."""
    twice = toml.repetitions(toml.scan(text))
    lines = Lines.of("f", text)
    assert expected == [(later.path, lines.at(later.parts[-1]).line) for later, _ in twice]
    assert toml.problem(toml.without_repetitions(text, twice)) is None


BARE = st.text(string.ascii_letters + string.digits + "-_", min_size=1, max_size=4)
ANY = st.text(st.characters(codec="utf-8"), max_size=4)


def basic(text: str) -> str:
    return '"' + "".join(c if c.isalnum() and c.isascii() else f"\\U{ord(c):08x}" for c in text) + '"'


def literal(text: str) -> str:
    return "'" + "".join(c for c in text if c.isprintable() and c != "'") + "'"


KEYS = st.one_of(BARE, ANY.map(basic), ANY.map(literal))
STRINGS = st.one_of(
    ANY.map(basic),
    ANY.map(literal),
    st.sampled_from(['"""\n"" \\""" # x\n"""', "'''\n'' [x]\n= '''", '""', "''", '""""a"""', '"""a"""""', "''''''"]),
)
SCALARS = st.one_of(
    STRINGS,
    st.sampled_from(["1", "-0.5e2", "0xdead", "true", "nan", "1979-05-27 07:32:00.5-07:00", "07:32:00", "1_000"]),
)
SPACE = st.sampled_from(["", " ", "\t"])
LOOSE = st.sampled_from(["", " ", "\n", "\n# ] , }\n", " # c\n "])


@st.composite
def dotted(draw: st.DrawFn) -> str:
    return f"{draw(SPACE)}.{draw(SPACE)}".join(draw(st.lists(KEYS, min_size=1, max_size=3)))


def arrays(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    @st.composite
    def array(draw: st.DrawFn) -> str:
        items = [draw(LOOSE) + item + draw(LOOSE) for item in draw(st.lists(values, max_size=3))]
        return f"[{','.join(items)}{draw(st.sampled_from(['', ','])) if items else ''}{draw(LOOSE)}]"

    return array()


def inline_tables(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    @st.composite
    def table(draw: st.DrawFn) -> str:
        pairs = draw(st.lists(st.tuples(dotted(), SPACE, values), max_size=3))
        return "{" + ",".join(f"{blank}{key}{blank}={blank}{value}{blank}" for key, blank, value in pairs) + "}"

    return table()


VALUES = st.recursive(SCALARS, lambda inner: st.one_of(arrays(inner), inline_tables(inner)), max_leaves=6)


@st.composite
def documents(draw: st.DrawFn) -> str:
    lines = []
    for _ in range(draw(st.integers(1, 6))):
        blank, key = draw(SPACE), draw(dotted())
        comment = draw(st.sampled_from(["", " # c = 1", "\n\n# [x]"]))
        form = draw(st.sampled_from(["pair", "pair", "table", "array"]))
        if form == "pair":
            lines.append(f"{blank}{key}{blank}={blank}{draw(VALUES)}{comment}")
        else:
            opening, closing = ("[", "]") if form == "table" else ("[[", "]]")
            lines.append(f"{blank}{opening}{blank}{key}{blank}{closing}{comment}")
    return "\n".join(lines)


@given(documents())
def test_scanner_agrees_with_tomllib(text: str) -> None:
    """Every leaf key that tomllib finds has a place, and the text at that place is the key."""
    if toml.problem(text) is None:
        check(text)


@given(documents())
def test_scanner_reads_what_only_repeats(text: str) -> None:
    """Whatever tomllib says of a text that is well formed key by key, the scanner reads it to the end."""
    assert all(0 <= e.value.start <= e.value.end <= len(text) for e in toml.scan(text))
    assert Span(0, 0) not in [e.value for e in toml.scan(text)]
