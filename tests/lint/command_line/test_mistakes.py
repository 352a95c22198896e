"""Wrong arguments, settings and files, and faults of our own: what is said, and how it ends."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from resilience4cata._version import __version__

from .calls import FAULTY, OUT_OF_ORDER, write


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chek"], "no command 'chek'; did you mean 'r4c check'?"),
        (["acme.py"], "no command 'acme.py'; did you mean 'r4c check acme.py'?"),
        (["zzz"], "no command 'zzz'; there are 'check', 'config', 'describe', 'init', 'rule'"),
        (["check", "--selct", "FB"], "no option '--selct'; did you mean '--select'?"),
        (["--selct", "check"], "no option '--selct'; did you mean '--select'?"),
        (["check", "--format", "jsn"], "--format knows no 'jsn'; did you mean 'json'?"),
        (["rule", "FB-002", "--lang", "de"], "--lang knows no 'de'; it knows en, es"),
        (["check", "--select", "FB-0002"], "no rule, family or name 'FB-0002'; did you mean 'R4C-FB-002'?"),
        (["check", "acmee.py"], "no such file or folder: 'acmee.py'; did you mean 'acme.py'?"),
        (["check", "qqq"], "no such file or folder: 'qqq'"),
        (["check", "acme.py/x"], "no such file or folder: 'acme.py/x'"),
        (["check", "-", "acme.py"], "standard input (-) is checked alone, without other paths"),
        (
            ["check", "--stdin-filename", "a.py"],
            "--stdin-filename is for standard input: write 'r4c check - --stdin-filename FILE'",
        ),
        (["check", "--output-file", "no/such/file"], "cannot write no/such/file: No such file or directory"),
        (["check", "--config", "nothing.toml"], "no such file: 'nothing.toml' (--config)"),
        (["rule", "missing-falback"], "no rule, family or name 'missing-falback'; did you mean 'missing-fallback'?"),
        (["rule"], "name one rule or family, or write --all"),
        (["rule", "--all", "FB-002"], "name one rule or family, or write --all"),
    ],
)
def test_mistakes(run: Any, arguments: list[str], message: str) -> None:
    """Exit 2, one line on standard error, and what was probably meant."""
    write("acme.py", "x = 1\n")
    assert (2, "", f"r4c: error: {message}\n") == run(*arguments)


def test_wrong_settings(run: Any) -> None:
    """A setting that means nothing is an error of the run, not a finding."""
    write("pyproject.toml", '[tool.r4c]\nselect = ["FB-999"]\n')
    code, out, err = run("check")
    message = "r4c: error: select in [tool.r4c]: no rule, family or name 'FB-999'"
    assert (2, "", message) == (code, out, err.partition(";")[0])


def test_missing_configuration_file(run: Any) -> None:
    """A listed file that is not there is a finding, where it is listed."""
    write("pyproject.toml", '[tool.r4c]\nconfig-files = ["resilience.toml"]\n')
    code, out, _ = run("check", "--format", "concise")
    place = "pyproject.toml:2:17: error: [R4C-CFG-016] the configuration file 'resilience.toml' does not exist\n"
    assert (1, True) == (code, out.startswith(place)), out


def test_kinds_that_are_not_checked(run: Any) -> None:
    """A named file of another kind is passed over, and that is said."""
    write("README.md", "resilience4cata\n")
    warning = "r4c: warning: README.md is neither Python nor configuration, and was not checked\n"
    assert (0, "All checks passed.\n", warning) == run("check", "README.md")


def test_version(run: Any) -> None:
    assert (0, f"r4c {__version__}\n", "") == run("--version")


def test_help(run: Any) -> None:
    """Without anything, the help is shown."""
    assert run("--help") == run()
    assert "--stdin-filename" in run("check", "--help")[1]


@pytest.mark.parametrize("where", ["extract", "rule"])
def test_faults_of_our_own(run: Any, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is named, the other findings are still shown, exit 2, no traceback."""
    write("acme.py", FAULTY)
    write("other.py", FAULTY)
    _break(where, monkeypatch)
    code, out, err = run("check", "--format", "concise")
    assert (2, True, False) == (code, "acme.py:8:14: error: [R4C-DU-001]" in out, "Traceback" in err)
    assert "r4c: error: r4c itself failed on other.py" in err
    assert "ZeroDivisionError: out of order\n  please report this, with the file if you can" in err


def test_a_fault_and_nothing_else(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not checked did not pass."""
    write("other.py", FAULTY)
    _break("extract", monkeypatch)
    assert (2, "Nothing was found, but not everything could be checked.\n") == run("check")[:2]


def _break(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from resilience4cata import rules
    from resilience4cata_lint import extract

    if where == "extract":
        real_extract = extract.extract

        def broken_extract(path: str, source: bytes, module: str, is_package: bool) -> Any:
            if path == "other.py":
                raise ZeroDivisionError(OUT_OF_ORDER)
            return real_extract(path, source, module, is_package)

        monkeypatch.setattr(extract, "extract", broken_extract)
        return
    real_check = rules.check

    def broken_check(views: Any, context: Any) -> Any:
        for view in views:
            if "other" in str(getattr(view, "element", "")):
                raise ZeroDivisionError(OUT_OF_ORDER)
        return real_check(views, context)

    monkeypatch.setattr(rules, "check", broken_check)


def test_any_other_fault(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever happens, there is one message and no traceback; developers may ask for it."""
    from resilience4cata_lint import commands

    def broken(_: object) -> int:
        raise ZeroDivisionError(OUT_OF_ORDER)

    monkeypatch.setattr(commands, "check", broken)
    first = "r4c: error: r4c itself failed: ZeroDivisionError: out of order\n"
    second = "  please report this, with the file if you can; R4C_TRACEBACK=1 shows where it happened\n"
    assert (2, "", first + second) == run("check")
    monkeypatch.setenv("R4C_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        run("check")


@pytest.mark.parametrize(
    ("path", "advice"),
    [("", ""), ("src\\acme.py", "; did you mean 'src/acme.py'?"), ("sr\\acme.py", "")],
    ids=["empty", "backslash", "nothing like it"],
)
@pytest.mark.skipif(os.sep != "/", reason="backslashes separate folders")
def test_paths_that_are_none(run: Any, path: str, advice: str) -> None:
    """An unset variable is no working folder, and separators of another system are recognised."""
    write("src/acme.py", FAULTY)
    assert (2, f"r4c: error: no such file or folder: '{path}'{advice}\n") == run("check", path)[::2]


def test_a_working_folder_that_is_gone(run: Any, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = here / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert (2, "r4c: error: the working folder does not exist any more\n") == run("check", ".")[::2]


@pytest.mark.parametrize(("columns", "widest"), [("100", 98), ("200", 198), ("0", 78), ("wide", 78)])
def test_help_is_as_wide_as_the_terminal(run: Any, monkeypatch: pytest.MonkeyPatch, columns: str, widest: int) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = run("check", "--help")[1].splitlines()
    assert widest - 20 < max(map(len, lines)) <= widest
