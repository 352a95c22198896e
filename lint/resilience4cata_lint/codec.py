"""Facts as plain data and back, for the cache: lists that begin with the number of their kind.

Not `pickle`, which would run what a foreign cache tells it to, nor `marshal`, which crashes on what is damaged.
"""

from __future__ import annotations

from typing import Any, Final

from resilience4cata.facts import ParameterKind
from resilience4cata.records import fields, replace

from . import symbols, terms
from .symbols import FileFacts

_FLAT, _TUPLE, _SET, _DICT, _KIND = range(5)
_RECORDS: Final = (
    terms.Constant,
    terms.Path,
    terms.Attribute,
    terms.Argument,
    terms.Call,
    terms.Starred,
    terms.Display,
    terms.Table,
    terms.Choice,
    terms.Negative,
    terms.Subscript,
    terms.Sum,
    terms.Either,
    terms.Lambda,
    terms.Named,
    terms.Opaque,
    symbols.Imported,
    symbols.Defined,
    symbols.Assigned,
    symbols.Binding,
    symbols.Star,
    symbols.ScopeFacts,
    symbols.ParameterFacts,
    symbols.CallFacts,
    symbols.HandlerFacts,
    symbols.TryFacts,
    symbols.BodyFacts,
    symbols.FunctionFacts,
    symbols.ClassFacts,
    symbols.Site,
    symbols.FileFacts,
)
_FIRST_RECORD: Final = 5
_NUMBERS: Final = {record: number for number, record in enumerate(_RECORDS, _FIRST_RECORD)}
_FIELDS: Final = {record: tuple(field.name for field in fields(record)) for record in _RECORDS}
_PLAIN: Final = frozenset({str, int, float, bool, type(None)})


def encode(facts: FileFacts) -> Any:
    """The facts of a file but for how its path is shown, which depends on the working folder."""
    return _encoded(replace(facts, path=""))


def decode(data: Any, path: str) -> FileFacts:
    """The facts again, of the file that is shown as `path`. Raises ValueError for what `encode` does not make."""
    try:
        facts = _decoded(data)
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        msg = "these are no facts"
        raise ValueError(msg) from error
    if not isinstance(facts, FileFacts):
        msg = "these are no facts of a file"
        raise ValueError(msg)
    return replace(facts, path=path)


def _encoded(value: Any) -> Any:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is tuple:
        flat = all(type(item) in _PLAIN for item in value)
        return [_FLAT, *value] if flat else [_TUPLE, *map(_encoded, value)]
    if kind is frozenset:
        return [_SET, *map(_encoded, sorted(value, key=repr))]
    if kind is dict:
        return [_DICT, *(part for pair in value.items() for part in map(_encoded, pair))]
    if kind is ParameterKind:
        return [_KIND, value.name]
    return [_NUMBERS[kind], *(_encoded(getattr(value, name)) for name in _FIELDS[kind])]


def _decoded(value: Any) -> Any:
    if type(value) is not list:
        return value
    number, *parts = value
    if number == _FLAT:
        return tuple(parts)
    if number == _KIND:
        return ParameterKind[parts[0]]
    parts = [part if type(part) is not list else _decoded(part) for part in parts]
    if number == _TUPLE:
        return tuple(parts)
    if number == _SET:
        return frozenset(parts)
    if number == _DICT:
        return dict(zip(parts[::2], parts[1::2], strict=True))
    return _RECORDS[number - _FIRST_RECORD](*parts)
