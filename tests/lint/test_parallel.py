"""Parsing in several processes: faster, and the same in every other respect."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest

from resilience4cata.facts import Unreadable
from resilience4cata_lint import extract, parallel, shares
from resilience4cata_lint.locate import Module
from resilience4cata_lint.parallel import Task, extract_each
from resilience4cata_lint.team import Helper, Team
from tests.lint.cached_project import FILES, check, entries, make_project, uncached
from tests.lint.faulty_modules import CLIENT
from tests.lint.folder import write


@pytest.fixture(autouse=True)
def here(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project, in the working folder; a second process pays for any two files, to read and to parse."""
    monkeypatch.setattr(parallel, "_WORTH", 1)
    monkeypatch.setattr(shares, "_HEAD_START", 1)
    make_project()
    return here


def task(path: str, text: str) -> Task:
    return Task(path, path, text.encode(), Module(path.removesuffix(".py"), False, ""))


def tasks() -> list[Task]:
    """Files of different sizes, one of them unreadable."""
    return [task(f"m{number}.py", CLIENT * (number + 1)) for number in range(5)] + [task("broken.py", "x = (")]


def extracted(jobs: int | None) -> list[object]:
    """What as many processes make of the tasks."""
    with Team(jobs) as team:
        return list(extract_each(tasks(), None, team))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What helpers were asked for."""
    works: list[str] = []
    real = Helper.ask

    def noted(helper: Helper, work: str, *arguments: object) -> None:
        works.append(work)
        real(helper, work, *arguments)

    monkeypatch.setattr(Helper, "ask", noted)
    return works


@pytest.mark.parametrize("jobs", [1, 2, 3, 50])
def test_results_in_order(jobs: int, asked: list[str]) -> None:
    """As many processes as are allowed and as there are files give what one gives."""
    found = extracted(jobs)
    assert ["facts"] * (min(jobs, 6) - 1) == asked
    assert repr([extract.extract(t.shown, t.data, t.module.name, False) for t in tasks()]) == repr(found)


def test_little_work_stays_here(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A process more would cost more than it saves."""
    monkeypatch.setattr(parallel, "_WORTH", 10_000)
    extracted(8)
    assert [] == asked


def test_shares_are_even() -> None:
    """Each process gets about as many bytes."""
    sizes = [700, 100, 100, 100, 400, 0]
    given = [task(f"m{number}.py", "#" * size) for number, size in enumerate(sizes)]
    assert [700, 700] == [sum(sizes[index] for index in share) for share in parallel._shares(given, 2)]


ORDERS = list(itertools.islice(itertools.permutations(path for path in FILES if path.endswith(".py")), 0, 720, 97))


@pytest.mark.parametrize("order", ORDERS)
def test_any_order_cached_or_not(order: tuple[str, ...]) -> None:
    """With and without cache, with one process and two, in any order of files: the same bytes."""
    expected = uncached(*sorted(order))
    runs = [("--no-cache", "--jobs", "2"), ("--jobs", "2"), ("--jobs", "2"), ("--jobs", "1"), ("--jobs", "1")]
    assert [expected] * 5 == [check(*run, *order) for run in runs]


def test_any_working_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same from another folder."""
    monkeypatch.chdir("acme")
    expected = uncached("..")
    assert [expected] * 3 == [check("--no-cache", "--jobs", "2", ".."), check("--jobs", "2", ".."), check("..")]


def test_all_processes_fill_the_cache(asked: list[str]) -> None:
    """What another process parsed is not parsed again."""
    check("--jobs", "3")
    assert ["divided", "divided", "facts", "facts"] == [work for work in asked if work in {"divided", "facts"}]
    assert 3 == sum(path.name.startswith("facts-") for path in entries())


def test_processes_that_do_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no process can be had, the work is done here."""
    expected = extracted(1)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert repr(expected) == repr(extracted(3))


@pytest.mark.parametrize("program", ["exit 3", "head -c 1 > /dev/null", "echo nonsense", "yes"])
def test_processes_that_fail(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a process does not answer is done here: whether it dies, says nothing, or says what is no answer."""
    write("python", f"#!/bin/sh\n{program}\n")
    Path("python").chmod(0o755)
    expected = extracted(1)
    monkeypatch.setattr(sys, "executable", str(Path("python").absolute()))
    assert repr(expected) == repr(extracted(3))


def test_faults_of_ours_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception of the extractor is a result like others."""

    def fail(path: str, *_: object) -> Unreadable:
        raise LookupError(path)

    monkeypatch.setattr(extract, "extract", fail)
    assert "[LookupError('broken.py')]" == repr(extract_each([task("broken.py", "x")], None, Team()))


def test_the_working_folder_is_not_imported_from(asked: list[str]) -> None:
    """A project whose modules are named like Python's own is not run."""
    write("pickle.py", "raise SystemExit(open('harm', 'w').write('done'))\n")
    extracted(2)
    assert ["facts"] == asked
    assert not Path("harm").exists()


@pytest.mark.parametrize("number", ["0", "-1", "two", "1.5"])
def test_jobs_must_be_a_number(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Anything but a number from 1 is refused."""
    assert 2 == check("--jobs", number)[0]
