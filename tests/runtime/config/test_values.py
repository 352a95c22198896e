"""Values of files as facts, and when two of them mean the same."""

import datetime

import pytest

from resilience4cata.config.equality import same
from resilience4cata.config.values import coerce, from_toml
from resilience4cata.facts import UNKNOWN, Interval, Items, Member, Ref, Value
from resilience4cata.schema import POLICIES, Attribute

OS_ERROR = Ref(
    "builtins.OSError", True, ("builtins.OSError", "builtins.Exception", "builtins.BaseException", "builtins.object")
)
TIMEOUT_ERROR = Ref("builtins.TimeoutError", True, ("builtins.TimeoutError", *(OS_ERROR.ancestors or ())))
CANCELLED = Ref(
    "asyncio.exceptions.CancelledError",
    True,
    ("asyncio.exceptions.CancelledError", "builtins.BaseException", "builtins.object"),
)


def attribute(policy: str, name: str) -> Attribute:
    return POLICIES[policy].attributes[name]


DELAY = attribute("retry", "delay")
ATTEMPTS = attribute("retry", "max_attempts")
MULTIPLIER = attribute("retry", "multiplier")
ENABLED = attribute("retry", "enabled")
JITTER = attribute("retry", "jitter")
RETRY_ON = attribute("retry", "retry_on")
CLASSIFIER = attribute("retry", "classifier")
BUDGET = attribute("retry", "budget")
LAYERS = attribute("order", "layers")


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (DELAY, "20", "20"),
        (DELAY, " 1s ", " 1s "),
        (ATTEMPTS, "20", 20),
        (ATTEMPTS, "-1", -1),
        (ATTEMPTS, "+1", "+1"),
        (ATTEMPTS, "2.5", "2.5"),
        (ATTEMPTS, "1_0", "1_0"),
        (ATTEMPTS, "\u0663", "\u0663"),
        (ATTEMPTS, " 3", " 3"),
        (ATTEMPTS, "9" * 5000, "9" * 5000),
        (MULTIPLIER, "2", 2),
        (MULTIPLIER, "1.5", 1.5),
        (MULTIPLIER, "1e3", "1e3"),
        (MULTIPLIER, "nan", "nan"),
        (ENABLED, "true", True),
        (ENABLED, "false", False),
        (ENABLED, "True", "True"),
        (ENABLED, "1", "1"),
        (JITTER, "FULL", Member("Jitter", "FULL")),
        (JITTER, "full", "full"),
        (RETRY_ON, "OSError", OS_ERROR),
        (RETRY_ON, "builtins.OSError", OS_ERROR),
        (RETRY_ON, "IOError", OS_ERROR),
        (RETRY_ON, "socket.timeout", TIMEOUT_ERROR),
        (RETRY_ON, "asyncio.CancelledError", CANCELLED),
        (RETRY_ON, "acme.errors.Broken", Ref("acme.errors.Broken")),
        (RETRY_ON, "A, b.C", Items((Ref("A"), Ref("b.C")))),
        (RETRY_ON, "A,", Items((Ref("A"), ""))),
        (RETRY_ON, "not a path", "not a path"),
        (RETRY_ON, "", ""),
        (RETRY_ON, " ", " "),
        (CLASSIFIER, "acme.MyClassifier", Ref("acme.MyClassifier")),
        (CLASSIFIER, "acme-x", "acme-x"),
        (BUDGET, "partners", "partners"),
        (LAYERS, "FALLBACK, TIMEOUT", Items((Member("Layer", "FALLBACK"), Member("Layer", "TIMEOUT")))),
        (LAYERS, "RETRY", Items((Member("Layer", "RETRY"),))),
        (LAYERS, "RETRY, foo", Items((Member("Layer", "RETRY"), "foo"))),
        (LAYERS, "", ""),
    ],
)
def test_text(kind: Attribute, text: str, expected: Value) -> None:
    """Text becomes what the attribute asks for; what cannot, stays text."""
    found = coerce(kind, text, textual=True)
    assert (type(expected), expected) == (type(found), found)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (ATTEMPTS, 20, 20),
        (ATTEMPTS, "20", "20"),
        (ENABLED, "true", "true"),
        (ENABLED, True, True),
        (DELAY, 5, 5),
        (JITTER, "FULL", Member("Jitter", "FULL")),
        (RETRY_ON, Items(("OSError", "a.B", 3), "list"), Items((OS_ERROR, Ref("a.B"), 3))),
        (RETRY_ON, "OSError", OS_ERROR),
        (LAYERS, Items(("RETRY",), "list"), Items((Member("Layer", "RETRY"),))),
        (DELAY, Items(("1s",), "list"), Items(("1s",), "list")),
        (RETRY_ON, UNKNOWN, UNKNOWN),
    ],
)
def test_typed(kind: Attribute, value: Value, expected: Value) -> None:
    """TOML has types of its own, so text is no number there."""
    assert expected == coerce(kind, value, textual=False)


