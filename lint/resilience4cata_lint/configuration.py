"""The configuration files of a run: which they are, and their facts."""

# Paths stay the texts they were given as: making objects of thousands of them costs more than reading the files.
# ruff: noqa: PTH118, PTH119, PTH120

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from resilience4cata.records import dataclass

from . import deployments, discover, files
from .deployments import Deployment
from .options import PYPROJECT, Options, path_named

if TYPE_CHECKING:
    from resilience4cata.facts import At, ConfigFile, Template

    from .inputs import Inputs
    from .locate import Shown

# One of these stands in every file that is meant for us.
_OUR_TABLES: Final = (b"[resilience4cata", b"[tool.resilience4cata", b"resilience4cata.", b"resilience4cata:")

READABLE: Final = (".toml", ".properties", ".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Configuration:
    """Files as read, those of them that are reported on (as they are shown), and the templates that all of them make.

    `deployments` are files that set environment variables of ours.

    `known` tells whether these are all sources of templates beside the code, `code_known` whether the code of the whole
    project was looked at for templates.
    """

    files: tuple[ConfigFile, ...] = ()
    reported: tuple[str, ...] = ()
    templates: tuple[Template, ...] = ()
    known: bool = False
    code_known: bool = False
    deployments: tuple[Deployment, ...] = ()


def read(inputs: Inputs, options: Options, shown: Shown) -> Configuration:
    """Read the project's files, and those that were named if they are meant for us.

    A listed file that does not exist is reported where it is listed.
    """
    everything = {files.canonical(path): path for path in inputs.configurations if _is_ours(path, options)}
    reported = dict(everything)
    for path in options.config_files:
        name = files.canonical(path)
        everything.setdefault(name, path)
        told_in = path if files.kind(path) else os.path.join(options.root, PYPROJECT)
        if inputs.closed or any(files.is_below(told_in, folder) for folder in inputs.folders):
            reported.setdefault(name, told_in)
    code_known = inputs.closed or options.is_project
    found = bool(options.config_files or options.templates) and code_known
    known = options.names_files or found
    given = deployments.read(inputs, shown)
    if not everything and not options.templates:
        sources = tuple(deployment.source for deployment in given)
        return Configuration(reported=sources, known=known, code_known=code_known, deployments=given)
    from resilience4cata.config.tree import templates_of
    from resilience4cata.facts import NOWHERE, Template

    found_files = tuple(
        _file(path, shown) if files.kind(path) else _missing(path, shown, options) for path in everything.values()
    )
    named = (Template(name, NOWHERE) for name in options.templates)
    return Configuration(
        files=found_files,
        reported=(*map(shown, reported.values()), *(deployment.source for deployment in given)),
        templates=(*templates_of(found_files), *named),
        known=known,
        code_known=code_known,
        deployments=given,
    )


def _file(path: str, shown: Shown) -> ConfigFile:
    from resilience4cata.config.sources import read as read_source
    from resilience4cata.facts import At, Broken, ConfigFile

    try:
        data = files.read(path)
    except OSError as error:
        return ConfigFile(shown(path), broken=Broken(At(shown(path)), discover.reason_of(error)))
    return read_source(shown(path), data)


def _missing(path: str, shown: Shown, options: Options) -> ConfigFile:
    """A file that is listed and not there, at its place in the list; what stands beside it may have been meant."""
    from resilience4cata.config.sources import missing
    from resilience4cata.facts import ConfigFile

    try:
        beside = tuple(sorted(files.names(os.path.dirname(path) or os.curdir)))
    except OSError:
        beside = ()
    return ConfigFile(shown(path), broken=missing(_listed_at(options.root, path, shown), beside))


def _listed_at(root: str, path: str, shown: Shown) -> At:
    """Where the list of `config-files` names a path."""
    from resilience4cata.config import toml
    from resilience4cata.facts import At

    project = os.path.join(root, PYPROJECT)
    text = files.read(project).decode("utf-8-sig").replace("\r\n", "\n")
    for entry in toml.scan(text):
        if entry.path[:3] == ("tool", "r4c", "config-files") and len(entry.path) == 4:
            name = str(toml.value_of(text, entry.value))
            if path_named(root, name) == path:
                return toml.Lines.of(shown(project), text).at(entry.value)
    return At(shown(project))


def _is_ours(path: str, options: Options) -> bool:
    if not path.endswith(READABLE):
        return False
    if any(files.canonical(path) == files.canonical(known) for known in options.config_files):
        return True
    try:
        data = files.read(path)
    except OSError:
        return os.path.basename(path).startswith("resilience4cata.")
    return any(mark in data for mark in _OUR_TABLES)
