"""What makes mypy's cache stale besides the code: the configuration files, and other rules."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from mypy.options import Options
from mypy.plugin import ReportConfigContext

import resilience4cata
from resilience4cata.identity import own_version

from .settings import Projects

_PACKAGE: Final = __name__.rpartition(".")[0]
FOLDERS: Final = (Path(str(resilience4cata.__file__)).parent, Path(__file__).parent)
"""Where the rules and the plugin stand."""

_in_use: Projects | None = None
"""The settings with which the daemon checks, if this process is one."""


def report_config_data(context: ReportConfigContext, projects: Projects) -> object:
    """What is stored with a module and compared before its cache is used; None for modules without settings.

    Templates are named by the project's own code alone, so its dependencies and typeshed keep their caches when a
    configuration file changes.
    """
    digest = projects.of(context.path).digest
    return {"resilience4cata": digest} if digest else None


def announce(options: Options, projects: Projects) -> None:
    """Let the daemon know what the plugin depends on: configuration files, and the plugin's own code as it is now.

    `dmypy run` makes the plugin anew and compares its module's `__version__` to decide whether to restart. The options
    with which it does so do not say that it is the daemon, so the settings that are in use are remembered. Outside the
    daemon the version must not change with configuration files: it would invalidate the cache of every file.
    """
    global _in_use  # noqa: PLW0603 - it belongs to the process, as does the daemon
    if options.fine_grained_incremental:
        _in_use = projects
    if _in_use is not None:
        sys.modules[_PACKAGE].__dict__["__version__"] = own_version(FOLDERS) + _changes(_in_use.digests(), projects)


def _changes(before: Mapping[str, str], projects: Projects) -> str:
    """What has changed in the settings since they were read, in no particular form; nothing if nothing has."""
    now = {folder: projects.of_folder(folder).digest for folder in before}
    return "".join(f"+{now[folder]}" for folder in before if now[folder] != before[folder])
