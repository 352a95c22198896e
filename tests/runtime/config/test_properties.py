"""The properties format: what Java reads, and where everything stands."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from resilience4cata.config.properties import Entry, PropertiesError, Text, parse
from resilience4cata.facts import At


def pairs(text: str) -> list[tuple[str, str]]:
    return [(entry.key.text, entry.value.text) for entry in parse(text)]


def span(text: Text, start: int = 0, end: int | None = None) -> tuple[int, int, int, int]:
    at = text.at("f", start, end)
    return at.line, at.column, at.end_line, at.end_column


def only(text: str) -> Entry:
    (entry,) = parse(text)
    return entry


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=b", [("a", "b")]),
        ("a:b", [("a", "b")]),
        ("a b", [("a", "b")]),
        ("a\tb", [("a", "b")]),
        ("a = b", [("a", "b")]),
        ("a : = b", [("a", "= b")]),
        ("a == b", [("a", "= b")]),
        ("  a  =  b  ", [("a", "b  ")]),
        ("a", [("a", "")]),
        ("a=", [("a", "")]),
        ("=b", [("", "b")]),
        ("# a=b\n! c=d\n  # e=f", []),
        ("a=# no comment", [("a", "# no comment")]),
        ("a=1\nb=2", [("a", "1"), ("b", "2")]),
        ("a=1\r\nb=2\r\n", [("a", "1"), ("b", "2")]),
        ("a=1\rb=2", [("a", "1"), ("b", "2")]),
        ("a=1\n\n \t\f\nb=2", [("a", "1"), ("b", "2")]),
        ("a=1\x0b2\u20283", [("a", "1\x0b2\u20283")]),
        ("a\\ b=c", [("a b", "c")]),
        ("a\\=b\\:c=d", [("a=b:c", "d")]),
        ("\\#a=b", [("#a", "b")]),
        ("a=\\t\\n\\r\\f\\q\\\\", [("a", "\t\n\r\fq\\")]),
        ("a=\\u0041\\u00e4", [("a", "A\u00e4")]),
        ("a=\\ud83d\\ude00!", [("a", "\U0001f600!")]),
        ("a=\\ud83d.", [("a", "\ufffd.")]),
        ("a=\\ud83d\\u0041", [("a", "\ufffdA")]),
        ("a=\\ude00", [("a", "\ufffd")]),
        ("a\\u003db=c", [("a=b", "c")]),
        ("a=b\\\n   c", [("a", "bc")]),
        ("a=b\\\r\n\tc", [("a", "bc")]),
        ("a=b\\\\\nc=d", [("a", "b\\"), ("c", "d")]),
        ("a=b\\\n# c", [("a", "b# c")]),
        ("a=b\\\n\nc=d", [("a", "b"), ("c", "d")]),
        ("a\\\n  b=c", [("ab", "c")]),
        ("a=b\\", [("a", "b")]),
        ("# a\\\nb=c", [("b", "c")]),
        ("\\\n\\\na=b", [("a", "b")]),
        ("\\\n", []),
        ("a=1\na=2", [("a", "1"), ("a", "2")]),
        ("\u00e4=\u00f6", [("\u00e4", "\u00f6")]),
        ("", []),
    ],
)
def test_reads_what_java_reads(text: str, expected: list[tuple[str, str]]) -> None:
    """Separators, comments, escapes and continuations mean what the specification of Properties.load says."""
    assert expected == pairs(text)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("a.b=c", (1, 1, 1, 4), (1, 5, 1, 6)),
        ("  a : c d", (1, 3, 1, 4), (1, 7, 1, 10)),
        ("#\n\n a=", (3, 2, 3, 3), (3, 4, 3, 4)),
        ("a", (1, 1, 1, 2), (1, 2, 1, 2)),
        ("\\u0061b=\\tx", (1, 1, 1, 8), (1, 9, 1, 12)),
        ("a=\\\n   b", (1, 1, 1, 2), (2, 4, 2, 5)),
        ("a=b\\\n  c", (1, 1, 1, 2), (1, 3, 2, 4)),
        ("a\\\n  b=c", (1, 1, 2, 4), (2, 5, 2, 6)),
        ("a=\\", (1, 1, 1, 2), (1, 3, 1, 3)),
    ],
)
def test_places(text: str, key: tuple[int, ...], value: tuple[int, ...]) -> None:
    """Key and value are placed where they are written, through escapes and continuations."""
    entry = only(text)
    assert (key, value) == (span(entry.key), span(entry.value))


def test_places_of_parts() -> None:
    """A part of a key is placed through the escapes before it."""
    key = only("\\u0061\\:b.cd\\\n  e=1").key
    assert "a:b.cde" == key.text
    assert (1, 1, 1, 10) == span(key, 0, 3)
    assert (1, 11, 2, 4) == span(key, 4, 7)
    assert (1, 11, 1, 11) == span(key, 4, 4)
    assert (2, 4, 2, 4) == span(key, 7, 7)


@pytest.mark.parametrize("text", ["a=1\n b=\\u12", "a=1\n b=\\u12g4", "a=1\n b=\\u", "a=1\n b=\\u00e\u0664"])
def test_malformed_escape(text: str) -> None:
    """An escape without four hexadecimal digits breaks the file, and its place is known."""
    with pytest.raises(PropertiesError) as caught:
        list(parse(text))
    assert ("malformed \\uXXXX escape", 2, 4) == (caught.value.reason, caught.value.line, caught.value.column)


def test_a_continued_escape() -> None:
    """An escape torn apart by a continuation is still one character, placed where it begins."""
    value = only("a=\\u00\\\n  41").value
    assert "A" == value.text
    assert At("f", 1, 3, 1, 4) == value.at("f")


@given(st.text(alphabet="ab=: \\\n\r\tu0041#!\ud7ff", max_size=60))
@example("\\\\\n\\u")
def test_plain_and_escaped_lines_agree(text: str) -> None:
    """Whatever stands in a file, keys and values are placed inside it, in order."""
    try:
        entries = list(parse(text))
    except PropertiesError:
        return
    places = [at for e in entries for at in (e.key.at("f"), e.value.at("f"))]
    assert sorted(places) == places
    assert all((at.line, at.column) <= (at.end_line, at.end_column) for at in places)
