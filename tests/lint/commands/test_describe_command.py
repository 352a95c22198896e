"""`r4c describe`: what is said about one target, and what about a target that means nothing."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from resilience4cata_lint.cli import main

CODE = """\
from abc import ABC, abstractmethod

from resilience4cata import circuit_breaker, fallback, resilience_policy, retry, timeout

outside = resilience_policy("outside", timeout("2s"), circuit_breaker(name="shared"))


class Port(ABC):
    @abstractmethod
    @retry(max_attempts=2)
    def send(self) -> str: ...


@timeout("5s")
class Client(Port):
    @outside
    @fallback(method="cached")
    def find(self, id: str) -> str: ...

    def cached(self, id: str) -> str:
        def inner() -> str:
            return id

        return inner()

    def send(self) -> str: ...


class Special(Client): ...


@retry(config="partner")
def fetch() -> str: ...


def plain() -> None: ...
"""
TOML = """\
[resilience4cata.configs.partner]
retry.max-attempts = 5

[resilience4cata.profiles.prod.configs.partner]
retry.max-attempts = 9
retry.budget = "some"

[resilience4cata.profiles.test.configs.partner]
retry.delay = "1ms"

[resilience4cata.budgets.some]
percent = 20
"""
FETCH = """\
acme.users#fetch
  retry -> the function
  retry
    max_attempts=5 <- configs.partner (resilience4cata.toml:2)
      with profile 'prod': max_attempts=9 <- configs.partner (prod profile, resilience4cata.toml:5)
    delay=100ms <- built-in default
      with profile 'test': delay=1ms <- configs.partner (test profile, resilience4cata.toml:9)
    backoff=EXPONENTIAL <- built-in default
    multiplier=2 <- built-in default
    max_delay=10s <- built-in default
    jitter=FULL <- built-in default
    max_duration=0 <- built-in default
    retry_on=Exception <- built-in default
    abort_on=() <- built-in default
    on_exhausted_result=RETURN <- built-in default
    budget=none <- built-in default
      with profile 'prod': budget=some <- configs.partner (prod profile, resilience4cata.toml:6)
    enabled=True <- built-in default
"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `r4c describe` on a little project, which is the working folder: exit code, standard output and error."""
    write(tmp_path / "pyproject.toml", '[tool.r4c]\nconfig-files = ["resilience4cata.toml"]\n')
    write(tmp_path / "resilience4cata.toml", TOML)
    write(tmp_path / "src" / "acme" / "__init__.py", "")
    write(tmp_path / "src" / "acme" / "users.py", CODE)
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(["describe", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def line_of(text: str) -> int:
    return CODE[: CODE.index(text)].count("\n") + 1


# ---------------------------------------------------------------- targets


@pytest.mark.parametrize(
    "target",
    [
        "acme.users.fetch",
        "acme.users#fetch",
        "users.fetch",
        "fetch",
        f"src/acme/users.py:{line_of('def fetch')}",
        f"./src/acme/users.py:{line_of('@retry(config')}:2",
    ],
)
def test_ways_to_name_a_target(run: Run, target: str) -> None:
    """A full name, an id, the end of a name, a place: all lead to the same text."""
    assert (0, FETCH, "") == run(target)


@pytest.mark.parametrize(
    ("target", "first"),
    [
        ("Client.find", "acme.users.Client#find"),
        ("Special.find", "acme.users.Client#find"),
        ("Client", "acme.users.Client"),
        ("plain", "acme.users#plain"),
        (f"src/acme/users.py:{line_of('return id')}", "acme.users.Client#cached"),
        (f"src/acme/users.py:{line_of('class Client')}", "acme.users.Client"),
    ],
)
def test_kinds_of_targets(run: Run, target: str, first: str) -> None:
    """Methods, inherited ones too, classes, and what is not guarded; a place within a function means that function."""
    code, out, err = run(target)
    assert (0, first, "") == (code, out.splitlines()[0], err)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("acme.users.Client.fnd", "nothing is called 'acme.users.Client.fnd'; did you mean 'acme.users.Client.find'?"),
        ("fetsch", "nothing is called 'fetsch'; did you mean 'fetch'?"),
        (
            "somewhere.else",
            "nothing is called 'somewhere.else'; a target looks like 'acme.users.Port.send' or 'src/acme/users.py:42'",
        ),
        (
            "send",
            (
                "'send' may be any of these; write more of the name, or the place:\n"
                "  acme.users.Port.send (src/acme/users.py:11)\n"
                "  acme.users.Client.send (src/acme/users.py:26)"
            ),
        ),
        ("#", "name a function, method or class, or a place such as src/acme/users.py:42"),
        ("src/acme/usrs.py:3", "no such file or folder: 'src/acme/usrs.py'; did you mean 'src/acme/users.py'?"),
        ("src/acme/users.py:1", "there is no function, method or class at src/acme/users.py:1"),
        ("src/acme/__init__.py", "src/acme/__init__.py defines nothing that could be described"),
    ],
)
def test_targets_that_mean_nothing_or_too_much(run: Run, target: str, message: str) -> None:
    """Exit 2, nothing on standard output, and what was probably meant."""
    assert (2, "", f"r4c: error: {message}\n") == run(target)


