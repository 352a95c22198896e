"""From the bytes of a configuration file to its keys with their places, whatever the format. Nothing here raises."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from ..facts import At, Broken, ConfigFile, Items, Key, Repeated, Unrecognised, Value
from ..records import replace
from . import properties, toml, tree
from .values import from_toml

if TYPE_CHECKING:
    from . import yaml

NEEDS_PYYAML: Final = "YAML needs PyYAML: pip install 'resilience4cata[yaml]'"
_YAML: Final = (".yaml", ".yml")


def read(path: str, data: bytes) -> ConfigFile:
    """The keys of a file with their places; what keeps it from being read is told in `broken` and `repeated`.

    The suffix of `path` chooses the format: `.properties`, `.yaml` or `.yml` (both need PyYAML), else TOML; of
    `pyproject.toml` only `[tool.resilience4cata]`.
    """
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    try:
        text = data[start:].decode("utf-8")
    except UnicodeDecodeError as error:
        return ConfigFile(path, broken=_undecodable(path, data[start:], error.start))
    suffix = PurePath(path).suffix.lower()
    if suffix == ".properties":
        return _read_properties(path, text)
    if suffix in _YAML:
        return _read_yaml(path, text)
    return _read_toml(path, text.replace("\r\n", "\n"))


def _undecodable(path: str, data: bytes, offset: int) -> Broken:
    before = data[:offset].decode("utf-8", "replace")
    line = before.count("\n") + 1
    column = len(before) - before.rfind("\n")
    return Broken(At(path, line, column, line, column + 1), f"not UTF-8: byte 0x{data[offset]:02x}")


def _read_properties(path: str, text: str) -> ConfigFile:
    keys: list[Key] = []
    repeated: list[Repeated] = []
    first: dict[str, Key] = {}
    try:
        for entry in properties.parse(text):
            name, value = entry
            key = tree.properties_key(name.text, value.text, partial(name.at, path), value.at(path))
            if key is None:
                continue
            before = first.setdefault(name.text, key)
            if before is not key:
                repeated.append(Repeated(key.text, key.at, before.at))
            keys.append(key)
    except properties.PropertiesError as error:
        at = At(path, error.line, error.column, error.line, error.column + 1)
        return ConfigFile(path, (), tuple(repeated), Broken(at, error.reason))
    return ConfigFile(path, tuple(keys), tuple(repeated))


def _read_toml(path: str, text: str) -> ConfigFile:
    problem = toml.problem(text)
    try:
        entries = toml.scan(text)
    except (toml.ScanError, RecursionError) as error:
        offset = error.offset if isinstance(error, toml.ScanError) else 0
        reason = "arrays or tables are nested too deeply" if isinstance(error, RecursionError) else str(error)
        span = toml.Span(offset, min(offset + 1, len(text)))
        return ConfigFile(
            path, broken=_broken(path, text, problem) or Broken(toml.Lines.of(path, text).at(span), reason)
        )
    lines = toml.Lines.of(path, text)
    repeated: tuple[Repeated, ...] = ()
    if problem is not None:
        twice = toml.repetitions(entries)
        # What is left when repeated keys are renamed is a fault of its own.
        problem = toml.problem(toml.without_repetitions(text, twice))
        repeated = tuple(_repeated(later, before, path, lines) for later, before in twice)
    broken = _broken(path, text, problem)
    return ConfigFile(path, () if broken else tuple(_toml_keys(path, text, entries, lines)), repeated, broken)


def _broken(path: str, text: str, problem: tuple[str, int | None, int | None] | None) -> Broken | None:
    if problem is None:
        return None
    reason, line, column = problem
    if line is None or column is None:
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
    return Broken(At(path, line, column, line, column + 1), reason)


def _repeated(later: toml.Entry, before: toml.Entry, path: str, lines: toml.Lines) -> Repeated:
    parts = tuple(str(part) for part in later.path)
    root = _root(path)
    shown = parts[len(root) :] if parts[: len(root)] == root and len(parts) > len(root) else parts
    return Repeated(".".join(map(tree.quoted, shown)), lines.at(later.parts[-1]), lines.at(before.parts[-1]))


def _root(path: str) -> tuple[str, ...]:
    return ("tool", tree.PREFIX) if PurePath(path).name == "pyproject.toml" else (tree.PREFIX,)


def _toml_keys(path: str, text: str, entries: list[toml.Entry], lines: toml.Lines) -> Iterator[Key]:
    root = _root(path)
    filled = {entry.path[:length] for entry in entries for length in range(1, len(entry.path))}
    for entry in entries:
        is_table = entry.kind in ("table", "inline")
        own = entry.path[:-1] if entry.kind == "array" else entry.path
        if (is_table and own in filled) or (entry.kind == "array" and entry.path[-1] != 0):
            continue
        names = tuple(part for part in own if isinstance(part, str))
        if len(names) < len(own):
            continue  # inside an array, where no key of ours can be
        parts_at = tuple(lines.at(span) for span in entry.parts[: len(own)])
        key = tree.toml_key(names, parts_at, _toml_value(text, entry), lines.at(entry.value), root)
        if key is not None:
            yield tree.empty_table(key) if is_table else key


def _toml_value(text: str, entry: toml.Entry) -> Value:
    if entry.kind in ("table", "inline"):
        return Items((), "set")  # shown as {}
    if entry.kind == "array":
        return Items((), "list", closed=False)
    return from_toml(toml.value_of(text, entry.value))


def _read_yaml(path: str, text: str) -> ConfigFile:
    try:
        from . import yaml
    except ModuleNotFoundError as error:
        if error.name != "yaml":
            raise
        return ConfigFile(path, broken=Broken(At(path), NEEDS_PYYAML))
    try:
        document = yaml.parse(path, text, _is_wanted)
    except yaml.YamlError as error:
        at = At(path, error.line, error.column, error.line, error.column + 1)
        return ConfigFile(path, broken=Broken(at, error.reason))
    root = f"{tree.PREFIX}."
    repeated = (Repeated(r.key.removeprefix(root), r.at, r.first) for r in document.repeated)
    return ConfigFile(path, tuple(_yaml_keys(document.entries)), tuple(repeated))


def _is_wanted(name: str) -> bool:
    first = name.partition(".")[0]
    return first == tree.PREFIX or "/" in name or tree.is_near_prefix(first)


def _yaml_keys(entries: Iterable[yaml.Entry]) -> Iterator[Key]:
    for entry in entries:
        key = tree.toml_key(entry.path, entry.parts, entry.value, entry.at, (tree.PREFIX,))
        if key is None:
            continue
        # What is left out is a table without entries, or a value that is missing.
        is_left_out = entry.value is None
        if entry.is_table or (is_left_out and isinstance(key.meaning, Unrecognised)):
            yield tree.empty_table(replace(key, value=Items((), "set")))
        else:
            yield replace(key, value="") if is_left_out else key
