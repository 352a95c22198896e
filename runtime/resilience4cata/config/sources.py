"""Where configuration comes from. All input and output of the package is here, and nothing here raises.

`read` turns the bytes of a file into a `ConfigFile`; a `ConfigSource` is anything that can `load` one.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePath
from typing import Final, Protocol, runtime_checkable

from ..facts import At, Broken, ConfigFile, Items, Key, Repeated, Value
from ..schema import POLICIES
from . import grammar, properties, toml, tree
from .values import from_toml

VARIABLE_PREFIX: Final = "RESILIENCE4CATA_"
RESERVED_VARIABLE: Final = "RESILIENCE4CATA_FILE"


@runtime_checkable
class ConfigSource(Protocol):
    """One source of configuration; later ones win over earlier ones of the same layer."""

    def load(self) -> ConfigFile:
        """All keys that the source has now."""


class FileSource:
    """A `.properties` or `.toml` file, read each time it is loaded."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def load(self) -> ConfigFile:
        shown = shown_path(self.path)
        try:
            data = self.path.read_bytes()
        except OSError as error:
            reason = f"cannot be read: {error.strerror or type(error).__name__}"
            return ConfigFile(shown, broken=Broken(At(shown), reason))
        except ValueError:
            return ConfigFile(shown, broken=Broken(At(shown), "cannot be read: the path holds a null character"))
        return read(shown, data)


class EnvironmentSource:
    """Variables such as `RESILIENCE4CATA_CONFIGS_EXTERNAL_RETRY_DELAY`.

    A variable cannot be turned back into a key, so the keys that are known are looked up: those of the schema for the
    defaults, and for the names of templates and instances that are given.
    """

    def __init__(
        self,
        environment: Mapping[str, str] | None = None,
        *,
        templates: Collection[str] = (),
        instances: Collection[str] = (),
    ) -> None:
        self.environment = os.environ if environment is None else environment
        self.templates = templates
        self.instances = instances

    def load(self) -> ConfigFile:
        return ConfigFile("env", tuple(self._keys()))

    def _keys(self) -> Iterator[Key]:
        for name in self._known():
            variable = variable_of(name)
            value = self.environment.get(variable)
            if value is not None and variable != RESERVED_VARIABLE:
                at = At(f"env {variable}")
                key = tree.properties_key(name, value, partial(_everywhere, at), at)
                if key is not None:
                    yield key

    def _known(self) -> Iterator[str]:
        prefix = tree.PREFIX
        for path in (*grammar.GLOBALS, grammar.PROFILES_ACTIVE):
            yield ".".join((prefix, *path))
        owners = [f"{prefix}.defaults"]
        owners += [f"{prefix}.configs.{name}" for name in self.templates]
        owners += [f"{prefix}.instances.{name}" for name in self.instances]
        for owner in owners:
            for schema in POLICIES.values():
                for attribute in schema.settable():
                    yield f"{owner}.{schema.key}.{attribute.key}"
        yield from (f"{prefix}.configs.{name}.extends" for name in self.templates)
        yield from (f"{prefix}.instances.{name}.locked" for name in self.instances)


def _everywhere(at: At, start: int, end: int) -> At:
    """The place of any part of a variable's name: the variable."""
    return at


def variable_of(key: str) -> str:
    """The environment variable of a key: upper case, every character that is no letter or digit an underscore."""
    return "".join(c.upper() if c.isascii() and c.isalnum() else "_" for c in key)


class ConfigSources:
    """The sources that the library knows."""

    @staticmethod
    def file(path: str | os.PathLike[str]) -> FileSource:
        return FileSource(path)

    @staticmethod
    def environment(environment: Mapping[str, str] | None = None) -> EnvironmentSource:
        return EnvironmentSource(environment)


def load(source: ConfigSource) -> ConfigFile:
    """What a source holds now; a source of somebody's own that fails is a broken one."""
    try:
        return source.load()
    except Exception as error:
        name = type(source).__name__
        return ConfigFile(name, broken=Broken(At(name), f"cannot be loaded: {type(error).__name__}: {error}"))


def shown_path(path: Path) -> str:
    """Relative to the working folder where possible, with forward slashes."""
    try:
        return path.absolute().relative_to(Path.cwd()).as_posix()
    except (ValueError, OSError):
        return path.as_posix()


# ---------------------------------------------------------------- formats


def read(path: str, data: bytes) -> ConfigFile:
    """The keys of a file with their places; what keeps it from being read is told in `broken` and `repeated`.

    The suffix of `path` chooses the format: `.properties`, else TOML; of `pyproject.toml` only
    `[tool.resilience4cata]`.
    """
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    try:
        text = data[start:].decode("utf-8")
    except UnicodeDecodeError as error:
        return ConfigFile(path, broken=_undecodable(path, data[start:], error.start))
    if PurePath(path).suffix.lower() == ".properties":
        return _read_properties(path, text)
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