def test_a_module_lists_what_is_in_it(run: Run) -> None:
    """A module and a file without a line are no targets; they say what is."""
    listed = (
        "  acme.users.Port.send (src/acme/users.py:11)\n"
        "  acme.users.Client (src/acme/users.py:15)\n"
        "  acme.users.Client.find (src/acme/users.py:18)\n"
        "  acme.users.Client.cached (src/acme/users.py:20)\n"
        "  acme.users.Client.send (src/acme/users.py:26)\n"
        "  acme.users.fetch (src/acme/users.py:33)\n"
    )
    code, _, err = run("acme.users")
    assert (2, f"r4c: error: 'acme.users' is a module; describe something in it:\n{listed}") == (code, err)
    code, _, err = run("src/acme/users.py")
    assert (2, f"r4c: error: add a line, as in 'src/acme/users.py:11':\n{listed}") == (code, err)


def test_several_definitions_of_one_name(run: Run) -> None:
    """Branches may define a name twice; the place tells them apart."""
    write(
        Path("both.py"),
        "from resilience4cata import retry\n\n"
        "if retry:\n    @retry(max_attempts=2)\n    def f(): ...\n"
        "else:\n    @retry(max_attempts=4)\n    def f(): ...\n",
    )
    code, _, err = run("both.f")
    assert (2, ["  both.f (both.py:5)", "  both.f (both.py:8)"]) == (code, err.splitlines()[1:])
    assert "    max_attempts=4 <- @retry on both.f (both.py:7)" in run("both.py:8")[1].splitlines()


def test_two_files_with_one_module_name(run: Run) -> None:
    """Of a name in both, the place is asked for; overloads of one are one function."""
    code = "import typing as t, resilience4cata as r\n{0}int): ...\n{0}str): ...\n@r.retry()\ndef g(x): ...\n"
    for service in ("one", "two"):
        write(Path(service, "src", "common", "__init__.py"), code.format("@t.overload\ndef g(x: "))
    listed = [line.split()[1] for line in run("common.g")[2].splitlines()[1:]]
    assert ["(one/src/common/__init__.py:7)", "(two/src/common/__init__.py:7)"] == listed
    Path("two", "src", "common", "__init__.py").unlink()
    assert "common#g" == run("common.g")[1].splitlines()[0]


def test_a_function_in_a_file_that_does_not_know_the_library(run: Run) -> None:
    """Such a file is looked into when it is asked for, under a full name or the end of one."""
    write(Path("src/acme/other.py"), "class Other:\n    def alone(self) -> None: ...\n")
    expected = (0, "acme.other.Other#alone\n  no decorator guards it\n", "")
    assert [expected] * 3 == [run("acme.other.Other.alone"), run("alone"), run("src/acme/other.py:2")]


