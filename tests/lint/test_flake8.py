"""The plugins of flake8 under the real flake8: processes, selection, suppression, standard input, and their cost."""

import ast
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from resilience4cata import records, rules
from resilience4cata.diagnostics import Diagnostic
from resilience4cata.rules import all_rules
from resilience4cata_lint import engine, flake8
from resilience4cata_lint.inputs import Inputs
from resilience4cata_lint.locate import Modules
from resilience4cata_lint.one_project import OneProject
from resilience4cata_lint.options import Options
from resilience4cata_lint.reading import Means
from resilience4cata_lint.selection import Selection
from resilience4cata_lint.single import Checker
from tests.lint.faulty_modules import CLIENT, POLICIES, USER
from tests.lint.folder import write

PLAIN = "import os\nfrom collections import abc\n\nprint(os, abc)\n"

DURATION = (
    'acme/client.py:5:14: RDU001 [R4C-DU-001] @timeout("2 s") on acme.client.Client.find: '
    "\"2 s\" is not a duration: blanks are not allowed, at character 2; did you mean '2s'?"
)
FALLBACK = (
    'acme/client.py:6:6: RFB002 [R4C-FB-002] @fallback(method="find_fallbak") on acme.client.Client.find: '
    "no method named 'find_fallbak' found; did you mean 'find_fallback'?"
)
COMPOSED = "acme/user.py:5:2: RCM004 [R4C-CMP-004]"

FLAKE8 = ("-m", "flake8")
SPAWNING = """
import multiprocessing, sys
from flake8.main.cli import main
multiprocessing.set_start_method("spawn")
raise SystemExit(main(sys.argv[1:]))
"""
SPAWN = ("-c", SPAWNING)


@pytest.fixture(autouse=True)
def here(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two faulty modules."""
    monkeypatch.setattr(flake8._Shared, "checker", None)
    write("pyproject.toml", "[project]\n")
    write("acme/__init__.py", "")
    write("acme/policies.py", POLICIES)
    write("acme/user.py", USER)
    write("acme/client.py", CLIENT)
    write("acme/plain.py", PLAIN)
    return here


def run(*arguments: str, command: tuple[str, ...] = FLAKE8, stdin: str = "") -> list[str]:
    """The lines that flake8 prints; it must end as it does when there are findings, or none."""
    result = subprocess.run(
        [sys.executable, *command, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    lines = result.stdout.splitlines()
    assert (1 if lines else 0, "") == (result.returncode, result.stderr)
    return lines


def ours(*arguments: str, command: tuple[str, ...] = FLAKE8, stdin: str = "") -> list[str]:
    """Each finding of ours without its words: path, line, column and code."""
    lines = run("--select", "R", *arguments, command=command, stdin=stdin)
    return [line.partition(" [")[0].removeprefix("./") for line in lines]


ALL = ["acme/client.py:5:14: RDU001", "acme/client.py:6:6: RFB002", "acme/user.py:5:2: RCM004"]


def test_output() -> None:
    """Our code in brackets behind flake8's, everything on one line; the composed policies of another module count."""
    lines = run("-j1", "acme")
    assert ([DURATION, FALLBACK], True) == (lines[:2], lines[2].startswith(COMPOSED))


@pytest.mark.parametrize("command", [FLAKE8, SPAWN], ids=["fork", "spawn"])
def test_processes(command: tuple[str, ...]) -> None:
    """However many processes there are and however they start."""
    assert ALL == ours("-j2", "acme", command=command)


def test_one_file() -> None:
    """Only what lies in the file, with the project around it; nothing about the project as a whole."""
    write("acme/other.py", POLICIES.replace("2s", "3s"))
    assert ["acme/user.py:5:2: RCM004"] == ours("acme/user.py")
    assert [] == ours("acme/policies.py", "acme/other.py")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--select", "RFB"], ["RFB002"]),
        (["--select", "RFB002,RCM"], ["RFB002", "RCM004"]),
        (["--select", "RFB001"], []),
        (["--extend-ignore", "RFB,RDU001"], ["RCM004"]),
        (["--per-file-ignores", "acme/client.py:RFB002 acme/user.py:R"], ["RDU001"]),
        (["--exclude", "client.py"], ["RCM004"]),
    ],
)
def test_selection(arguments: list[str], expected: list[str]) -> None:
    """flake8's own options know our codes by their letters."""
    assert expected == [line.rpartition(" ")[2] for line in ours("acme", *arguments)]


def test_configuration_file() -> None:
    """The same in `.flake8`."""
    write(".flake8", "[flake8]\nselect = R\nextend-ignore = RDU\nper-file-ignores =\n    acme/user.py: RCM004\n")
    assert [FALLBACK] == run("acme")


