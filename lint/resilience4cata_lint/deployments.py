"""Environment variables that files give to processes, held against what the project knows.

Such files do not take part in the project's settings: each speaks about a process of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final

from resilience4cata.records import dataclass, replace

from . import discover, files

if TYPE_CHECKING:
    from resilience4cata.config.environment import Assignment
    from resilience4cata.facts import ConfigFile, Project, Variable

    from .inputs import Inputs
    from .locate import Shown

_PREFIX: Final = b"RESILIENCE4CATA_"
_ACTIVE: Final = "RESILIENCE4CATA_PROFILES_ACTIVE"


@dataclass(frozen=True, slots=True)
class Deployment:
    """A file as it is shown, and the variables of ours that it sets: those together that one process gets."""

    source: str
    environments: tuple[tuple[Assignment, ...], ...]

    @property
    def assignments(self) -> Iterator[Assignment]:
        """All variables, whoever gets them."""
        return chain.from_iterable(self.environments)


def read(inputs: Inputs, shown: Shown) -> tuple[Deployment, ...]:
    """The files that set variables of ours; those that git ignores only if they were named."""
    found = [(path, data) for path in inputs.deployments if _PREFIX in (data := _data(path))]
    if not found:
        return ()
    from .assignments import environments

    ignored = discover.ignored_by_git([path for path, _ in found if path not in inputs.configurations])
    deployments = (
        Deployment(shown(path), tuple(environments(shown(path), data))) for path, data in found if path not in ignored
    )
    return tuple(deployment for deployment in deployments if deployment.environments)


def may_be_one(path: str, data: bytes) -> bool:
    """Whether a file with these contents can set variables of ours: not one of another format of keys."""
    return _PREFIX in data and not path.endswith((".toml", ".properties"))


def _data(path: str) -> bytes:
    try:
        return files.read(path)
    except OSError:
        return b""


def views(deployments: Iterable[Deployment], project: Project) -> tuple[ConfigFile, ...]:
    """What rules look at: one file of keys for each environment, since what different processes get is not at odds."""
    deployments = tuple(deployments)
    if not deployments:
        return ()
    from resilience4cata.config.environment import read_variables
    from resilience4cata.config.instances import names_of
    from resilience4cata.suggestions import did_you_mean

    names, uncertain = names_of(project), _uncertain(project)
    activated = frozenset(_activated(deployments))
    filled = frozenset(_filled(activated, deployments))
    # What is like a profile that exists is a slip, unless variables make it a profile of its own.
    others = frozenset(name for name in activated if did_you_mean(name, names.profiles) is None)
    names = replace(names, profiles=names.profiles | filled | others)
    found = (
        read_variables(deployment.source, environment, names)
        for deployment in deployments
        for environment in deployment.environments
    )
    return tuple(
        replace(file, unknown=tuple(v for v in file.unknown if _is_certain(v, uncertain)), profiles=filled)
        for file in found
    )


def _activated(deployments: Iterable[Deployment]) -> Iterator[str]:
    """The profiles that variables activate, in files that may well be for one process."""
    for name, value in ((a.name, a.value) for deployment in deployments for a in deployment.assignments):
        if name == _ACTIVE and isinstance(value, str):
            yield from filter(None, map(str.strip, value.split(",")))


def _filled(profiles: Iterable[str], deployments: Iterable[Deployment]) -> Iterator[str]:
    """Those of the profiles that variables give settings: one may exist in variables alone."""
    from resilience4cata.config.environment import variable_of

    set_there = [assignment.name for deployment in deployments for assignment in deployment.assignments]
    for profile in profiles:
        start = f"{_PREFIX.decode()}PROFILES_{variable_of(profile)}_"
        if any(name.startswith(start) and name != _ACTIVE for name in set_there):
            yield profile


def _is_certain(variable: Variable, uncertain: frozenset[str]) -> bool:
    return variable.unknown not in uncertain


def _uncertain(project: Project) -> frozenset[str]:
    """Kinds of names of which there may be more than the project shows."""
    from resilience4cata.config.resolve import sources_known

    kinds = frozenset[str]() if sources_known(project) else frozenset({"template", "profile", "budget"})
    # Where nothing is guarded, the code is elsewhere.
    return kinds if project.closed and project.elements else kinds | {"instance"}
