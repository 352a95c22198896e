"""A small project, and edits of it: one at a time or in any mixture.

Whatever mypy's caches or its daemon keep, after each edit it must say what a run that knows nothing yet would say.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from tests.mypy.running import write

State = frozenset[str]
"""The edits that are in effect, by name."""

PLAIN: Final[State] = frozenset()

FILES: Final[Mapping[str, str]] = {
    "policies.py": """
from typing import Final

from resilience4cata import resilience_policy, retry, timeout

DELAY: Final = "2s"
inner = resilience_policy("inner", retry(max_attempts=3, delay="100ms"))
external_call = resilience_policy("external-call", inner, timeout(DELAY))
quick = resilience_policy("quick", timeout("2s"))
slow = resilience_policy("slow", timeout("9s"))
""",
    "common/__init__.py": """
from policies import external_call as external, quick as quick

__all__ = ["external", "quick"]
""",
    "common/grand.py": """
from typing import Generic, TypeVar

T = TypeVar("T")


class Grand(Generic[T]):
    def absent(self, x: int, error: OSError) -> T:
        raise NotImplementedError

    def dated(self, x: int) -> T:
        raise NotImplementedError
""",
    "base.py": """
from common.grand import Grand


class Base(Grand[int]):
    def fallback_here(self, x: int) -> int:
        return x
""",
    "errors.py": """
class Refused(Exception):
    pass
""",
    "handlers.py": """
from abc import ABC

from resilience4cata import FallbackContext, FallbackHandler


class Typed(FallbackHandler[int], ABC):
    pass


class Recent(Typed):
    def apply(self, context: FallbackContext) -> int:
        return 0
""",
    "tracing.py": """
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def traced(function: Callable[P, R]) -> Callable[P, R]:
    return function
""",
    "app.py": """
from base import Base
from common import external, quick
from errors import Refused
from handlers import Recent
from resilience4cata import fallback, retry, timeout
from tracing import traced


class Client(Base):
    @fallback(method="fallback_here")
    def find(self, x: int) -> int:
        return x

    @fallback(method=("absent", "dated"))
    def inherited(self, x: int) -> int:
        return x

    @fallback(method="_stale")
    def refresh(self, x: int) -> int:
        return x

    @traced
    def _stale(self, x: int) -> int:
        return x

    @external
    @quick
    def call(self) -> None: ...

    @timeout("1 s")
    def late(self) -> None: ...

    @retry(config="external", retry_on=Refused, abort_on=OSError)
    def configured(self) -> None: ...

    @fallback(handler=Recent)
    def handled(self) -> int:
        return 1
""",
    "user.py": """
from app import Client
from resilience4cata import fallback


class Special(Client):
    @fallback(method="find")
    def other(self, x: int) -> int:
        return x
""",
    "limits.py": """
from datetime import timedelta
from typing import Final

WAIT: Final = timedelta(seconds=2)
""",
    "patient.py": """
from limits import WAIT
from resilience4cata import timeout


@timeout(WAIT)
def patient() -> None: ...
""",
    "guarded.py": """
from resilience4cata import retry, timeout


@timeout("1s")
class Guarded:
    @retry(max_attempts=3, max_duration="4s")
    def call(self) -> None: ...
