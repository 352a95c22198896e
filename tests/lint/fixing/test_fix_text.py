"""Texts between places and offsets, and edits that go together."""

import pytest

from resilience4cata.facts import At
from resilience4cata_lint.fixing.text import Edit, Shift, Text, Together, spliced


def test_places() -> None:
    """Lines end as Python's do, columns count characters, and a byte order mark is no part of the text."""
    text = Text("a.py", "\ufeffñ = 1\r\nb\r\x0cc\n\u2028d".encode())
    assert "ñ = 1\r\nb\r\x0cc\n\u2028d" == text.whole
    places = [(1, 1), (1, 6), (2, 1), (3, 1), (3, 2), (4, 1), (4, 3)]
    offsets = [text.offset(*place) for place in places]
    assert [0, 5, 7, 9, 10, 12, 14] == offsets
    assert places == [text.place(offset) for offset in offsets]
    assert (7, 8) == text.span(At("a.py", 2, 1, 2, 2))
    assert ["\r\n", "\r", "\n", "\r\n"] == [text.newline(text.offset(line, 1)) for line in (1, 2, 3, 4)]


@pytest.mark.parametrize("place", [(0, 1), (1, 0), (1, 7), (5, 1), (-1, 1)])
def test_no_place(place: tuple[int, int]) -> None:
    """Neither before the first character nor behind the end of a line."""
    text = Text("a.py", b"a = 1\r\nb\n\n")
    with pytest.raises(ValueError, match="no place"):
        text.offset(*place)


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("a.py", b"\xff"),
        ("a.py", b"# coding: nothing\n"),
        ("a.py", b"# coding: utf-16\n"),
        ("a.py", b"\xef\xbb\xbf# coding: latin-1\n"),
        ("a.toml", b"\xff"),
    ],
)
def test_no_text(path: str, data: bytes) -> None:
    """What cannot be read, or would not come out as it went in."""
    with pytest.raises((ValueError, LookupError)):
        Text(path, data)


def test_encodings() -> None:
    """The file's own, for what is put in as well."""
    text = Text("a.py", "# coding: latin-1\nñ\n".encode("latin-1"))
    assert b"\xf1" == text.encoded("ñ")
    with pytest.raises(ValueError, match="can't encode"):
        text.encoded("漢")
    assert "ñ" == Text("a.toml", "ñ".encode()).whole


def test_together() -> None:
    """What touches what is taken is refused as a whole; the same edit again is not."""
    together = Together()
    assert together.take((Edit(10, 12, "a"), Edit(0, 0, "import")))
    assert not together.take((Edit(20, 21, "b"), Edit(12, 14, "c")))
    assert not together.take((Edit(0, 0, "other"),))
    assert not together.take((Edit(8, 30, ""),))
    assert together.take((Edit(0, 0, "import"), Edit(13, 14, "d")))
    assert together.take((Edit(20, 21, "b"),))


def test_spliced_and_shifted() -> None:
    """Offsets follow their characters; those of what is gone lie where it was."""
    edits = [Edit(2, 4, "XYZ"), Edit(5, 5, "+"), Edit(7, 9, "")]
    assert "01XYZ4+56" + "9" == spliced("0123456789", edits)
    shift = Shift(edits)
    assert [0, 1, 2, 2, 5, 7, 8, 9, 9, 9, 10] == [shift(offset) for offset in range(11)]
