"""Which files are written, how, and what is said about it."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from pathlib import Path

import pytest

from resilience4cata.diagnostics import Action
from resilience4cata.facts import At
from resilience4cata_lint import extract, files
from resilience4cata_lint.cli import main
from resilience4cata_lint.fixing import applying, code, offers, passes
from resilience4cata_lint.fixing.text import Edit

from ..folder import write
from .repairing import Run
from .users import COUNTED, RIGHT, UNSAFE, WRONG, read

# ---------------------------------------------------------------- results


def test_all_repaired(run: Run) -> None:
    """Nothing remains: exit 0; a second run has nothing to do."""
    write("acme.py", WRONG)
    assert (0, COUNTED, "") == run("--fix")
    assert RIGHT == read()
    assert (0, "All checks passed.\n", "") == run("--fix")


def test_unsafe_remain(run: Run) -> None:
    """Without `--unsafe-fixes` they are reported, and the last line says how many they are."""
    write("acme.py", UNSAFE)
    code, out, _ = run("--fix", "--format", "concise")
    assert 1 == code
    finding, counts, hint = out.splitlines()
    assert finding.startswith('acme.py:5:14: error: [R4C-DU-001] @timeout("2 seconds") on acme.Users.find: ')
    assert "Found 2 errors in 1 file (1 fixed, 1 remaining; checked 1 file)" == counts
    assert "1 fixable with --fix --unsafe-fixes" == hint
    assert UNSAFE.replace("nobdy", "nobody") == read()
    assert 0 == run("--fix", "--unsafe-fixes")[0]
    assert RIGHT == read()


def test_hint(run: Run) -> None:
    """Without `--fix`, the last line says what it would do; with `--unsafe-fixes` all of it is offered."""
    write("acme.py", UNSAFE)
    assert "[*] 1 fixable with --fix (1 more with --unsafe-fixes)" == run()[1].splitlines()[-1]
    assert "[*] 2 fixable with --fix --unsafe-fixes" == run("--unsafe-fixes")[1].splitlines()[-1]
    assert UNSAFE == read()


def test_exit_zero(run: Run) -> None:
    write("acme.py", UNSAFE)
    assert 0 == run("--fix", "--exit-zero")[0]


def test_json(run: Run) -> None:
    """Each finding with its edits: places count from 1, in characters."""
    write("acme.py", WRONG.replace("class", "ñ = '漢'\nclass").replace('@timeout("2 s")', '@timeout("2 seconds")'))
    found = json.loads(run("--format", "json")[1])
    assert [
        {
            "applicability": "unsafe",
            "message": "write '2s' for '2 seconds'",
            "edits": [{"line": 6, "column": 15, "end_line": 6, "end_column": 24, "content": "2s"}],
        },
        {
            "applicability": "safe",
            "message": "write '_nobody' for '_nobdy'",
            "edits": [{"line": 7, "column": 23, "end_line": 7, "end_column": 29, "content": "_nobody"}],
        },
    ] == [finding["fix"] for finding in found]


def test_json_without_an_edit(run: Run) -> None:
    write("acme.py", WRONG.replace('"_nobdy"', '"_nob" "dy"').replace("2 s", "5"))
    assert [None, None] == [finding["fix"] for finding in json.loads(run("--format", "json")[1])]


# ---------------------------------------------------------------- what is not repaired


def test_only_what_is_selected(run: Run) -> None:
    write("acme.py", WRONG)
    run("--fix", "--select", "DU")
    assert WRONG.replace("2 s", "2s") == read()


def test_suppressed_stays(run: Run) -> None:
    source = WRONG.replace('"2 s")', '"2 s")  # r4c: ignore[R4C-DU-001]')
    write("acme.py", source)
    assert 0 == run("--fix")[0]
    assert source.replace("nobdy", "nobody") == read()


def test_baseline_stays(run: Run) -> None:
    """What is known already; what is new is repaired."""
    write("acme.py", WRONG)
    run("--baseline", "known.json", "--update-baseline", "--select", "DU")
    assert (0, COUNTED.replace("2 errors", "1 error").replace("2 fixed", "1 fixed"), "") == run(
        "--baseline", "known.json", "--fix"
    )
    assert WRONG.replace("nobdy", "nobody") == read()


def test_other_files_stay(run: Run) -> None:
    """Files around those that are checked are read, not repaired."""
    write("pyproject.toml", "[project]\n")
    write("acme.py", WRONG)
    write("other.py", WRONG)
    run("--fix", "other.py")
    assert (WRONG, RIGHT) == (read(), read("other.py"))


def test_per_file_ignores(run: Run) -> None:
    write("pyproject.toml", '[tool.r4c.per-file-ignores]\n"acme.py" = ["DU"]\n')
    write("acme.py", WRONG)
    run("--fix")
    assert WRONG.replace("nobdy", "nobody") == read()


# ---------------------------------------------------------------- writing


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "bom"])
def test_form_is_kept(run: Run, newline: str, mark: str) -> None:
    write("acme.py", mark + WRONG.replace("\n", newline))
    assert 0 == run("--fix")[0]
    assert mark + RIGHT.replace("\n", newline) == read()


@pytest.mark.skipif(os.name == "nt", reason="permissions of Unix")
def test_mode_and_link_are_kept(run: Run) -> None:
    write("real/acme.py", WRONG)
    Path("real/acme.py").chmod(0o750)
    Path("acme.py").symlink_to("real/acme.py")
    run("--fix", "acme.py")
    assert Path("acme.py").is_symlink()
    assert (RIGHT, 0o750) == (read("real/acme.py"), stat.S_IMODE(Path("real/acme.py").stat().st_mode))


def test_changed_meanwhile(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What somebody else wrote stays; the other files are repaired."""
    write("acme.py", WRONG)
    write("other.py", WRONG)
    repair = passes.repaired

    def interrupted(*arguments: object, **options: object) -> object:
        result = repair(*arguments, **options)  # type: ignore[arg-type]
        write("acme.py", f"# mine\n{WRONG}")
        return result

    monkeypatch.setattr(applying, "repaired", interrupted)
    code, out, err = run("--fix", "--format", "concise")
    assert 2 == code
    assert "r4c: error: acme.py: changed meanwhile, and was not repaired; run r4c again\n" == err
    assert "Found 4 errors in 2 files (2 fixed, 2 remaining; checked 2 files)" == out.splitlines()[-2]
    assert (f"# mine\n{WRONG}", RIGHT) == (read(), read("other.py"))


