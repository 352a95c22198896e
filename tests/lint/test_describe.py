"""`r4c describe` says what the running program says, for every element, and nothing else where it does not know."""

import ast
import contextlib
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from resilience4cata_lint.describe import Overview
from resilience4cata_lint.described import Described
from resilience4cata_lint.options import load
from resilience4cata_lint.remarks import Remarks
from tests.every_rule.fixtures import ROOT, all_fixtures
from tests.every_rule.projects import lay_out
from tests.lint.described_live import Answer, Job, Setting, answers, settings_of
from tests.lint.folder import write

SHOP = ROOT / "fixtures" / "shop" / "correct"


def described(target: str, *profiles: str, language: str = "en") -> Described:
    """What `r4c describe` knows about a target of the project in the working folder."""
    return Overview(load(["."])).describe(target, profiles, Remarks(language))


class Compared(NamedTuple):
    """Settings that are the same in both worlds, and those that only the running program knows."""

    same: int
    unknown: int


def compare(live: Answer, decorators: dict[tuple[str, int], int]) -> Compared:
    """Hold the description of every element to what the running program says about it.

    `decorators` are the last lines of decorators by path and first line: the running program knows where a decorator
    begins, the linter where in it a value stands.
    """
    counts: Counter[str] = Counter()
    overview, remarks = Overview(load(["."])), Remarks("en")
    for id, known in live.items():
        if any(stack[0]["value"] == "..." for stack in known["settings"].values()):
            continue  # here the running program cannot see all policies either
        found = overview.describe(id, (), remarks).main
        shared = {"layers": list(found.layers), "instances": dict(found.instances)}
        assert shared == {"layers": known["layers"], "instances": known["instances"]}, id
        reasons = {f"{s.policy}.{s.attribute}": s.reason for s in found.settings}
        settings = settings_of(found)
        assert list(settings) == list(known["settings"]), id
        for name, stack in settings.items():
            counts["unknown" if reasons[name] else "same"] += 1
            if not reasons[name]:
                theirs = known["settings"][name]
                assert len(stack) == len(theirs), (id, name)
                pairs = zip(stack, theirs, strict=True)
                assert [] == [pair for pair in pairs if not _agree(*pair, decorators)], (id, name)
    return Compared(counts["same"], counts["unknown"])


def _agree(ours: Setting, theirs: Setting, decorators: dict[tuple[str, int], int]) -> bool:
    place = theirs["source"], theirs["line"]
    within = theirs["line"] <= ours["line"] <= decorators.get(place, theirs["line"])
    value = ours["value"] if ours["value"] != "unknown" else theirs["value"]
    return within and {**ours, "line": 0, "value": value} == {**theirs, "line": 0}


def decorators_in(folder: Path) -> dict[tuple[str, int], int]:
    """First and last lines of all decorators below a folder, by path."""
    found = {}
    for path in folder.rglob("*.py"):
        with contextlib.suppress(SyntaxError):
            for node in ast.walk(ast.parse(path.read_bytes())):
                for decorator in getattr(node, "decorator_list", ()):
                    lines = decorator.lineno, decorator.end_lineno
                    found[path.relative_to(folder).as_posix(), lines[0]] = lines[1]
    return found


def test_the_shop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each element of the shop has the same layers, values and origins, and nothing of it is unknown."""
    job = Job(root=str(SHOP), folder=str(SHOP), package="shop", configuration=[], factory="shop.app:create_resilience")
    (live,) = answers([job])
    assert live is not None
    monkeypatch.chdir(SHOP)
    same, unknown = compare(live, decorators_in(SHOP))
    assert (True, True, 0) == (len(live) > 50, same > 700, unknown)


@pytest.mark.slow
def test_every_rule(tmp_path: Path) -> None:
    """So have the elements of every rule's fixture that starts at all; what is not known is marked so."""
    # Variables of processes are not looked at, nor what is guarded by a call and not by a decorator.
    fixtures = [fixture for fixture in all_fixtures() if fixture.code != "R4C-LOC-015"]
    projects = [project for project in lay_out(fixtures, tmp_path) if not project.environment]
    jobs = [
        Job(root=str(tmp_path), folder=str(p.folder), package=p.package, configuration=p.configuration, factory="")
        for p in projects
    ]
    total = Compared(0, 0)
    for project, live in zip(projects, answers(jobs), strict=True):
        if live is not None:
            with contextlib.chdir(project.folder):
                found = compare(live, decorators_in(project.folder))
            total = Compared(total.same + found.same, total.unknown + found.unknown)
    assert (True, True) == (total.same > 3000, total.unknown < 20), total


