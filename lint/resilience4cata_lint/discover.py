"""Which files are looked at: walking folders, reading, and asking git what it ignores.

Folders that hold no code of the project are passed over (`SKIPPED`, hidden ones, environments), files that were named
are always taken. Links are followed, but no folder is entered twice and no file is taken twice.

What git ignores is decided by git itself (`git check-ignore`), and only for the few files that turn out to matter: its
rules (nested files, negation, excludes of the repository and of the user, tracked files) are easy to get nearly right.
Asking about every file would cost more than reading them; a library that matches patterns would have to be taught all
of this.
"""

# Paths stay the texts they were given as: making objects of thousands of them costs more than reading the files.
# ruff: noqa: PTH111, PTH116, PTH117, PTH118, PTH119, PTH120

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from resilience4cata.records import dataclass, field

from . import files
from .locate import relative

if TYPE_CHECKING:
    from resilience4cata.facts import Unreadable

PYTHON: Final = files.SOURCE

SKIPPED: Final = frozenset({"__pycache__", "__pypackages__", "node_modules", "site-packages"})
"""Folders that never hold code of the project. Hidden folders are skipped as well."""

BUILT: Final = frozenset({"build", "dist", "_build", "venv", "env"})
"""Folders that are made by tools, unless they are packages (`__init__.py`)."""

ENVIRONMENT_MARKS: Final = ("pyvenv.cfg", "conda-meta")

_EXECUTABLE: Final = ".exe" if os.name == "nt" else ""

_DEPLOYMENT_ENDS: Final = (".yaml", ".yml", files.ENVIRONMENT)
_DEPLOYMENT_STARTS: Final = f"{files.ENVIRONMENT}."


@dataclass(slots=True)
class Found:
    """What the paths hold: Python files in order, configuration files that were named, and what could not be opened.

    `deployments` are files that may give variables to processes: `.env` files and all that is YAML.
    Paths are as the caller gave them, extended by what stands below. `skipped` are named files of no known kind.
    """

    files: list[str] = field(default_factory=list)
    configurations: list[str] = field(default_factory=list)
    deployments: list[str] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


class Excluded:
    """The patterns of `exclude`, relative to the project's folder.

    A pattern without a slash fits any one name on the way (`generated`, `*_pb2.py`), one with a slash the path from the
    project's folder or the beginning of it (`tools/old`). `*` also crosses folders, and `**/` stands for any number of
    them, none included.
    """

    def __init__(self, patterns: Iterable[str], root: str) -> None:
        cleaned = [pattern.removeprefix("./").rstrip("/") for pattern in patterns]
        self.names = [pattern for pattern in cleaned if "/" not in pattern]
        self.paths = [way for pattern in cleaned if "/" in pattern for way in _ways(pattern.lstrip("/"))]
        self.root = root

    def __bool__(self) -> bool:
        return bool(self.names or self.paths)

    def __call__(self, path: str) -> bool:
        """Whether the file or folder at `path` is left out."""
        if any(fnmatchcase(os.path.basename(path), pattern) for pattern in self.names):
            return True
        if not self.paths:
            return False
        inner = relative(path, self.root).replace(os.sep, "/")
        return any(fnmatchcase(inner, pattern) for pattern in self.paths)


def _ways(pattern: str) -> list[str]:
    """The pattern with and without the folders that each `**/` stands for."""
    head, folders, tail = pattern.partition("**/")
    if not folders:
        return [pattern]
    spared = ("", folders) if not head or head.endswith("/") else (folders,)
    return [head + folder + rest for rest in _ways(tail) for folder in spared]


def reason_of(error: OSError) -> str:
    """The system's words for an error, as reasons are written here: "permission denied"."""
    words = error.strerror or type(error).__name__
    return words[:1].lower() + words[1:].rstrip(".")


