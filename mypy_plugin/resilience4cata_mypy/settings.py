"""The project's settings for the plugin: `[tool.r4c]` of the pyproject.toml that it shares with the linter.

[tool.r4c]
config-files = ["resilience4cata.toml"]     # every source of templates; without it R4C-CFG-001 stays silent
templates = ["external"]                    # made in code, by builder.config("external", …)

A file belongs to the project of the nearest pyproject.toml upwards from it, as for the linter, wherever mypy's own
configuration stands.
"""

# Folders stay the texts they are found as: mypy asks about each of hundreds of modules when it starts.
# ruff: noqa: PTH100, PTH109, PTH113, PTH118, PTH120, PTH206

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from mypy.options import Options

from resilience4cata.config.tool_settings import WrongSettingError, tool_settings
from resilience4cata.diagnostics import Context, Fault, Finding, Needs
from resilience4cata.facts import At, ConfigFile, Project, Template
from resilience4cata.records import dataclass

_PYPROJECT: Final = "pyproject.toml"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the plugin knows of a project besides the code.

    `project` holds the templates (closed if `config-files` lists all sources), `digest` changes with everything that
    was read or is shown. `problems` say what is wrong with the settings, if anything; nothing else is in them then.
    """

    project: Project
    digest: str = ""
    problems: tuple[str, ...] = ()


NONE: Final = Settings(Project())
"""Where there are no settings."""


class Projects:
    """The settings of the files of a run, each read once.

    Files outside both the working folder and that of mypy's configuration belong to nobody's project: an installed
    package does not end a run by its own settings.
    """

    def __init__(self, options: Options) -> None:
        beside = os.path.dirname(os.path.abspath(options.config_file)) if options.config_file else os.getcwd()
        self._roots = tuple(os.path.join(folder, "") for folder in {beside, os.getcwd()})
        self._by_folder: dict[str, Settings] = {}
        self._by_pyproject: dict[str, Settings] = {}

    def of(self, path: str) -> Settings:
        """The settings of the project that a file belongs to."""
        return self.of_folder(os.path.dirname(os.path.abspath(path)))

    def of_folder(self, folder: str) -> Settings:
        """The same for the files that stand in an absolute folder."""
        found = self._by_folder.get(folder)
        if found is None:
            found = self._by_folder[folder] = self._nearest(folder) if self._is_own(folder) else NONE
        return found

    def _is_own(self, folder: str) -> bool:
        inside = os.path.join(folder, "").startswith(self._roots)
        return inside and "site-packages" not in folder.split(os.sep)

    def _nearest(self, folder: str) -> Settings:
        pyproject = _nearest_pyproject(folder)
        if pyproject is None:
            return NONE
        if pyproject not in self._by_pyproject:
            self._by_pyproject[pyproject] = load(pyproject)
        return self._by_pyproject[pyproject]

    @property
    def problems(self) -> list[str]:
        """What is wrong with the settings of the files that were asked about, a line each."""
        return [problem for settings in self._by_pyproject.values() for problem in settings.problems]

    def digests(self) -> dict[str, str]:
        """The digests of the settings by the folder of the files that they are for."""
        return {folder: settings.digest for folder, settings in self._by_folder.items()}


def _nearest_pyproject(folder: str) -> str | None:
    while True:
        candidate = os.path.join(folder, _PYPROJECT)
        if os.path.isfile(candidate):
            return candidate
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def load(pyproject: str) -> Settings:
    """The settings in a file; what is wrong with them becomes their problems."""
    try:
        return _load(Path(pyproject))
    except WrongSettingError as error:
        return _refused([f"{error.path}: error: {error.reason}"])


def _refused(problems: list[str]) -> Settings:
    return Settings(Project(), _digest(problem.encode() for problem in problems), tuple(problems))


def _load(pyproject: Path) -> Settings:
    shown = _shown(pyproject)
    try:
        data = pyproject.read_bytes()
    except OSError as error:
        raise WrongSettingError(shown, f"cannot be read: {error.strerror}") from error
    lists = tool_settings(shown, data).lists
    if "config-files" not in lists:
        return NONE
    from resilience4cata.config.tree import templates_of

    read = [_config_file(pyproject, name) for name in lists["config-files"]]
    files = tuple(file for file, _ in read)
    # A broken file may hold any template.
    problems = [problem for file in files for problem in _unreadable(file)]
    if problems:
        return _refused(problems)
    named = lists.get("templates", ())
    templates = (*templates_of(files), *(Template(name, At("")) for name in named))
    # Findings show where the files stand.
    parts = [part for file, content in read for part in (file.source.encode(), content)]
    digest = _digest([str(len(read)).encode(), *parts, *(name.encode() for name in named)])
    return Settings(Project(templates=templates, files=files, templates_closed=True), digest)


def _config_file(pyproject: Path, name: str) -> tuple[ConfigFile, bytes]:
    from resilience4cata.config.sources import read

    path = pyproject.parent / name
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        msg = f"config-files in [tool.r4c]: cannot read {name}: {reason}"
        raise WrongSettingError(_shown(pyproject), msg) from error
    return read(_shown(path), data), data


def _unreadable(file: ConfigFile) -> Iterator[str]:
    """What the rule about unreadable files says, as mypy writes errors."""
    from resilience4cata.rules.configuration import unreadable_configuration

    for fault in unreadable_configuration.check(file, Context(Needs.FILES)):
        finding = Finding(unreadable_configuration, fault) if isinstance(fault, Fault) else fault
        diagnostic = finding.diagnostic(with_fix=False)
        yield f"{diagnostic.place}: error: {diagnostic.line}"


def _shown(path: Path) -> str:
    from resilience4cata.config.sources import shown_path

    return shown_path(path)


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()[:16]
