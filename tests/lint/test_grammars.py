"""Syntax errors that a newer Python may not have."""

import pytest

from resilience4cata_lint.grammars import may_be_newer

PATTERNS = [
    ((3, 12), "invalid syntax", "type Prices = list[int]"),
    ((3, 12), "invalid syntax", "    type Prices[T] = list[T]"),
    ((3, 12), "expected '('", "def first[T](items: list[T]) -> T: ..."),
    ((3, 12), "expected '('", "async def first[T](items: list[T]) -> T: ..."),
    ((3, 12), "invalid syntax", "class Box[T]:"),
    ((3, 12), "f-string: expecting '}'", """x = f"{a["b"]}\""""),
    ((3, 12), "f-string expression part cannot include a backslash", "x = f'{1}'"),
    ((3, 12), "unterminated string literal (detected at line 1)", "x = rf'{"),
    ((3, 13), "expected ':'", "class Box[T = int]:"),
    ((3, 13), "expected ':'", "class Box[T: list[int], U = list[str]]:"),
    ((3, 14), "multiple exception types must be parenthesized", "except ValueError, KeyError:"),
    ((3, 14), "multiple exception types must be parenthesized", "    except* errors.A, errors.B:"),
    ((3, 14), "invalid syntax", "x = t'{a}'"),
    ((3, 15), "invalid syntax", "lazy from json import loads"),
    ((3, 15), "iterable unpacking cannot be used in comprehension", "x = [*row for row in rows]"),
    ((3, 15), "dict unpacking cannot be used in dict comprehension", "x = {**row for row in rows}"),
]


@pytest.mark.parametrize(("since", "message", "line"), PATTERNS)
def test_what_is_newer(since: tuple[int, int], message: str, line: str) -> None:
    """It may be what an older Python does not know, and is a mistake for one that knows it."""
    before = (3, since[1] - 1)
    assert [True, False] == [may_be_newer(message, line, version) for version in (before, since)]


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("invalid syntax", "def f(:"),
        ("expected ':'", "class Box"),
        ("expected ':'", "    def track(self, parcel: str) -> str"),
        ("'(' was never closed", "x = (f'a'"),
        ("invalid syntax", "x = first 't'"),
        ("invalid syntax", "type x y"),
        ("invalid syntax", "except ValueError as error error:"),
        ("invalid syntax", "x = [a * b for a in]"),
        ("unexpected indent", "  lazily import"),
        ("invalid syntax", ""),
    ],
)
def test_what_is_wrong_in_any(message: str, line: str) -> None:
    """No Python takes these, so that nobody is sent for another one."""
    assert not may_be_newer(message, line, (3, 11))
