"""The baseline: what was there before is passed over, what is new is reported, what is gone fails the run."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resilience4cata_lint.baseline import Baseline
from resilience4cata_lint.cli import main
from resilience4cata_lint.options import UsageError
from tests.lint.folder import write

HEAD = "from resilience4cata import retry, timeout\n"
ATTEMPTS = "\n\n@retry(max_attempts=0)\ndef f() -> None: ...\n"
DURATION = '\n\n@timeout("2 s")\ndef g() -> None: ...\n'
NAME = "known.json"

Outcome = tuple[int, list[str], str]


pytestmark = pytest.mark.usefixtures("here")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs `r4c check` with the baseline: exit code, codes of findings, standard error."""

    def run(*arguments: str, baseline: str = NAME) -> tuple[int, list[str], str]:
        code = main(["check", "--format", "json", "--baseline", baseline, *arguments])
        out, err = capsys.readouterr()
        return code, [entry["code"] for entry in json.loads(out)] if out else [], err

    return run


def test_the_file(run: Any) -> None:
    """It says what each entry is about, in a fixed order."""
    write("b.py", HEAD + DURATION)
    write("a.py", HEAD + ATTEMPTS)
    assert (0, [], "r4c: wrote known.json: 2 known (2 new, 0 gone)\n") == run("--update-baseline")
    expected = """\
{
  "version": 1,
  "entries": [
    {
      "path": "a.py",
      "code": "R4C-VA-001",
      "subject": "@retry(max_attempts=0) on a.f",
      "message": "0 is out of range: 'max_attempts' must be a whole number, at least 1",
      "fingerprint": "3cc018349230c0e2246210cd3554b0e5"
    },
    {
      "path": "b.py",
      "code": "R4C-DU-001",
      "subject": "@timeout(\\"2 s\\") on b.g",
      "message": "\\"2 s\\" is not a duration: blanks are not allowed, at character 2",
      "fingerprint": "e62c07b6af7e5bd2e39e88b6f5615c72"
    }
  ]
}
"""
    assert expected == Path(NAME).read_text(encoding="utf-8")


def test_known_findings_are_passed_over(run: Any) -> None:
    """Also when lines were added above them, and from another working folder."""
    write("a.py", HEAD + ATTEMPTS)
    run("--update-baseline")
    write("a.py", f'"""What it is about."""\n\n{HEAD}{DURATION}{ATTEMPTS}')
    assert (1, ["R4C-DU-001"], "") == run()


