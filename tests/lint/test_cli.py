"""The command `r4c`: options, exit codes, formats, and how it ends when something goes wrong."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from resilience4cata._version import __version__
from resilience4cata.rules import all_rules
from resilience4cata_lint.cli import main

FAULTY = """\
from resilience4cata import fallback, timeout


class User: ...


class UserClient:
    @timeout("2 s")
    @fallback(method="find_fallbak")
    def find(self, id: str) -> User:
        return User()

    def find_fallback(self, id: str) -> User:
        return User()
"""
MISSING_FALLBACK = """\
acme.py:9:6: error: [R4C-FB-002] [*] @fallback(method="find_fallbak") on acme.UserClient.find:
    no method named 'find_fallbak' found
    did you mean 'find_fallback'?
    expected: def find_fallbak(self, id: str[, error: Exception]) -> User
"""
COUNTED = "Found 1 error in 1 file (checked 1 file)\n[*] 1 fixable with --fix\n"
OUT_OF_ORDER = "out of order"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and an environment that says nothing about colours."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "R4C_TRACEBACK", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs `r4c` in this process: exit code, standard output, standard error."""

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(arguments)
        except SystemExit as end:
            code = int(end.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8", newline="")


# ---------------------------------------------------------------- results


def test_clean(run: Any) -> None:
    """Nothing found: exit 0."""
    write("acme.py", "x = 1\n")
    assert (0, "All checks passed.\n", "") == run("check")


def test_empty_folder(run: Any) -> None:
    """Nothing to check is nothing found, but most likely a mistake."""
    Path("empty").mkdir()
    warning = "r4c: warning: nothing to check in empty\n"
    assert (0, "All checks passed.\n", warning) == run("check", "empty")
    write("empty/clean.py", "")
    assert (0, "All checks passed.\n", "") == run("check", "empty")


def test_findings(run: Any) -> None:
    """Something found: exit 1, each finding as all front ends word it, the counts last."""
    write("acme.py", FAULTY)
    assert (1, MISSING_FALLBACK + COUNTED, "") == run("check", "--select", "FB")


def test_exit_zero(run: Any) -> None:
    write("acme.py", FAULTY)
    assert 0 == run("check", "--exit-zero")[0]


def test_concise(run: Any) -> None:
    """One line for each finding, in the order of places."""
    write("acme.py", FAULTY)
    first, second, *counts = run("check", "--format", "concise")[1].splitlines()
    assert first.startswith('acme.py:8:14: error: [R4C-DU-001] [*] @timeout("2 s") on acme.UserClient.find: ')
    assert (
        'acme.py:9:6: error: [R4C-FB-002] [*] @fallback(method="find_fallbak") on acme.UserClient.find: '
        "no method named 'find_fallbak' found; did you mean 'find_fallback'?"
    ) == second
    assert ["Found 2 errors in 1 file (checked 1 file)", "[*] 2 fixable with --fix"] == counts


def test_json(run: Any) -> None:
    """A list of objects, and nothing else on standard output."""
    write("acme.py", FAULTY)
    code, out, _ = run("check", "--format", "json", "--statistics")
    found = json.loads(out)
    assert (1, 2) == (code, len(found))
    assert {
        "code": "R4C-DU-001",
        "name": "invalid-duration",
        "severity": "error",
        "path": "acme.py",
        "line": 8,
        "column": 14,
        "end_line": 8,
        "end_column": 19,
        "suggestion": "did you mean '2s'?",
        "expected": None,
        "url": "https://resilience4cata.readthedocs.io/en/rules/R4C-DU-001.html",
    }.items() <= found[0].items()


def test_json_of_nothing(run: Any) -> None:
    write("clean.py", "")
    assert (0, "[]\n", "") == run("check", "--format", "json")


def test_statistics(run: Any) -> None:
    """The findings of each rule, counted."""
    write("acme.py", FAULTY)
    lines = run("check", "--statistics", "--format", "concise")[1].splitlines()
    assert ["1  R4C-DU-001  invalid-duration", "1  R4C-FB-002  missing-fallback"] == lines[2:4]


def test_output_file(run: Any) -> None:
    """The findings go there, the exit code stays."""
    write("acme.py", FAULTY)
    assert (1, "", "") == run("check", "--output-file", "out.txt")
    assert MISSING_FALLBACK in Path("out.txt").read_text(encoding="utf-8")


def test_select_and_ignore(run: Any) -> None:
    write("acme.py", FAULTY)
    assert "Found 1 error in 1 file (checked 1 file)" in run("check", "--select", "DU")[1]
    assert "Found 1 error in 1 file (checked 1 file)" in run("check", "--ignore", "invalid-duration")[1]
    assert (0, "All checks passed.\n", "") == run("check", "--ignore", "DU,FB-002")


def test_stdin(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input is checked as the file it is said to be."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FAULTY.encode())))
    code, out, _ = run("check", "-", "--stdin-filename", "acme.py", "--select", "FB")
    assert (1, MISSING_FALLBACK + COUNTED) == (code, out)


def test_stdin_without_a_name(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"import resilience4cata\nx = (\n")))
    code, out, _ = run("check", "-", "--format", "concise")
    assert (1, "<stdin>:2:5: error: [R4C-SRC-001]") == (code, out[:33])