def test_noqa() -> None:
    """flake8's comments, and ours."""
    text = CLIENT.replace('k")', 'k")  # noqa: RFB002').replace('s")\n', 's")  # r4c: ignore[R4C-DU-001]\n')
    write("acme/client.py", text)
    assert ["acme/user.py:5:2: RCM004"] == ours("acme")
    assert ["acme/client.py:6:6: RFB002", "acme/user.py:5:2: RCM004"] == ours("acme", "--disable-noqa")


def test_unused_suppression() -> None:
    """What is wrong with our comments has codes of its own."""
    write("acme/plain.py", "import resilience4cata  # r4c: ignore[R4C-FB-002, FB]\n")
    assert ["acme/plain.py:1:39: RSU001", "acme/plain.py:1:51: RSU002"] == ours("acme/plain.py")


def test_standard_input() -> None:
    """With the project of the name that is given for it, which the file on disk does not disturb."""
    changed = f"\n\n{USER}"
    assert ["acme/user.py:7:2: RCM004"] == ours("-", "--stdin-display-name", "acme/user.py", stdin=changed)
    assert [] == ours(
        "-", "--stdin-display-name", "acme/client.py", stdin=CLIENT.replace("bak", "back").replace(" s", "s")
    )
    assert ["acme/new.py:5:14: RDU001", "acme/new.py:6:6: RFB002"] == ours(
        "-", "--stdin-display-name", "acme/new.py", stdin=CLIENT
    )


def test_standard_input_without_a_name() -> None:
    """It is then a file of the working folder."""
    assert ["stdin:5:14: RDU001", "stdin:6:6: RFB002"] == ours("-", stdin=CLIENT)


