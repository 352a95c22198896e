"""What a run looks at: the files that were given, and those around them that explain them."""

# Paths stay the texts they were given as: making objects of thousands of them costs more than reading the files.
# ruff: noqa: PTH100, PTH118, PTH120

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from resilience4cata.records import dataclass, field

from . import files
from .discover import Excluded, Found, Walk
from .locate import Modules, Shown, relative
from .options import Options, UsageError
from .project import nearest

if TYPE_CHECKING:
    from resilience4cata.facts import Unreadable

STDIN: Final = "-"


@dataclass(frozen=True, slots=True)
class Stdin:
    """Source text from standard input, and the path that it is to be treated as (None: it has none).

    Edits are for the path as it is shown: given otherwise, they would be for the file that lies there.
    """

    data: bytes
    filename: str | None = None

    @property
    def path(self) -> str:
        return self.filename or "<stdin>"


@dataclass(slots=True)
class Inputs:
    """Python files and configuration files of a run.

    `given` is reported on, `context` only read: in a project, classes, policies and templates of the files around
    explain those that were given. `deployments` may give variables to processes. `named` are files that were named one
    by one, so that nothing may leave them out.
    `closed` tells whether the given files are a whole project; `folders` are the folders that were given.
    """

    given: list[str] = field(default_factory=list)
    named: frozenset[str] = frozenset()
    context: list[str] = field(default_factory=list)
    configurations: list[str] = field(default_factory=list)
    deployments: list[str] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    folders: tuple[str, ...] = ()
    closed: bool = False


def gather(paths: Sequence[str], options: Options, stdin: Stdin | None = None) -> Inputs:
    """Walk everything. Raises UsageError for a path that does not exist."""
    excluded = Excluded(options.exclude, options.root)
    walk = Walk(excluded or None)
    folders = [path for path in paths if files.is_folder(path)]
    for path in paths:
        try:
            walk.add(_clean(path))
        except OSError as error:
            raise UsageError(no_such_path(path, error)) from error
    found = walk.finish()
    given = Inputs(
        given=[stdin.path] if stdin is not None else found.files,
        named=_named(paths, folders, stdin),
        configurations=found.configurations,
        deployments=[*found.configurations, *found.deployments],
        unreadable=found.unreadable,
        skipped=found.skipped,
        folders=tuple(folders),
        closed=stdin is None and _are_whole(paths, folders, found, options),
    )
    if options.is_project and not any(files.is_below(options.root, folder) for folder in folders):
        given.context = _around(given.given, options.root, excluded)
    return given


def _named(paths: Sequence[str], folders: Sequence[str], stdin: Stdin | None) -> frozenset[str]:
    if stdin is not None:
        return frozenset({stdin.path})
    return frozenset(_clean(path) for path in paths if path not in folders)


def whole(options: Options) -> Inputs:
    """All files of a project, for those who ask about one after the other.

    They are not closed: each is told what it would be told alone.
    """
    return Inputs(given=_around((), options.root, Excluded(options.exclude, options.root)))


def import_roots(paths: Sequence[str], options: Options) -> Modules:
    """The names of modules, counted from the project's folder, its `src`, and the folders that were given.

    Where there is no project, the working folder counts for it: a file has the same name alone and among others.
    """
    folders = [path for path in paths if files.is_folder(path)]
    is_project = options.is_project or not files.is_below(options.root, os.curdir)
    root = options.root if is_project else os.curdir
    return Modules([root, os.path.join(root, "src"), *folders])


def shown_in(options: Options) -> Shown:
    """How the paths of a run are shown."""
    return Shown(options.root if options.is_project else None)


def _around(given: Sequence[str], root: str, excluded: Excluded) -> list[str]:
    walk = Walk(excluded or None, projects=False)
    try:
        walk.add(relative(root))
    except OSError:
        return []
    known = set(map(files.canonical, given))
    return [path for path in walk.finish().files if files.canonical(path) not in known]


def _clean(path: str) -> str:
    """The path as it is shown: `./a/../b.py` is `b.py`. Nothing, as an unset variable gives it, stays nothing."""
    return os.path.normpath(path) if path else path


def _are_whole(paths: Sequence[str], folders: Sequence[str], found: Found, options: Options) -> bool:
    """Whether the paths are taken for a whole project: folders are, and what is named beside them adds to it.

    Files alone never are. Nor are parts of a package, to which other parts may well belong, and configuration of
    another project.
    """
    if not folders:
        return False
    configurations, skipped = set(found.configurations), set(found.skipped)
    for path in paths:
        if any(files.is_below(path, folder) and not files.is_below(folder, path) for folder in folders):
            continue
        if _clean(path) in configurations:
            if not _is_of_project(path, options):
                return False
        elif _clean(path) not in skipped and _within_package(path):
            return False
    return True


def _is_of_project(configuration: str, options: Options) -> bool:
    """Whether a configuration file is listed, or no other project is nearer to it."""
    if files.canonical(configuration) in map(files.canonical, options.config_files):
        return True
    pyproject = nearest(os.path.dirname(os.path.abspath(configuration)))
    root = options.root if options.is_project else None
    return root == (None if pyproject is None else os.path.dirname(os.path.abspath(pyproject)))


def _within_package(path: str) -> bool:
    """Whether the file or folder is a part of a package."""
    return files.is_file(os.path.join(os.path.dirname(os.path.abspath(path)), "__init__.py"))


def no_such_path(path: str, error: OSError) -> str:
    """What to say about a path that cannot be looked at, with what was probably meant."""
    from resilience4cata.suggestions import did_you_mean

    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        return f"cannot look at '{path}': {error.strerror}"
    folder, name = os.path.split(path)
    try:
        neighbours = files.names(folder or os.curdir)
    except OSError:
        neighbours = []
    found = did_you_mean(name, neighbours)
    suggestion = os.path.join(folder, found) if found else None
    if os.sep == "/" and "\\" in path and files.kind(slashed := path.replace("\\", "/")):
        suggestion = slashed
    advice = f"; did you mean '{suggestion}'?" if suggestion else ""
    return f"no such file or folder: '{path}'{advice}"