def test_a_file_that_cannot_be_parsed(run: Run) -> None:
    """There is nothing to describe in it, and another command says why."""
    write(Path("broken.py"), "def f(:\n")
    message = "r4c: error: broken.py cannot be read as Python; see 'r4c check broken.py'\n"
    assert (2, "", message) == run("broken.py:1")


def test_windows_line_ends_and_other_alphabets(run: Run) -> None:
    """Lines are counted as editors count them, and names are compared as Python compares them."""
    code = (
        'from resilience4cata import timeout\n\n\nclass Größe:\n    @timeout("2s")\n    def ﬁnde(self) -> None: ...\n'
    )
    write(Path("maße.py"), code.replace("\n", "\r\n"))
    # Python reads the ligature as two letters.
    expected = "    value=2s <- @timeout on maße.Größe.finde (maße.py:5)"
    found = [run(target)[1].splitlines() for target in ("maße.py:6", "Größe.ﬁnde", "maße.Größe.finde")]
    assert [["maße.Größe#finde", expected]] * 3 == [[lines[0], lines[3]] for lines in found]


# ---------------------------------------------------------------- what is said


def test_order_fallback_and_origins(run: Run) -> None:
    """The layers outermost first, where the fallback goes, and what is composed, of the class, or shared."""
    lines = run("Client.find")[1].splitlines()
    assert [
        "  fallback -> circuit_breaker -> timeout -> the function",
        "    method=cached <- @fallback on acme.users.Client.find (src/acme/users.py:17)",
        "      -> acme.users.Client.cached (src/acme/users.py:20)",
        "  circuit_breaker (instance 'shared')",
        '    value=2s <- resilience_policy("outside") (src/acme/users.py:5)',
    ] == [lines[1], *lines[3:5], *(line for line in lines if "(instance" in line or "value=" in line)]


def test_class_level_and_abstract_methods(run: Run) -> None:
    """A method without decorators has what stands on its class and on what it implements."""
    lines = run("Client.send")[1].splitlines()
    assert [
        "  retry -> timeout -> the function",
        "    max_attempts=2 <- @retry on acme.users.Port.send (src/acme/users.py:10)",
        "    value=5s <- @timeout on acme.users.Client (src/acme/users.py:14)",
    ] == [lines[1], *(line for line in lines if " on " in line)]


def test_a_class(run: Run) -> None:
    """What stands on it, then its guarded methods with their layers."""
    lines = run("Client")[1].splitlines()
    assert [
        "acme.users.Client",
        "  timeout -> the function",
        "  timeout",
        "    value=5s <- @timeout on acme.users.Client (src/acme/users.py:14)",
        "    offload=False <- built-in default",
        "    enabled=True <- built-in default",
        "  guarded methods:",
        "    acme.users.Client#find: fallback -> circuit_breaker -> timeout -> the function",
        "    acme.users.Client#cached: timeout -> the function",
        "    acme.users.Client#send: retry -> timeout -> the function",
    ] == lines


def test_a_target_with_findings(run: Run) -> None:
    """It is described all the same, and the findings are counted."""
    write(Path("src/acme/users.py"), CODE.replace('method="cached"', 'method="cashed"').replace('"2s"', '"2 s"'))
    code, out, _ = run("Client.find")
    note = "note: 2 findings concern it (R4C-DU-001, R4C-FB-002): see 'r4c check src/acme/users.py'"
    assert (0, note, False) == (code, out.splitlines()[-1], "-> acme" in out)


def test_sources_that_are_not_known(run: Run) -> None:
    """Where nobody lists the configuration files, what is said holds for those that are seen."""
    write(Path("pyproject.toml"), "")
    Path("resilience4cata.toml").unlink()
    lines = run("Client.cached")[1].splitlines()
    note = "note: other configuration files may say otherwise; list all of them as config-files under [tool.r4c]"
    assert [True, note] == ["    offload=False <- built-in default" in lines, lines[-1]]


