"""YAML: places, what scalars mean, anchors, and everything that can be wrong."""

import builtins
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resilience4cata.config.reading import NEEDS_PYYAML
from resilience4cata.config.sources import read
from resilience4cata.config.tree import templates_of
from resilience4cata.facts import (
    At,
    Broken,
    ConfigFile,
    Empty,
    Extends,
    Items,
    Key,
    Member,
    Repeated,
    Setting,
    Unrecognised,
)

SAMPLE = """\
# Templates
resilience4cata:
  strict: true
  configs:
    external:
      circuit-breaker: {failure-rate-threshold: 50, wait-in-open: 30s}
      retry:
        jitter: FULL
        retry-on: [OSError, ValueError]
    slow-external:
      extends: external
      timeout.value: "10s"
  instances:
    acme.payments.PaymentsClient#charge:
      timeout:
        value: 3s
external-call/timeout/value: 4s
other: {resilience4cata: 1}
"""


def yaml(text: str) -> ConfigFile:
    return read("a.yaml", text.encode())


def values(text: str) -> dict[str, Any]:
    file = yaml(text)
    assert file.broken is None
    return {key.text: key.value for key in file.keys}


def test_the_same_tree_as_in_other_formats() -> None:
    """Keys, values and templates."""
    file = yaml(SAMPLE)
    found = {key.text: key.value for key in file.keys}
    retry_on = found.pop("configs.external.retry.retry-on")
    assert isinstance(retry_on, Items)
    assert ["builtins.OSError", "builtins.ValueError"] == [getattr(item, "name", "") for item in retry_on.items]
    assert {
        "strict": True,
        "configs.external.circuit-breaker.failure-rate-threshold": 50,
        "configs.external.circuit-breaker.wait-in-open": "30s",
        "configs.external.retry.jitter": Member("Jitter", "FULL"),
        "configs.slow-external.extends": "external",
        "configs.slow-external.timeout.value": "10s",
        "instances.acme.payments.PaymentsClient#charge.timeout.value": "3s",
        "external-call/timeout/value": "4s",
    } == {text.replace('"', ""): value for text, value in found.items()}
    assert [("external", None), ("slow-external", "external")] == [(t.name, t.extends) for t in templates_of([file])]


def test_places() -> None:
    """Of keys, of their parts and of values, in flow and in block style, quoted or not."""
    keys = {key.text: key for key in yaml(SAMPLE).keys}
    wait = keys["configs.external.circuit-breaker.wait-in-open"]
    assert (At("a.yaml", 6, 53, 6, 65), At("a.yaml", 6, 67, 6, 70)) == (wait.at, wait.value_at)
    value = keys["configs.slow-external.timeout.value"]
    assert [At("a.yaml", 12, 7, 12, 14), At("a.yaml", 12, 15, 12, 20)] == list(value.parts_at[-2:])
    assert At("a.yaml", 12, 22, 12, 27) == value.value_at
    slashes = keys["external-call/timeout/value"]
    assert Setting("family", "external-call", "timeout", "value") == slashes.meaning


def test_byte_order_mark_and_line_ends() -> None:
    text = "\ufeffresilience4cata:\r\n  strict: true\r\n"
    (key,) = yaml(text).keys
    assert (True, At("a.yaml", 2, 3, 2, 9), At("a.yaml", 2, 11, 2, 15)) == (key.value, key.at, key.value_at)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("true", True),
        ("False", False),
        ("on", "on"),
        ("no", "no"),
        ("y", "y"),
        ("'true'", "true"),
        ("!!str true", "true"),
        ("&x true", True),
    ],
)
def test_booleans(written: str, expected: object) -> None:
    """`true` and `false`; what YAML 1.1 called a boolean is text, which the rule for values refuses."""
    assert {"strict": expected} == values(f"resilience4cata:\n  strict: {written}")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("3", 3),
        ("-3", -3),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("0x10", "0x10"),
        ("0o17", "0o17"),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".inf", ".inf"),
        ("2001-01-01", "2001-01-01"),
        ("'3'", "3"),
        ("", ""),
        ("null", ""),
        ("~", ""),
    ],
)
def test_numbers_and_nothing(written: str, expected: object) -> None:
    """Decimal numbers alone; a value that is left out is empty, which is told."""
    assert {"defaults.retry.max-attempts": expected} == values(
        f"resilience4cata:\n  defaults:\n    retry:\n      max-attempts: {written}"
    )


def test_tables_that_are_left_out() -> None:
    """`external:` and `external: {}` are templates without settings."""
    external, other = yaml("resilience4cata:\n  configs:\n    external:\n    other: {}\n").keys
    assert (Empty("template", "external"), Empty("template", "other")) == (external.meaning, other.meaning)


ANCHORS = """\
base: &base
  delay: 1s
  max-attempts: 4
resilience4cata:
  configs:
    a:
      retry: *base
    b:
      retry:
        <<: *base
        max-attempts: 5
    c:
      retry:
        <<: [{delay: 9s}, *base]
"""


