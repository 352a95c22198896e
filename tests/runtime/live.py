"""Real modules for tests: written to a file, imported, forgotten afterwards."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from resilience4cata import ConfigSources, DefinitionError, Diagnostic, Resilience, ResilienceBuilder, ResilienceWarning
from resilience4cata.extract import Extraction, extract
from resilience4cata.facts import Definition, Element
from resilience4cata.policies.recording import recorded


class Application:
    """An application in a folder of its own, which is also the working folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, path: str, source: str) -> Path:
        """Write a file below the folder; the source is dedented."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(source).lstrip("\n"), encoding="utf-8")
        importlib.invalidate_caches()
        return file

    def load(self, name: str, source: str) -> ModuleType:
        """Write and import a module."""
        self.write(f"{name.replace('.', '/')}.py", source)
        return importlib.import_module(name)

    def extraction(self, *names: str, exact: bool = True) -> Extraction:
        """The facts of these modules; with `exact` their sources are read for places."""
        sources = [path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*.py")] if exact else []
        return extract(lambda module: module in names, sources)

    def elements(self, *names: str, exact: bool = True) -> dict[str, Element]:
        """The elements of these modules by id."""
        return {element.definition.id: element for element in self.extraction(*names, exact=exact).elements}

    def diagnostics(self, *names: str, sources: tuple[str, ...] = ()) -> tuple[Diagnostic, ...]:
        """What `build()` says about these modules and packages."""
        builder = Resilience.builder().only(*names)
        for source in sources:
            builder.source(ConfigSources.file(source))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResilienceWarning)
            try:
                return builder.build().diagnostics
            except DefinitionError as error:
                return error.diagnostics


@contextmanager
def application(folder: Path) -> Iterator[Application]:
    """Make modules of `folder` importable, and forget those that were imported."""
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield Application(folder)
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and Path(file).is_relative_to(folder):
                del sys.modules[name]


def failure(builder: ResilienceBuilder) -> DefinitionError:
    """The error that `build()` raises."""
    with pytest.raises(DefinitionError) as caught:
        builder.build()
    return caught.value


def definition(found: object) -> Definition:
    """`found`, which must be a definition."""
    assert isinstance(found, Definition)
    return found


def recorded_numbers() -> set[int]:
    """Which applications are recorded. What other tests have left may go at any time, so that a count tells nothing."""
    return {application.number for application in recorded()}