class Walk:
    """One walk over any number of paths; `found` fills as `add` is called, `finish` follows the links and sorts."""

    def __init__(self, excluded: Callable[[str], bool] | None = None, *, projects: bool = True) -> None:
        """With `projects` off, folders that hold a `pyproject.toml` of their own are not entered."""
        self.found = Found()
        self._excluded = excluded
        self._projects = projects
        self._entered: set[object] = set()
        self._linked_folders: list[str] = []
        self._linked_files: list[str] = []
        self._named: list[str] = []

    def add(self, path: str) -> None:
        """Take a named file, or everything below a named folder. Raises OSError if there is nothing at `path`."""
        if stat.S_ISDIR(os.stat(path).st_mode):
            self._folder(path, named=True)
        elif path.endswith(PYTHON) or ("." not in os.path.basename(path) and _runs_python(path)):
            self._named.append(path)
        elif _is_configuration(path):
            self.found.configurations.append(path)
        else:
            self.found.skipped.append(path)

    def finish(self) -> Found:
        """Follow the links that were met, take no file twice, and give everything in the order of paths."""
        while self._linked_folders:
            self._folder(self._linked_folders.pop(0))
        found = self.found
        if self._linked_files:
            known = set(map(_identity_of_file, found.files))
            for path in sorted(self._linked_files):
                identity = _identity_of_file(path)
                if identity is not None and identity not in known:
                    known.add(identity)
                    found.files.append(path)
        known_paths = {os.path.normpath(path) for path in self._named}
        rest = (
            (path for path in found.files if os.path.normpath(path) not in known_paths) if known_paths else found.files
        )
        found.files = sorted({*self._named, *rest})
        found.configurations = sorted(set(found.configurations))
        found.deployments.sort()
        return found

    def _folder(self, root: str, *, named: bool = False) -> None:
        stack = [(root, named)]
        while stack:
            folder, named = stack.pop()
            try:
                status = os.stat(folder)
                identity = _identity(folder, status)
                if identity in self._entered:
                    continue
                self._entered.add(identity)
                entries = files.entries(folder, status)
                below = self._entries(entries, "" if folder == os.curdir else folder, named=named)
            except OSError as error:
                files.depends_on(folder)
                self._fail(folder, error)
            else:
                stack.extend((path, False) for path in below)

    def _fail(self, folder: str, error: OSError) -> None:
        from resilience4cata.facts import At, Unreadable

        self.found.unreadable.append(Unreadable(At(folder), reason_of(error)))

    def _entries(self, entries: list[os.DirEntry[str]], folder: str, *, named: bool) -> list[str]:
        """Take the Python files of one folder; returns the folders to enter."""
        if not named and self._foreign(folder, entries):
            return []
        below: list[str] = []
        start = os.path.join(folder, "")
        for entry in entries:
            name = entry.name
            if entry.is_dir(follow_symlinks=False):
                if name[0] != "." and name not in SKIPPED and not self._leaves_out(path := start + name):
                    below.append(path)
                elif name == files.WORKFLOWS[0]:
                    self._workflows(os.path.join(folder, *files.WORKFLOWS))
            elif entry.is_symlink():
                self._link(entry, start + name)
            elif name.endswith(PYTHON):
                if entry.is_file() and not self._leaves_out(path := start + name):
                    self.found.files.append(path)
            elif may_be_deployment(name) and entry.is_file():
                self._deployment(start + name)
        return below

    def _workflows(self, folder: str) -> None:
        if files.is_folder(folder) and not self._leaves_out(folder):
            for name in filter(may_be_deployment, files.names(folder)):
                self._deployment(os.path.join(folder, name))

    def _deployment(self, path: str) -> None:
        if not self._leaves_out(path):
            self.found.deployments.append(path)

    def _link(self, entry: os.DirEntry[str], path: str) -> None:
        # A link that leads nowhere is neither a folder nor a file. Real folders are walked first, so that a file is
        # shown under its own path.
        if entry.name[0] == "." or entry.name in SKIPPED or self._leaves_out(path):
            return
        kind = files.kind(path)
        if kind == "folder":
            self._linked_folders.append(path)
        elif kind == "file" and entry.name.endswith(PYTHON):
            self._linked_files.append(path)

    def _leaves_out(self, path: str) -> bool:
        return self._excluded is not None and self._excluded(path)

    def _foreign(self, folder: str, entries: Sequence[os.DirEntry[str]]) -> bool:
        """Whether a folder that was not named is an environment, the product of a tool, or another project."""
        names = {entry.name for entry in entries}
        if any(mark in names for mark in ENVIRONMENT_MARKS):
            return True
        if os.path.basename(folder) in BUILT and "__init__.py" not in names:
            return True
        return not self._projects and "pyproject.toml" in names


