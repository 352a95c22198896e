"""Facts survive the cache, to the last place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resilience4cata import records
from resilience4cata.facts import Unreadable
from resilience4cata_lint import codec, symbols, terms
from resilience4cata_lint.codec import decode, encode
from resilience4cata_lint.extract import extract
from tests.lint.linking import facts

HERE = Path(__file__).parent


def laid_open(value: Any) -> object:
    """A value with everything in it that equality passes over, such as places."""
    if hasattr(value, "__record_fields__") and not isinstance(value, type):
        return (type(value), *(laid_open(getattr(value, field.name)) for field in records.fields(value)))
    if isinstance(value, tuple):
        return (tuple, *map(laid_open, value))
    if isinstance(value, dict):
        return (dict, *((laid_open(key), laid_open(item)) for key, item in value.items()))
    return type(value), value


def again(found: symbols.FileFacts) -> symbols.FileFacts:
    return decode(json.loads(json.dumps(encode(found))), found.path)


@pytest.mark.parametrize("path", sorted(HERE.glob("test_[a-e]*.py")), ids=lambda path: path.stem)
def test_files_of_this_project(path: Path) -> None:
    """All facts of real files are the same afterwards."""
    found = extract(path.name, path.read_bytes(), path.stem, False)
    assert not isinstance(found, Unreadable)
    assert laid_open(found) == laid_open(again(found))


constants = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()


@given(constants)
def test_any_constant(value: str | float | bool | None) -> None:
    """Property: a literal keeps its value and its type."""
    found = facts("x = 1")
    binding = symbols.Binding(symbols.Assigned(terms.Constant(value, (1, 5, 1, 6))), (1, 6))
    scope = records.replace(found.scopes[0], bindings={"x": (binding,)})
    found = records.replace(found, scopes=(scope,))
    assert laid_open(found) == laid_open(decode(encode(found), found.path))


def test_every_record_is_known() -> None:
    """A new kind of term or fact has to be given its number."""
    known = {
        value
        for module in (symbols, terms)
        for value in vars(module).values()
        if isinstance(value, type) and hasattr(value, "__record_fields__") and value.__module__ == module.__name__
    }
    assert known == set(codec._RECORDS)