def test_from_another_folder(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths count from the file of the baseline."""
    write("src/a.py", HEAD + ATTEMPTS)
    run("--update-baseline")
    monkeypatch.chdir("src")
    assert (0, [], "") == run("a.py", baseline=f"../{NAME}")


def test_alike_findings_are_counted(run: Any) -> None:
    """A second one that is the same to the letter is still new."""
    write("a.py", HEAD + ATTEMPTS)
    run("--update-baseline")
    write("a.py", HEAD + ATTEMPTS + ATTEMPTS)
    assert (1, ["R4C-VA-001"], "") == run()


GONE = (
    "r4c: error: a.py: [R4C-VA-001] @retry(max_attempts=0) on a.f is in known.json and no longer occurs\n"
    "  write the baseline anew with --update-baseline\n"
)


def test_what_is_gone_fails_the_run(run: Any) -> None:
    """Otherwise it would hide the next fault of its kind."""
    write("a.py", HEAD + ATTEMPTS + DURATION)
    run("--update-baseline")
    write("a.py", HEAD + DURATION)
    assert (1, [], GONE) == run()
    assert (0, [], GONE) == run("--exit-zero")
    assert (0, [], "r4c: wrote known.json: 1 known (0 new, 1 gone)\n") == run("--update-baseline")
    assert (0, [], "") == run()


def test_nothing_but_what_is_gone(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """It is not called clean: what is outdated stands on standard error, that something is, in every summary."""
    write("a.py", HEAD + ATTEMPTS)
    run("--update-baseline")
    write("a.py", HEAD)
    for form in ("full", "concise", "github"):
        assert 1 == main(["check", "--format", form, "--baseline", NAME])
        expected = ("Nothing new was found, but 1 entry of the baseline must go.\n", GONE)
        assert expected == tuple(capsys.readouterr())
    write("b.py", HEAD + ATTEMPTS.replace("f()", "g()"))
    write("a.py", HEAD + ATTEMPTS)
    run("--update-baseline")
    write("a.py", HEAD)
    write("b.py", HEAD)
    main(["check", "--baseline", NAME])
    assert "Nothing new was found, but 2 entries of the baseline must go.\n" == capsys.readouterr().out


def test_a_file_that_is_gone(run: Any) -> None:
    """Its entries are gone with it."""
    write("a.py", HEAD + ATTEMPTS)
    write("b.py", "")
    run("--update-baseline")
    Path("a.py").unlink()
    assert (1, [], GONE) == run()


def test_what_was_not_looked_at_stays(run: Any) -> None:
    """Other files, other rules, and rules about the whole project on a part of it."""
    write("a.py", HEAD + ATTEMPTS)
    write("b.py", HEAD + DURATION)
    run("--update-baseline")
    write("a.py", HEAD)
    assert (0, [], "") == run("b.py")
    assert (0, [], "") == run("--select", "DU")
    assert (0, [], "r4c: wrote known.json: 2 known (0 new, 0 gone)\n") == run("b.py", "--update-baseline")
    assert (1, [], GONE) == run("a.py")


def test_in_the_settings(capsys: pytest.CaptureFixture[str]) -> None:
    """`baseline` of `[tool.r4c]` counts from the project's folder."""
    write("pyproject.toml", f'[tool.r4c]\nbaseline = "{NAME}"\n')
    write("src/a.py", HEAD + ATTEMPTS)
    assert (0, 0) == (main(["check", "--update-baseline"]), main(["check", "src"]))
    assert "src/a.py" in Path(NAME).read_text(encoding="utf-8")
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--baseline", NAME], f"there is no baseline {NAME}; make it with --update-baseline"),
        (
            ["--update-baseline"],
            "--update-baseline needs a file: name it with --baseline, or as baseline in [tool.r4c]",
        ),
        (
            ["--baseline", "no/such.json", "--update-baseline"],
            "cannot write the baseline no/such.json: No such file or directory",
        ),
        (["--baseline", "."], "cannot read the baseline .: Is a directory"),
    ],
)
def test_mistakes(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 and a sentence."""
    assert 2 == main(["check", *arguments])
    assert f"r4c: error: {message}\n" == capsys.readouterr().err


ADVICE = "delete it and make it anew with --update-baseline"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot be read as JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ("[]", "has no list of entries"),
        ('{"entries": {}}', "has no list of entries"),
        ('{"entries": []}', "is not of version 1"),
        ('{"version": 2, "entries": []}', "is not of version 1"),
    ],
)
def test_broken(run: Any, text: str, message: str) -> None:
    """A broken file is never taken for an empty one, and never overwritten."""
    write(NAME, text)
    expected: Outcome = (2, [], f"r4c: error: the baseline {NAME} {message}; {ADVICE}\n")
    assert (expected, expected, text) == (run(), run("--update-baseline"), Path(NAME).read_text(encoding="utf-8"))


def test_broken_entry(run: Any) -> None:
    write(NAME, '{"version": 1, "entries": [{"path": "a.py"}]}')
    needed = "path, code, subject, message, fingerprint"
    assert (2, [], f"r4c: error: the baseline {NAME}: entry 1 needs the texts {needed}; {ADVICE}\n") == run()


@given(
    data=st.binary()
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["version", "entries", "path"]), inner),
    ).map(lambda value: json.dumps(value).encode())
    | st.just(b"[" * 100_000)
)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes(here: Path, data: bytes) -> None:
    """Whatever the file holds, it is read or refused in words."""
    path = here / NAME
    path.write_bytes(data)
    try:
        Baseline(str(path))
    except UsageError as error:
        assert str(error).startswith(("the baseline ", "cannot read "))  # noqa: PT017


def test_written_at_once(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """If writing fails half-way, the old file is whole and nothing is left beside it."""
    write("a.py", HEAD + ATTEMPTS)
    run("--update-baseline")
    before = Path(NAME).read_text(encoding="utf-8")
    write("a.py", HEAD)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    expected: Outcome = (2, [], f"r4c: error: cannot write the baseline {NAME}: No space left on device\n")
    assert expected == run("--update-baseline")
    assert (before, ["a.py", NAME]) == (
        Path(NAME).read_text(encoding="utf-8"),
        sorted(path.name for path in Path().iterdir()),
    )


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_permissions(run: Any) -> None:
    """A new file gets those that any new file gets, and keeps those that it has."""
    write("a.py", HEAD)
    run("--update-baseline")
    assert stat.S_IMODE(Path("a.py").stat().st_mode) == stat.S_IMODE(Path(NAME).stat().st_mode)
    Path(NAME).chmod(0o640)
    run("--update-baseline")
    assert 0o640 == stat.S_IMODE(Path(NAME).stat().st_mode)
