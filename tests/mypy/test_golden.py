"""Exact messages, codes and places for whole programs, and the flag that rewrites what is expected."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.mypy import golden
from tests.mypy.running import CONFIGURATION, mypy, write

CASES = golden.cases()


def check(cases: list[golden.Case], folder: Path, cache: Path) -> dict[str, golden.Case]:
    """The cases, by name, with what mypy says about them in one run."""
    for case in cases:
        write(folder, case.sources())
    messages = mypy(folder, cache=cache).messages
    return {case.name: golden.with_messages(case, messages) for case in cases}


@pytest.fixture(scope="session")
def said(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Mapping[str, golden.Case]:
    return check(CASES, tmp_path_factory.mktemp("golden"), cache)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_golden(case: golden.Case, said: Mapping[str, golden.Case], request: pytest.FixtureRequest) -> None:
    """mypy says exactly what stands in the golden file."""
    now = said[case.name]
    if request.config.getoption("--update-golden", default=False):
        golden.update(golden.FOLDER, [now])
        return
    assert case.text() == now.text()


FORGETFUL = """\
import resilience4cata_mypy
from resilience4cata_mypy import judge

judge.fingerprint = lambda *_: None
judge.content = lambda *_: object()
plugin = resilience4cata_mypy.plugin
"""


def test_memory_changes_nothing(said: Mapping[str, golden.Case], tmp_path: Path, cache: Path) -> None:
    """Knowing again what is without fault saves time and nothing else: without it mypy says the same."""
    (tmp_path / "forgetful.py").write_text(FORGETFUL, encoding="utf-8")
    write(tmp_path, {"mypy.ini": CONFIGURATION.replace("resilience4cata_mypy", "forgetful.py")})
    files = {name: text for case in CASES for name, text in case.sources().items()}
    write(tmp_path, files)
    messages = mypy(tmp_path, *sorted(files), cache=cache).messages
    assert {case.name: golden.with_messages(case, messages).text() for case in CASES} == {
        name: case.text() for name, case in said.items()
    }


def test_update_rewrites_what_is_expected(tmp_path: Path, cache: Path) -> None:
    """The flag puts in what is missing, takes out what is wrong, and leaves the program as it is."""
    program = 'from resilience4cata import retry, timeout\n\na = timeout("1 s")\nb = retry(delay="1s")\n'
    lines = program.splitlines()
    stale = "# E:1-2: gone long ago  [R4C-FB-002]"
    path = tmp_path / "flag.case"
    path.write_text("\n".join(["--- app.py", *lines, stale]) + "\n", encoding="utf-8")
    golden.update(tmp_path, check(golden.cases(tmp_path), tmp_path, cache).values())
    message = '# E:13-17: timeout("1 s"): "1 s" is not a duration: blanks are not allowed, at character 2; '
    expected = ["--- app.py", *lines[:3], f"{message}did you mean '1s'?  [R4C-DU-001]", lines[3]]
    assert expected == path.read_text(encoding="utf-8").splitlines()


def test_a_file_that_begins_with_no_module_is_refused() -> None:
    """An update would otherwise leave an empty file."""
    with pytest.raises(ValueError, match=r"odd\.case begins with no '--- module\.py'"):
        golden.parse("odd", "x = 1\n")
