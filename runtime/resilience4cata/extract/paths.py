"""Dotted paths in configuration, followed to live objects."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from ..config.tree import attribute_of
from ..facts import UNKNOWN, ConfigFile, Items, Key, Ref, Unresolved, Value, entries
from ..policies.recorded import is_a
from ..records import replace
from ..schema import AttributeKind
from ..suggestions import did_you_mean
from .values import full_name, value_of

_PATHS: Final = (AttributeKind.EXCEPTIONS, AttributeKind.CLASSIFIER)


class Paths:
    """Follows each path once. `objects` are those that were found, by the path and by their own full name."""

    def __init__(self) -> None:
        self.objects: dict[str, object] = {}
        self._failed: dict[str, Unresolved] = {}

    def file(self, file: ConfigFile) -> ConfigFile:
        """The file with each path in its values replaced by what it names, or marked as leading nowhere."""
        return replace(file, keys=tuple(map(self._key, file.keys)))

    def _key(self, key: Key) -> Key:
        attribute = attribute_of(key.meaning)
        if attribute is None or attribute.kind not in _PATHS:
            return key
        unresolved: list[Unresolved] = []
        found = tuple(self._value(value, unresolved) for value in entries(key.value))
        value = replace(key.value, items=found) if isinstance(key.value, Items) else found[0]
        return replace(key, value=value, unresolved=tuple(unresolved))

    def _value(self, value: Value, unresolved: list[Unresolved]) -> Value:
        if not isinstance(value, Ref):
            return value
        found = self.follow(value.name)
        if isinstance(found, Unresolved):
            unresolved.append(found)
            return UNKNOWN  # what is wrong with it is said once
        if is_a(found, type) or is_a(found, tuple):
            return self._types(found)
        # An object that is no class, a classifier for example, is known by its path and by what it is one of.
        return Ref(value.name, is_class=False, ancestors=tuple(map(full_name, type(found).__mro__)))

    def _types(self, found: Any) -> Value:
        """A class, or a tuple of classes as a constant of a module holds it."""
        if is_a(found, tuple):
            return Items(tuple(map(self._types, found)))
        if is_a(found, type):
            self.objects[full_name(found)] = found
        return value_of(found)

    def follow(self, path: str) -> object:
        """What a path names, or why it leads nowhere."""
        if path not in self.objects and path not in self._failed:
            found = _follow(path)
            if isinstance(found, Unresolved):
                self._failed[path] = found
            else:
                self.objects[path] = found
        return self._failed[path] if path in self._failed else self.objects[path]


def _follow(path: str) -> object:
    first, _, rest = path.partition(".")
    if not rest:
        builtin = getattr(builtins, path, None)
        return builtin if builtin is not None else Unresolved(path, "", path, _candidates(builtins))
    module = _module(first)
    if isinstance(module, Exception):
        return Unresolved(path, "", first, reason=_reason(first, module))
    found: object = module
    if found is None:
        return Unresolved(path, "", first)
    known = first
    for part in rest.split("."):
        inner = _attribute(found, part)
        if inner is None and is_a(found, ModuleType):
            module = _module(f"{known}.{part}")
            if isinstance(module, Exception):
                return Unresolved(path, known, part, reason=_reason(f"{known}.{part}", module))
            inner = module
        if inner is None:
            return Unresolved(path, known, part, _repairs(path, known, part, found))
        known, found = f"{known}.{part}", inner
    return found


def _reason(module: str, error: Exception) -> str:
    return f"importing {module} fails with {type(error).__name__}: {error}"


def _module(name: str) -> ModuleType | Exception | None:
    """A module, what it raised when it was imported, or None if there is none of that name."""
    try:
        import_module(name)
    except ModuleNotFoundError as error:
        return None if error.name is not None and f"{name}.".startswith(f"{error.name}.") else error
    except Exception as error:
        return error
    return sys.modules.get(name)


def _attribute(owner: Any, name: str) -> object:
    try:
        return getattr(owner, name, None)
    except Exception:
        return None


def _candidates(owner: object) -> tuple[str, ...]:
    """The types that a module or class holds."""
    return tuple(name for name, value in vars(owner).items() if is_a(value, type)) if hasattr(owner, "__dict__") else ()


def _repairs(path: str, known: str, missing: str, owner: object) -> tuple[str, ...]:
    """The nearest name, if the rest of the path leads somewhere from there."""
    rest = path[len(known) + len(missing) + 1 :]
    near = did_you_mean(missing, dict.fromkeys((*_names(owner), *_submodules(owner))) if rest else _candidates(owner))
    if near is None or not rest:
        return () if near is None else (near,)
    return () if isinstance(_follow(f"{known}.{near}{rest}"), Unresolved) else (near,)


def _names(owner: object) -> Iterator[str]:
    yield from getattr(owner, "__dict__", {})


def _submodules(owner: object) -> Iterator[str]:
    from pkgutil import iter_modules

    for module in iter_modules(getattr(owner, "__path__", ())):
        yield module.name
