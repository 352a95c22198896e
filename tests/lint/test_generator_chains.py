"""Chains of calls and generators: the body of one runs where it is entered or run through, not where it is called."""

from __future__ import annotations

import pytest

from .test_body_rules import found

HEAD = """\
from contextlib import asynccontextmanager, contextmanager
@retry()
@bulkhead(name="slots")
def inner(): ...
@contextmanager
def opened():
    yield inner()
def rows():
    yield inner()
@asynccontextmanager
async def later():
    yield inner()
@retry()
@bulkhead(name="slots")
"""


@pytest.mark.parametrize(
    ("outer", "entered"),
    [
        ("def outer():\n    with opened() as one: return one", True),
        ("async def outer():\n    async with later() as one: return one", True),
        ("def outer():\n    for row in rows(): print(row)", True),
        ("def outer(): return [row for row in rows()]", True),
        ("def outer(): return [cell for row in given for cell in rows()]", True),
        ("def outer(): return [*rows()]", True),
        ("def outer(): return opened()", False),
        ("def outer(): return rows()", False),
        ("def outer():\n    context = opened()\n    return context", False),
        ("def outer(): return (row for row in rows())", False),
        ("def outer(): return (inner() for _ in range(3))", False),
        ("def outer(): return sum(inner() for _ in range(3))", True),
        ("def outer(): return [opened for _ in range(3)]", False),
    ],
)
def test_body_of_a_generator(outer: str, entered: bool) -> None:
    """The same for attempts that multiply and for instances that are entered twice."""
    for code, line in (("NE-001", 14), ("IN-005", 15)):
        assert ([line] if entered else []) == found(HEAD + outer, code)


@pytest.mark.parametrize(
    ("base", "override"),
    [
        ("@retry()\n    def __enter__(self): ...", "@inherit_policies\n    def __enter__(self): return inner()"),
        ("@retry()\n    @property\n    def size(self): ...", "@inherit_policies\n    def size(self): return inner()"),
    ],
)
def test_policies_taken_over_from_a_wrong_place(base: str, override: str) -> None:
    """What takes over policies that guard nothing is not guarded either."""
    text = f"@retry()\ndef inner(): ...\nclass Base:\n    {base}\nclass Below(Base):\n    {override}\n"
    assert [] == found(text, "NE-001")


@pytest.mark.parametrize(("body", "lines"), [("yield from rows", []), ("return list(rows)", [3])])
def test_generator_method_of_a_guarded_class(body: str, lines: list[int]) -> None:
    """Its class leaves it unguarded: nothing is tried again with what is used up."""
    text = f"@retry()\nclass Reader:\n    def read(self, rows: Iterator[int]): {body}\n"
    assert lines == found(f"from collections.abc import Iterator\n{text}", "NE-006")
