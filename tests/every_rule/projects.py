"""Fixtures copied to where they can be checked: packages below one root, each with a folder to work in."""

from __future__ import annotations

import shutil
import tokenize
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .fixtures import EXPECTED, Fixture, Report
from .rewriting import TOOLBOX, Rewriting, rewritten, toolbox

# What the linter looks for where `[tool.r4c]` names no files; a table of pyproject.toml counts as one.
_DEFAULT_CONFIGURATION = tuple(f"resilience4cata.{suffix}" for suffix in ("toml", "properties", "yaml", "yml"))
_OWN_TABLE = "resilience4cata"


@dataclass(frozen=True)
class Project:
    """What one run of a front end looks at: a package, copied to `folder` below `root`.

    `part` is the sub-folder of the fixture that it was made of, "" for a flat fixture.
    """

    fixture: Fixture
    part: str
    root: Path

    @property
    def folder(self) -> Path:
        """The folder to work in."""
        return self.root / self.fixture.package / self.part

    @property
    def package(self) -> str:
        return ".".join(filter(None, (self.fixture.package, self.part)))

    @property
    def modules(self) -> list[Path]:
        """Every source file, whether or not it can be parsed."""
        return sorted(self.folder.rglob("*.py"))

    @property
    def parsable(self) -> list[Path]:
        return [path for path in self.modules if _text(path) is not None]

    @property
    def has_settings(self) -> bool:
        """Whether it has options of its own, so that a front end must run in its folder."""
        return (self.folder / "pyproject.toml").is_file()

    @property
    def configuration(self) -> list[str]:
        """Names of its configuration files, as `[tool.r4c]` lists them, or those with the names that are looked for."""
        own = ["pyproject.toml"] if _OWN_TABLE in self._tools else []
        present = [name for name in _DEFAULT_CONFIGURATION if (self.folder / name).is_file()]
        return [*own, *self._tools.get("r4c", {}).get("config-files", present)]

    @property
    def switched_on(self) -> list[str]:
        """The codes that its settings add to those that are on by default."""
        return [str(code) for code in self._tools.get("r4c", {}).get("extend-select", [])]

    @property
    def _tools(self) -> dict[str, Any]:
        pyproject = (self.folder / "pyproject.toml").read_text(encoding="utf-8") if self.has_settings else ""
        found: dict[str, Any] = tomllib.loads(pyproject).get("tool", {})
        return found

    @property
    def environment(self) -> dict[str, str]:
        """The variables that the application is started with, if its folder holds `process.env`: one a line."""
        file = self.folder / "process.env"
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))

    def in_fixture(self, path: str) -> str:
        """A path relative to `folder` as one relative to the fixture folder."""
        return f"{self.part}/{path}" if self.part else path

    def expected(self, front_end: str) -> list[Report]:
        """What of the fixture's findings lies in this project."""
        return [r for r in self.fixture.expected(front_end) if not self.part or r.path.startswith(f"{self.part}/")]


def lay_out(fixtures: Iterable[Fixture], root: Path, rewriting: Rewriting | None = None) -> list[Project]:
    """Copy fixtures to packages below `root`, rewritten if so wanted; files that cannot be parsed stay as they are."""
    projects: list[Project] = []
    for fixture in fixtures:
        package = root / fixture.package
        shutil.copytree(fixture.folder, package, ignore=shutil.ignore_patterns(EXPECTED, "__pycache__", "*.pyc"))
        (package / "__init__.py").touch()
        for part in fixture.parts:
            project = Project(fixture, part, root)
            (project.folder / "__init__.py").touch()
            projects.append(project)
            if rewriting is not None:
                _rewrite(project, rewriting)
    return projects


def _rewrite(project: Project, rewriting: Rewriting) -> None:
    sources = dict(_sources(project))
    for path, source in sources.items():
        path.write_text(rewritten(source, rewriting), encoding="utf-8", newline="")
    if rewriting.toolbox:
        # One beside each module, since it is imported from the module's own package.
        for folder in {path.parent for path in sources}:
            (folder / f"{TOOLBOX}.py").write_text(toolbox(list(sources.values())), encoding="utf-8")


def _sources(project: Project) -> Iterator[tuple[Path, str]]:
    """What can be rewritten: parsable, and written in the encoding in which it will be written back."""
    for path in project.modules:
        source = _text(path)
        if source is not None and path.read_bytes() == source.encode():
            yield path, source


def _text(path: Path) -> str | None:
    try:
        with tokenize.open(path) as file:
            source = file.read()
        compile(source, str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    return source
