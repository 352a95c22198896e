"""What the running program says about each of its guarded elements, for comparison with what `r4c describe` says.

Run as a script, it reads jobs from standard input: the folder to work in, and the package to look at.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import pkgutil
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypedDict

ROOT = Path(__file__).parents[2]


class Setting(TypedDict):
    """One setting, or one that it shadows: the origin as its parts."""

    value: str
    layer: str
    name: str
    profile: str | None
    source: str
    line: int


class Job(TypedDict):
    """A package below `root`, and the folder and configuration files (relative to it) that it is started with.

    `factory` is the function that builds, `shop.app:create_resilience`; "" for a builder that knows no more than this.
    """

    root: str
    folder: str
    package: str
    configuration: list[str]
    factory: str


Answer = dict[str, dict[str, Any]]
"""`layers`, `instances` and `settings` by id; `settings` by policy and attribute, each with what it shadows."""


def answers(jobs: Sequence[Job]) -> list[Answer | None]:
    """What the running program says for each job; None where it refuses to be built. One process does them all."""
    command = [sys.executable, "-m", __name__]
    result = subprocess.run(
        command, input=json.dumps(jobs), cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True
    )
    found: list[Answer | None] = json.loads(result.stdout)
    return found


def settings_of(description: Any) -> dict[str, list[Setting]]:
    """The settings of a description by `policy.attribute`, strongest first."""
    return {
        f"{s.policy}.{s.attribute}": [_setting(s.value, s.origin), *(_setting(*given) for given in s.shadowed)]
        for s in description.settings
    }


def _setting(value: str, origin: Any) -> Setting:
    at = origin.at
    return Setting(
        value=value,
        layer=origin.layer.name,
        name=origin.name,
        profile=origin.profile,
        source=at.source,
        line=at.line,
    )


def _answer(job: Job) -> Answer | None:
    from resilience4cata import DefinitionError

    if job["root"] not in sys.path:
        sys.path.insert(0, job["root"])
    with contextlib.chdir(job["folder"]), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if not _importable(job["package"]):
            return None
        try:
            return dict(_descriptions(_built(job)))
        except DefinitionError:
            return None


def _importable(name: str) -> bool:
    try:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            importlib.import_module(module.name)
    except (NameError, SyntaxError, TypeError):  # the faults that show at import
        return False
    return True


def _built(job: Job) -> Any:
    from resilience4cata import ConfigSources, Resilience

    module_name, _, function = job["factory"].partition(":")
    if function:
        return getattr(importlib.import_module(module_name), function)()
    builder = Resilience.builder().only(job["package"])
    for name in job["configuration"]:
        builder.source(ConfigSources.file(name))
    return builder.build()


def _descriptions(built: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for id in built._era.describing._instances.elements:
        description = built.describe(id)
        yield (
            id,
            {
                "layers": list(description.layers),
                "instances": dict(description.instances),
                "settings": settings_of(description),
            },
        )


if __name__ == "__main__":
    json.dump([_answer(job) for job in json.load(sys.stdin)], sys.stdout)
