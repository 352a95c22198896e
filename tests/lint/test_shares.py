"""Files as bytes, divided among processes: the same answers as one process gives."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from resilience4cata_lint import files, shares
from resilience4cata_lint.files import Notes, noting, unchanged
from resilience4cata_lint.gate import Export
from resilience4cata_lint.progress import unwatched
from resilience4cata_lint.shares import Share, Shares
from resilience4cata_lint.team import Helper, Team
from tests.lint.folder import write

POLICIES = Export("acme/policies.py", "acme.policies", frozenset({"external_call", "internal_call"}))
CLIENT = Export("acme/client.py", "acme.client", frozenset({"Client"}))
TEXTS = {
    "acme/__init__.py": "",
    "acme/client.py": "from .policies import external_call\nclass Client: ...\n",
    "acme/policies.py": "from resilience4cata import retry\n",
    "acme/plain.py": "import os\n",
    "acme/user.py": "from acme.client import Client\n",
    "other.py": "from acme.policies import external_call  # external_call\n",
    "zebra.py": "import resilience4cata\n# äöü external_call\n",
}
PATHS = [*TEXTS, "gone.py"]


@pytest.fixture(autouse=True)
def here(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files in the working folder; a further process pays for any two of them."""
    monkeypatch.setattr(shares, "_HEAD_START", 1)
    for path, text in TEXTS.items():
        write(path, text)
    return here


@pytest.fixture(params=[1, 2, 3, 50])
def team(request: pytest.FixtureRequest) -> Iterator[Team]:
    with Team(request.param) as team:
        yield team


def asked(divided: Shares) -> object:
    """Whatever there is to ask, in the order of a run."""
    mattering, unreadable = divided.divided()
    rounds = [divided.admitted([POLICIES]), divided.admitted([CLIENT]), divided.admitted([CLIENT])]
    return mattering, unreadable, rounds, divided.holding([b"external_call", "ö".encode(), b"nowhere"])


def test_any_number_of_processes(team: Team) -> None:
    """What names us, what cannot be read, what imports ours round by round, and what has a word in it."""
    assert (
        ["acme/policies.py", "zebra.py"],
        [("gone.py", "no such file or directory")],
        [["acme/client.py", "other.py"], ["acme/user.py"], []],
        [["acme/client.py", "other.py", "zebra.py"], ["zebra.py"], []],
    ) == asked(Shares(PATHS, {}, team, unwatched))


def test_all_processes_take_part() -> None:
    """Each file is read by one of them, and this process has the larger share while others start."""
    with Team(3) as team:
        divided = Shares(PATHS, {}, team, unwatched)
        parts = [divided._own._paths, *(lent._paths for lent in divided._lent)]
    assert [PATHS[:4], PATHS[4:6], PATHS[6:]] == parts


@pytest.mark.parametrize("number", range(4))
def test_any_number_of_files(number: int, team: Team) -> None:
    """As few as there may be."""
    expected = asked(Shares(PATHS[:number], {}, Team(), unwatched))
    assert expected == asked(Shares(PATHS[:number], {}, team, unwatched))


@pytest.mark.parametrize("survived", range(4))
def test_a_process_that_dies(survived: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After however many answers: what it can no longer be asked is found out here."""
    expected = asked(Shares(PATHS, {}, Team(), unwatched))
    real: Callable[[Helper], object] = Helper.answer
    answers = iter(range(survived))

    def until_then(helper: Helper) -> object:
        if next(answers, None) is None:
            helper._process.kill()
            helper._process.wait()
        return real(helper)

    monkeypatch.setattr(Helper, "answer", until_then)
    with Team(2) as team:
        assert expected == asked(Shares(PATHS, {}, team, unwatched))


def noted(jobs: int) -> Notes:
    with noting() as notes, Team(jobs) as team:
        asked(Shares(PATHS, {}, team, unwatched))
    return notes


def test_notes_of_all_processes() -> None:
    """What another process asked the file system is noted as well, in the same words."""
    assert noted(1) == noted(3)
    assert "rzebra.py" in noted(3)


def test_what_another_process_read_is_watched() -> None:
    """A change of it makes the notes void."""
    notes = noted(3)
    assert unchanged(notes)
    write("zebra.py", "import resilience4cata\n# changed\n")
    assert not unchanged(notes)


def test_what_is_in_no_file_stays_here() -> None:
    """Other processes would not see it."""
    with Team(3) as team:
        found = Shares(PATHS, {"zebra.py": b"x"}, team, unwatched).divided()
        with files.holding({"zebra.py": b"y"}):
            held = Shares(PATHS, {}, team, unwatched).divided()
    assert (["acme/policies.py"], ["acme/policies.py"]) == (found[0], held[0])


def test_what_does_not_fit_is_read_again() -> None:
    """However little may be kept."""
    share = Share(PATHS, room=0)
    share.divided()
    assert ["acme/client.py", "other.py", "zebra.py"] == share.holding([b"external_call"])[0]


@pytest.mark.skipif(os.name == "nt", reason="processes are listed otherwise there")
def test_nobody_stays_behind() -> None:
    """Helpers are gone with the block, whether they were at work or not."""
    with Team(3) as team:
        busy, idle = team.helpers(2)
        busy.ask("divided", PATHS, 0)
    assert [-9, -9] == [helper._process.returncode for helper in (busy, idle)]
    assert [True, True] == [helper._process.stdout.closed for helper in (busy, idle) if helper._process.stdout]
