"""The modules of a package, imported so that all that they declare is recorded."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Mapping
from importlib import import_module


def import_package(name: str) -> Mapping[str, Exception]:
    """Import a package and every module in it, except those that run when they are imported (`__main__`).

    Returns the modules that could not be imported, each with what it raised; the others are imported all the same.
    """
    error = _import(name)
    if error is not None:
        return {name: error}
    failed: dict[str, Exception] = {}
    for module in pkgutil.iter_modules(getattr(sys.modules[name], "__path__", ()), f"{name}."):
        if module.ispkg:
            failed |= import_package(module.name)
        elif not module.name.endswith(".__main__") and (error := _import(module.name)) is not None:
            failed[module.name] = error
    return failed


def _import(name: str) -> Exception | None:
    try:
        import_module(name)
    except Exception as error:
        return error
    except SystemExit as error:
        # A script without a guard; its wish to end is not that of the process.
        return ImportError(f"{name} exits when it is imported (code {error.code})", name=name)
    return None
