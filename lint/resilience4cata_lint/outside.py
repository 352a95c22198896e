"""Objects outside the project that the running interpreter knows: the library's own, and some of the standard library.

Only modules that are cheap and safe to import are ever imported, and only when a name in them is asked for.
"""

from __future__ import annotations

import typing
from collections.abc import Iterator
from enum import Enum
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from resilience4cata.facts import UNKNOWN, Interval, Member, Ref, Value
from resilience4cata.policies import Policy, inherit_policies, unguarded
from resilience4cata.policies.composed import ComposedPolicy
from resilience4cata.schema import Unset

from .candidates import of_library, public_names

_MODULES: Final = frozenset(
    [
        "abc",
        "asyncio",
        "asyncio.exceptions",
        "binascii",
        "builtins",
        "collections",
        "collections.abc",
        "concurrent.futures",
        "configparser",
        "contextlib",
        "csv",
        "dataclasses",
        "datetime",
        "decimal",
        "email.errors",
        "enum",
        "ftplib",
        "functools",
        "http.client",
        "imaplib",
        "io",
        "ipaddress",
        "json",
        "json.decoder",
        "math",
        "multiprocessing",
        "numbers",
        "os",
        "poplib",
        "queue",
        "select",
        "shutil",
        "signal",
        "smtplib",
        "socket",
        "sqlite3",
        "ssl",
        "string",
        "struct",
        "subprocess",
        "tarfile",
        "threading",
        "typing",
        "types",
        "unittest",
        "urllib.error",
        "urllib.request",
        "urllib.robotparser",
        "uuid",
        "weakref",
        "xml.etree.ElementTree",
        "xml.parsers.expat",
        "xmlrpc.client",
        "zipfile",
        "zlib",
        "zoneinfo",
    ]
)

_NANOSECONDS_PER_MICROSECOND: Final = 1_000


class Missing(Enum):
    """The type of `MISSING`: nothing of that name can be found."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING


@cache
def find(name: str) -> Any:
    """The live object called `name`, or MISSING if there is none or its module is not to be imported."""
    parts = tuple(name.split("."))
    for length in range(len(parts) - 1, 0, -1):
        module = _module(".".join(parts[:length]))
        found: Any = module
        for part in parts[length:] if module is not None else ():
            found = _member(found, part)
        if found is not MISSING and module is not None:
            return found
    module = _module(name)
    return MISSING if module is None else module


def _member(owner: Any, name: str) -> Any:
    if owner is MISSING:
        return MISSING
    try:
        return getattr(owner, name, MISSING)
    except Exception:  # an attribute that cannot be computed is none that we could use
        return MISSING


@cache
def _module(name: str) -> ModuleType | None:
    if name not in _MODULES and not of_library(name):
        return None
    try:
        return import_module(name)
    except ImportError:
        return None


def policy_name(name: str) -> str | None:
    """The policy that `name` makes: "retry" for "resilience4cata.policies.retry.Retry"."""
    found = find(name) if of_library(name) else MISSING
    if isinstance(found, type) and issubclass(found, Policy) and hasattr(found, "schema"):
        return str(found.schema.name)
    return None


def is_composer(name: str) -> bool:
    """Whether `name` is `resilience_policy`."""
    return of_library(name) and find(name) is ComposedPolicy


def helper_name(name: str) -> str:
    """The name under which messages and rules know an object outside: our own by the root package's name."""
    if of_library(name):
        found = find(name)
        if found is unguarded or found is inherit_policies:
            return f"resilience4cata.{found.__name__}"
        last = name.rpartition(".")[2]
        return f"resilience4cata.{last}" if last in public_names() else name
    return typing_name(name)


def typing_name(name: str) -> str:
    """`typing_extensions` is `typing` by another name."""
    last = name.removeprefix("typing_extensions.")
    return f"typing.{last}" if last != name and hasattr(typing, last) else name


def class_ref(cls: type) -> Ref:
    """A live class as a fact."""
    return Ref(_full_name(cls), True, tuple(map(_full_name, cls.__mro__)))


def _full_name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


def live_class(name: str) -> type | None:
    """The class called `name`, if it is known; generic aliases of `typing` count as what they stand for."""
    found = find(typing_name(name))
    origin = getattr(found, "__origin__", None) if getattr(found, "__module__", "") == "typing" else None
    cls = origin if isinstance(origin, type) else found
    return cls if isinstance(cls, type) else None


def value_of(name: str) -> Value | Unset:
    """The object called `name` as a value. What is not known is a reference that may be anything."""
    found = find(typing_name(name))
    if found is MISSING:
        return Ref(name)
    if isinstance(found, Unset):
        return found
    if isinstance(found, type):
        return class_ref(found)
    if isinstance(found, Enum):
        return Member(type(found).__name__, found.name) if of_library(type(found).__module__) else UNKNOWN
    interval = interval_of(found)
    if interval is not None:
        return interval
    if isinstance(found, float) and name.startswith("math."):
        return float(found)
    if callable(found) and isinstance(getattr(found, "__qualname__", None), str) and getattr(found, "__module__", None):
        return Ref(_full_name(found), False)
    return UNKNOWN


def interval_of(found: object) -> Interval | None:
    """A live `timedelta`, exactly."""
    from datetime import timedelta

    if not isinstance(found, timedelta):
        return None
    microseconds = (found.days * 86_400 + found.seconds) * 1_000_000 + found.microseconds
    return Interval(microseconds * _NANOSECONDS_PER_MICROSECOND)


def star_names(module: str) -> frozenset[str] | None:
    """What `from module import *` binds, if the module is known."""
    found = _module(module)
    return None if found is None else frozenset(_star(found))


def _star(module: ModuleType) -> Iterator[str]:
    names = getattr(module, "__all__", None)
    yield from names if names is not None else (name for name in vars(module) if not name.startswith("_"))
