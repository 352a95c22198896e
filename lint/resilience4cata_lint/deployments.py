"""Environment variables that files give to processes, held against what the project knows.

Such files do not take part in the project's settings: each speaks about a process of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from resilience4cata.records import dataclass, replace

from . import discover, files

if TYPE_CHECKING:
    from resilience4cata.config.environment import Assignment, Names
    from resilience4cata.facts import ConfigFile, Project, Variable

    from .inputs import Inputs
    from .locate import Shown

_PREFIX: Final = b"RESILIENCE4CATA_"


@dataclass(frozen=True, slots=True)
class Deployment:
    """A file as it is shown, and the variables of ours that it sets."""

    source: str
    assignments: tuple[Assignment, ...]


def read(inputs: Inputs, shown: Shown) -> tuple[Deployment, ...]:
    """The files that set variables of ours; those that git ignores only if they were named."""
    found = [(path, data) for path in inputs.deployments if _PREFIX in (data := _data(path))]
    if not found:
        return ()
    from .assignments import assignments

    ignored = discover.ignored_by_git([path for path, _ in found if path not in inputs.configurations])
    deployments = (
        Deployment(shown(path), tuple(assignments(shown(path), data))) for path, data in found if path not in ignored
    )
    return tuple(deployment for deployment in deployments if deployment.assignments)


def _data(path: str) -> bytes:
    try:
        return files.read(path)
    except OSError:
        return b""


def views(deployments: Iterable[Deployment], project: Project) -> tuple[ConfigFile, ...]:
    """What rules look at: one file of keys for each deployment."""
    deployments = tuple(deployments)
    if not deployments:
        return ()
    from resilience4cata.config.instances import names_of

    names, uncertain = names_of(project), _uncertain(project)
    return tuple(_file(deployment, names, uncertain) for deployment in deployments)


def _file(deployment: Deployment, names: Names, uncertain: frozenset[str]) -> ConfigFile:
    from resilience4cata.config.environment import read_variables

    names = replace(names, profiles=names.profiles | _activated(deployment.assignments))
    file = read_variables(deployment.source, deployment.assignments, names)
    return replace(file, unknown=tuple(v for v in file.unknown if _is_certain(v, uncertain)))


def _activated(assignments: Sequence[Assignment]) -> frozenset[str]:
    """The profiles that the variables activate: one may exist in variables alone."""
    values = (a.value for a in assignments if a.name == f"{_PREFIX.decode()}PROFILES_ACTIVE")
    return frozenset(word.strip() for value in values if isinstance(value, str) for word in value.split(","))


def _is_certain(variable: Variable, uncertain: frozenset[str]) -> bool:
    return variable.unknown not in uncertain


def _uncertain(project: Project) -> frozenset[str]:
    """Kinds of names of which there may be more than the project shows."""
    from resilience4cata.config.resolve import sources_known

    kinds = frozenset[str]() if sources_known(project) else frozenset({"template", "profile", "budget"})
    # Where nothing is guarded, the code is elsewhere.
    return kinds if project.closed and project.elements else kinds | {"instance"}