""",
    "pyproject.toml": '[tool.r4c]\nconfig-files = ["resilience.properties"]\n',
    "resilience.properties": "resilience4cata.configs.external.retry.delay=200ms\n",
}

ALWAYS: Final = 'app.py:31:14:31:18: error: @timeout("1 s") on app.Client.late: "1 s" is not a duration'
"""The only fault without any edit."""


class Edit(NamedTuple):
    """`new` in place of `old` in a file, and the beginnings of the errors that are then reported besides `ALWAYS`.

    With no `old` the file is gone.
    """

    name: str
    path: str
    old: str
    new: str
    errors: tuple[str, ...] = ()


_CALL = "app.py:28:6:28:10: error: @"
_FIND = 'app.py:11:6:11:37: error: @fallback(method="fallback_here") on app.Client.find: '
_INHERITED = 'app.py:15:6:15:41: error: @fallback(method=("absent", "dated")) on app.Client.inherited: '
_REFRESH = 'app.py:19:6:19:30: error: @fallback(method="_stale") on app.Client.refresh: '
_CONFIGURED = "app.py:34:40:34:46: error: "
_TEMPLATE = 'app.py:34:19:34:28: error: @retry(config="external") on app.Client.configured: no template named'
_HANDLED = "app.py:37:6:37:29: error: @fallback(Recent) on app.Client.handled: "
_MISSPELT = "pyproject.toml: error: unknown key 'config-file' in [tool.r4c]; did you mean 'config-files'?"
_GUARDED = 'guarded.py:7:41:7:44: error: @retry(max_duration="4s") on guarded.Guarded.call: timeout 5s is not shorter'
_PATIENT = "patient.py:6:10:6:13: error: @timeout(timedelta({})) on patient.patient: "

EDITS: Final = (
    # Policies.
    Edit(
        "a composed policy",
        "policies.py",
        'timeout("2s")',
        'timeout("5s")',
        (f"{_CALL}quick on app.Client.call: composed",),
    ),
    Edit(
        "a constant in a composed policy",
        "policies.py",
        '"2s"\ninner',
        '"3s"\ninner',
        (f"{_CALL}quick on app.Client.call: composed",),
    ),
    Edit(
        "a name that is exported anew",
        "common/__init__.py",
        "quick as",
        "slow as",
        (f"{_CALL}slow on app.Client.call: composed",),
    ),
    Edit(
        "a module that cannot be parsed",
        *("policies.py", "quick = ", "quick = ("),
        ("policies.py: error: no Python",),
    ),
    # Bases.
    Edit("the name of a fallback", "base.py", "fallback_here", "fallback_there", (f"{_FIND}no method named",)),
    Edit(
        "the result of a fallback",
        "base.py",
        "x: int) -> int",
        "x: int) -> object",
        (f"{_FIND}'fallback_here' returns",),
    ),
    Edit(
        "a fallback is asynchronous", "base.py", "def fallback", "async def fallback", (f"{_FIND}'fallback_here' is",)
    ),
    Edit(
        "the argument of a base",
        *("base.py", "Grand[int]", "Grand[str]"),
        (f"{_INHERITED}'absent' returns str", f"{_INHERITED}'dated' returns str"),
    ),
    Edit(
        "a base is no longer one",
        *("base.py", "(Grand[int])", ""),
        (f"{_INHERITED}no method named 'absent'", f"{_INHERITED}no method named 'dated'"),
    ),
    Edit(
        "a parameter of a base's base",
        "common/grand.py",
        "dated(self, x",
        "dated(self, y",
        (f"{_INHERITED}'dated' can",),
    ),
    Edit(
        "a result of a base's base", "common/grand.py", "Error) -> T", "Error) -> str", (f"{_INHERITED}'absent' ret",)
    ),
    Edit(
        "an exception of a base's base", "common/grand.py", ", error: OSError", "", (f"{_INHERITED}'absent' and 'dat",)
    ),
    Edit(
        "a module that is gone",
        *("base.py", "", ""),
        ("app.py:2:1:2:1: error: Cannot find", "app.py:10:14:10:17: error: Class cannot subclass"),
    ),
    # Exceptions and handlers.
    Edit(
        "the base of an exception", "errors.py", "(Exception)", "(OSError)", (f"{_CONFIGURED}@retry(retry_on=Refused",)
    ),
    Edit("no exception any more", "errors.py", "(Exception)", "", (f'{_CONFIGURED}Argument "retry_on"',)),
    Edit(
        "a handler's base is none", "handlers.py", "(FallbackHandler[int], ABC)", "(ABC)", (f"{_HANDLED}Recent is not",)
    ),
    Edit("the argument of a handler's base", "handlers.py", "r[int]", "r[int | None]", (f"{_HANDLED}'Recent' is a",)),
    # Siblings.
    Edit(
        "what decorates a sibling",
        *("tracing.py", "-> Callable[P, R]", "-> Callable[P, str]"),
        (f"{_REFRESH}'_stale' returns", "tracing.py:10:12:10:19: error: Incompatible return value"),
    ),
    Edit("the name of a sibling", "app.py", "def _stale", "def _older", (f"{_REFRESH}no method named",)),
    Edit(
        "the name of a method with policies",
        *("app.py", "def find", "def found"),
        ('user.py:7:6:7:28: error: @fallback(method="find") on user.Special.other: no method named',),
    ),
    Edit("what stands on the class", "guarded.py", '"1s"', '"5s"', (_GUARDED,)),
    # Comments and lines.
    Edit("a comment that silences", "app.py", "ternal\n", "ternal  # r4c: file-ignore[R4C-FB-002]\n"),
    Edit("what only moves", "policies.py", "\nDELAY", "\n# Moved by a line.\nDELAY"),
    # Configuration files.
    Edit("a template", "resilience.properties", "configs.external.", "configs.externl.", (_TEMPLATE,)),
    Edit("the templates of the code", "pyproject.toml", 's"]\n', 's"]\ntemplates = ["external"]\n'),
    Edit("the list of files", "pyproject.toml", '"resilience.properties"', "", (_TEMPLATE,)),
    Edit("the list of files under another name", "pyproject.toml", "config-files", "config-file", (_MISSPELT,)),
    Edit(
        "a file that is gone",
        *("resilience.properties", "", ""),
        ("pyproject.toml: error: config-files in [tool.r4c]: cannot read resilience.properties: No such file",),
    ),
    # Lengths, which no type tells.
    Edit(
        "a length",
        "limits.py",
        "seconds=2",
        "seconds=-2",
        (f"{_PATIENT.format('seconds=-2')}timedelta(seconds=-2) is",),
    ),
    Edit("a length of nothing", "limits.py", "seconds=2", "", (f"{_PATIENT.format(0)}timeout cannot be zero",)),
    Edit("a length that nobody knows", "limits.py", "timedelta(seconds=2)", "min(timedelta(), timedelta(1))"),
)


class Project:
    """The project in a folder, in one state after another."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._moment = 0
        write(folder, FILES)

    def become(self, state: State) -> None:
        """Write the files that differ, in a way that mypy notices although the clock may not have moved."""
        wanted = _texts(state)
        for name in FILES:
            path = self.folder / name
            text = path.read_text(encoding="utf-8") if path.exists() else None
            if wanted.get(name) != text:
                self._put(path, wanted.get(name))

    def _put(self, path: Path, text: str | None) -> None:
        if text is None:
            path.unlink()
            return
        path.write_text(text, encoding="utf-8")
        self._moment += 2
        moment = path.stat().st_mtime + self._moment
        os.utime(path, (moment, moment))


def _texts(state: State) -> dict[str, str]:
    found = dict(FILES)
    for edit in EDITS:
        if edit.name not in state or edit.path not in found:
            continue
        if edit.old:
            found[edit.path] = found[edit.path].replace(edit.old, edit.new)
        else:
            del found[edit.path]
    return found


def each_after_the_other(step: int = 1) -> Iterator[State]:
    """Every edit, or every so many, each of which reverts the one before; none at the beginning and the end."""
    yield PLAIN
    yield from (frozenset({edit.name}) for edit in EDITS[::step])
    yield PLAIN


def each_and_back() -> Iterator[State]:
    """Every edit and its reversal."""
    for edit in EDITS:
        yield PLAIN
        yield frozenset({edit.name})
    yield PLAIN


def wandering(seed: int, steps: int) -> Iterator[State]:
    """A random mixture of edits that grows and shrinks by one or two at a time."""
    chance = random.Random(seed)
    state = PLAIN
    for _ in range(steps):
        yield state
        count = chance.choice([1, 1, 2])
        others = [edit.name for edit in EDITS if edit.name not in state]
        if state and chance.random() < len(state) / 6:
            state -= set(chance.sample(sorted(state), min(count, len(state))))
        else:
            state |= set(chance.sample(others, count))