def test_read_only_file(run: Run) -> None:
    """It could be replaced, but somebody does not want that."""
    write("acme.py", WRONG)
    Path("acme.py").chmod(0o444)
    code, _, err = run("--fix")
    Path("acme.py").chmod(0o644)
    assert (2, "r4c: error: acme.py: is read-only, and was not repaired\n") == (code, err)
    assert WRONG == read()


def test_no_room(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: str, content: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    write("acme.py", WRONG)
    monkeypatch.setattr(applying, "write", full)
    code, out, err = run("--fix")
    assert (2, f"r4c: error: acme.py: cannot be written: {os.strerror(errno.ENOSPC)}\n") == (code, err)
    assert out.endswith("Found 2 errors in 1 file (checked 1 file)\n[*] 2 fixable with --fix\n")
    assert WRONG == read()


def test_interrupted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while files are written: each is as it was, or repaired; nothing else lies about."""
    write("acme.py", WRONG)
    write("other.py", WRONG)
    replace = os.replace

    def stop(source: str, target: str) -> None:
        if target.endswith("other.py"):
            raise KeyboardInterrupt
        replace(source, target)

    monkeypatch.setattr(os, "replace", stop)
    assert 130 == run("--fix")[0]
    assert (RIGHT, WRONG) == (read(), read("other.py"))
    assert ["acme.py", "other.py"] == sorted(path.name for path in Path().iterdir())


# ---------------------------------------------------------------- passes


def test_cache_and_jobs(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither what was kept before nor several processes change anything."""
    write("pyproject.toml", "[project]\n")
    for number in range(12):
        write(f"m{number}.py", WRONG)
    assert 1 == main(["check", "--jobs", "2"])
    assert 0 == main(["check", "--fix", "--jobs", "2"])
    assert [RIGHT] * 12 == [read(f"m{number}.py") for number in range(12)]
    capsys.readouterr()
    assert 0 == main(["check"])
    assert "All checks passed.\n" == capsys.readouterr().out


def test_many_on_one_place(run: Run) -> None:
    """Edits that touch each other are made one after the other, as often as it takes."""
    decorators = "".join(f"    @retry(max_attempts={number})\n" for number in range(2, 42))
    wrong = "from resilience4cata import retry\n\n\nclass A:\n{0}    @staticmethod\n    def f() -> None: ...\n"
    right = wrong.replace("{0}    @staticmethod\n", "    @staticmethod\n{0}")
    write("acme.py", wrong.format(decorators))
    run("--fix", "--select", "LOC")
    assert right.format(decorators) == read()


def test_edit_that_does_not_help(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is taken back, and not offered again; the others are made."""

    def useless(source: code.Code, fix: object, at: At) -> code.Edits:
        end = source.text.span(at)[1]
        return (Edit(end, end, " "),)

    monkeypatch.setitem(offers._IN_CODE, Action.CALL, useless)
    source = WRONG.replace("timeout\n", "retry, timeout\n").replace("    def find", "    @retry\n    def find")
    write("acme.py", source)
    code_, out, _ = run("--fix", "--format", "concise")
    assert (1, ["LOC-006"]) == (code_, re.findall(r"R4C-(\S+)]", out))
    assert "Found 3 errors in 1 file (2 fixed, 1 remaining; checked 1 file)\n" == out[out.index("Found") :]
    assert source.replace("2 s", "2s").replace("nobdy", "nobody") == read()


def test_edit_that_breaks_the_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not made, which is said."""

    def breaking(*arguments: object) -> code.Edits | None:
        edits = code.written(*arguments)  # type: ignore[arg-type]
        return edits and tuple(edit._replace(new=edit.new.replace("2s", '"')) for edit in edits)

    monkeypatch.setitem(offers._IN_CODE, Action.WRITE, breaking)
    write("acme.py", WRONG)
    code_, _, err = run("--fix")
    message = "r4c: warning: acme.py:5:14: the edit for R4C-DU-001 would leave the file invalid, and is not made\n"
    assert (1, message, WRONG.replace("nobdy", "nobody")) == (code_, err, read())


def test_linter_fails_on_the_result(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its silence then means nothing: nothing is written, and the exit code says so."""
    real = extract.extract

    def failing(path: str, source: bytes, module: str, is_package: bool) -> object:
        if source == RIGHT.encode():
            raise ZeroDivisionError(path)
        return real(path, source, module, is_package)

    monkeypatch.setattr(extract, "extract", failing)
    write("acme.py", WRONG)
    code_, _, err = run("--fix", "--jobs", "1")
    assert (2, "r4c: error: r4c itself failed on acme.py: ZeroDivisionError: acme.py") == (code_, err.split("\n")[0])
    assert WRONG == read()


def test_edits_that_undo_each_other(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run ends, and says so."""
    monkeypatch.setattr(passes, "_MOST_PASSES", 0)
    write("acme.py", WRONG)
    message = "r4c: warning: edits undo each other; what is left has to be repaired by hand\n"
    assert (1, message, WRONG) == (*run("--fix")[::2], read())


def test_contents_in_place_of_files() -> None:
    """While others are held, they are what the files have; afterwards the files have their own again."""
    write("acme.py", "a")
    with files.holding({"acme.py": b"b"}):
        assert b"b" == files.read(str(Path("acme.py").resolve()))
    assert b"a" == files.read("acme.py")
