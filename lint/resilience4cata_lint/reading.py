"""From paths to facts: read, pass the gate, extract; and further modules on demand."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from resilience4cata.records import dataclass, field

from . import discover, files
from .exports import Exports
from .parallel import Task, extract_each
from .progress import Watch, unwatched
from .shares import Shares
from .team import Team

if TYPE_CHECKING:
    from resilience4cata.facts import Unreadable

    from .cache import Cache
    from .extract import FileFacts
    from .locate import Modules, Shown


_ONLY_PARSE: Final = 0x400
"""What `ast` calls `PyCF_ONLY_AST`."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A fault of the linter's own: what it was looking at, and the exception."""

    place: str
    error: Exception


@dataclass(frozen=True, slots=True)
class Means:
    """What a run works with: facts come from `cache` where it has them, `watch` shows how far it is.

    `team` has the processes that help to read and to parse. `skip_unrelated` tells whether named files that have
    nothing to do with us are passed over without being parsed.
    """

    cache: Cache | None = None
    team: Team = field(default_factory=Team)
    watch: Watch = unwatched
    skip_unrelated: bool = False


def _nothing() -> Shares:
    return Shares((), {}, Team(), unwatched)


@dataclass(slots=True)
class Reader:
    """Reads files and makes facts of those that matter.

    `overrides` holds sources that are in no file. After `read`, `facts` has the facts of each file that matters, by
    path, and `unreadable` and `failures` say what went wrong on the way. `unrelated` are named files that cannot be
    parsed and have nothing to do with us: nothing that is said about the others depends on them.
    """

    shown: Shown
    modules: Modules
    overrides: Mapping[str, bytes] = field(default_factory=dict)
    means: Means = field(default_factory=Means)
    facts: dict[str, FileFacts] = field(default_factory=dict)
    unreadable: list[Unreadable] = field(default_factory=list)
    unrelated: list[Unreadable] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    _shares: Shares = field(default_factory=_nothing)
    _given: frozenset[str] = frozenset()
    _path_of: dict[str | None, str] = field(default_factory=dict)
    _loaded: dict[str, FileFacts | None] = field(default_factory=dict)

    def read(self, given: Sequence[str], context: Sequence[str], named: frozenset[str]) -> None:
        """Fill `facts`. What cannot be read is reported if it is given, and passed over in the context.

        `named` files count even if git ignores them, and are parsed in any case: somebody asked about them.
        """
        self._given = frozenset(given)
        self._shares = Shares((*given, *context), self.overrides, self.means.team, self.means.watch)
        mattering, unreadable = self._shares.divided()
        for path, reason in unreadable:
            if path in self._given:
                self._fail(path, reason)
        self._extract(mattering, named)
        exports = Exports()
        new = exports.add(self.facts.items())
        while new:
            admitted = self._shares.admitted(new)
            self._extract(admitted, named)
            new = exports.add((path, self.facts[path]) for path in admitted if path in self.facts)
        if named and not self.means.skip_unrelated:
            self._parse_unrelated(named)

    def _parse_unrelated(self, named: frozenset[str]) -> None:
        parsed = frozenset(self._path_of.values())
        others = sorted((named & self._given) - parsed)
        contents = ((path, self.data(path)) for path in self.means.watch(others, "parsing"))
        broken = [(path, data) for path, data in contents if not _can_be_parsed(data)]
        if broken:
            from resilience4cata.facts import Unreadable

            self.unrelated = [facts for facts in self._facts_of(broken) if isinstance(facts, Unreadable)]

    def load(self, module: str, roots: Sequence[str]) -> FileFacts | None:
        """The facts of a module of the project by its dotted name, or None if it is not found or cannot be read."""
        path = self.modules.file_of(module, roots)
        return None if path is None else self.facts_at(path)

    def facts_at(self, path: str) -> FileFacts | None:
        """The facts of a file that need not matter otherwise, or None if it cannot be read."""
        if path not in self._loaded:
            self._loaded[path] = self._made_of(path)
        return self._loaded[path]

    def _made_of(self, path: str) -> FileFacts | None:
        try:
            data = self.overrides[path] if path in self.overrides else files.read(path)
        except OSError:
            return None
        from resilience4cata.facts import Unreadable

        facts = self._facts_of([(path, data)])[0]
        return None if isinstance(facts, Unreadable) else facts

    def _fail(self, path: str, reason: str) -> None:
        from resilience4cata.facts import At, Unreadable

        self.unreadable.append(Unreadable(At(self.shown(path)), reason))

    def holds(self, path: str, word: bytes) -> bool:
        """Whether a file that was read has this in it."""
        return word in self.data(path)

    def holding(self, words: Sequence[bytes]) -> list[list[str]]:
        """The files that have each of these in them, of all that were read."""
        return self._shares.holding(words)

    def data(self, path: str) -> bytes:
        """What is in a file that was read; nothing if it is gone."""
        return self._shares.data(path)

    def forget(self) -> None:
        """Let go of what is in the files, once nobody will ask for it again."""
        self._shares = _nothing()

    def reports_on(self, shown: str) -> bool:
        """Whether a file is one of those that were given, and has been parsed; `shown` is its path as it is shown."""
        return self._path_of.get(shown) in self._given

    def _extract(self, paths: Sequence[str], named: frozenset[str]) -> None:
        if not paths:
            return
        from resilience4cata.facts import Unreadable

        askable = [path for path in paths if path not in named and path not in self.overrides]
        ignored = discover.ignored_by_git(askable) if askable else frozenset()
        taken = [(path, self.data(path)) for path in paths if path not in ignored]
        for (path, _), facts in zip(taken, self._facts_of(taken), strict=True):
            if isinstance(facts, Unreadable):
                if path in self._given:
                    self.unreadable.append(facts)
            elif facts is not None:
                self.facts[path] = facts

    def _facts_of(self, files: Sequence[tuple[str, bytes]]) -> list[FileFacts | Unreadable | None]:
        """The facts of each file; None where the extractor itself failed, which never stops the run."""
        found: list[FileFacts | Unreadable | None] = []
        tasks: dict[int, Task] = {}
        for index, (path, data) in enumerate(files):
            task = Task(path, self.shown(path), data, self.modules.of(path))
            self._path_of.setdefault(task.shown, path)
            cache = None if path in self.overrides else self.means.cache
            found.append(None if cache is None else cache.get(path, data, task.module, task.shown))
            if found[-1] is None:
                tasks[index] = task
        # What is in no file is not kept.
        cache = None if self.overrides else self.means.cache
        results = extract_each(list(tasks.values()), cache, self.means.team, self.means.watch)
        for index, result in zip(tasks, results, strict=True):
            if isinstance(result, Exception):
                self.failures.append(Failure(tasks[index].shown, result))
            else:
                found[index] = result
        return found