# ---------------------------------------------------------------- what is not known, and why

HEAD = """\
import os

from elsewhere import Base
from resilience4cata import *

TEXT, OPTIONS = os.environ["X"], {os.environ["Y"]: "1s"}
SPAN = "1s" if TEXT else "2s"
some = resilience_policy("some", retry(max_attempts=2), *TEXT)
one, other = resilience_policy("one", timeout("1s")), resilience_policy("other", timeout("2s"))
"""
DECORATED = "@{}\ndef f() -> None: ...\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project that lists its one configuration file."""
    write(str(tmp_path / "pyproject.toml"), '[tool.r4c]\nconfig-files = ["resilience4cata.toml"]\n')
    write(str(tmp_path / "resilience4cata.toml"), "")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("decorator", "setting", "said", "en", "es"),
    [
        (
            "retry(**OPTIONS)",
            "retry.delay",
            "@retry on app.f (app.py:10)",
            "**options may set it",
            "**options puede fijarlo",
        ),
        (
            "retry(config=TEXT)",
            "retry.delay",
            "an unknown template (app.py:10)",
            "what it holds is not known",
            "no se sabe qué contiene",
        ),
        (
            'retry(config="none")',
            "retry.delay",
            "configs.none (app.py:10)",
            "what it holds is not known",
            "no se sabe qué contiene",
        ),
        (
            "timeout(TEXT)",
            "timeout.value",
            "@timeout on app.f (app.py:10)",
            "only the running program knows the value",
            "solo el programa en marcha conoce el valor",
        ),
        ("timeout(SPAN)", "timeout.value", "@timeout on app.f (app.py:10)", '"1s" or "2s"', '"1s" o "2s"'),
        (
            "some",
            "retry.delay",
            'resilience_policy("some") (app.py:8)',
            "it may have members that cannot be seen",
            "puede tener miembros que no se ven",
        ),
        (
            "one\n@other",
            "timeout.value",
            'resilience_policy("other") (app.py:9)',
            "composed policies disagree on it",
            "las políticas compuestas no coinciden",
        ),
        (
            "circuit_breaker(window_size=int(TEXT))",
            "circuit_breaker.minimum_calls",
            "built-in default",
            "it follows from a setting that is unknown",
            "se deriva de un ajuste desconocido",
        ),
    ],
)
def test_reasons(here: Path, decorator: str, setting: str, said: str, en: str, es: str) -> None:
    """What cannot be known is called unknown, with where and why, in either language."""
    write("app.py", HEAD + DECORATED.format(decorator))
    policy, attribute = setting.split(".")
    found = [described("app.f", language=language).main.of(policy)[attribute] for language in ("en", "es")]
    assert [f"{attribute}=unknown <- {said}: {reason}" for reason in (en, es)] == [str(setting) for setting in found]


def test_part_of_a_value(here: Path) -> None:
    """Of a list that is not known to its end, what is known is shown."""
    write("app.py", HEAD + DECORATED.format("retry(retry_on=(OSError, *TEXT))"))
    setting = described("app.f").main.of("retry")["retry_on"]
    assert "retry_on=(OSError, ...) <- @retry on app.f (app.py:10): some of it is not known" == str(setting)


