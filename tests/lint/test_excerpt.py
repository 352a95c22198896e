"""Where the carets go, and what is shown around them."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from resilience4cata.facts import At
from resilience4cata_lint.output.excerpt import excerpt
from resilience4cata_lint.texts import Sources


def drawn(source: str, at: At, width: int = 80) -> list[str]:
    """Each line with its number, and below it its carets."""
    lines: list[str] = []
    for line in excerpt(source.split("\n"), at, width, cell_len):
        lines.append(f"{line.number}|{line.text}")
        if line.end > line.start:
            lines.append(" |" + " " * line.start + "^" * (line.end - line.start))
    return lines


def at(line: int, column: int, end_column: int, end_line: int = 0) -> At:
    return At("a.py", line, column, end_line or line, end_column)


def test_carets_stand_under_the_span() -> None:
    """One line of context before and after."""
    assert [
        "1|class A:",
        "2|    @retry(max_attempts=0)",
        " |                        ^",
        "3|    def f(self): ...",
    ] == drawn("class A:\n    @retry(max_attempts=0)\n    def f(self): ...\n", at(2, 25, 26))


def test_blank_lines_are_no_context() -> None:
    """Nothing is learnt from them."""
    assert ["2|x = 1", " |    ^"] == drawn("\nx = 1\n\ny = 2", at(2, 5, 6))


@pytest.mark.parametrize(
    ("source", "place", "expected"),
    [
        ("\tx = 1", at(1, 6, 7), ["1|    x = 1", " |        ^"]),
        ("a\tx = 1", at(1, 3, 4), ["1|a   x = 1", " |    ^"]),
        ("\t", at(1, 1, 2), ["1|", " |^^^^"]),
        ("漢字 = x", at(1, 6, 7), ["1|漢字 = x", " |       ^"]),
        ("漢字 = x", at(1, 2, 3), ["1|漢字 = x", " |  ^^"]),
        ("e\u0301 = x", at(1, 6, 7), ["1|e\u0301 = x", " |    ^"]),
        ("x", at(1, 2, 2), ["1|x", " | ^"]),
        ("x", at(1, 9, 12), ["1|x", " | ^"]),
        ("x", At("a.py", 1), ["1|x"]),
        ("a\x1b[31m\x00b", at(1, 8, 9), ["1|a\u241b[31m\u2400b", " |       ^"]),
        ("a\u202eb\x85c\ud800", at(1, 3, 4), ["1|a\ufffdb\ufffdc\ufffd", " |  ^"]),
    ],
)
def test_cells(source: str, place: At, expected: list[str]) -> None:
    """Tabs, wide and combining characters, and those that must not reach a terminal."""
    assert expected == drawn(source, place)


def test_several_lines() -> None:
    """Each line is underlined from its first character to its last."""
    assert [
        "1|x = retry(",
        " |    ^^^^^^",
        "2|    delay=1,",
        " |    ^^^^^^^^",
        "3|)  # end",
        " |^",
    ] == drawn("x = retry(\n    delay=1,\n)  # end", at(1, 5, 2, end_line=3))


def test_many_lines_are_cut() -> None:
    """Five are enough to see what is meant."""
    source = "\n".join(f"line {number}" for number in range(1, 30))
    assert [1, 2, 3, 4, 5, 6, 7] == [line.number for line in excerpt(source.split("\n"), at(2, 1, 5, 20), 80, cell_len)]


@pytest.mark.parametrize("column", [1, 18, 19, 20, 21, 30, 40, 51, 52])
def test_long_lines_are_cut_around_the_carets(column: int) -> None:
    """What is underlined stays in sight, and an ellipsis stands for what is left out."""
    source = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    line, carets = drawn(source, at(1, column, column + 1), width=20)
    assert source[column - 1] == line[len(carets) - 1]
    assert len(line) <= 22
    assert (column > 19, column < 51) == (line.startswith("1|…"), line.endswith("…"))


def test_long_lines_with_wide_characters() -> None:
    """Half of a wide character is never shown."""
    line, carets = drawn("漢" * 40 + "x" + "字" * 40, at(1, 41, 42), width=20)
    assert "x" == line[next(i for i in range(len(line)) if cell_len(line[:i]) == len(carets) - 1)]
    assert cell_len(line) <= 22


def test_place_that_is_not_there() -> None:
    """The file may have changed meanwhile."""
    assert [] == drawn("x", at(2, 1, 2))
    assert [] == drawn("x", At("a.py"))


def test_sources_are_decoded_as_python_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Declared encodings, marks and every line end; what cannot be read has no lines."""
    contents = {
        "latin.py": "# coding: latin-1\nx = 'é'\n".encode("latin-1"),
        "bom.py": b"\xef\xbb\xbfx = 1\r\ny = 2\r",
        "form.py": "x\x0cy\u2028z\n".encode(),
        "bad.py": b"x = '\xff'\n",
    }
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    sources = Sources({"<stdin>": b"given"})
    assert [
        ["# coding: latin-1", "x = 'é'", ""],
        ["x = 1", "y = 2", ""],
        ["x\x0cy\u2028z", ""],
        ["x = '\ufffd'", ""],
        ["given"],
        [""],
    ] == [sources.lines(name) for name in (*contents, "<stdin>", "gone.py")]