def test_anchors_and_merge_keys() -> None:
    """What is written beats what is merged; of several merged ones the first counts; places are those of the anchor."""
    file = yaml(ANCHORS)
    found: dict[str, Key] = {}
    for key in file.keys:
        found[key.text] = key
    assert () == file.repeated
    assert {"configs.a.retry.delay": "1s", "configs.a.retry.max-attempts": 4} == {
        text: key.value for text, key in found.items() if text.startswith("configs.a")
    }
    assert ("1s", 5) == (found["configs.b.retry.delay"].value, found["configs.b.retry.max-attempts"].value)
    assert At("a.yaml", 2, 10, 2, 12) == found["configs.a.retry.delay"].value_at
    assert "9s" == found["configs.c.retry.delay"].value


@pytest.mark.parametrize(
    ("text", "key", "line", "first"),
    [
        ("resilience4cata:\n  strict: true\n  strict: false\n", "strict", 3, 2),
        ("resilience4cata:\n  configs:\n    a: {}\n  configs:\n    b: {}\n", "configs", 4, 2),
    ],
)
def test_repeated(text: str, key: str, line: int, first: int) -> None:
    """PyYAML takes the last one in silence."""
    (repeated,) = yaml(text).repeated
    assert isinstance(repeated, Repeated)
    assert (key, line, first) == (repeated.key, repeated.at.line, repeated.first.line)


def test_repeated_by_others() -> None:
    """What stands beside our tree is nobody's business, of whatever kind."""
    assert ConfigFile("a.yaml") == yaml("a: 1\na: 2\n? [1]\n: 3\nb: !Secret x\n")


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("resilience4cata:\n  strict: [\n", 3, 1, "expected the node content, but found '<stream end>'"),
        ("resilience4cata:\n\tstrict: true\n", 2, 1, "found character '\\t' that cannot start any token"),
        ("a: *x\n", 1, 4, "found undefined alias 'x'"),
        ("a: 1\n---\nb: 2\n", 2, 1, "a second document begins here, and only one can be read"),
        ("a: \x01\n", 1, 4, "special characters are not allowed"),
        ("resilience4cata:\n  strict: !ENV x\n", 2, 11, "the tag !ENV means nothing here"),
        ("resilience4cata:\n  ? [a]\n  : 1\n", 2, 5, "a key must be text"),
        ("resilience4cata: &a\n  configs: *a\n", 1, 18, "an anchor holds itself"),
        ("resilience4cata:\n  <<: 3\n", 2, 7, "only tables can be merged with '<<'"),
    ],
)
def test_broken(text: str, line: int, column: int, reason: str) -> None:
    """Why, at which line and column."""
    broken = yaml(text).broken
    assert broken is not None
    assert (line, column, reason) == (broken.at.line, broken.at.column, broken.reason)


def test_nothing_grows_without_bounds() -> None:
    """Neither depth nor anchors of anchors take the process down."""
    deep = yaml("resilience4cata: " + "[" * 20_000)
    assert deep.broken is not None
    lines = ["a0: &a0 {x: 1, y: 2}"] + [f"a{i}: &a{i} {{x: *a{i - 1}, y: *a{i - 1}}}" for i in range(1, 40)]
    laughs = yaml("\n".join([*lines, "resilience4cata: *a39"]))
    assert laughs.broken is not None
    assert "its anchors stand for more than 10,000 keys" == laughs.broken.reason


def test_misspelt_and_astray() -> None:
    """A near prefix, and a level that is missing, are recognised as in other formats."""
    (key,) = yaml("resilence4cata:\n  strict: true\n").keys
    assert Unrecognised(0, ("resilience4cata",)) == key.meaning
    (key,) = yaml("resilience4cata:\n  external:\n    retry:\n      delay: 1s\n").keys
    assert isinstance(key.meaning, Unrecognised)
    assert "configs.external" == key.meaning.suggestion


def test_without_pyyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    """What to install is said, at the file."""
    original = builtins.__import__

    def refuse(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "yaml" or (name == "" and "yaml" in (args[2] or ()) and args[3] == 1):
            raise ModuleNotFoundError(name="yaml")
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert ConfigFile("a.yml", broken=Broken(At("a.yml"), NEEDS_PYYAML)) == read("a.yml", b"x: 1")


FRAGMENTS = [*":-[]{}'\"|#", " ", "\n", "  ", "\t", "&a", "*a", "<<", "!x", "resilience4cata"]
WORDS = ["configs", "external", "retry", "delay", "1s", "profiles", "extends", "/"]


@given(st.lists(st.sampled_from(FRAGMENTS + WORDS), max_size=30).map("".join))
def test_any_text(text: str) -> None:
    """There is always a result, and a broken file has no keys."""
    file = yaml(text)
    assert file.broken is None or file.keys == ()
    assert all(isinstance(key.meaning, Setting | Extends | Empty | Unrecognised) or key.meaning for key in file.keys)
    assert all(not isinstance(key.value, Items) or key.value.items is not None for key in file.keys)
