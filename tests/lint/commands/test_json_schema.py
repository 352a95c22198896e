"""The JSON Schema that `r4c config schema` prints agrees with our own reader of configuration files."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from resilience4cata.config.sources import ConfigSources, load
from resilience4cata.config.tree import templates_of
from resilience4cata.diagnostics import FRONT_ENDS, Context
from resilience4cata.durations import PATTERN, Problem, inspect
from resilience4cata.rules import check
from resilience4cata.schema import POLICIES
from resilience4cata_lint.cli import main
from resilience4cata_lint.json_schema import json_schema

FIXTURES = Path(__file__).parents[3] / "fixtures"
# What one key says by itself; everything else depends on other keys, on code, or on the places of keys.
ALONE = ("R4C-CFG-004", "R4C-CFG-011", "R4C-CFG-012")

schema = json_schema()
validator = Draft202012Validator(schema)


def files() -> Iterator[Path]:
    """Every TOML configuration of the fixtures that can be parsed."""
    names = {"expected.toml", "pyproject.toml", "faults.toml"}
    for path in sorted(FIXTURES.rglob("*.toml")):
        if path.name not in names and parsed(path.read_text(encoding="utf-8", errors="replace")) is not None:
            yield path


def parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def our_codes(path: Path) -> set[str]:
    """Which of the codes above our own rules report in a file."""
    file = load(ConfigSources.file(str(path)))
    return {f.rule.code for f in check([file, *templates_of([file])], Context(FRONT_ENDS["lint"]))} & set(ALONE)


def refused(text: str) -> list[str]:
    """The places at which the schema refuses a TOML document."""
    return sorted("/".join(map(str, error.absolute_path)) for error in validator.iter_errors(tomllib.loads(text)))


def test_it_is_a_schema() -> None:
    """The dialect's own schema accepts it."""
    Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("path", tuple(files()), ids=lambda path: path.relative_to(FIXTURES).as_posix())
def test_it_agrees_with_our_reader(path: Path) -> None:
    """A file is refused if, and only if, our rules refuse one of its keys for what it says by itself."""
    accepted = validator.is_valid(parsed(path.read_text(encoding="utf-8")))
    assert (our_codes(path) == set()) == accepted


def test_patterns_of_durations_agree_with_the_grammar() -> None:
    """Each literal of the cases is a duration for the pattern exactly if it is one for the grammar, bound aside."""
    path = FIXTURES / "cases" / "durations.json"
    cases = [case["literal"] for case in json.loads(path.read_text(encoding="utf-8"))]
    found = {text: re.search(PATTERN, text) is not None for text in cases if not text.endswith("\n")}
    problems = {text: inspect(text) for text in found}
    expected = {
        text: not isinstance(problem, Problem) or problem.reason == "overflow" for text, problem in problems.items()
    }
    assert expected == found


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ('resilience4cata.defaults.retry.delay = "2 s"', ["resilience4cata/defaults/retry/delay"]),
        ("resilience4cata.defaults.retry.delay = 2", ["resilience4cata/defaults/retry/delay"]),
        ('resilience4cata.defaults.timeout.value = "0ms"', ["resilience4cata/defaults/timeout/value"]),
        ('resilience4cata.defaults.timeout.value = "PT0.0S"', ["resilience4cata/defaults/timeout/value"]),
        ('resilience4cata.defaults.retry.delay = "0"', []),
        ("resilience4cata.defaults.retry.max-attempts = 0", ["resilience4cata/defaults/retry/max-attempts"]),
        ("resilience4cata.defaults.retry.max-attempts = true", ["resilience4cata/defaults/retry/max-attempts"]),
        ("resilience4cata.defaults.retry.max_attempts = 3", ["resilience4cata/defaults/retry"]),
        ('resilience4cata.defaults.retry.name = "x"', ["resilience4cata/defaults/retry"]),
        ("resilience4cata.enabled = false", []),
        ('resilience4cata.enabled = "false"', ["resilience4cata/enabled"]),
        ('resilience4cata.order = ["FALLBACK", "TIMEOUT", "RETRY"]', []),
        ('resilience4cata.order = ["FALLBCK"]', ["resilience4cata/order"]),
        ("resilience4cata.events.per-call = true", []),
        ("resilience4cata.budgets.partners.percent = 20.5", []),
        ('resilience4cata.budgets.partners.ttl = "0s"', ["resilience4cata/budgets/partners/ttl"]),
        ('resilience4cata.profiles.active = ["prod"]', []),
        ("resilience4cata.profiles.prod.configs.external.retry.max-attempts = 4", []),
        ("resilience4cata.profiles.prod.events.per-call = true", ["resilience4cata/profiles/prod"]),
        ('"acme.Client/charge/timeout/value" = "3s"', []),
        ('"acme.Client/charge/timeout/value" = "3 s"', ["acme.Client/charge/timeout/value"]),
        ('[resilience4cata.instances."acme.Client#charge"]\nlocked = true\ntimeout.value = "3s"', []),
        ('[other]\nanything = "goes"', []),
        ("", []),
    ],
)
def test_what_it_refuses(text: str, places: list[str]) -> None:
    """Single keys, right and wrong, and where the schema points."""
    assert places == refused(text)


def test_every_settable_attribute_is_described() -> None:
    """Editors show a line for each attribute of each policy."""
    described = {
        (policy, key): value["description"]
        for policy, table in schema["$defs"].items()
        for key, value in table["properties"].items()
    }
    expected = {(s.key, a.key): a.doc for s in POLICIES.values() for a in s.settable()}
    assert expected == described


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    """`r4c config schema` prints the schema as JSON and nothing else; redirected to a file it is UTF-8 everywhere."""
    assert main(["config", "schema"]) == 0
    out = capsys.readouterr().out
    assert (schema, True) == (json.loads(out), out.isascii())
