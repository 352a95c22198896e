"""Facts of many files at once, with more than one process where that pays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from .progress import Watch, unwatched
from .team import Helper, Team

if TYPE_CHECKING:
    from resilience4cata.facts import Unreadable

    from .cache import Cache
    from .extract import FileFacts
    from .locate import Module

    Result = FileFacts | Unreadable | Exception

# A process that starts costs as much as parsing this many bytes; with less than twice that it does not pay.
_WORTH: Final = 400_000


class Task(NamedTuple):
    """A file to parse: where it is, how it is shown, what is in it, and which module it is."""

    path: str
    shown: str
    data: bytes
    module: Module


def extract_each(tasks: Sequence[Task], cache: Cache | None, team: Team, watch: Watch = unwatched) -> list[Result]:
    """The facts of each file, or what the extractor failed with, in the order of the tasks; `cache` gets them too."""
    if not tasks:
        return []
    # There are as many shares as files at the most.
    paying = min(sum(len(task.data) for task in tasks) // _WORTH, len(tasks) - 1)
    helpers = team.helpers(paying)
    shares = _shares(tasks, 1 + len(helpers))
    # All begin at once; the first share is done here.
    for share, helper in zip(shares[1:], helpers, strict=False):
        _ask(helper, [tasks[index] for index in share], cache)
    results = dict(zip(shares[0], facts_of_each([tasks[index] for index in shares[0]], cache, watch), strict=True))
    for share, helper in zip(shares[1:], helpers, strict=False):
        found = _answer(helper, len(share))
        if found is None:
            found = facts_of_each([tasks[index] for index in share], cache, watch)
        results.update(zip(share, found, strict=True))
    return [results[index] for index in range(len(tasks))]


def _ask(helper: Helper, tasks: Sequence[Task], cache: Cache | None) -> None:
    import pickle

    helper.ask("facts", pickle.dumps((tasks, cache), pickle.HIGHEST_PROTOCOL))


def _answer(helper: Helper, expected: int) -> list[Result] | None:
    """What it found; None if it failed."""
    import pickle

    try:
        # It comes from a process of our own, through a pipe that nobody else has.
        found: list[Result] = pickle.loads(helper.answer())
    except Exception:
        return None
    return found if len(found) == expected else None


def _shares(tasks: Sequence[Task], number: int) -> list[list[int]]:
    """The tasks divided so that each share has about as many bytes; the first is that of this process."""
    shares: list[list[int]] = [[] for _ in range(max(number, 1))]
    sizes = [0] * len(shares)
    for index in sorted(range(len(tasks)), key=lambda index: -len(tasks[index].data)):
        least = sizes.index(min(sizes))
        shares[least].append(index)
        sizes[least] += len(tasks[index].data)
    return [share for number, share in enumerate(shares) if share or not number]


def facts_of_each(tasks: Sequence[Task], cache: Cache | None, watch: Watch = unwatched) -> list[Result]:
    """The facts of each file, made here."""
    from . import extract

    results: list[Result] = []
    for task in watch(tasks, "parsing"):
        try:
            facts = extract.extract(task.shown, task.data, task.module.name, task.module.is_package)
            if cache is not None and isinstance(facts, extract.FileFacts):
                cache.put(task.path, task.data, task.module, facts)
            results.append(facts)
        except Exception as error:
            results.append(error)
    return results