def _can_be_parsed(data: bytes) -> bool:
    """Whether Python takes this for source text; loads nothing, and takes a third of the time that facts take."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(data, "<source>", "exec", _ONLY_PARSE, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def in_groups(reader: Reader, given: Iterable[str]) -> Iterator[tuple[list[FileFacts], tuple[str, ...]]]:
    """Files that can be linked together, each group with the folders that its imports start from.

    Two applications below one folder may both have a module `app.main`; each is then linked by itself, since a name can
    mean only one of them. A root of the context joins where it fits, and is left out otherwise.
    """
    by_root: dict[str, list[tuple[str, FileFacts]]] = {}
    for path, facts in sorted(reader.facts.items()):
        module = reader.modules.of(path)
        by_root.setdefault(module.root, []).append((module.name, facts))
    wanted = {reader.modules.of(path).root for path in given if path in reader.facts}
    groups: list[dict[str, FileFacts]] = []
    roots: list[list[str]] = []
    for root in sorted(by_root, key=lambda root: (root not in wanted, root)):
        files = dict(reversed(by_root[root]))
        place = next((i for i, group in enumerate(groups) if not group.keys() & files.keys()), None)
        if place is not None:
            groups[place].update(files)
            roots[place].append(root)
        elif root in wanted:
            groups.append(files)
            roots.append([root])
    for group, starts in zip(groups, roots, strict=True):
        others = [root for root in by_root if root not in starts]
        yield list(group.values()), (*starts, *others)