# ---------------------------------------------------------------- profiles


def test_a_profile_that_is_named(run: Run) -> None:
    """One description as if it were active; several count in their order."""
    lines = run("fetch", "--profile", "prod", "--profile", "test")[1].splitlines()
    assert [
        "  retry -> the function",
        "  with profiles 'prod' and 'test'",
        "  retry",
        "    max_attempts=9 <- configs.partner (prod profile, resilience4cata.toml:5)",
        "    delay=1ms <- configs.partner (test profile, resilience4cata.toml:9)",
    ] == lines[1:6]
    assert not any("with profile '" in line for line in lines)


def test_a_profile_that_the_project_activates(run: Run) -> None:
    """It counts without being named, and the place is said."""
    write(Path("resilience4cata.toml"), TOML + "[resilience4cata.profiles]\nactive = 'prod'\n")
    lines = run("fetch")[1].splitlines()
    assert [
        "  with profile 'prod' (resilience4cata.toml:14)",
        "  retry",
        "    max_attempts=9 <- configs.partner (prod profile, resilience4cata.toml:5)",
        "    delay=100ms <- built-in default",
    ] == lines[2:6]


@pytest.mark.parametrize(
    ("name", "advice"), [("prd", "did you mean 'prod'?"), ("zzz", "there are 'prod', 'test'")], ids=["near", "far"]
)
def test_a_profile_that_does_not_exist(run: Run, name: str, advice: str) -> None:
    assert (2, "", f"r4c: error: no profile '{name}' in the configuration; {advice}\n") == run(
        "fetch", "--profile", name
    )


# ---------------------------------------------------------------- forms


def test_json(run: Run) -> None:
    """The dictionary of `Description.as_dict`, with what is known besides."""
    code, out, _ = run("fetch", "--format", "json")
    found: dict[str, Any] = json.loads(out)
    attempts = found["settings"]["retry"].pop("max_attempts")
    others = [
        (other["profiles"], other["settings"]["retry"]["max_attempts"]["value"]) for other in found["other_profiles"]
    ]
    assert (0, [(["prod"], "9"), (["test"], "5")]) == (code, others)
    assert {
        "value": "5",
        "origin": "configs.partner (resilience4cata.toml:2)",
        "shadowed": [{"value": "3", "origin": "built-in default"}],
    } == attempts
    assert {
        "id": "acme.users#fetch",
        "layers": ["retry"],
        "instances": {},
        "name": "acme.users.fetch",
        "kind": "function",
        "path": "src/acme/users.py",
        "line": line_of("def fetch"),
        "profiles": [],
        "fallbacks": [],
        "methods": [],
        "findings": [],
        "notes": [],
    } == {key: value for key, value in found.items() if key not in {"settings", "other_profiles"}}


def test_spanish(run: Run) -> None:
    """Remarks are translated; settings and origins read as the program prints them."""
    lines = run("fetch", "--lang", "es")[1].splitlines()
    assert [
        "    max_attempts=5 <- configs.partner (resilience4cata.toml:2)",
        "      con el perfil 'prod': max_attempts=9 <- configs.partner (prod profile, resilience4cata.toml:5)",
    ] == lines[3:5]
    assert "acme.users#plain\n  ningún decorador lo protege\n" == run("plain", "--lang", "es")[1]


@pytest.mark.parametrize("width", [20, 80, 120])
def test_terminal(run: Run, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    """For people the same words in columns, no line wider than the terminal, and none with blanks behind."""
    plain = run("Client.find")[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(width))
    lines = run("Client.find")[1].splitlines()
    assert letters(plain.replace(" <- ", "")) == letters("".join(lines))
    assert [] == [line for line in lines if line != line.rstrip()]
    assert width == 20 or [] == [line for line in lines if len(line) > width]


def letters(text: str) -> str:
    """The text without what is only there to arrange it."""
    return "".join(text.replace("=", "").split())