def test_config_names_a_project(run: Any) -> None:
    """A `pyproject.toml` is taken for the settings."""
    write("acme.py", FAULTY)
    write("settings/pyproject.toml", '[tool.r4c]\nselect = ["DU"]\n')
    assert "Found 1 error in 1 file (checked 1 file)" in run("check", "--config", "settings/pyproject.toml")[1]
    message = "r4c: error: --config takes one pyproject.toml\n"
    twice = ("--config", "settings/pyproject.toml") * 2
    assert (2, "", message) == run("check", *twice)


def test_config_names_configuration(run: Any) -> None:
    """Any other file is configuration of the policies, and then all of it."""
    write("acme.py", 'from resilience4cata import retry\n\n\n@retry(config="externl")\ndef f(): ...\n')
    write("x.properties", "resilience4cata.configs.external.retry.delay=1s\n")
    lines = run("check", "acme.py", "--config", "x.properties", "--format", "concise")[1].splitlines()
    assert ["acme.py:4:15: error: [R4C-CFG-001]"] == [line[:34] for line in lines[:-2]]


# ---------------------------------------------------------------- a terminal


def test_drawing(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the source, the carets under the exact span, and no colours where they are not wanted."""
    write("acme.py", FAULTY)
    monkeypatch.setenv("FORCE_COLOR", "1")
    code, out, _ = run("check", "--no-color", "--select", "FB")
    drawn = out.splitlines()
    assert 1 == code
    assert [
        "acme.py:9:6  error  R4C-FB-002 (missing-fallback) [*]",
        ' 8 │     @timeout("2 s")',
        ' 9 │     @fallback(method="find_fallbak")',
        "   │      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "10 │     def find(self, id: str) -> User:",
        '   @fallback(method="find_fallbak") on acme.UserClient.find:',
        "   no method named 'find_fallbak' found",
        "   help: did you mean 'find_fallback'?",
        "   expected: def find_fallbak(self, id: str[, error: Exception]) -> User",
        "",
    ] == [plain(line) for line in drawn[:-2]]
    assert re.fullmatch(r"Found 1 error in 1 file \(checked 1 file in \d+\.\d\ds\)", plain(drawn[-2]))
    assert "[*] 1 fixable with --fix" == plain(drawn[-1])


def test_drawing_on_a_narrow_terminal(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words are wrapped below their beginning, source is cut, and nothing is filled up with blanks."""
    write("acme.py", FAULTY)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "45")
    lines = [plain(line) for line in run("check", "--no-color", "--select", "FB")[1].splitlines()]
    assert [
        '   @fallback(method="find_fallbak") on',
        "   acme.UserClient.find:",
        "   no method named 'find_fallbak' found",
        "   help: did you mean 'find_fallback'?",
        "   expected: def find_fallbak(self, id: str[,",
        "   error: Exception]) -> User",
    ] == lines[5:11]
    assert [] == [line for line in lines[1:-2] if line != line.rstrip() or len(line) > 45]


def plain(text: str) -> str:
    """The text without escape sequences for weight."""
    for code in ("0", "1", "2"):
        text = text.replace(f"\x1b[{code}m", "")
    return text