def test_what_is_known_in_spite_of_options(here: Path) -> None:
    """What is written beside `**options` counts, whatever they hold."""
    write("app.py", HEAD + DECORATED.format("retry(max_attempts=3, **OPTIONS)"))
    assert "max_attempts=3 <- @retry on app.f (app.py:10)" == str(described("app.f").main.of("retry")["max_attempts"])


def test_base_class_that_cannot_be_seen(here: Path) -> None:
    """It may bring anything, also to a method that nobody decorates; that is a note, not a guess."""
    write("app.py", HEAD + '\n\nclass C(Base):\n    @timeout("2s")\n    def f(self): ...\n\n    def g(self): ...\n')
    note = "an unknown base class may bring policies that cannot be seen"
    instance = "the name of its instance of timeout is not known"
    found = described("C.f")
    assert (note, instance) == found.notes
    assert "offload=unknown <- an unknown base class: it may bring policies that cannot be seen" == str(
        found.main.of("timeout")["offload"]
    )
    assert ["app.C#g", f"note: {note}"] == list(described("C.g").lines())


def test_order_that_is_not_known(here: Path) -> None:
    """The layers are listed, and not said to run in an order."""
    write("app.py", HEAD + DECORATED.format('order(*TEXT)\n@retry()\n@timeout("2s")'))
    assert "retry, timeout (in an order that is not known) -> the function" == described("app.f").main.way_in


def test_file_that_cannot_be_read(here: Path) -> None:
    """A broken file may say anything, so that only what is stronger is known."""
    write("app.py", HEAD + DECORATED.format('timeout("2s")'))
    write("resilience4cata.toml", "[")
    timeout = described("app.f").main.of("timeout")
    assert [
        "value=2s <- @timeout on app.f (app.py:10)",
        "offload=unknown <- an unknown source: a source that cannot be read may set it",
    ] == [str(timeout["value"]), str(timeout["offload"])]


def test_applied_by_a_call(here: Path) -> None:
    """A function that a call guards is not said to be unguarded without a word about that call."""
    write("app.py", HEAD + "\n\ndef f(): ...\n\n\nguarded = one(f)\n")
    note = 'resilience_policy("one") is applied to it by a call at app.py:15; what that call returns is guarded so'
    assert ["app#f", "  no decorator guards it", f"note: {note}"] == list(described("app.f").lines())


def test_values_that_no_program_has(here: Path) -> None:
    """Also what would be refused is shown, as it is written."""
    write("app.py", "from datetime import timedelta\n" + HEAD + DECORATED.format("timeout(timedelta(seconds=-1))"))
    setting = described("app.f").main.of("timeout")["value"]
    assert "value=timedelta(seconds=-1) <- @timeout on app.f (app.py:11)" == str(setting)


def test_characters_that_steer_terminals(here: Path) -> None:
    """They are shown, and reach no terminal."""
    write("app.py", HEAD + DECORATED.format('retry(budget="a\\x1b[31m\\n")'))
    assert "    budget=a\\x1b[31m\\n <- @retry on app.f (app.py:10)" in list(described("app.f").lines())


def test_accessors_of_a_property(here: Path) -> None:
    """Its name means the getter, or else the accessor that is guarded; a place means what stands there."""
    accessors = "@timeout('9s')\n    def {0}(self, value): ...\n"
    write(
        "app.py",
        "from resilience4cata import timeout\n\n\nclass A:\n"
        "    @property\n    @timeout('1s')\n    def x(self): ...\n"
        "    @x.setter\n    " + accessors.format("x") + "    @property\n    def y(self): ...\n"
        "    @y.setter\n    " + accessors.format("y"),
    )
    found = {
        target: str(described(target).main.of("timeout")["value"]) for target in ("app.A.x", "app.py:10", "app.A.y")
    }
    assert {
        "app.A.x": "value=1s <- @timeout on app.A.x (app.py:6)",
        "app.py:10": "value=9s <- @timeout on app.A.x (app.py:9)",
        "app.A.y": "value=9s <- @timeout on app.A.y (app.py:14)",
    } == found
