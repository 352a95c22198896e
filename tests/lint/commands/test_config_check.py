"""`r4c config check`: configuration files, without the code."""

from pathlib import Path

import pytest

from resilience4cata_lint.cli import main

WRONG = "[resilience4cata.defaults.retry]\nmax-attempts = 0\n"
FOUND = (
    "settings/prod.toml:2:16: error: [R4C-CFG-012] defaults.retry.max-attempts: 0 is out of range: "
    "'max-attempts' must be a whole number, at least 1"
)
PROJECT = '[tool.r4c]\nconfig-files = ["settings/prod.toml"]\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a faulty configuration file and faulty code, which is the working folder."""
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings" / "prod.toml").write_text(WRONG, encoding="utf-8")
    (tmp_path / "app.py").write_text('from resilience4cata import timeout\n\na = timeout("2 s")\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [line for line in capsys.readouterr().out.splitlines() if "R4C-" in line]


def test_named_files(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The files that are named are checked, and nothing else."""
    assert main(["config", "check", "--format", "concise", "settings/prod.toml"]) == 1
    assert [FOUND] == lines(capsys)


def test_files_of_the_project(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a name, those that the project lists are checked."""
    (project / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    assert main(["config", "check", "--format", "concise"]) == 1
    assert [FOUND] == lines(capsys)


def test_a_correct_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing found is success, whatever the code looks like."""
    (project / "settings" / "prod.toml").write_text(WRONG.replace("0", "3"), encoding="utf-8")
    assert main(["config", "check", "--format", "concise", "settings/prod.toml"]) == 0
    assert lines(capsys) == []


def test_no_files(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where there is nothing to check, it says what to do."""
    assert main(["config", "check"]) == 2
    expected = "r4c: error: no configuration files: name them, or list them as config-files under [tool.r4c]\n"
    assert expected == capsys.readouterr().err
