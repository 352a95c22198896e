"""What makes mypy's cache stale besides the code: the configuration files, and other rules."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from mypy.options import Options
from mypy.plugin import ReportConfigContext

import resilience4cata
from resilience4cata.identity import own_version

from .settings import Settings

_PACKAGE: Final = __name__.rpartition(".")[0]
FOLDERS: Final = (Path(str(resilience4cata.__file__)).parent, Path(__file__).parent)
"""Where the rules and the plugin stand."""

_daemon_seen = False


def report_config_data(context: ReportConfigContext, settings: Settings) -> object:
    """What is stored with a module and compared before its cache is used; None for modules that are not the project's.

    Templates are named by the project's own code alone, so its dependencies and typeshed keep their caches when a
    configuration file changes.
    """
    if not settings.digest:
        return None
    path = Path(context.path).absolute()
    installed = "site-packages" in path.parts or not path.is_relative_to(settings.root)
    return None if installed else {"resilience4cata": settings.digest}


def announce(options: Options, settings: Settings) -> None:
    """Let the daemon know what the plugin depends on: configuration files, and the plugin's own code as it is now.

    `dmypy run` makes the plugin anew and compares its module's `__version__` to decide whether to restart. The options
    with which it does so do not say that it is the daemon, so once seen it is remembered. Outside the daemon the
    version must not change with configuration files: it would invalidate the cache of every file.
    """
    global _daemon_seen  # noqa: PLW0603 - it belongs to the process, as does the daemon
    _daemon_seen = _daemon_seen or options.fine_grained_incremental
    if _daemon_seen:
        sys.modules[_PACKAGE].__dict__["__version__"] = f"{own_version(FOLDERS)}+{settings.digest}"
