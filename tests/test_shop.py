"""The shop: clean where it is correct, and every planted fault reported by every front end that can see it."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable, Sequence
from difflib import ndiff
from pathlib import Path
from types import ModuleType

import pytest

from resilience4cata_lint.cli import main

SHOP = Path(__file__).parents[1] / "fixtures" / "shop"


def load(name: str) -> ModuleType:
    """A module of the demonstration, which is no package."""
    spec = importlib.util.spec_from_file_location(name, SHOP / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


front_ends = load("front_ends")
FRONT_ENDS = ("lint", "mypy", "build")


@pytest.fixture(scope="module")
def found() -> Callable[[str, str], list[tuple[str, str, int, int, str]]]:
    """What a front end reports in one of the shops; each is asked once."""
    known: dict[tuple[str, str], list[tuple[str, str, int, int, str]]] = {}

    def ask(front_end: str, shop: str) -> list[tuple[str, str, int, int, str]]:
        if (front_end, shop) not in known:
            known[front_end, shop] = [tuple(f) for f in front_ends.run(front_end, SHOP / shop)]
        return known[front_end, shop]

    return ask


Found = Callable[[str, str], list[tuple[str, str, int, int, str]]]


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_the_correct_shop_is_clean(front_end: str, found: Found) -> None:
    assert [] == found(front_end, "correct")


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_every_fault_is_reported_where_it_was_planted_and_nothing_else(front_end: str, found: Found) -> None:
    with (SHOP / "faulty" / "faults.toml").open("rb") as file:
        faults = tomllib.load(file)["fault"]
    planted = sorted((f["path"], f["line"], f["column"], f["code"]) for f in faults if front_end in f["reports"])
    # mypy says some of it in its own words as well.
    ours = sorted((f[1], f[2], f[3], f[0]) for f in found(front_end, "faulty") if f[0].startswith("R4C-"))
    assert planted == ours


def test_one_fault_has_one_text(found: Found) -> None:
    texts: defaultdict[tuple[str, str, int, int], set[str]] = defaultdict(set)
    for front_end in FRONT_ENDS:
        for code, path, line, column, text in found(front_end, "faulty"):
            texts[code, path, line, column].add(text)
    ours = {place: said for place, said in texts.items() if place[0].startswith("R4C-")}
    assert {} == {place: said for place, said in ours.items() if len(said) > 1}


def test_there_are_faults_of_many_kinds() -> None:
    with (SHOP / "faulty" / "faults.toml").open("rb") as file:
        faults = tomllib.load(file)["fault"]
    assert len(faults) >= 25
    assert {f["code"].split("-")[1] for f in faults} == {"FB", "DU", "VA", "CMP", "LOC", "CFG", "CL", "IN"}


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            "R4C-FB-002",
            (
                'shop/users/client.py:26:6: @fallback(method="find_fallbak") on shop.users.client.UserClient.find: '
                "no method named 'find_fallbak' found; did you mean 'find_fallback'?"
            ),
        ),
        (
            "R4C-CFG-011",
            (
                "resilience4cata.toml:13:1: configs.external.circuit-breaker.wait-in-opne: "
                "unknown key 'wait-in-opne'; did you mean 'wait-in-open'?"
            ),
        ),
        (
            "R4C-CMP-004",
            (
                "shop/payments/client.py:32:6: @non_idempotent_call on shop.payments.client.PaymentsClient.refund: "
                'composed policies disagree on timeout value: "2s" from resilience_policy("external-call") '
                'but "5s" from resilience_policy("non-idempotent-call"); set it explicitly on the method to resolve'
            ),
        ),
    ],
)
def test_the_messages_that_the_project_is_known_by(code: str, said: str, found: Found) -> None:
    assert said in [f"{f[1]}:{f[2]}:{f[3]}: {f[4]}" for f in found("build", "faulty") if f[0] == code]


def test_the_linter_repairs_as_the_correct_shop_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line that an edit writes is the one of the correct shop, and each file is nearer to it than before."""
    copy = Path(shutil.copytree(SHOP / "faulty", tmp_path / "shop", ignore=shutil.ignore_patterns("__pycache__")))
    monkeypatch.chdir(copy)
    assert 1 == main(["check", "--no-cache", "--fix", "--unsafe-fixes", "."])
    changed = {
        path.relative_to(copy).as_posix()
        for path in copy.rglob("*.*")
        if path.is_file() and path.read_bytes() != (SHOP / "faulty" / path.relative_to(copy)).read_bytes()
    }
    assert {
        "resilience.properties",
        "resilience4cata.toml",
        "shop/catalogue/prices.py",
        "shop/catalogue/search.py",
        "shop/legacy.py",
        "shop/policies/internal.py",
        "shop/users/client.py",
        "shop/users/preferences.py",
    } == changed
    for path in changed:
        faulty, repaired, correct = (lines_of(folder / path) for folder in (SHOP / "faulty", copy, SHOP / "correct"))
        assert [] == [line for line in repaired if line not in faulty and line not in correct]
        assert difference(repaired, correct) < difference(faulty, correct)