def test_colours_and_links(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code is a link to its page."""
    write("acme.py", FAULTY)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    out = run("check", "--select", "DU")[1]
    assert "\x1b[1;31merror\x1b[0m" in out
    assert ";https://resilience4cata.readthedocs.io/en/rules/R4C-DU-001.html\x1b\\" in out


def test_no_color(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """`NO_COLOR` is honoured, also beside `FORCE_COLOR`."""
    write("acme.py", FAULTY)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;31m" not in run("check")[1]


# ---------------------------------------------------------------- mistakes on the command line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chek"], "no command 'chek'; did you mean 'r4c check'?"),
        (["acme.py"], "no command 'acme.py'; did you mean 'r4c check acme.py'?"),
        (["zzz"], "no command 'zzz'; there are 'check', 'config', 'describe', 'init', 'rule'"),
        (["check", "--selct", "FB"], "no option '--selct'; did you mean '--select'?"),
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
        (["rule"], "name one rule, or write --all"),
        (["rule", "--all", "FB-002"], "name one rule, or write --all"),
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


# ---------------------------------------------------------------- ends of a run


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


def process(*arguments: str, **more: Any) -> "subprocess.Popen[bytes]":
    # Whoever runs the tests in the background has Ctrl-C ignored in all that it starts.
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code += "from resilience4cata_lint.cli import main; sys.exit(main())"
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=pipe, stderr=pipe, **more)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_interrupt() -> None:
    """Ctrl-C ends the run with 130 and without a word."""
    with process("check", "-", stdin=subprocess.PIPE) as started:
        assert started.stdin is not None
        # It waits for its input, so it is certainly running.
        started.stdin.write(b"x")
        started.stdin.flush()
        _wait_until_reading(started.pid)
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=30)
    assert (130, b"", b"") == (started.returncode, out, err)


def _wait_until_reading(pid: int) -> None:
    import time

    stat = Path(f"/proc/{pid}/wchan")
    for _ in range(500):
        if stat.exists() and "pipe" in stat.read_text(encoding="utf-8"):
            return
        time.sleep(0.01)


@pytest.mark.skipif(os.name == "nt", reason="pipes break otherwise there")
def test_broken_pipe() -> None:
    """Nobody reads on: quiet."""
    write(
        "acme.py", FAULTY * 1 + "\n".join(f"def f{n}(): ...\nf{n} = retry(max_attempts=0)(f{n})" for n in range(3000))
    )
    with process("check") as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.read(1)
        started.stdout.close()
        assert b"" == started.stderr.read()
        started.wait(timeout=60)
    assert 1 == started.returncode


def test_start_is_light() -> None:
    """Neither the version nor a tree that never names us loads parsers, drawing or rules."""
    write("acme.py", "x = 1\n")
    code = (
        "import sys\nfrom resilience4cata_lint.cli import main\n"
        "try: main(sys.argv[1:])\nexcept SystemExit: pass\n"
        "heavy = ['libcst', 'rich', 'subprocess', 'tempfile', 'hashlib', 'tomllib', 'resilience4cata.rules',"
        " 'resilience4cata_lint.walk', 'resilience4cata_lint.symbols', 'resilience4cata_lint.baseline']\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    for arguments in (["--version"], ["check"]):
        result = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
        assert "[]" == result.stdout.splitlines()[-1]


# ---------------------------------------------------------------- r4c rule


def test_all_rules_as_text(run: Any) -> None:
    """A line for each rule: code, name, severity and who reports it."""
    code, out, _ = run("rule", "--all")
    assert (0, len(all_rules())) == (code, len(out.splitlines()))
    line = next(line for line in out.splitlines() if line.startswith("R4C-DU-001"))
    assert ["R4C-DU-001", "invalid-duration", "error", "lint", "mypy", "build"] == line.split()


def test_all_rules_as_json(run: Any) -> None:
    found = json.loads(run("rule", "--all", "--format", "json")[1])
    rule = all_rules()["R4C-DU-001"]
    assert list(all_rules()) == [item["code"] for item in found]
    assert {
        "code": "R4C-DU-001",
        "name": "invalid-duration",
        "severity": "error",
        "on_by_default": True,
        "reported_by": ["lint", "mypy", "build"],
        "fix": ["--fix", "--unsafe-fixes"],
        "why": rule.why,
        "url": "https://resilience4cata.readthedocs.io/en/rules/R4C-DU-001.html",
    } == next(item for item in found if item["code"] == "R4C-DU-001")


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch, here: Path) -> Path:
    """A package whose pages can be written by a test."""
    from resilience4cata_lint import pages

    package = here / "lint" / "resilience4cata_lint"
    monkeypatch.setattr(pages, "_HERE", package)
    write("docs/en/rules/R4C-DU-001.md", "# R4C-DU-001\n\nOf a *checkout*.\n")
    write("docs/es/rules/R4C-DU-001.md", "# R4C-DU-001\n\nEn español.\n")
    return package


HEAD = (
    "R4C-DU-001 (invalid-duration)\n"
    "error · on by default · reported by r4c, mypy, build() · repaired by --fix or --unsafe-fixes\n"
)
URL = "https://resilience4cata.readthedocs.io/{}/rules/R4C-DU-001.html\n"


def test_page_of_a_checkout(run: Any, pages: Path) -> None:
    expected = HEAD + URL.format("en") + "\n# R4C-DU-001\n\nOf a *checkout*.\n"
    assert (0, expected, "") == run("rule", "DU-001")


def test_page_in_spanish(run: Any, pages: Path) -> None:
    head = HEAD.replace("on by default · reported by", "activada de forma predeterminada · la comunican")
    head = head.replace("repaired by --fix or", "la repara --fix o")
    expected = head + URL.format("es") + "\n# R4C-DU-001\n\nEn español.\n"
    assert (0, expected, "") == run("rule", "invalid-duration", "--lang", "es")


def test_page_of_an_installed_package(run: Any, pages: Path) -> None:
    """What is shipped with the code comes first."""
    write("lint/resilience4cata_lint/pages/en/R4C-DU-001.md", "# Shipped\n")
    assert run("rule", "DU-001")[1].endswith("\n\n# Shipped\n")


def test_page_as_json(run: Any, pages: Path) -> None:
    found = json.loads(run("rule", "DU-001", "--format", "json")[1])
    assert ("R4C-DU-001", "# R4C-DU-001\n\nOf a *checkout*.\n") == (found["code"], found["page"])


def test_page_drawn(run: Any, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal the page is laid out, and what is known about the rule stands below."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    out = run("rule", "DU-001")[1]
    assert "*checkout*" not in out
    assert "reported by r4c, mypy, build()" in out


def test_missing_page(run: Any, pages: Path) -> None:
    message = "the page of R4C-VA-001 is missing in the language 'en'; see https://resilience4cata.readthedocs.io"
    assert (2, "", f"r4c: error: {message}/en/rules/R4C-VA-001.html\n") == run("rule", "VA-001")


@pytest.mark.parametrize(
    ("word", "code"), [("fb-2", "R4C-FB-002"), ("FB-002", "R4C-FB-002"), ("r4c-du-1", "R4C-DU-001")]
)
def test_numbers_may_be_short(run: Any, word: str, code: str) -> None:
    """`r4c rule fb-2` is as good as the whole code, and so is `--select`."""
    assert run("rule", code) == run("rule", word)
    assert 0 == run("check", "--select", word, "--exit-zero", ".")[0]


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


def in_shell(redirection: str, *arguments: str) -> tuple[int, str]:
    """Exit code and standard error of `r4c` in a process whose streams the shell has redirected."""
    # Whoever runs the tests in the background has Ctrl-C ignored in all that it starts.
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code += "from resilience4cata_lint.cli import main; sys.exit(main())"
    command = ["sh", "-c", f'exec "$0" "$@" {redirection}', sys.executable, "-c", code, *arguments]
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    return result.returncode, result.stderr


@pytest.mark.skipif(os.name == "nt", reason="redirections of a Unix shell")
def test_closed_streams() -> None:
    """Without anybody to read it the report is dropped; the exit code stays."""
    write("acme.py", FAULTY)
    assert (1, "") == in_shell(">&-", "check", ".")
    assert (1, "") == in_shell("2>&-", "check", ".")
    assert (2, "r4c: error: standard input is closed\n") == in_shell("<&-", "check", "-")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_is_no_fault_of_the_linter() -> None:
    write("acme.py", FAULTY)
    assert (2, "r4c: error: cannot write: No space left on device\n") == in_shell(">/dev/full", "check", ".")


def test_a_working_folder_that_is_gone(run: Any, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = here / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert (2, "r4c: error: the working folder does not exist any more\n") == run("check", ".")[::2]
