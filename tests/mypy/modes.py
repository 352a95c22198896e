"""The modes of mypy, held against runs that know nothing yet: whatever mypy keeps, it says the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

from tests.mypy.running import Daemon, Result, copy_cache, mypy, write
from tests.mypy.states import Project, State

Options = tuple[str, ...]
Cold = Callable[[State], list[str]]
"""What is said about a state of the project by a run without a cache of it."""

OPTIONS: Final[Mapping[str, Options]] = {
    "default": (),
    "no-sqlite": ("--no-sqlite-cache",),
    "no-fixed-format": ("--no-fixed-format-cache",),
    "two-workers": ("-n", "2"),
    "no-sqlite-no-fixed-format": ("--no-sqlite-cache", "--no-fixed-format-cache"),
    "two-workers-no-fixed-format": ("-n", "2", "--no-fixed-format-cache"),
    "python-parser": ("--no-native-parser",),
    "no-local-partial-types": ("--no-local-partial-types",),
}


class Primed:
    """Caches that hold typeshed and the library, one for each set of options, made when they are first needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        write(folder / "imports", {"imports.py": "import abc, resilience4cata\n"})

    def copy_to(self, target: Path, options: Options = ()) -> Path:
        """Such a cache, to be changed."""
        cache = self._folder / "-".join(("cache", *options))
        if not cache.exists():
            mypy(self._folder / "imports", *options, cache=cache)
        return copy_cache(cache, target)


class ColdRuns:
    """Answers for each state, worked out once and without anything but typeshed and the library in the cache."""

    def __init__(self, folder: Path, primed: Primed) -> None:
        self._project = Project(folder / "cold")
        self._folder = folder
        self._primed = primed
        self._found: dict[State, list[str]] = {}

    def __call__(self, state: State) -> list[str]:
        if state not in self._found:
            self._project.become(state)
            cache = self._primed.copy_to(self._folder / f"cache-{len(self._found)}")
            self._found[state] = said(mypy(self._project.folder, cache=cache))
        return self._found[state]


_SUMMARY: Final = ("Found ", "Success: ", "Daemon ", "Restarting: ")
_NO_PYTHON: Final = re.compile(r":[\d:]+ error: .*\[syntax\]$")


def said(result: Result) -> list[str]:
    """All lines of the output but those that speak of the run as a whole, in any order.

    mypy's parsers have different words for a file that is no Python.
    """
    lines = [line for line in result.output.splitlines() if not line.startswith(_SUMMARY)]
    plain = [line for line in lines if not _NO_PYTHON.search(line)]
    return sorted([*plain, *{_NO_PYTHON.sub(": error: no Python", line) for line in lines if line not in plain}])


def differences(project: Project, states: Iterable[State], run: Callable[[], Result], cold: Cold) -> list[str]:
    """Where runs over one state after the other say something else than runs that know nothing yet."""
    found: list[str] = []
    before: State = frozenset()
    for step, state in enumerate(states):
        project.become(state)
        now, expected = said(run()), cold(state)
        where = f"step {step}, {sorted(before)} to {sorted(state)}: "
        found += [f"{where}stale: {line}" for line in now if line not in expected]
        found += [f"{where}lost: {line}" for line in expected if line not in now]
        if len(now) != len(set(now)):
            found.append(f"{where}said twice: {now}")
        before = state
    return found


def incremental(options: Options, states: Iterable[State], folder: Path, primed: Primed, cold: Cold) -> list[str]:
    """The differences of runs with one cache."""
    project = Project(folder / "project")
    cache = primed.copy_to(folder / "cache", options)
    return differences(project, states, lambda: mypy(project.folder, *options, cache=cache), cold)


def daemon(states: Iterable[State], folder: Path, primed: Primed, cold: Cold) -> list[str]:
    """The differences of runs in one daemon."""
    project = Project(folder / "project")
    with Daemon(project.folder, primed.copy_to(folder / "cache")) as running:
        return differences(project, states, running.run, cold)


def reworded(plugin: Path) -> None:
    """Change what a rule says, in a copy of the packages."""
    rule = plugin / "resilience4cata" / "rules" / "durations.py"
    text = rule.read_text(encoding="utf-8")
    assert "is not a duration" in text
    rule.write_text(text.replace("is not a duration", "is no length of time"), encoding="utf-8")