def _is_configuration(path: str) -> bool:
    # Most runs name Python files and folders alone, and never load what knows about configuration.
    from resilience4cata.comments import CONFIGURATION

    return path.endswith(CONFIGURATION) or may_be_deployment(os.path.basename(path))


def may_be_deployment(name: str) -> bool:
    """Whether a file of that name may give variables to processes."""
    return name.endswith(_DEPLOYMENT_ENDS) or name.startswith(_DEPLOYMENT_STARTS)


def _identity(path: str, status: os.stat_result) -> object:
    """What all names of a file or folder have in common: its number, or on disks that have none its real path."""
    return (status.st_dev, status.st_ino) if status.st_ino else os.path.realpath(path)


def _identity_of_file(path: str) -> object:
    try:
        return _identity(path, os.stat(path))
    except OSError:
        return None


def _runs_python(path: str) -> bool:
    """Whether a file without suffix is a script for Python."""
    try:
        first = files.first_line(path)
    except OSError:
        return True  # Reported when it is read.
    return first.startswith(b"#!") and b"python" in first


def ignored_by_git(paths: Sequence[str]) -> frozenset[str]:
    """Those of `paths` that git ignores; none where there is no repository, no git, or git refuses to answer."""
    by_repository: dict[str, dict[bytes, str]] = {}
    for path in paths:
        real = os.path.join(os.path.realpath(os.path.dirname(path) or os.curdir), os.path.basename(path))
        repository = _repository(os.path.dirname(real))
        if repository is not None:
            by_repository.setdefault(repository, {})[os.fsencode(real.replace(os.sep, "/"))] = path
    ignored = (known[real] for repository, known in by_repository.items() for real in _ask_git(repository, known))
    return frozenset(ignored)


def _repository(folder: str) -> str | None:
    while True:
        if files.kind(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _ask_git(repository: str, paths: Iterable[bytes]) -> list[bytes]:
    known = set(paths)
    _note_rules(repository, known)
    answer = _git(repository, "check-ignore", "-z", "--stdin", given=b"\0".join(known) + b"\0")
    return [path for path in answer.split(b"\0") if path in known]


def _note_rules(repository: str, paths: Iterable[bytes]) -> None:
    """Note all that git's answer depends on: its settings, its index, and the rules on the way to each file."""
    if not files.is_noting():
        return
    asked = ("--git-path", "index", "--git-path", "info/exclude", "--git-path", "config")
    lines = (
        _git(repository, "rev-parse", *asked).splitlines()
        + _git(repository, "config", "--path", "core.excludesFile").splitlines()
    )
    home = os.environ.get("HOME") or os.path.expanduser("~")
    settings = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    places = [os.path.join(repository, os.fsdecode(line)) for line in lines]
    places += [os.path.join(settings, "git", name) for name in ("config", "ignore")]
    places += [os.path.join(home, ".gitconfig"), os.path.join(repository, ".gitignore")]
    folders: set[str] = set()
    for path in map(os.fsdecode, paths):
        while (path := os.path.dirname(path)) not in folders and len(path) > len(repository):
            folders.add(path)
    for place in (*places, *(os.path.join(folder, ".gitignore") for folder in folders)):
        files.depends_on(place)


def _program(name: str) -> str | None:
    """Where a program is; never in the working folder, where Windows would look first."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    places = (os.path.join(folder, name + _EXECUTABLE) for folder in folders if os.path.isabs(folder))
    return next((place for place in places if files.is_file(place) and os.access(place, os.X_OK)), None)


def _git(repository: str, *arguments: str, given: bytes = b"") -> bytes:
    """What git says; nothing if it fails or is not there."""
    import subprocess

    # A repository may be anybody's: nothing that it holds, or that its settings name, is run.
    program = _program("git")
    if program is None:
        return b""
    command = [program, "-c", "core.fsmonitor=false", "-C", repository, *arguments]
    # Within a hook of git's, such variables point to the repository of the hook.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        result = subprocess.run(command, input=given, env=environment, capture_output=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return b""
    # 1 says that none is ignored, or nothing is set.
    return result.stdout if result.returncode == 0 else b""