def lines_of(path: Path) -> list[str]:
    return path.read_bytes().decode().splitlines(keepends=True)


def difference(left: Sequence[str], right: Sequence[str]) -> int:
    """How many lines differ."""
    return sum(line[0] in "+-" for line in ndiff(left, right))


ALL_BREAKERS = (
    "shop.payments.client.PaymentsClient#charge",
    "shop.payments.client.PaymentsClient#status",
    "shop.users.client.UserClient#find",
)
PAID = {"charge paid": 6, "payment status paid": 6, "user known": 6}


def test_the_shop_at_work() -> None:
    """Real sockets: retries hide some failures, open circuit breakers and fallbacks the rest, until all is well."""
    result = run_shop("--json")
    works, fails, down, back, recovered = json.loads(result)
    nothing: dict[str, object] = {"retries": {}, "fallbacks": {}, "transitions": []}
    title = works.pop("title")
    assert ("the backend works", {"served": {"requests": 18}, "outcomes": PAID, **nothing}) == (title, works)
    assert {
        "title": "every third request fails",
        "served": {"requests": 27, "failures": 9},
        "outcomes": PAID,
        "retries": {"retried": 9},
        "fallbacks": {},
        "transitions": [],
    } == fails
    assert {
        "title": "all requests fail",
        "served": {"requests": 27, "failures": 27},
        "outcomes": {
            "charge open": 6,
            "payment status unknown": 6,
            "user known": 4,
            "user refused by the open breaker": 2,
        },
        "retries": {"retried": 19, "given up: attempts": 8},
        "fallbacks": {
            "ReceiptFallback for CallNotPermittedError": 4,
            "ReceiptFallback for ServiceUnavailable": 2,
            "_status_unknown for CallNotPermittedError": 4,
            "_status_unknown for ServiceUnavailable": 2,
            "find_fallback for ServiceUnavailable": 4,
        },
        "transitions": [f"{breaker}: closed -> open" for breaker in ALL_BREAKERS],
    } == down
    assert ({}, [], {"charge open": 6, "payment status unknown": 6, "user refused by the open breaker": 6}) == (
        back["served"],
        back["transitions"],
        back["outcomes"],
    )
    assert ({"requests": 18}, PAID, {}, {}) == tuple(
        recovered[part] for part in ("served", "outcomes", "retries", "fallbacks")
    )
    steps = (f"{breaker}: {step}" for breaker in ALL_BREAKERS for step in ("open -> half_open", "half_open -> closed"))
    assert sorted(steps) == sorted(recovered["transitions"])


def test_the_shop_at_work_in_words() -> None:
    """Each phase, and at the end the settings and the states as the library prints them."""
    phases, described, states = run_shop().split("\n\nresilience.")
    assert "   shop.users.client.UserClient#find: half_open -> closed" in phases.splitlines()
    assert "   retries:   19 retried, 8 given up: attempts" in phases.splitlines()
    assert [
        "describe('shop.payments.client.PaymentsClient#charge'):",
        "",
        "shop.payments.client.PaymentsClient#charge",
        "  fallback -> retry -> circuit_breaker -> rate_limiter -> timeout -> the function",
    ] == described.splitlines()[:4]
    assert "    half_open_calls=5 <- configs.external (resilience4cata.toml:14)" in described.splitlines()
    charge = next(line for line in states.splitlines() if line.startswith(f"circuit_breaker {ALL_BREAKERS[0]} "))
    figures = "closed, window calls 1 failed 0 slow 0, total calls 30 failed 12 slow 0, not permitted 10"
    assert figures == charge.partition("  ")[2].strip()


def run_shop(*arguments: str) -> str:
    """What the shop at work prints."""
    command = [sys.executable, str(SHOP / "run.py"), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert (0, "") == (result.returncode, result.stderr)
    return result.stdout