def test_from_another_folder(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Projects are found from the files, not from the working folder."""
    write("settings/pyproject.toml", '[tool.r4c]\nignore = ["ALL"]\n')
    monkeypatch.chdir("settings")
    assert [f"../{line}" for line in ALL] == ours("../acme")


def test_wrong_settings() -> None:
    """flake8 ends with our sentence instead of a traceback."""
    write("pyproject.toml", "[tool.r4c]\nignroe = []\n")
    result = subprocess.run(
        [sys.executable, *FLAKE8, "-j1", "acme"], capture_output=True, text=True, encoding="utf-8", check=False
    )
    message = "r4c: pyproject.toml: unknown key 'ignroe' in [tool.r4c]; did you mean 'ignore'?"
    assert (1, True, False) == (
        result.returncode,
        message in result.stdout + result.stderr,
        "Traceback" in result.stdout + result.stderr,
    )


def test_wrong_option() -> None:
    """A word that means no rule is an error too."""
    result = subprocess.run(
        [sys.executable, *FLAKE8, "--r4c-extend-select", "DU-0x", "acme"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    message = "r4c: no rule, family or name 'DU-0x'; 'r4c rule --all' lists them"
    assert (1, True) == (result.returncode, message in result.stdout + result.stderr)


# ---------------------------------------------------------------- within this process


def check(path: str, checker: Checker | None = None, text: str | None = None) -> list[str]:
    source = Path(path).read_text(encoding="utf-8") if text is None else text
    found = (checker or Checker()).check(path, source.splitlines(keepends=True))
    return [f"{d.at.line}:{d.at.column} {d.code.removeprefix('R4C-')}" for d in found]


def test_off_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that are off by default are reported if the option names them."""
    changed = {**all_rules(), "R4C-DU-001": records.replace(all_rules()["R4C-DU-001"], on_by_default=False)}
    monkeypatch.setattr(rules, "all_rules", lambda: changed)
    assert ["6:6 FB-002"] == check("acme/client.py")
    assert ["5:14 DU-001", "6:6 FB-002"] == check("acme/client.py", Checker(["DU-001"]))


def test_option_is_read_from_the_configuration(here: Path) -> None:
    """flake8 hands it over as a list."""
    write(".flake8", "[flake8]\nr4c-extend-select = DU-0x,\n")
    result = subprocess.run(
        [sys.executable, *FLAKE8, "acme"], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert "r4c: no rule, family or name 'DU-0x'" in result.stdout + result.stderr


def test_one_look_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """All families of all files of a project share one analysis, which the first file that concerns us asks for."""
    runs: list[int] = []
    real = engine.examine

    def counted(
        inputs: Inputs, modules: Modules, options: Options, selection: Selection, means: Means
    ) -> engine.Report:
        runs.append(len(inputs.given))
        return real(inputs, modules, options, selection, means=means)

    monkeypatch.setattr(engine, "examine", counted)
    counts = []
    for path in ("acme/plain.py", "acme/user.py", "acme/client.py", "acme/policies.py"):
        lines = Path(path).read_text(encoding="utf-8").splitlines(keepends=True)
        for family in (flake8.Fallbacks, flake8.Durations, flake8.Compositions):
            list(family(ast.parse(""), path, lines).run())
        counts.append(list(runs))
    assert [[], [5], [5], [5]] == counts


def test_unrelated_files_cost_nothing() -> None:
    """The linter is not even imported for files that cannot have to do with us."""
    code = (
        "import sys; from flake8.main.cli import main; main(['-j1', 'acme/plain.py']);"
        "print(sorted(m for m in sys.modules if m.startswith(('resilience4cata.rules', 'resilience4cata_lint.discover',"
        " 'libcst', 'rich'))))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True)
    assert "[]\n" == result.stdout


@pytest.mark.parametrize(
    ("source", "concerned"),
    [
        ("import os, sys\n", False),
        ("import requests\nfrom attrs import define\n", False),
        ("import acme.policies\n", True),
        ("import os, acme\n", True),
        ("from acme import user\n", True),
        ("from . import user\n", True),
        ("from .user import f\n", True),
        ("def f():\n    import acme\n", True),
        ("import resilience4cata\n", True),
        ("x = 'resilience4cata'\n", True),
    ],
)
def test_what_concerns_us(source: str, concerned: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that name the library, or import something of the project."""
    looks: list[str] = []

    def look(project: object, filename: str, text: str) -> list[Diagnostic]:
        looks.append(filename)
        return []

    monkeypatch.setattr(OneProject, "look", look)
    check("acme/new.py", text=source)
    assert (["acme/new.py"] if concerned else []) == looks


def test_without_a_project(here: Path) -> None:
    """A file that belongs to none is looked at alone."""
    Path("pyproject.toml").unlink()
    assert (["5:14 DU-001", "6:6 FB-002"], []) == (check("acme/client.py"), check("acme/user.py"))


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ('exclude = ["acme/client.py"]', []),
        ('exclude = ["acme"]', []),
        ('ignore = ["FB"]', ["5:14 DU-001"]),
        ('per-file-ignores = { "client.py" = ["DU"] }', ["6:6 FB-002"]),
    ],
)
def test_settings_of_the_project(settings: str, expected: list[str]) -> None:
    """`[tool.r4c]` counts, saved or not."""
    write("pyproject.toml", f"[tool.r4c]\n{settings}\n")
    assert (expected, expected) == (check("acme/client.py"), check("acme/client.py", text=CLIENT + "\n"))


def test_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    """What the project's baseline knows is not reported here either."""
    from resilience4cata_lint.cli import main

    write("pyproject.toml", '[tool.r4c]\nbaseline = "known.json"\n')
    main(["check", "--update-baseline"])
    capsys.readouterr()
    assert [] == check("acme/client.py")
    assert ["13:6 FB-002"] == check(
        "acme/client.py", text=f"{CLIENT}\n    @fallback(method='g')\n    def g2(self): ...\n"
    )[-1:]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (CLIENT.encode("utf-8-sig"), "6:6 FB-002"),
        (CLIENT.replace("\n", "\r\n").encode(), "6:6 FB-002"),
        (f"# -*- coding: latin-1 -*-\n# Düsseldorf\n{CLIENT}".encode("latin-1"), "8:6 FB-002"),
        (CLIENT.replace("Client:", "Client:  # 漢").encode(), "6:6 FB-002"),
    ],
    ids=["mark", "CRLF", "latin-1", "wide"],
)
def test_encodings(data: bytes, expected: str) -> None:
    """Saved in whatever way, and as flake8 hands it over."""
    import tokenize

    Path("acme/client.py").write_bytes(data)
    with tokenize.open("acme/client.py") as file:
        lines = file.read()
    assert expected == check("acme/client.py", text=lines)[-1]
    assert expected == check("acme/client.py", text=f"{lines}\n")[-1]


def test_failures_of_our_own(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A fault of the linter is said aloud and stops nobody."""
    from resilience4cata_lint import link

    def fail(*_: object, **__: object) -> None:
        raise LookupError

    monkeypatch.setattr(link, "link", fail)
    assert [] == check("acme/client.py")
    assert "r4c itself failed on" in capsys.readouterr().err


# ---------------------------------------------------------------- families


LETTERS = {
    "FB": "RFB", "DU": "RDU", "VA": "RVA", "CFG": "RCF", "CMP": "RCM", "OR": "ROR", "LOC": "RLO",
    "CL": "RCL", "IN": "RIN", "TB": "RTB", "NE": "RNE", "AS": "RAS", "SUP": "RSU", "SRC": "RSR",
}  # fmt: skip


def test_families() -> None:
    """One entry point for each family that has rules. A new family needs a class in flake8.py, and pyproject.toml."""
    found = {point.name: point.load() for point in entry_points(group="flake8.extension") if point.name[0] == "R"}
    families = {rule.family for rule in all_rules().values()}
    expected = {LETTERS[family]: (family, LETTERS[family]) for family in families}
    assert expected == {name: (plugin.family, plugin.letters) for name, plugin in found.items()}
    assert {"resilience4cata"} == {plugin.name for plugin in found.values()}
