"""Where configuration comes from. All input and output of the package is here, and nothing here raises.

A `ConfigSource` is anything that can `load` a `ConfigFile`. Sources count in the order of `in_precedence`, whatever
order they are given in: packaged defaults, then files, then the environment, then options of the interpreter.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from ..facts import At, Broken, ConfigFile, Key
from ..records import replace
from . import tree
from .environment import FILE_VARIABLE, EnvironmentSource, variable_of
from .reading import read

__all__ = [
    "ConfigSource",
    "ConfigSources",
    "EnvironmentSource",
    "FileSource",
    "OptionsSource",
    "PackageSource",
    "in_precedence",
    "load",
    "read",
    "shown_path",
    "variable_of",
]


@runtime_checkable
class ConfigSource(Protocol):
    """One source of configuration; later ones win over earlier ones of the same kind."""

    def load(self) -> ConfigFile:
        """All keys that the source has now."""


class FileSource:
    """A `.properties`, `.toml`, `.yaml` or `.yml` file, read each time it is loaded.

    `named_by` is where the file is named, if that is a place of its own (`env RESILIENCE4CATA_FILE`).
    """

    def __init__(self, path: str | os.PathLike[str], *, named_by: str = "") -> None:
        self.path = Path(path)
        self.named_by = named_by

    def load(self) -> ConfigFile:
        shown = shown_path(self.path)
        at = At(self.named_by or shown)
        try:
            data = self.path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return ConfigFile(shown, broken=missing(at, _neighbours(self.path)))
        except OSError as error:
            reason = f"cannot be read: {error.strerror or type(error).__name__}"
            return ConfigFile(shown, broken=Broken(at, reason))
        except ValueError:
            return ConfigFile(shown, broken=Broken(at, "cannot be read: the path holds a null character"))
        return read(shown, data)


def missing(at: At, candidates: tuple[str, ...] = ()) -> Broken:
    """A file that is not there; `candidates` stand beside it."""
    return Broken(at, "does not exist", missing=True, candidates=candidates)


def _neighbours(path: Path) -> tuple[str, ...]:
    try:
        return tuple(sorted(other.name for other in path.parent.iterdir()))
    except OSError:
        return ()


class PackageSource:
    """A file within an importable package: the defaults that a library brings along."""

    def __init__(self, package: str, name: str) -> None:
        self.package = package
        self.name = name

    def load(self) -> ConfigFile:
        from importlib.resources import files

        shown = f"{self.package}:{self.name}"
        try:
            root = files(self.package)
            file = root.joinpath(self.name)
            data = file.read_bytes()
        except FileNotFoundError:
            return ConfigFile(shown, broken=missing(At(shown), tuple(sorted(f.name for f in root.iterdir()))))
        except Exception as error:
            # Finding a package runs its code, which may do anything.
            reason = f"cannot be read: {type(error).__name__}: {error}"
            return ConfigFile(shown, broken=Broken(At(shown), reason))
        return read(shown_path(file) if isinstance(file, Path) else shown, data)


class OptionsSource:
    """Options of the interpreter: `python -X resilience4cata.enabled=false`; one without a value is `true`."""

    def __init__(self, options: Mapping[str, str | bool] | None = None) -> None:
        self.options = sys._xoptions if options is None else options

    def load(self) -> ConfigFile:
        keys = []
        for name, value in self.options.items():
            at = At(f"-X {name}")
            text = value if isinstance(value, str) else str(value).lower()
            key = tree.properties_key(name, text, partial(_everywhere, at), at)
            if key is not None:
                keys.append(key)
        return ConfigFile("-X", tuple(keys))


def _everywhere(at: At, start: int, end: int) -> At:
    """The place of any part of an option's name: the option."""
    return at


class ConfigSources:
    """The sources that the library knows."""

    @staticmethod
    def file(path: str | os.PathLike[str]) -> FileSource:
        """A `.properties`, `.toml`, `.yaml` or `.yml` file; YAML needs the `yaml` extra."""
        return FileSource(path)

    @staticmethod
    def environment(environment: Mapping[str, str] | None = None) -> EnvironmentSource:
        """Variables of the process, or of a mapping."""
        return EnvironmentSource(environment)

    @staticmethod
    def options(options: Mapping[str, str | bool] | None = None) -> OptionsSource:
        """`-X` options of the interpreter, or of a mapping."""
        return OptionsSource(options)

    @staticmethod
    def package(package: str, name: str) -> PackageSource:
        """A file within an importable package."""
        return PackageSource(package, name)

    @staticmethod
    def read(name: str, data: bytes) -> ConfigFile:
        """The keys of what was fetched from elsewhere, for the `load` of a source of one's own.

        The suffix of `name` tells the format, as it does for files; places are shown under that name.
        """
        return read(name, data)

    @staticmethod
    def default(environment: Mapping[str, str] | None = None) -> tuple[ConfigSource, ...]:
        """What counts where nobody builds anything: the file of `RESILIENCE4CATA_FILE`, environment and options."""
        variables = os.environ if environment is None else environment
        named = variables.get(FILE_VARIABLE)
        files = () if named is None else (FileSource(named, named_by=f"env {FILE_VARIABLE}"),)
        return (*files, EnvironmentSource(environment), OptionsSource())


_RANKS: Final[tuple[tuple[type, int], ...]] = ((PackageSource, 0), (EnvironmentSource, 2), (OptionsSource, 3))


def in_precedence(sources: Iterable[ConfigSource]) -> tuple[ConfigSource, ...]:
    """The sources from the weakest to the strongest; those of one kind keep their order, own ones count as files."""
    return tuple(sorted(sources, key=_rank))


def _rank(source: ConfigSource) -> int:
    return next((rank for kind, rank in _RANKS if isinstance(source, kind)), 1)


def load(source: ConfigSource) -> ConfigFile:
    """What a source holds now; a source of somebody's own that fails, or gives something else, is a broken one."""
    try:
        found: object = source.load()
        keys: tuple[object, ...] = tuple(found.keys) if isinstance(found, ConfigFile) else ()
    except Exception as error:
        return _unloadable(source, f"{type(error).__name__}: {error}")
    if not isinstance(found, ConfigFile):
        return _unloadable(source, f"its load() gives {type(found).__name__}, not ConfigFile")
    strange = next((key for key in keys if not isinstance(key, Key)), None)
    if strange is not None:
        return _unloadable(source, f"a key in what its load() gives is {type(strange).__name__}, not Key")
    # What was given instead of a tuple may give its keys only once.
    return replace(found, keys=tuple(key for key in keys if isinstance(key, Key)))


def _unloadable(source: ConfigSource, reason: str) -> ConfigFile:
    name = type(source).__name__
    return ConfigFile(name, broken=Broken(At(name), f"cannot be loaded: {reason}"))


def shown_path(path: Path) -> str:
    """Relative to the working folder where possible, with forward slashes."""
    try:
        return path.absolute().relative_to(Path.cwd()).as_posix()
    except (ValueError, OSError):
        return path.as_posix()