def test_own_errors_are_known() -> None:
    """The library's own errors have their ancestors under their public name too."""
    found = coerce(RETRY_ON, "resilience4cata.CallNotPermittedError", textual=True)
    assert isinstance(found, Ref)
    assert "resilience4cata.errors.CallNotPermittedError" == found.name
    assert "resilience4cata.errors.RejectedError" in (found.ancestors or ())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a", "a"),
        (True, True),
        (1.5, 1.5),
        (datetime.date(1979, 5, 27), "1979-05-27"),
        ([1, [2]], Items((1, Items((2,), "list")), "list")),
        ([{"a": 1}], Items((UNKNOWN,), "list")),
    ],
)
def test_from_toml(value: object, expected: Value) -> None:
    """What tomllib gives, as facts."""
    assert expected == from_toml(value)


@pytest.mark.parametrize(
    ("kind", "left", "right", "expected"),
    [
        (DELAY, "60s", "1m", True),
        (DELAY, "60s", Interval(60 * 10**9), True),
        (DELAY, "60s", "61s", False),
        (DELAY, "60s", "nonsense", None),
        (DELAY, "60s", 60, None),
        (ATTEMPTS, 3, 3, True),
        (ATTEMPTS, 3, 4, False),
        (ATTEMPTS, 1, True, None),
        (MULTIPLIER, 2, 2.0, True),
        (ENABLED, True, False, False),
        (ENABLED, True, 1, None),
        (JITTER, Member("Jitter", "FULL"), Member("Jitter", "NONE"), False),
        (JITTER, Member("Jitter", "FULL"), "FULL", None),
        (RETRY_ON, OS_ERROR, Items((OS_ERROR,)), True),
        (RETRY_ON, Items((OS_ERROR, TIMEOUT_ERROR)), Items((TIMEOUT_ERROR, OS_ERROR)), True),
        (RETRY_ON, OS_ERROR, TIMEOUT_ERROR, False),
        (RETRY_ON, OS_ERROR, Ref("acme.Alias"), None),
        (RETRY_ON, Ref("acme.Alias"), Ref("acme.Alias"), True),
        (RETRY_ON, OS_ERROR, Items((OS_ERROR,), closed=False), None),
        (RETRY_ON, OS_ERROR, Items((UNKNOWN,)), None),
        (RETRY_ON, Items(()), OS_ERROR, False),
        (BUDGET, "a", "b", False),
        (BUDGET, "a", None, False),
        (BUDGET, None, None, True),
        (BUDGET, "a", UNKNOWN, None),
        (LAYERS, Items((Member("Layer", "RETRY"),)), Items((Member("Layer", "RETRY"),), "list"), False),
        (LAYERS, Items((Member("Layer", "RETRY"),)), Items(("x",)), None),
    ],
)
def test_same(kind: Attribute, left: Value, right: Value, expected: bool | None) -> None:
    """Certain only where it is; the order of the two does not matter."""
    assert (expected, expected) == (same(kind, left, right), same(kind, right, left))


def test_what_is_no_number_is_no_difference() -> None:
    """It is refused where it is written; that it does not equal itself is no second fault."""
    threshold = POLICIES["circuit_breaker"].attributes["failure_rate_threshold"]
    assert same(threshold, float("nan"), float("nan")) is None
    assert same(threshold, float("nan"), 50) is None
    assert same(threshold, 50.0, 50) is True
